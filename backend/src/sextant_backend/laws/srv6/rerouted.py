"""What became of links by which chains go on to other hosts, as the timeline has it: of each chain at once, and what
follows within a minute in one entry.

Agents report their changes of the last hour, the latest 32. What was entered last of a chain stands in the audit trail,
so that whoever has the next turn enters nothing twice.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sextant_domain.hosts.chain_way import WayChange, WayChangeKind
from sextant_domain.laws.automation import TimelineEvent
from sextant_domain.laws.srv6 import SRV6
from sqlalchemy.orm import Session

from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.telemetry import repository as telemetry

EVERY = timedelta(minutes=1)
LONGEST_AGO = timedelta(hours=1)
ACTION = TimelineEvent.REROUTED.value
MOST_SAID = 6
"""Steps of one entry that are said in words."""


class WayTimeline:
    """Of all hosts. What it keeps is of this process, and may be lost."""

    def __init__(self) -> None:
        self._looked: dict[str, tuple[datetime, datetime]] = {}
        """By host: the newest change that there was, and when that was looked at."""

    def enter(self, session: Session, now: datetime) -> None:
        """What hosts have changed since, of each host at most once in `EVERY`."""
        found = telemetry.way_changes(session)
        self._looked = {host: seen for host, seen in self._looked.items() if host in found}
        for host, changes in sorted(found.items()):
            seen = self._looked.get(host)
            if seen is None or (seen[0] != changes[-1].at and now - seen[1] >= EVERY):
                self._looked[host] = changes[-1].at, now
                _enter(session, host, changes, now)


def _enter(session: Session, host: str, changes: Sequence[WayChange], now: datetime) -> None:
    chains = sorted({one.chain for one in changes})
    known = audit.last_details(session, ACTION, [f"chain/{chain}" for chain in chains])
    for chain in chains:
        entered = known.get(f"chain/{chain}", {})
        until = datetime.fromisoformat(entered["until"]) if entered.get("host") == host else now - LONGEST_AGO
        new = [one for one in changes if one.chain == chain and one.at > until]
        if new:
            audit.record(session, f"host/{host}", ACTION, f"chain/{chain}", _detail(host, new))


def _detail(host: str, new: Sequence[WayChange]) -> dict[str, object]:
    left = len(new) - MOST_SAID
    steps = [f"{left} more before"] if left > 0 else []
    steps += [_step(one) for one in new[-MOST_SAID:]]
    return {
        "law": SRV6,
        "host": host,
        "changes": len(new),
        "steps": "; then ".join(steps),
        "until": new[-1].at.isoformat(),
    }


def _step(change: WayChange) -> str:
    to = "its end" if change.to is None else change.to
    if change.kind is WayChangeKind.LOST:
        return f"its way to {to} is cut: {change.cause}"
    if change.kind is WayChangeKind.RESTORED:
        return f"its way to {to} is whole again: {change.cause}"
    return f"to {to} over {change.after} instead of {change.before or 'a link that is gone'}: {change.cause}"
