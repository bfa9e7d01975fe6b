"""Which hosts have fallen silent: a pure decision, with the clock passed in."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sextant_domain.hosts.host import HostStatus


@dataclass(frozen=True)
class HostHeard:
    """What the watcher knows of a host."""

    host_id: str
    status: HostStatus
    heard_at: datetime | None
    """None: it has never reported."""


@dataclass(frozen=True)
class Limits:
    """Silence in seconds after which a host is stale, and unreachable."""

    stale_after_s: float = 3.0
    unreachable_after_s: float = 10.0


@dataclass(frozen=True)
class StatusChange:
    """A host whose status is no longer what its silence says."""

    host_id: str
    status: HostStatus
    reason: str


ROUND_LATE_AFTER = timedelta(seconds=2)
"""Rounds are a second apart."""
MOST_GAPS = 16


@dataclass(slots=True)
class WatchRounds:
    """When a watcher made a round, of however many there are (`watch_rounds.py` keeps it for all of them). While none
    could, its machine stood still or the database was away, and nobody would have heard a host that spoke: that time is
    not counted as the host's silence."""

    last: datetime | None = None
    gaps: tuple[tuple[datetime, timedelta], ...] = ()
    """The last: (end, what it lasted beyond the usual)."""

    def at(self, now: datetime) -> None:
        """The watcher begins a round."""
        if self.last is not None and now - self.last > ROUND_LATE_AFTER:
            self.gaps = (*self.gaps, (now, now - self.last - ROUND_LATE_AFTER / 2))[-MOST_GAPS:]
        self.last = now

    def missed_since(self, heard_at: datetime) -> timedelta:
        """Time in which there was no round, of gaps that ended after `heard_at`."""
        return sum((lasted for end, lasted in self.gaps if end > heard_at), timedelta())


def decide(
    hosts: Iterable[HostHeard], now: datetime, limits: Limits | None = None, rounds: WatchRounds | None = None
) -> tuple[StatusChange, ...]:
    """The changes due at `now`, in the order of `hosts`.

    Only silence is judged here: a host comes back to `up` when it reports, at once and not at the next round.
    """
    limits, rounds = limits or Limits(), rounds or WatchRounds()
    due = ((host, _worse(host, now, limits, rounds)) for host in hosts if host.heard_at is not None)
    return tuple(
        StatusChange(host.host_id, status, f"last heard {host.heard_at:%H:%M:%S} UTC")
        for host, status in due
        if status is not None
    )


def _worse(host: HostHeard, now: datetime, limits: Limits, rounds: WatchRounds) -> HostStatus | None:
    if host.heard_at is None or host.status is HostStatus.UNREACHABLE:
        return None
    silent_s = (now - host.heard_at - rounds.missed_since(host.heard_at)).total_seconds()
    if silent_s > limits.unreachable_after_s:
        return HostStatus.UNREACHABLE
    if silent_s > limits.stale_after_s and host.status is HostStatus.UP:
        return HostStatus.STALE
    return None
