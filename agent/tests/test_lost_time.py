"""Whether others took time of a measurement: by what the kernel counts, on threads that really run, wait and sleep."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest
from sextant_agent.machine.thread_time import ThreadTime
from sextant_agent.measuring.lost_time import MOST_LOST, CoreTimes, Watched, core_times, lost_time

SPIN = [sys.executable, "-c", "while True: pass"]
NF, TRAFFIC = Watched("the NF", 7, 0), Watched("source and sink", 8, 1)


def at(at_s: float, times: Mapping[Watched, tuple[float, float]], stolen_s: float = 0.0) -> CoreTimes:
    """By process, how long its one thread ran and waited; of core 0 so much was stolen."""
    threads = {one: {one.pid: ThreadTime("S", ran, waited)} for one, (ran, waited) in times.items()}
    return CoreTimes(at_s, threads, {0: stolen_s, 1: 0.0})


def test_who_waited_longest_says_how_much_was_lost() -> None:
    """Of 2 s the NF waited .04, 2 %, and source and sink .2, 10 %. That both slept most of the time is nobody's."""
    before = at(10, {NF: (5.0, 1.0), TRAFFIC: (9.0, 1.0)})
    found = lost_time(before, at(12, {NF: (5.5, 1.04), TRAFFIC: (9.6, 1.2)}))
    assert found is not None and found.part == pytest.approx(0.1) and found.disturbed
    assert str(found) == "source and sink waited for core 1 10 % of the time"
    calm = lost_time(before, at(12, {NF: (5.5, 1.04), TRAFFIC: (9.6, 1.0)}))
    assert calm is not None and calm.part == pytest.approx(0.02) and not calm.disturbed


def test_what_a_hypervisor_stole_is_lost() -> None:
    """.3 s of 2 s."""
    still = {NF: (5.0, 1.0), TRAFFIC: (9.0, 1.0)}
    found = lost_time(at(10, still, 1.0), at(12, still, 1.3))
    assert str(found) == "the hypervisor gave core 0 to others 15 % of the time"


def test_what_both_waited_for_each_other_on_one_core_is_lost_to_nobody() -> None:
    """They share core 0 for 2 s: the NF ran .9 s and waited 1.1, source and sink ran 1.0 s and waited .9. Each may have
    waited for the other as long as that ran, so that .1 s of the NF's are others': 5 %."""
    beside = Watched("source and sink", 8, 0)
    found = lost_time(at(10, {NF: (0.0, 0.0), beside: (0.0, 0.0)}), at(12, {NF: (0.9, 1.1), beside: (1.0, 0.9)}))
    assert found is not None and found.part == pytest.approx(0.05)


def test_where_the_kernel_counts_nothing_nothing_is_known() -> None:
    counted = at(10, {NF: (0.0, 0.0)})
    assert lost_time(counted, CoreTimes(12, {NF: {}}, {})) is None
    assert lost_time(CoreTimes(10, {}, {}), CoreTimes(12, {}, {})) is None


def test_stolen_time_is_read_of_the_cores_that_are_watched(tmp_path: Path) -> None:
    """The eighth figure of a CPU's line, in clock ticks."""
    (tmp_path / "proc").mkdir()
    ticks = os.sysconf("SC_CLK_TCK")
    stolen = f"cpu 9 9 9 9 9 9 9 9\ncpu0 1 0 1 9 0 0 0 {3 * ticks} 0 0\ncpu1 1 0 1 9 0 0 0 5 0 0\nctxt 5\n"
    (tmp_path / "proc" / "stat").write_text(stolen)
    assert core_times((Watched("the NF", os.getpid(), 0),), tmp_path).stolen_s == {0: 3.0}


@contextmanager
def spinning(core: int) -> Iterator[int]:
    process = subprocess.Popen(SPIN)
    os.sched_setaffinity(process.pid, {core})
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


def test_a_process_that_shares_its_core_with_other_work_has_lost_time() -> None:
    """Two spin on one core: whichever is watched waits for the other about half of the time; a slice is some ms. If
    both are watched neither has lost anything to the other."""
    core = min(os.sched_getaffinity(0))
    with spinning(core) as one, spinning(core) as other:
        watched = tuple(Watched(name, pid, core) for name, pid in (("one", one), ("other", other)))
        alone, both = core_times(watched[:1]), core_times(watched)
        time.sleep(1.0)
        lost, shared = lost_time(alone, core_times(watched[:1])), lost_time(both, core_times(watched))
    if lost is None or shared is None:
        pytest.skip("this kernel does not count how long a thread waits for a CPU")
    assert lost.part > 4 * MOST_LOST
    assert shared.part < lost.part


def test_a_process_that_sleeps_has_lost_nothing() -> None:
    process = subprocess.Popen(["sleep", "30"])
    try:
        os.sched_setaffinity(process.pid, {min(os.sched_getaffinity(0))})
        watched = (Watched("the NF", process.pid, min(os.sched_getaffinity(0))),)
        time.sleep(0.2)
        before = core_times(watched)
        time.sleep(0.5)
        found = lost_time(before, core_times(watched))
    finally:
        process.kill()
        process.wait()
    if found is None:
        pytest.skip("this kernel does not count how long a thread waits for a CPU")
    assert "waited" not in str(found) or not found.disturbed, "what a hypervisor steals is another matter"
