"""Real workers and the watch on the test's PostgreSQL and Valkey, with a file of faults."""

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Protocol

from console_world import wait_until

from agent.tests.nursery import nursery


class Process(Protocol):
    """A process that runs, or has ended."""

    pid: int

    def poll(self) -> int | None: ...
    def wait(self, timeout: float) -> int: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


class Processes:
    """Workers and the watch; `faults` is what they read at every fault point."""

    def __init__(self, folder: Path, stale_after_s: float) -> None:
        self.stale_after_s = stale_after_s
        self.faults = folder / "faults.json"
        self.log = folder / "worker.log"
        self.faults.write_text("{}")
        self.worker: Kept | None = None
        self.watch: Kept | None = None

    def inject(self, **points: dict[str, object]) -> None:
        """What happens at which point; dots in names as `__`. Under the lock by which a worker counts down."""
        wanted = json.dumps({name.replace("__", "."): fault for name, fault in points.items()})
        with self.faults.with_name(f"{self.faults.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            self.faults.write_text(wanted)

    def happens(self, point: str) -> None:
        """Wait until the fault at `point` has happened as often as it was asked for.

        A point after a commit is reached after everybody can see what was stored: a look at the moment at which
        the result shows is too early now and then.
        """
        eventually(lambda: self.left(point) == 0, instead=lambda: f"no worker came to {point}")

    def left(self, point: str) -> int:
        """How often the fault at `point` will still happen."""
        times = json.loads(self.faults.read_text())[point]["times"]
        return int(times)

    def kill_worker(self) -> None:
        """kill -9 of the process that carries operations out; it is started again."""
        assert self.worker is not None
        self.worker.kill()

    def sign(self, point: str, what: str) -> Path:
        """The file by which a paused point reports `reached`, and by which it gets `go`."""
        return self.faults.with_name(f"{self.faults.name}.{point}.{what}")

    def start(self, *what: str) -> subprocess.Popen[bytes]:
        """The worker of some queues, or the watch, by its command."""
        with self.log.open("ab") as log:
            return subprocess.Popen(
                [sys.executable, "-m", "sextant_worker", *what],
                env=self.environment(),
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kept(self, *queues: str) -> "Kept":
        """A worker of some queues, or the watch, that is forked, and forked again when it ends."""
        return Kept(forking(self.log, self.environment(), *queues))

    def environment(self) -> dict[str, str]:
        """Of every process."""
        return {
            **os.environ,
            "SEXTANT_FAULT_FILE": str(self.faults),
            "SEXTANT_STALE_AFTER_S": str(self.stale_after_s),
            "SEXTANT_UNREACHABLE_AFTER_S": "30000",
        }


def forking(log: Path, environment: dict[str, str], *queues: str) -> Callable[[], Process]:
    """Starts a worker of some queues, or the watch, each time it is called."""
    fork = nursery("sextant_worker").fork
    return partial(fork, *queues, environment=environment, output=log, session=True)


class Kept:
    """A process that is started again when it ends, as the supervisor does with all."""

    def __init__(self, start: Callable[[], Process]) -> None:
        self._start, self._process = start, start()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def _keep(self) -> None:
        while not self._ended.wait(0.2):
            if self._process.poll() is not None:
                self._process = self._start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        self._process.kill()

    def end(self) -> None:
        self._ended.set()
        self._thread.join()
        end(self._process)


@contextmanager
def processes(folder: Path, stale_after_s: float = 3000) -> Iterator[Processes]:
    """Workers and the watch until the end of the block; then no process of theirs is left."""
    made = Processes(folder, stale_after_s)
    with ExitStack() as stack:
        made.worker = made.kept("operate")
        stack.callback(made.worker.end)
        made.watch = made.kept("watch")
        stack.callback(made.watch.end)
        for queue in ("plan", "control", "profile", "study"):
            stack.callback(made.kept(queue).end)
        yield made


def end(process: Process) -> None:
    """End a process and its children."""
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    group = process.pid

    def gone() -> bool:
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            return True
        return all_zombies(group)

    wait_until(gone)


def all_zombies(group: int) -> bool:
    """True where a process group has nothing but zombies left."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            fields = (entry / "stat").read_text().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] not in "ZX":
            return False
    return True


def eventually(
    condition: Callable[[], object], limit_s: float = 60.0, instead: Callable[[], object] | None = None
) -> None:
    """Until `condition` holds, looked at gently: the processes under test need the cores; `instead` is what is then."""
    deadline = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < deadline, f"the condition did not come to hold: {instead() if instead else ''}"
        time.sleep(0.1)
