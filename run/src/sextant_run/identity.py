"""Who a process is: its pid and its start time, so that a pid used again is never mistaken for it."""

import os
import signal
import time
from collections.abc import Iterable
from pathlib import Path

from sextant_domain.base import Frozen

from sextant_run import proc

_CLOCK_TICKS = os.sysconf("SC_CLK_TCK")


class ProcessIdentity(Frozen):
    """A process for as long as it lives."""

    pid: int
    start_time: int
    """Clock ticks since boot: field 22 of /proc/PID/stat."""

    @classmethod
    def of(cls, pid: int) -> "ProcessIdentity | None":
        """The process of `pid`; None where there is none, or only a zombie that nobody has waited for."""
        found = proc.stat(pid)
        return cls(pid=pid, start_time=found[1]) if found and found[0] not in "ZX" else None

    def alive(self) -> bool:
        """Whether this very process still runs; a zombie does not."""
        return ProcessIdentity.of(self.pid) == self

    def is_stopped(self) -> bool:
        """Whether it was stopped by a signal (SIGSTOP) and does nothing until it is continued."""
        return self.alive() and proc.is_stopped(self.pid)

    def age_s(self) -> float:
        """Seconds since it started."""
        uptime = float(Path("/proc/uptime").read_text().split()[0])
        return max(0.0, uptime - self.start_time / _CLOCK_TICKS)

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to this very process; nothing happens where it has gone. The pidfd closes the gap between
        looking and sending."""
        try:
            handle = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return
        try:
            if self.alive():
                signal.pidfd_send_signal(handle, number)
        except ProcessLookupError:
            pass
        finally:
            os.close(handle)


def end(identities: Iterable[ProcessIdentity], *, grace_s: float) -> list[ProcessIdentity]:
    """SIGTERM, `grace_s` of patience, SIGKILL. Returns those that had to be killed."""
    living = [identity for identity in identities if identity.alive()]
    for identity in living:
        identity.signal(signal.SIGTERM)
    stubborn = wait_until_gone(living, grace_s)
    for identity in stubborn:
        identity.signal(signal.SIGKILL)
    wait_until_gone(stubborn, 5.0)
    return stubborn


def wait_until_gone(identities: Iterable[ProcessIdentity], limit_s: float) -> list[ProcessIdentity]:
    """Wait until all have gone; returns those that had not after `limit_s`."""
    deadline = time.monotonic() + limit_s
    living = [identity for identity in identities if identity.alive()]
    while living and time.monotonic() < deadline:
        time.sleep(0.02)
        living = [identity for identity in living if identity.alive()]
    return living
