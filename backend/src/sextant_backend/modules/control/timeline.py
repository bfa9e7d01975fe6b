"""What happened to control laws and by them, newest first: read from the audit trail, which keeps it for good."""

from collections.abc import Callable, Mapping

from sextant_domain.console.views import Page
from sextant_domain.laws.automation import TimelineEntry, TimelineEvent
from sextant_domain.laws.frame import LawName
from sextant_domain.laws.octans import OCTANS
from sextant_engine.control.frame import gain_text
from sqlalchemy import ColumnElement, func, or_
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Paging
from sextant_backend.modules.audit import repository as audit
from sextant_backend.modules.audit.models import AuditRow

ORDER = audit.ORDER

_OF_ALL = (TimelineEvent.STOPPED, TimelineEvent.RESUMED)


def page(
    session: Session, asked: Paging, event: TimelineEvent | None, actor: str | None, law: LawName | None
) -> Page[TimelineEntry]:
    """A page of it: of one kind of event, of one actor, of one law (what is of all laws is of each)."""
    events = list(TimelineEvent) if event is None else [event]
    conditions = () if law is None else (_of_law(law),)
    found = audit.of_actions(session, asked, [one.value for one in events], actor, *conditions)
    return found.page(entry(row) for row in found.rows)


def _of_law(law: LawName) -> ColumnElement[bool]:
    """The entries that `entry` says are of this law, or of all."""
    named = func.coalesce(AuditRow.detail["law"].astext, OCTANS)
    return or_(AuditRow.action.in_([event.value for event in _OF_ALL]), named == law)


def entry(row: AuditRow) -> TimelineEntry:
    """One entry. Entries of versions that had one law do not name it."""
    event = TimelineEvent(row.action)
    kind, _, number = row.subject.partition("/")
    return TimelineEntry(
        id=row.id,
        at=row.at,
        event=event,
        law=None if event in _OF_ALL else row.detail.get("law", OCTANS),
        actor=row.actor,
        recommendation_id=int(number) if kind == "recommendation" else None,
        plan_id=int(row.detail["plan"]) if "plan" in row.detail else None,
        text=_text(event, row.detail),
    )


def _text(event: TimelineEvent, detail: Mapping[str, str]) -> str:
    compose = _TEXTS.get(event)
    return _policy_text(event, detail) if compose is None else compose(detail)


def _made(detail: Mapping[str, str]) -> str:
    """Entries of the versions before name no chains and no hosts."""
    what = "1 move" if detail["moves"] == "1" else f"{detail['moves']} moves"
    if "hosts" in detail:
        what += f" of {detail['chains'] or 'no chain'} on {detail['hosts']}"
    if "because" in detail:
        gain = f", for a gain of {float(detail['gain_gbps']):.2f} Gbps" if "gain_gbps" in detail else ""
        what = what if detail["moves"] != "0" else f"a change of {detail['chains']} on {detail['hosts']}"
        return f"recommended {what}{gain}: {detail['because']}"
    return f"recommended {what}, for a predicted gain of {gain_text(float(detail['gain_mpps']))}"


def _accepted(detail: Mapping[str, str]) -> str:
    how = "applied by the automatic policy" if detail.get("automatic") == "True" else "accepted"
    return _with_reason(f"{how}, as operation {detail['operation']}" if "operation" in detail else how, detail)


def _measured(detail: Mapping[str, str]) -> str:
    if "measured_gbps" in detail:
        return f"gained {float(detail['measured_gbps']):.2f} Gbps by measurement, {detail['gain_gbps']} predicted"
    gained, predicted = float(detail["measured_mpps"]), float(detail["gain_mpps"])
    return f"gained {gain_text(gained)} by measurement, {predicted:.2f} were predicted"


_OF_NFS = {"quotas": "CPU quotas", "llc_ways": "LLC ways", "memory_bandwidth": "memory bandwidth"}
"""What a host's agent may change by itself, by field of what is kept."""


def _within_bounds(detail: Mapping[str, str]) -> str:
    times = "once" if detail["changes"] == "1" else f"{detail['changes']} times"
    changed = [(name, detail[field]) for field, name in _OF_NFS.items() if field in detail]
    names, texts = " and ".join(name for name, _ in changed), ", ".join(text for _, text in changed)
    return f"{detail['host']} changed {names} by itself, {times}: {texts}; last since {detail['because']}"


def _rerouted(detail: Mapping[str, str]) -> str:
    return f"{detail['host']}: {detail['steps']}"


_TEXTS: Mapping[TimelineEvent, Callable[[Mapping[str, str]], str]] = {
    TimelineEvent.MADE: _made,
    TimelineEvent.ACCEPTED: _accepted,
    TimelineEvent.DISMISSED: lambda detail: _with_reason("dismissed", detail),
    TimelineEvent.WITHDRAWN: lambda detail: _with_reason("withdrawn", detail),
    TimelineEvent.MEASURED: _measured,
    TimelineEvent.WITHIN_BOUNDS: _within_bounds,
    TimelineEvent.REROUTED: _rerouted,
    TimelineEvent.STOPPED: lambda _: "all control laws stopped",
    TimelineEvent.RESUMED: lambda _: "control laws go on",
}


def _policy_text(event: TimelineEvent, detail: Mapping[str, str]) -> str:
    scope = detail.get("scope", "fleet")
    whose = "the fleet" if scope == "fleet" else f"{scope} {detail['name']}"
    if event is TimelineEvent.POLICY_CLEARED:
        return f"policy of {whose} cleared: that of the next wider scope holds"
    changes = {name: value for name, value in detail.items() if name not in ("law", "scope", "name", "why")}
    text = f"policy of {whose}: " + ", ".join(f"{name} {value}" for name, value in changes.items())
    return f"{text}, because {detail['why']}" if "why" in detail else text


def _with_reason(text: str, detail: Mapping[str, str]) -> str:
    return f"{text}: {detail['reason']}" if "reason" in detail else text
