"""Processes on packet sockets that they inherit: NFs, sources and sinks. They need no privilege, outlive the agent, and
answer a control socket of their own."""

import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from sextant_agent.contract.errors import DriverError
from sextant_agent.control.nf_memory import NfThread
from sextant_agent.control.running import Running, start
from sextant_agent.drivers.srv6.answers import ProcessHello
from sextant_agent.drivers.srv6.record import ChainEntry, ProcessEntry
from sextant_agent.kit.line_client import ANSWER_TIMEOUT_S, Answer, LineClient, LineError
from sextant_agent.machine.proc import PROC, all_pids, command_line, read_stat, wait_until

START_S = 30.0
"""Patterns of a NIDS may take seconds to compile."""
STOP_S = 5.0
MAX_REPORTED = 300


class ProcessFolder:
    """Where processes have their logs and control sockets, each by its number."""

    def __init__(self, folder: Path, sockets: Path) -> None:
        """`sockets`: a folder with a short path."""
        self._folder, self._sockets = folder, sockets

    def socket(self, process: ProcessEntry) -> Path:
        """Its control socket."""
        return self._sockets / f"{process.number}.sock"

    def start(
        self, process: ProcessEntry, command: Sequence[str], descriptor: int, config: Mapping[str, Any] | None = None
    ) -> ProcessEntry:
        """With the packet socket `descriptor`, which is closed here. `config` may hold secrets, so it goes by a file
        that has no name. Raises DriverError."""
        keeps = [descriptor]
        try:
            words = [*command, "--fd", str(descriptor), "--control", str(self.socket(process))]
            if config is not None:
                keeps.append(_in_memory(config))
                words += ["--config-fd", str(keeps[-1])]
            self.socket(process).unlink(missing_ok=True)
            running = start(words, self._folder / str(process.number), {}, keeps)
        finally:
            for one in keeps:
                os.close(one)
        return process.model_copy(update={"pid": running.pid, "start_time": running.start_time})

    def await_ready(self, process: ProcessEntry, name: str) -> ProcessHello:
        """Raises DriverError, and then it is gone."""
        running = process.running
        answers: list[ProcessHello] = []

        def settled() -> bool:
            with suppress(LineError):
                answers.append(self.ask(process, ProcessHello, "hello"))
            return bool(answers) or running is None or not running.alive

        wait_until(settled, START_S)
        if answers:
            return answers[0]
        why = self._last_words(process) or ("it does not answer" if process.alive else "it ended without a word")
        self.end(process)
        raise DriverError(f"{name} does not start: {why}", permanent=why.startswith("config"))

    def ask(
        self, process: ProcessEntry, answer: type[Answer], op: str, timeout_s: float = ANSWER_TIMEOUT_S,
        **fields: object,
    ) -> Answer:  # fmt: skip
        """Raises LineError."""
        with closing(LineClient(self.socket(process), f"process {process.pid}")) as client:
            return client.ask(answer, op, timeout_s, **fields)

    def end(self, process: ProcessEntry) -> None:
        """SIGTERM, then SIGKILL; its folder goes. Raises DriverError where it is another user's."""
        running = process.running
        if running is not None:
            _end(running)
        self.socket(process).unlink(missing_ok=True)
        shutil.rmtree(self._folder / str(process.number), ignore_errors=True)

    def end_strangers(self, known: Sequence[ProcessEntry]) -> list[int]:
        """Processes on sockets of this folder that no entry names: their agent died before it had written them down."""
        pids = {process.pid for process in known}
        ended = []
        for pid in all_pids():
            ours = any(word.startswith(f"{self._sockets}/") for word in command_line(pid))
            stat = read_stat(pid) if ours and pid not in pids else None
            if stat is not None and stat.alive:
                _end(Running(pid, stat.start_time))
                ended.append(pid)
        return ended

    def _last_words(self, process: ProcessEntry) -> str:
        """Of its log, whose lines are JSON objects where they are not a command's usage."""
        with suppress(OSError):
            lines = (self._folder / str(process.number) / "log").read_text(errors="replace").splitlines()
            for line in reversed(lines):
                with suppress(ValueError, AttributeError):
                    return str(json.loads(line).get("message", line))[:MAX_REPORTED]
        return ""


def pin(pid: int, core: int) -> None:
    """All of its threads, those that begin meanwhile too. Raises DriverError."""
    for _ in range(3):
        try:
            threads = all_pids(PROC / str(pid) / "task")
            for thread in threads:
                with _gone():
                    os.sched_setaffinity(thread, {core})
        except OSError as error:
            raise DriverError(f"process {pid} cannot be moved to core {core}: {error.strerror}") from error
        if cores_of(pid) == {core}:
            return
    raise DriverError(f"process {pid} was ordered to core {core}, but its threads may run on {sorted(cores_of(pid))}")


def cores_of(pid: int) -> set[int]:
    """On which its threads may run; none where it is gone."""
    found: set[int] = set()
    with suppress(OSError):
        for thread in all_pids(PROC / str(pid) / "task"):
            with _gone():
                found |= os.sched_getaffinity(thread)
    return found


def threads_of(chains: Iterable[ChainEntry]) -> dict[str, NfThread]:
    """By NF that runs on one core: it works in its process's first thread."""
    found: dict[str, NfThread] = {}
    for nf in (nf for chain in list(chains) for nf in chain.nfs):
        pid = nf.process.pid
        if not nf.in_kernel and pid is not None and nf.process.alive and len(cores := cores_of(pid)) == 1:
            found[nf.nf_id] = NfThread(next(iter(cores)), pid, pid)
    return found


@contextmanager
def _gone() -> Iterator[None]:
    """A thread that has ended in between."""
    with suppress(ProcessLookupError):
        yield


def _end(running: Running) -> None:
    for number, seconds in ((15, STOP_S), (9, STOP_S)):
        running.signal(number)
        if wait_until(lambda: not running.alive, seconds):
            break
    running.forget()


def _in_memory(config: Mapping[str, Any]) -> int:
    """A descriptor of a file without a name, at its begin."""
    descriptor = os.memfd_create("sextant-nf-config")
    data = json.dumps(config).encode()
    while data:
        data = data[os.write(descriptor, data) :]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
