"""Where processes stand: read from the kernel, not from the runner."""

import ctypes
import os
import platform
import sys
from pathlib import Path

import pytest

from .conftest import CORES, Client, Refused, Runner, nf, wait_for

KERNEL = tuple(int(part) for part in platform.release().split("-")[0].split(".")[:2])
SCHED_GETATTR = {"x86_64": 315, "aarch64": 275}
"""Its number, by machine."""


def allowed_of(pid: int) -> set[str]:
    """The affinity of every thread of a process (`Cpus_allowed_list`)."""
    found = set()
    for status in Path(f"/proc/{pid}/task").glob("*/status"):
        lines = status.read_text().splitlines()
        found.add(next(line.split()[1] for line in lines if line.startswith("Cpus_allowed_list")))
    return found


def test_an_nf_is_one_thread_on_its_core(client: Client) -> None:
    pids = client.add("a", *(nf("a", "router", core=core, name=f"r{core}") for core in CORES))
    for core in CORES:
        assert allowed_of(pids[f"a.r{core}"]) == {str(core)}


def test_traffic_stands_on_the_traffic_core_and_control_on_none(runner: Runner, client: Client) -> None:
    client.call("hello")
    (traffic,) = runner.children()
    assert allowed_of(traffic) == {str(CORES[-1])}
    main = Path(f"/proc/{runner.process.pid}/task/{runner.process.pid}/status").read_text()
    own = Path("/proc/self/status").read_text()
    assert [line for line in main.splitlines() if line.startswith("Cpus_allowed_list")] == [
        line for line in own.splitlines() if line.startswith("Cpus_allowed_list")
    ]


def turn_of(pid: int) -> int:
    """How long the scheduler lets a process run at a time, in ns: `sched_runtime`, at byte 24 of struct sched_attr."""
    attributes = ctypes.create_string_buffer(48)
    assert ctypes.CDLL(None).syscall(SCHED_GETATTR[platform.machine()], pid, attributes, len(attributes), 0) == 0
    return int.from_bytes(attributes.raw[24:32], sys.byteorder)


@pytest.mark.skipif(KERNEL < (6, 12) or platform.machine() not in SCHED_GETATTR, reason="Linux 6.12 brought turns")
def test_processes_of_packets_have_shorter_turns_than_others(runner: Runner, client: Client) -> None:
    client.add("a", nf("a", "router"))
    assert [turn_of(pid) for pid in runner.children()] == [100_000] * 2
    assert turn_of(runner.process.pid) == turn_of(os.getpid()) > 100_000


@pytest.mark.skipif(len(CORES) < 2, reason="a move needs two cores")
def test_a_move_is_real_and_loses_nothing(client: Client) -> None:
    pids = client.add("a", nf("a", "router"), nf("a", "firewall"), rate_mpps=0.05)
    for turn in range(40):
        core = CORES[turn % 2]
        assert client.call("move_nf", nf="a.router", core=core)["core"] == core
        assert allowed_of(pids["a.router"]) == {str(core)}
        before = client.chain("a").delivered
        wait_for(lambda: client.chain("a").delivered > before + 200, "packets after the move")  # noqa: B023
        assert client.query().nfs["a.router"].core == core
    now = client.settled("a")
    assert (now.delivered, now.misordered) == (now.sent, 0)
    assert now.nfs[0].pid == pids["a.router"]
    assert now.nfs[0].starts == 1


@pytest.mark.skipif(len(CORES) < 2, reason="a move needs two cores")
@pytest.mark.parametrize("execution", ["isolated", "run-to-completion"])
def test_a_thread_that_something_else_has_moved_is_moved_back(client: Client, execution: str) -> None:
    """As by taskset: the runner is told to move it to where it put it, and asks the kernel whether it is there."""
    there, elsewhere = CORES[-1], CORES[0]
    client.add("a", nf("a", "router", core=there), nf("a", "firewall", core=there), rate_mpps=0.05)
    client.call("set_execution", chain="a", execution=execution)
    pids = {name: found.pid for name, found in client.query().nfs.items()}
    starts = client.query().nfs["a.firewall"].starts
    for changed in ({elsewhere}, {there, elsewhere}):
        os.sched_setaffinity(pids["a.firewall"], changed)
        assert client.call("move_nf", nf="a.firewall", core=there)["core"] == there
        assert {name: allowed_of(pid) for name, pid in pids.items()} == {name: {str(there)} for name in pids}
    now = client.settled("a")
    assert (now.delivered, now.misordered, now.nfs[1].starts) == (now.sent, 0, starts)


def test_a_core_outside_the_list_is_refused(client: Client) -> None:
    pids = client.add("a", nf("a", "router"))
    for core in (CORES[-1] + 1, 10_000):
        with pytest.raises(Refused) as refusal:
            client.call("move_nf", nf="a.router", core=core)
        assert (refusal.value.code, refusal.value.field) == ("core-not-allowed", "core")
    assert allowed_of(pids["a.router"]) == {str(CORES[-1])}
    assert client.query().nfs["a.router"].core == CORES[-1]
