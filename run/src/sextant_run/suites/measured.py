"""`python measured.py FILE COMMAND...`: run a command, and write the CPU seconds of all it started into FILE.

A program of its own, and of the standard library alone: what puts itself in the background (an installation, its
servers) becomes a child of this process when its parent ends, and is counted once it has ended itself."""

import ctypes
import os
import resource
import signal
import sys
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36


def main(file: str, *command: str) -> int:
    """The command's exit status, as a shell gives it. A signal to the group is the command's to obey: this waits."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: None)  # what is handled, and not ignored, is the default again in the command
    try:
        child = os.posix_spawnp(command[0], command, os.environ)
    except OSError as error:
        print(f"cannot run {command[0]}: {error}", flush=True)
        return 127
    while (ended := os.wait())[0] != child:
        pass
    status = os.waitstatus_to_exitcode(ended[1])
    _reap()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    Path(file).write_text(f"{used.ru_utime + used.ru_stime}\n")
    return status if status >= 0 else 128 - status


def _reap() -> None:
    """Wait for what has ended already; what still runs is the next parent's."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
