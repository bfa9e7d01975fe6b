"""What happens at a fault point: nothing, unless SEXTANT_FAULT_FILE names a file that says otherwise.

The file is JSON: {point: {"action": "kill" | "freeze" | "pause" | "raise", "times": 1}}. `times` is counted down in the
file itself, under a lock, so that a point kills once even though each death starts a new process.
"""

import fcntl
import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from sextant_backend.faults.points import FAULT_POINTS

PAUSE_LIMIT_S = 60.0
_PAUSE_POLL_S = 0.02
_hook: Callable[[str], None] | None = None


class InjectedFaultError(RuntimeError):
    """Raised at a point whose action is `raise`."""


def fault_point(name: str) -> None:
    """Mark a place. Costs one dictionary look-up where no fault file is set."""
    if name not in FAULT_POINTS:
        raise KeyError(f"'{name}' is no fault point: add it to sextant_backend/faults/points.py")
    if _hook is not None:
        _hook(name)
    where = os.environ.get("SEXTANT_FAULT_FILE")
    if where:
        _act(name, Path(where))


@contextmanager
def replaced(hook: Callable[[str], None]) -> Iterator[None]:
    """Call `hook` at every point for a while: how a simulation crashes without a process."""
    global _hook  # noqa: PLW0603 - one process-wide switch, tests only
    former, _hook = _hook, hook
    try:
        yield
    finally:
        _hook = former


def _act(name: str, file: Path) -> None:
    action = _take(name, file)
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif action == "freeze":
        signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)  # by its thread: here, not a moment later
    elif action == "raise":
        raise InjectedFaultError(f"injected at {name}")
    elif action == "pause":
        _pause(name, file)


def _take(name: str, file: Path) -> str | None:
    """The action to carry out now; counts it down first, so that its effect comes no more often than asked for."""
    try:
        lock = file.with_name(file.name + ".lock").open("w")
    except OSError:
        return None
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            faults = json.loads(file.read_text())
            fault = faults.get(name)
            if not fault or fault.get("times", 1) < 1:
                return None
            fault["times"] = fault.get("times", 1) - 1
            temporary = file.with_name(file.name + ".new")
            temporary.write_text(json.dumps(faults))
            temporary.replace(file)
        except (OSError, ValueError):
            return None
        return str(fault["action"])


def _pause(name: str, file: Path) -> None:
    """Report that the point is reached, then wait for the signal to go on: at most PAUSE_LIMIT_S."""
    file.with_name(f"{file.name}.{name}.reached").touch()
    go = file.with_name(f"{file.name}.{name}.go")
    end = time.monotonic() + PAUSE_LIMIT_S
    while not go.exists() and time.monotonic() < end:
        time.sleep(_PAUSE_POLL_S)
