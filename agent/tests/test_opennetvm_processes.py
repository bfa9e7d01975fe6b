"""Processes of OpenNetVM as the kernel shows them."""

import os
import signal
import threading
import time
from pathlib import Path

import pytest
from sextant_agent.contract.errors import DriverError
from sextant_agent.control.running import how_it_ended, start
from sextant_agent.drivers.opennetvm.processes import cpu_time_ns, last_created, packet_thread, pause, stop

from .waiting import wait_for


@pytest.mark.parametrize(
    ("threads", "last"),
    [
        ({700: 10, 701: 10, 702: 10, 703: 11}, 703),
        ({700: 10, 704: 10, 702: 25}, 702),  # ids begin again behind the highest, and a later tick is later
        ({32_766: 10, 32_767: 10, 301: 10}, 301),  # the same within one tick
    ],
)
def test_the_last_created_thread(threads: dict[int, int], last: int) -> None:
    """Of processes 700 and 32766, where ids end at 32768."""
    assert last_created(threads, next(iter(threads)), 32_768) == last


def test_of_this_process_too() -> None:
    end = threading.Event()
    thread = threading.Thread(target=end.wait)
    thread.start()
    try:
        assert packet_thread(os.getpid()) == thread.native_id
    finally:
        end.set()
        thread.join()


def test_how_a_child_ended_is_known_to_every_thread(tmp_path: Path) -> None:
    """Eight watch at once while it is killed: whoever sees it dead can say how."""
    child = start(["/bin/sleep", "60"], tmp_path, {})
    reported: list[str] = []

    def wait_for_end() -> None:
        wait_for("its end", lambda: not child.alive)
        reported.append(how_it_ended(child))

    waiting = [threading.Thread(target=wait_for_end) for _ in range(8)]
    for thread in waiting:
        thread.start()
    child.signal(signal.SIGKILL)
    for thread in waiting:
        thread.join()
    assert reported == ["killed by signal 9 (SIGKILL)"] * 8
    child.forget()


def test_what_is_paused_stands_still_when_that_is_said(tmp_path: Path) -> None:
    """Five processes want one CPU. Who waits for it takes the signal only when it has it again."""
    cpu = min(os.sched_getaffinity(0))
    all_of_it = [start(["/bin/sh", "-c", "while :; do :; done"], tmp_path / str(number), {}) for number in range(5)]
    try:
        for running in all_of_it:
            os.sched_setaffinity(running.pid, {cpu})
        wait_for("all have run", lambda: all(cpu_time_ns(running.pid, running.pid) > 0 for running in all_of_it))
        pause(all_of_it)
        paused = [cpu_time_ns(running.pid, running.pid) for running in all_of_it]
        time.sleep(0.1)
        assert [cpu_time_ns(running.pid, running.pid) for running in all_of_it] == paused
    finally:
        for running in all_of_it:
            stop(running, 0.0)
            running.forget()


def test_what_has_ended_is_not_waited_for(tmp_path: Path) -> None:
    ended = start(["/bin/true"], tmp_path, {})
    wait_for("its end", lambda: not ended.alive)
    pause([ended])
    ended.forget()


def test_what_hears_no_signal_is_killed(tmp_path: Path) -> None:
    deaf = start(["/bin/sh", "-c", "trap '' TERM; echo deaf; while :; do sleep 0.05; done"], tmp_path, {})
    wait_for("it is deaf", lambda: "deaf" in (tmp_path / "log").read_text())
    assert stop(deaf, 0.1) is False
    assert (deaf.alive, deaf.exit_code) == (False, -signal.SIGKILL)
    deaf.forget()


def test_a_program_that_is_not_there_is_reported(tmp_path: Path) -> None:
    with pytest.raises(DriverError, match="/nowhere/onvm_mgr cannot be started: No such file or directory"):
        start(["/nowhere/onvm_mgr"], tmp_path, {})
