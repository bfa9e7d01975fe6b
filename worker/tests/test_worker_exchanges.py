"""kill -9 of a real worker while two hosts exchange chains, at each point of the steps of the order in between: no
chain stops before it runs elsewhere, and every order is adopted once."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, press
from operating_world import LIMIT_S, planned, until
from sextant_backend.faults import FAULT_POINTS
from sextant_domain.plans.operation import Operation, OperationState
from sextant_domain.plans.plan import PlanState
from worker_world import Processes, eventually, processes

pytestmark = pytest.mark.fault

AT = sorted({name.rsplit(".", 1)[1] for name in FAULT_POINTS if name.startswith("operate.make.")})
"""Where in a step; steps that send no order have no files."""


def points(at: str, undo: str = "") -> list[str]:
    """Of the steps `make` and `ready`: a worker dies in each of them once."""
    named = (f"operate.{step}.{undo}{at}" for step in ("make", "ready"))
    return [name for name in named if name in FAULT_POINTS]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, settings: object) -> Iterator[tuple[Path, Processes]]:
    folder = tmp_path_factory.mktemp("worker")
    with a_fleet(folder), processes(folder) as started:
        yield folder, started


@pytest.fixture
def worker(real: tuple[Path, Processes]) -> Processes:
    return real[1]


@pytest.fixture
def fleet(real: tuple[Path, Processes], client: TestClient) -> Iterator[Fleet]:
    """edge-1 runs web and edge-2 runs dns; both have ten slots, and a chain three NFs, one of which reads a file."""
    with a_fleet(real[0], "edge-1", "edge-2") as made:
        for chain, other in (("web", "edge-2"), ("dns", "edge-1")):
            client.post(f"{API}/hosts/{other}/cordon", json={"reason": "not yet"})
            until(client, apply(client, planned(client, name=chain)).id, OperationState.COMPLETED)
            client.post(f"{API}/hosts/{other}/uncordon")
        yield made


def exchanged(client: TestClient) -> Operation:
    """Begun. edge-1 has the order in between: it comes first by name, and both have room."""
    intent = {"kind": "relocate", "chain": "web", "host": "edge-2", "exchange": ["dns"]}
    plan_id = client.post(f"{API}/plans", json={"intent": intent}).json()["id"]
    eventually(lambda: plan(client, plan_id).state is not PlanState.PLANNING, LIMIT_S)
    return apply(client, plan(client, plan_id))


def chains(fleet: Fleet, host: str) -> set[str]:
    """By the ledger of its agent."""
    return {chain.chain for chain in fleet[host].ledger.content.chains}


@contextmanager
def ordered_somewhere(fleet: Fleet) -> Iterator[None]:
    """Both chains are in one of the ledgers at any time. edge-1 is looked at twice: a chain that comes there between
    the two looks has not left edge-2 before."""
    lost: list[set[str]] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.005):
            there = chains(fleet, "edge-1") | chains(fleet, "edge-2") | chains(fleet, "edge-1")
            lost.extend([there] if len(there) < 2 else [])

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield
    finally:
        ended.set()
        looking.join()
    assert not lost


def generations(fleet: Fleet, host: str) -> list[int]:
    return [generation for generation, _ in fleet[host].adopted]


def judge(fleet: Fleet) -> None:
    """No order was refused, and none was given under a lower fence than the one before."""
    for host in ("edge-1", "edge-2"):
        fences = [fence for _, fence in fleet[host].orders]
        assert not fleet[host].refused
        assert fences == sorted(fences)


@pytest.mark.parametrize("at", AT)
def test_an_exchange_whose_worker_is_killed_in_between_is_carried_out_once(
    client: TestClient, fleet: Fleet, worker: Processes, at: str
) -> None:
    for host in ("edge-1", "edge-2"):
        fleet[host].files.clear()  # what comes brings its file again
    worker.inject(**{name.replace(".", "__"): {"action": "kill", "times": 1} for name in points(at)})
    with ordered_somewhere(fleet):
        until(client, exchanged(client).id, OperationState.COMPLETED)
    for name in points(at):
        worker.happens(name)
    assert (chains(fleet, "edge-1"), chains(fleet, "edge-2")) == ({"dns"}, {"web"})
    assert (generations(fleet, "edge-1"), generations(fleet, "edge-2")) == ([1, 2, 3], [1, 2])
    judge(fleet)


@pytest.mark.parametrize("at", [at for at in AT if not at.endswith("_file")])
def test_an_exchange_that_is_cancelled_goes_back_once_though_its_worker_is_killed(
    client: TestClient, fleet: Fleet, worker: Processes, at: str
) -> None:
    """edge-2 starts nothing, so web never runs there; edge-1 has both by then."""
    fleet["edge-2"].stuck = True
    with ordered_somewhere(fleet):
        begun = exchanged(client)
        eventually(lambda: generations(fleet, "edge-2") == [1, 2], LIMIT_S)
        worker.inject(**{n.replace(".", "__"): {"action": "kill", "times": 1} for n in points(at, "undo.")})
        press(client, begun.id, "cancel")
        fleet["edge-2"].stuck = False
        until(client, begun.id, OperationState.ROLLED_BACK)
    for name in points(at, "undo."):
        worker.happens(name)
    assert (chains(fleet, "edge-1"), chains(fleet, "edge-2")) == ({"web"}, {"dns"})
    judge(fleet)
