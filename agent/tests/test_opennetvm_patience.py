"""A host without a CPU for OpenNetVM: what is slow is not taken for dead."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from sextant_agent.drivers.opennetvm import driver as driver_module
from sextant_agent.drivers.opennetvm import statistics
from sextant_agent.drivers.opennetvm.patience import MOST, ThreadPatience, able_s
from sextant_agent.drivers.opennetvm.statistics import Statistics
from sextant_agent.machine.thread_time import ThreadTime
from sextant_domain.hosts.desired import NfState

from .opennetvm_host import FIRST, DoubleHost, manager
from .orders import chain, content, nf
from .waiting import wait_for

SPIN = [sys.executable, "-c", "while True: pass"]


@pytest.mark.parametrize(
    ("then", "now", "able"),
    [
        (None, ThreadTime("S", 1, 1), 10),  # nobody knows: all of it
        (ThreadTime("S", 1, 1), None, 10),
        (ThreadTime("S", 1, 1), ThreadTime("S", 1.1, 1), 10),  # asleep for 9.9 s, of its own accord
        (ThreadTime("S", 1, 1), ThreadTime("S", 1.1, 7), 4),  # of 10 s it waited for a CPU for 6
        (ThreadTime("S", 1, 1), ThreadTime("R", 1.1, 1), 0.1),  # it still waits: that is added when it has run
        (ThreadTime("R", 1, 1), ThreadTime("R", 11, 1), 10),  # it spins
        (ThreadTime("R", 1, 1), ThreadTime("R", 6, 6), 5),  # it spins on half of a CPU
        (ThreadTime("S", 1, 1), ThreadTime("D", 1, 1), 0),  # a disk
        (ThreadTime("S", 1, 1), ThreadTime("T", 1, 1), 10),  # somebody stopped it
    ],
)
def test_what_a_thread_could_have_done_in_ten_seconds(
    then: ThreadTime | None, now: ThreadTime | None, able: float
) -> None:
    assert able_s(then, now, 10.0) == pytest.approx(able)


@pytest.fixture
def busy() -> Iterator[list[int]]:
    """Processes that take the first CPU from whoever may run when nobody else wants to."""
    running = [subprocess.Popen(SPIN) for _ in range(2)]
    for process in running:
        os.sched_setaffinity(process.pid, {FIRST})
    yield [process.pid for process in running]
    for process in running:
        process.kill()
        process.wait()


def starve(pid: int) -> None:
    """All of its threads on the first CPU, and only when nobody else wants to run there."""
    for entry in Path(f"/proc/{pid}/task").iterdir():
        os.sched_setaffinity(int(entry.name), {FIRST})
        os.sched_setscheduler(int(entry.name), os.SCHED_IDLE, os.sched_param(0))


def test_patience_is_for_what_waits_for_a_cpu(busy: list[int]) -> None:
    """One process starves and one sleeps: with the second it ends when it should, with the first later, but ends."""
    sleeping = subprocess.Popen(["sleep", "60"])
    starving = subprocess.Popen(SPIN)
    try:
        starve(starving.pid)
        began = time.monotonic()
        assert not ThreadPatience(0.5, sleeping.pid).wait_until(lambda: False)
        asleep = time.monotonic() - began
        began = time.monotonic()
        assert not ThreadPatience(0.5, starving.pid).wait_until(lambda: False)
        assert time.monotonic() - began >= MOST * 0.5 and asleep >= 0.5
        assert ThreadPatience(0.5, starving.pid).wait_until(lambda: True)
    finally:
        for process in (sleeping, starving):
            process.kill()
            process.wait()


def test_a_pause_of_the_whole_machine_is_not_a_manager_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For 30 s nothing runs, the agent neither: of these 2 count. From then on looks are a second apart: 2 + 2 are not
    over 4 s, 2 + 3 are. What is written meanwhile begins anew."""
    clock = SimpleNamespace(now=0.0, monotonic=lambda: clock.now, sleep=time.sleep)
    monkeypatch.setattr(statistics, "time", clock)
    written = tmp_path / "onvm_stats.txt"
    written.touch()
    seen = Statistics(tmp_path, lambda: None)

    def stale_at(*moments: float) -> list[bool]:
        found = []
        for clock.now in moments:
            found.append(seen.is_stale())
        return found

    assert stale_at(0, 30, 31, 32, 33) == [False, False, False, False, True]
    os.utime(written, (1, 1))
    assert stale_at(34, 35, 36, 37, 38, 39) == [False, False, False, False, False, True], "4 s of looks are not over it"


def test_a_manager_that_gets_no_cpu_is_not_one_that_hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is stopped and writes nothing: if the kernel said that it waits for a CPU, its chain would run on; as the
    kernel says that somebody stopped it, it hangs."""
    host = DoubleHost(tmp_path, manager("west", [FIRST]))
    order = content(chain("web", nf("web", "simple-forward", core=FIRST)))
    silent = "the manager of west-0 has written nothing for "
    try:
        driver = host.driver()
        driver.apply(order)
        host.next_period()
        life = host.manager().pid
        for module in (statistics, driver_module):
            monkeypatch.setattr(module, "STALE_S", 0.5)
        with monkeypatch.context() as held_up:
            held_up.setattr(statistics, "thread_time", lambda *_: ThreadTime("R", 1.0, 1.0))
            os.kill(life or 0, signal.SIGSTOP)
            wait_for("it is silent", lambda: (driver.sample().note or "").startswith(silent))
            found = driver.sample()
            assert (found.note or "").endswith(" s: this host has no CPU or disk for it")
            assert {each.state for each in found.nfs.values()} == {NfState.RUNNING}
            assert driver.apply(order).done == () and host.manager().pid == life
        assert {each.exit for each in driver.sample().nfs.values()} == {"its manager hangs"}
        assert driver.apply(order).done == ("restarted web with its manager (it hangs)",)
    finally:
        host.end()
