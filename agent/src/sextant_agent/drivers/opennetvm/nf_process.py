"""One NF's process: started under a number of its own, waited for, pinned, moved, and ended."""

import os
import shutil
import signal
import time
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

from sextant_agent.contract.errors import DriverError
from sextant_agent.control.running import Running, start
from sextant_agent.drivers.opennetvm.launching import nf_command
from sextant_agent.drivers.opennetvm.limits import A_FEW, DRAIN_S, NF_START_S, NF_STOP_S, REPORTED_S
from sextant_agent.drivers.opennetvm.manager import Manager
from sextant_agent.drivers.opennetvm.patience import ThreadPatience
from sextant_agent.drivers.opennetvm.process_registry import NfEntry
from sextant_agent.drivers.opennetvm.processes import cpu_of_thread, packet_thread, stop
from sextant_agent.drivers.opennetvm.programs import NfProgram
from sextant_agent.drivers.opennetvm.start_failures import failure_text, has_failed, tail

AGAIN_S = 1.0
"""Between two SIGTERMs to an NF that does not end."""
PIN_S = 2.0
"""The NF pins its packet thread itself, a moment after that thread begins."""


class NfFailed(DriverError):
    """It does not come up, does not go where it shall, or is not what it seemed."""


def start_nf(manager: Manager, entry: NfEntry, program: NfProgram, next_service: int | None) -> NfEntry:
    """Started, not yet ready. `entry` holds a fresh instance id. Raises DriverError."""
    folder = nf_folder(manager, entry)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for name, text in program.files.items():
            (folder / name).write_text(text)
    except OSError as error:
        raise DriverError(f"{error.filename}: {error.strerror}; free space or fix the folder") from error
    settings = manager.settings
    command = nf_command(
        settings, settings.manager[0], program.binary, program.arguments(next_service),
        lcore=entry.lcore, cpu=entry.cpu, instance=entry.instance, service=entry.service,
    )  # fmt: skip
    running = start(command, folder, settings.environment)
    return entry.model_copy(update={"pid": running.pid, "start_time": running.start_time})


def nf_folder(manager: Manager, entry: NfEntry) -> Path:
    """Its working folder: NFs write files of the same names, and in a move between nodes two fill one place."""
    return manager.folder / "nfs" / entry.nf_id / str(entry.lcore)


def remove_folders(manager: Manager, entries: Iterable[NfEntry]) -> None:
    """Of a chain that was removed; what fails to start keeps its log."""
    for entry in entries:
        shutil.rmtree(nf_folder(manager, entry).parent, ignore_errors=True)


def await_ready(manager: Manager, entry: NfEntry) -> NfEntry:
    """Until its manager calls it ready and its packet thread is on its CPU. Raises NfFailed, and then it is gone."""
    running = _process(entry)
    log = nf_folder(manager, entry) / "log"

    def settled() -> bool:
        return not running.alive or has_failed(tail(log)) or entry.instance in manager.statistics.ready()

    settled_in_time = ThreadPatience(NF_START_S, running.pid, *manager.pids).wait_until(settled)
    if not settled_in_time or not running.alive or entry.instance not in manager.statistics.ready():
        why = failure_text(tail(log), running.exit_code)
        if why.manager_suspect or not settled_in_time:
            manager.suspect()
        stop(running, 0.0)
        if (running.exit_code or 0) < 0:
            manager.count_dead()
        running.forget()
        raise NfFailed(f"{entry.nf_id} does not start: {why.message}", permanent=why.permanent)
    try:
        pin(entry, entry.cpu)
    except NfFailed:
        end_nfs(manager, [entry])
        raise
    return entry.model_copy(update={"ready": True})


def pin(entry: NfEntry, cpu: int) -> None:
    """Move its packet thread, and see that it stands there. Raises NfFailed."""
    running = _process(entry)
    patience = ThreadPatience(PIN_S, running.pid)
    while True:
        thread = packet_thread(running.pid)
        if thread is not None and cpu_of_thread(thread) == cpu:
            return
        if thread is not None and cpu_of_thread(thread) is not None:  # it has pinned itself, and will not again
            try:
                os.sched_setaffinity(thread, {cpu})
            except OSError as error:
                raise NfFailed(f"{entry.nf_id} cannot be moved to core {cpu}: {error.strerror}") from error
        if patience.is_over:
            where = cpu_of_thread(thread) if thread is not None else None
            found = "several cores or none" if where is None else f"core {where}"
            raise NfFailed(f"{entry.nf_id} was ordered to core {cpu}, but its packet thread may run on {found}")
        time.sleep(0.01)


def await_empty(manager: Manager, entries: Iterable[NfEntry]) -> None:
    """Until next to nothing waits in their rings, by figures that are written from now on. Bounded: an NF that gets
    more than it can process has a full ring for ever."""
    waited_for = {entry.instance for entry in entries if entry.alive}
    if not waited_for or not manager.alive or manager.hangs():
        return
    before = manager.statistics.written_ns()

    def empty() -> bool:
        found = manager.statistics.newer(before)
        if found is None:
            return False
        return all(one in found.nfs and found.nfs[one].waiting <= A_FEW for one in waited_for)

    ThreadPatience(DRAIN_S, *manager.pids).wait_until(lambda: empty() or manager.hangs())


def end_nfs(manager: Manager, entries: Iterable[NfEntry]) -> None:
    """All at once. One that did not notify its manager stays among the running ones there."""
    processes = {entry.instance: entry.running for entry in entries if entry.running is not None}
    for running in processes.values():
        running.signal(signal.SIGTERM)
    listens = manager.alive and not manager.hangs()
    patience = ThreadPatience(NF_STOP_S if listens else 0.0, *(running.pid for running in processes.values()))
    ended = patience.wait_until(_asked_again(processes.values(), manager))
    for running in processes.values():
        stop(running, patience if ended and not manager.hangs() else 0.0)
    unsure = {instance for instance, running in processes.items() if running.exit_code != 0}
    may_report = {instance for instance in unsure if (processes[instance].exit_code or 0) >= 0}
    if listens and may_report:  # those of an earlier agent, whose exit status nobody has
        ThreadPatience(REPORTED_S, *manager.pids).wait_until(lambda: not may_report & manager.statistics.ready())
    for _ in unsure & manager.statistics.ready():
        manager.count_dead()
    for running in processes.values():
        running.forget()


def _asked_again(processes: Collection[Running], manager: Manager) -> Callable[[], bool]:
    """Whether all have ended, or cannot. An NF with actions of its own writes back, at the end of each turn, whether it
    shall go on as it read it before: a SIGTERM in between is lost, and is sent again."""
    again_at = time.monotonic() + AGAIN_S

    def ended() -> bool:
        nonlocal again_at
        living = [one for one in processes if one.alive]
        if living and time.monotonic() >= again_at:
            again_at += AGAIN_S
            for one in living:
                one.signal(signal.SIGTERM)
        return not living or manager.hangs()

    return ended


def _process(entry: NfEntry) -> Running:
    if entry.running is None:
        raise NfFailed(f"{entry.nf_id} was never started")
    return entry.running
