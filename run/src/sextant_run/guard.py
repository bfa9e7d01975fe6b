"""Who follows the keeper, which follows all others: a child of it that looks at nothing else, and is followed by it."""

import os
import signal
import time
from pathlib import Path

from sextant_run.log import log
from sextant_run.proc import is_stopped
from sextant_run.standstill import CHECK_EVERY_S, CHECKS

KEEPER_SILENT_S = 180.0
"""Longer than the keeper's longest piece of work: a renewal has 60 s, the console 20 s."""
STEP_S = 1.0
"""How soon the guard follows its keeper into its end."""


class Guard:
    """The keeper's side: sees to it that there is one."""

    def __init__(self, sign: Path, every_s: float = CHECK_EVERY_S) -> None:
        """`sign`: what the keeper touches. `every_s`: between two checks of the guard."""
        self._sign, self._every_s = sign, every_s
        self._child: int | None = None
        self._stopped = 0

    @property
    def pid(self) -> int | None:
        """Of the guard, once there is one."""
        return self._child

    def follow(self) -> None:
        """Once a check: begin it, also again where it has ended or stands still."""
        if self._child is not None and self._has_ended(self._child):
            self._child = None
        if self._child is None:
            self._child, self._stopped = self._begun(), 0

    def _has_ended(self, child: int) -> bool:
        self._stopped = self._stopped + 1 if is_stopped(child) else 0
        if self._stopped < CHECKS:
            return os.waitpid(child, os.WNOHANG) != (0, 0)
        os.kill(child, signal.SIGKILL)  # nobody but this process waits for it: the pid is still its
        os.waitpid(child, 0)
        return True

    def _begun(self) -> int:
        keeper = os.getpid()
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            try:
                watch(keeper, self._sign, self._every_s)
            finally:
                os._exit(0)
        return child


def watch(keeper: int, sign: Path, every_s: float = CHECK_EVERY_S) -> None:
    """By a child of the keeper, until that has ended; where it stands still it is ended, and supervisord starts it
    again."""
    still, check_at = 0, time.monotonic()
    while os.getppid() == keeper:
        if time.monotonic() >= check_at:
            check_at = time.monotonic() + every_s
            still = still + 1 if is_stopped(keeper) or silent_s(sign) > KEEPER_SILENT_S else 0
        if still >= CHECKS and os.getppid() == keeper:
            log("ending the keeper", cause="it makes no progress", next="supervisord restarts it")
            os.kill(keeper, signal.SIGKILL)
            return
        time.sleep(min(STEP_S, every_s))


def silent_s(sign: Path) -> float:
    """Since the keeper touched its file; 0 where there is none yet."""
    try:
        return max(0.0, time.time() - sign.stat().st_mtime)
    except FileNotFoundError:
        return 0.0
