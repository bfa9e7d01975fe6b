"""The native core seen from Python: results, limits, cancelling, signals, other threads, errors."""

import json
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
from engine_problems import chain, nodes, problem
from sextant_engine import native
from sextant_engine.errors import BadEngineInput

# Two nodes of two cores and a chain of two As, both on n0: llc = mem = .1 each, so 10 (1 - .2 x .1 - .1 x .1) = 9.7.
TWO_AS = problem(nodes(2, 2), chain("c", "AA")).model_dump_json()
# 2^60 ways to seat the NFs: brute tries until it is stopped.
ENDLESS = native.generate(chains=20, nodes=2, cores=40, length=3, mode="A", seed=1)
LONG_S = 60.0
"""Brute wants a limit; no test waits for it."""


@pytest.fixture
def only_releases_switch() -> Iterator[None]:
    """Python takes the GIL from no thread: another one runs only when this one lets go of it."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1000.0)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.parametrize("text", [TWO_AS, TWO_AS.encode()])
def test_a_problem_goes_in_as_json_and_its_placement_comes_out(text: str | bytes) -> None:
    solved = native.solve(text, "brute")
    result = json.loads(solved.result)
    assert result["assignment"] == {"c": ["n0", "n0"]}
    assert result["score"] == pytest.approx(9.7)
    assert result["status"] == "optimal"
    assert solved.cpu_seconds > 0


def test_the_generator_is_seeded() -> None:
    def generated(seed: int) -> Any:
        return json.loads(native.generate(chains=2, nodes=3, cores=4, length=5, mode="B", seed=seed))

    assert generated(1) == generated(1) != generated(2)
    assert [len(chain["nfs"]) for chain in generated(1)["chains"]] == [5, 5]
    assert [node["cores"] for node in generated(1)["nodes"]] == [4, 4, 4]


def test_evaluations_limit_a_search_alike_on_any_machine() -> None:
    first, second = (json.loads(native.solve(ENDLESS, "brute", evaluations=1000).result) for _ in range(2))
    assert first["evaluations"] == 1000
    assert first["assignment"] == second["assignment"]


def test_a_search_begins_with_the_placement_it_is_given() -> None:
    """One evaluation more finds nothing better than the best of ten thousand, so that comes back."""

    def best(**options: Any) -> Any:
        return json.loads(native.solve(ENDLESS, "brute", **options).result)["assignment"]

    long_search = best(evaluations=10_000)
    assert best(evaluations=1, start=json.dumps(long_search)) == long_search
    assert best(evaluations=1) != long_search


def test_progress_hears_of_the_search_and_cancels_it() -> None:
    heard: list[tuple[float, float, int]] = []

    def second_time(*progress: Any) -> bool:
        heard.append(progress)
        return len(heard) == 2

    result = json.loads(native.solve(ENDLESS, "brute", seconds=LONG_S, progress=second_time).result)
    assert len(heard) == 2
    assert 0 < heard[0][2] < heard[1][2] <= result["evaluations"]
    assert heard[1][0] == result["score"] <= result["bound"] <= heard[1][1]
    assert result["status"] == "feasible"


def test_what_progress_raises_ends_the_search() -> None:
    def broken(*_: Any) -> bool:
        raise LookupError("gone")

    with pytest.raises(LookupError, match="gone"):
        native.solve(ENDLESS, "brute", seconds=LONG_S, progress=broken)


@pytest.fixture
def signal_of_a_keyboard() -> Iterator[None]:
    """As at a terminal: a process that a shell put in the background inherits that SIGINT is ignored."""
    former = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, former)


@pytest.mark.usefixtures("signal_of_a_keyboard")
def test_ctrl_c_ends_a_search() -> None:
    """The signal comes once the main thread is inside `native.solve`; it leaves long before its limit."""
    main, left_early = threading.get_ident(), threading.Event()

    def inside() -> bool:
        return sys._current_frames()[main].f_code is native.solve.__code__

    def interrupt() -> None:
        while not inside():
            time.sleep(0.001)
        signal.pthread_kill(main, signal.SIGINT)
        bound = time.monotonic() + LONG_S / 2
        while inside() and time.monotonic() < bound:
            time.sleep(0.01)
        if not inside():
            left_early.set()

    other = threading.Thread(target=interrupt)
    other.start()
    with pytest.raises(KeyboardInterrupt):
        native.solve(ENDLESS, "brute", seconds=LONG_S)
    other.join()
    assert left_early.is_set()


@pytest.mark.usefixtures("only_releases_switch")
def test_other_threads_run_during_a_search() -> None:
    """The search ends only because another thread has counted to a thousand meanwhile."""
    begun, counted = threading.Event(), threading.Event()

    def count() -> None:
        begun.wait()
        for _ in range(1000):
            pass
        counted.set()

    other = threading.Thread(target=count)
    other.start()
    begun.set()
    native.solve(ENDLESS, "brute", seconds=LONG_S, progress=lambda *_: counted.is_set())
    assert counted.is_set()
    other.join()


@pytest.mark.parametrize(("text", "field"), [
    ("{", "(whole input)"),
    (b"\xff", "(whole input)"),
    (TWO_AS + "{}", "(whole input)"),
    (TWO_AS.replace('"cores":2', '"cores":-2'), "nodes.0.cores"),
    (TWO_AS.replace('"stalls":10.0', '"stalls":null'), "nf_types.A.stalls"),
])  # fmt: skip
def test_a_bad_problem_is_refused_with_its_field(text: str | bytes, field: str) -> None:
    with pytest.raises(BadEngineInput) as caught:
        native.solve(text, "brute")
    assert caught.value.field == field
    assert caught.value.message


@pytest.mark.parametrize(("options", "field"), [
    ({"algorithm": "best"}, "algorithm"),
    ({"params": '{"depth": 3}'}, "params.depth"),
    ({"params": "["}, "params"),
    ({"seconds": -1.0}, "seconds"),
    ({"seconds": float("nan")}, "seconds"),
    ({"start": '{"c": 1}'}, "start.c"),
    ({"start": '{"c": ["n7", "n0"]}'}, "start.c.0"),
])  # fmt: skip
def test_bad_arguments_are_refused_with_their_field(options: dict[str, Any], field: str) -> None:
    with pytest.raises(BadEngineInput) as caught:
        native.solve(TWO_AS, **{"algorithm": "brute", **options})
    assert caught.value.field == field
