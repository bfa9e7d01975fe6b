"""CPU quotas, LLC ways and memory bandwidth that hosts' local loops changed by themselves, as the timeline has them: of
each chain what became of them, once a minute at most.

An agent looks a hundred times a second, and reports its latest 32 changes. What was entered last of a chain stands in
the audit trail, so that whoever has the next turn enters nothing twice.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta

from sextant_domain.hosts.bounded_quotas import MOST_CHANGES, BoundedResource, QuotaChange
from sextant_domain.laws.automation import TimelineEvent
from sextant_domain.laws.srv6 import SRV6
from sqlalchemy.orm import Session

from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.telemetry import repository as telemetry

EVERY = timedelta(minutes=1)
LONGEST_AGO = timedelta(hours=1)
"""What a host reports of the time before is not entered: of a host that was away, or of a console that was."""
ACTION = TimelineEvent.WITHIN_BOUNDS.value
RESOURCES = {
    "quotas": BoundedResource.CPU_QUOTA,
    "llc_ways": BoundedResource.LLC_WAYS,
    "memory_bandwidth": BoundedResource.MEMORY_BANDWIDTH,
}
"""By the name that the timeline's entry has for it."""


class QuotaTimeline:
    """Of all hosts. What it keeps is of this process, and may be lost."""

    def __init__(self) -> None:
        self._looked: dict[str, tuple[datetime, datetime]] = {}
        """By host: the newest change that there was, and when that was looked at."""

    def enter(self, session: Session, hosts: Collection[str], now: datetime) -> None:
        """What these hosts have changed since, of each host at most once in `EVERY`."""
        newest = telemetry.newest_quota_changes(session, hosts)
        self._looked = {host: seen for host, seen in self._looked.items() if host in newest}
        due = {host: at for host, at in newest.items() if self._is_due(host, at, now)}
        for host, changes in telemetry.quota_changes(session, due).items():
            self._looked[host] = due[host], now
            _enter(session, host, changes, now)

    def _is_due(self, host: str, at: datetime, now: datetime) -> bool:
        seen = self._looked.get(host)
        return seen is None or (seen[0] != at and now - seen[1] >= EVERY)


def _enter(session: Session, host: str, changes: Sequence[QuotaChange], now: datetime) -> None:
    by_chain: dict[str, list[QuotaChange]] = {}
    for one in changes:
        by_chain.setdefault(one.nf_id.partition(".")[0], []).append(one)
    known = audit.last_details(session, ACTION, [f"chain/{chain}" for chain in by_chain])
    for chain, of_chain in sorted(by_chain.items()):
        entered = known.get(f"chain/{chain}", {})
        until = datetime.fromisoformat(entered["until"]) if entered.get("host") == host else now - LONGEST_AGO
        new = [one for one in of_chain if one.at > until]
        if new:
            # Where all that a host reports is new, there may have been more.
            more = len(changes) >= MOST_CHANGES and changes[0].at > until
            audit.record(session, f"host/{host}", ACTION, f"chain/{chain}", _detail(host, new, more=more))


def _detail(host: str, new: Sequence[QuotaChange], *, more: bool) -> dict[str, object]:
    return {
        "law": SRV6,
        "host": host,
        "changes": f"{len(new)} or more" if more else len(new),
        **{name: text for name, of in RESOURCES.items() if (text := _text(new, of))},
        "because": new[-1].cause,
        "until": new[-1].at.isoformat(),
    }


def _text(new: Sequence[QuotaChange], resource: BoundedResource) -> str:
    """'web.fw 20 to 45 %', 'web.fw shared to 3 ways': of each NF what it had first and has now."""
    of = [one for one in new if one.resource is resource]
    first = {one.nf_id: one for one in reversed(of)}
    last = {one.nf_id: one for one in of}
    ways = resource is BoundedResource.LLC_WAYS
    return ", ".join(
        f"{nf_id} {_ways(first[nf_id].before_ways)} to {_ways(last[nf_id].after_ways)}"
        if ways
        else f"{nf_id} {first[nf_id].before_percent:.3g} to {last[nf_id].after_percent:.3g} %"
        for nf_id in sorted(last)
    )


def _ways(ways: int | None) -> str:
    return f"{ways} ways of its own" if ways else "shared ways"
