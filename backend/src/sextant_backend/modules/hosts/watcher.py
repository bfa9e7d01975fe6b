"""Which hosts have fallen silent: a pure decision, with the clock passed in."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

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


def decide(hosts: Iterable[HostHeard], now: datetime, limits: Limits | None = None) -> tuple[StatusChange, ...]:
    """The changes due at `now`, in the order of `hosts`.

    Only silence is judged here: a host comes back to `up` when it reports, at once and not at the next look.
    """
    limits = limits or Limits()
    due = ((host, _worse(host, now, limits)) for host in hosts if host.heard_at is not None)
    return tuple(
        StatusChange(host.host_id, status, f"last heard {host.heard_at:%H:%M:%S} UTC")
        for host, status in due
        if status is not None
    )


def _worse(host: HostHeard, now: datetime, limits: Limits) -> HostStatus | None:
    if host.heard_at is None or host.status is HostStatus.UNREACHABLE:
        return None
    silent_s = (now - host.heard_at).total_seconds()
    if silent_s > limits.unreachable_after_s:
        return HostStatus.UNREACHABLE
    if silent_s > limits.stale_after_s and host.status is HostStatus.UP:
        return HostStatus.STALE
    return None
