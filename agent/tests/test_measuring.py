"""The measuring protocol with the real program on this machine: short, and sane rather than fast."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from sextant_agent.main import app
from sextant_agent.measuring.busy import pinned_nfs
from sextant_agent.measuring.calibration import calibrate
from sextant_agent.measuring.fingerprint import read_fingerprint
from sextant_agent.measuring.program import MeasureProgram, MeasureRefused
from sextant_agent.measuring.requests import program_request
from sextant_agent.measuring.watch import MeasurementCancelled
from sextant_domain.profiling.calibration import Calibration, CounterSource
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest, ProfileResult
from typer.testing import CliRunner

from .waiting import wait_for

CORES = sorted(os.sched_getaffinity(0))
LONG = ProfileRequest(mode=ProfileMode.SOLO, nf=ProfiledNf(nf_type="router", core=CORES[-1]), seconds=60.0)


@pytest.fixture
def program(runner_binary: Path) -> MeasureProgram:
    return MeasureProgram(runner_binary.with_name("sextant-measure"))


def test_this_machine_is_calibrated(program: MeasureProgram) -> None:
    found = calibrate(program, CORES[:2], read_fingerprint(Path("/")), sweeps_mib=(64,))
    assert found.cores == set(CORES[:2])
    assert len(found.pairs) == (1 if len(CORES) > 1 else 0)
    assert [cache.level for cache in found.caches] == list(range(1, len(found.caches) + 1))
    sizes = [cache.size_bytes for cache in found.caches]
    assert sizes == sorted(sizes) and 8 * 2**10 <= sizes[0] <= 2**20, "the first level has 8 KiB to 1 MiB"
    assert found.counters.source is (CounterSource.PERF if found.counters.events else CounterSource.TSC)
    assert found.counters.events or found.counters.reason
    assert found.threshold_reason


def test_the_schema_of_a_request_is_what_the_program_takes(program: MeasureProgram) -> None:
    """Every mode: the program refuses for the type that is not there, so it has read all before it."""
    for mode, others in (("solo", []), ("colocation", CORES[:1]), ("shared-core", [CORES[-1]])):
        if mode == "colocation" and len(CORES) < 2:
            continue
        nf = ProfiledNf(nf_type="router", core=CORES[-1])
        strangers = tuple(ProfiledNf(nf_type="teleporter", core=core) for core in others)
        request = ProfileRequest(mode=ProfileMode(mode), nf=nf if others else LONG.nf, others=strangers)
        if not others:
            request = request.model_copy(update={"nf": nf.model_copy(update={"nf_type": "teleporter"})})
        with pytest.raises(MeasureRefused) as refusal:
            program.run(program_request(request))
        assert refusal.value.field == ("others.0.type" if others else "nf.type")


def test_cancelling_leaves_no_process(program: MeasureProgram) -> None:
    """From another thread, in the middle of a minute's run; its worker is found by name and affinity."""
    ended = threading.Event()
    cancel = threading.Event()
    outcome: list[BaseException] = []

    def measure() -> None:
        try:
            program.run(program_request(LONG), cancel.is_set)
        except BaseException as error:
            outcome.append(error)
        ended.set()

    def workers() -> set[int]:
        mine = {process.pid for process in pinned_nfs(CORES[-1:]) if process.name == "sx-router"}
        return {pid for pid in mine if _ancestor(pid, os.getpid())}

    thread = threading.Thread(target=measure)
    thread.start()
    try:
        pids = wait_for("a worker is pinned", workers)
    finally:
        cancel.set()
        thread.join(30)
    assert ended.is_set() and isinstance(outcome[0], MeasurementCancelled)
    wait_for("no worker is left", lambda: not any(Path(f"/proc/{pid}").exists() for pid in pids))


def _ancestor(pid: int, of: int) -> bool:
    """Whether `of` started what started it: worker, measurement, this process."""
    for _ in range(2):
        try:
            pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
        except OSError:
            return False
    return pid == of


def _command(runner: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "sextant_agent", "measure", *arguments, "--runner", str(runner)],
        check=False, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


@pytest.fixture(scope="module")
def calibrated(tmp_path_factory: pytest.TempPathFactory, runner_binary: Path) -> Path:
    """A state folder with this machine's calibration in it, made by the command."""
    state = tmp_path_factory.mktemp("calibrated")
    cores = ",".join(map(str, CORES[:2] + CORES[-1:]))
    done = _command(runner_binary, "calibrate", "--json", "--state-dir", str(state), "--cores", cores)
    assert done.returncode == 0, done.stderr
    made = Calibration.model_validate_json(done.stdout)
    assert Calibration.model_validate_json((state / "calibration.json").read_bytes()) == made
    return state


BUSY = "void, the last because other work uses the cores"
Measure = Callable[..., ProfileResult]


@pytest.fixture
def measure(calibrated: Path, runner_binary: Path) -> Measure:
    """A command of `measure` and its result; other suites' NFs may stand on the cores, so all is a sandbox.
    The console waits for quiet cores, the command does not: beside other suites that can be long."""

    def run(*arguments: str) -> ProfileResult:
        done = _command(
            runner_binary, *arguments, "--json", "--sandboxed", "--state-dir", str(calibrated),
            "--half-width", "50", "--max-samples", "3",
        )  # fmt: skip
        if done.returncode == 1 and BUSY in done.stderr:
            pytest.skip(done.stderr.splitlines()[-1])
        assert done.returncode == 0, done.stderr
        return ProfileResult.model_validate_json(done.stdout)

    return run


def test_a_thousand_loops_are_seen_from_the_command_line(measure: Measure) -> None:
    """A loop is at least half a cycle; on a machine that is too busy the result says so."""
    loops = json.dumps({"loops": 1000})
    few = measure("solo", "--nf", "simple-forward", "--seconds", "0.3")
    many = measure("solo", "--nf", "simple-forward", "--config", loops, "--seconds", "0.3")
    if few.nf is None or many.nf is None:
        assert "void" in (few.not_measurable or many.not_measurable or "")
        return
    assert 500 < many.nf.cycles_per_packet.value - few.nf.cycles_per_packet.value < 5000


def test_two_nfs_divide_a_core(measure: Measure) -> None:
    found = measure("shared-core", "--nf", "router", "--against", "basic-monitor", "--seconds", "0.5")
    if found.nf is not None:
        shares = [each.cpu_percent.value for each in (found.nf, *found.others)]
        assert all(share > 1 for share in shares) and sum(shares) < 110


@pytest.mark.skipif(len(CORES) < 2, reason="one core only")
def test_colocation_has_a_drop_or_a_reason(measure: Measure) -> None:
    found = measure("colocation", "--nf", "router", "--against", f"basic-monitor@{CORES[0]}", "--pairs", "4")
    if found.not_measurable is not None:
        assert len(found.not_measurable) > 20
        return
    assert found.throughput_drop_percent is not None and found.beside is not None
    assert found.throughput_drop_percent.standard_error is not None
    assert found.pairs >= 4 and found.pairs % 2 == 0
    assert -50 < found.throughput_drop_percent.value < 100


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (("solo", "--nf", "teleporter", "--sandboxed"), "nf.type: there is no NF type 'teleporter'"),
        (("solo", "--nf", "router", "--config", "{"), "is no JSON"),
        (("solo", "--nf", "router", "--config", "[]"), "nf.config: Input should be a valid dictionary"),
        (("solo", "--nf", "router", "--seconds", "1000"), "seconds: Input should be less than or equal to 60"),
        (("solo", "--nf", "router", "--flows", "0"), "nf.traffic.flows"),
        (("colocation", "--nf", "router", "--against", "router"), "TYPE@CORE is expected"),
        (("shared-core", "--nf", "router", "--against", "router@0"), "give the type only"),
        (("calibrate", "--cores", "x"), "'x' is neither a CPU number"),
        (("calibrate", "--cores", "8000"), "cores: "),
    ],
)
def test_a_bad_command_is_refused_by_name(runner_binary: Path, arguments: tuple[str, ...], reported: str) -> None:
    done = CliRunner().invoke(app, ["measure", *arguments, "--runner", str(runner_binary)])
    assert (done.exit_code, done.stdout) == (1, "")
    assert reported in done.stderr


def test_help_says_what_each_command_is_for() -> None:
    done = CliRunner().invoke(app, ["measure", "--help"])
    assert done.exit_code == 0
    for command in ("calibrate", "solo", "colocation", "shared-core", "pressure"):
        assert command in done.stdout
