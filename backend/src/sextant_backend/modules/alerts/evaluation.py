"""One round over all rules: what is observed, what the decider makes of it, what is stored and shown.

The watch calls it. Of several watches one has the turn; a round that is lost is made up for by the next one, since an
alert's memory is its row.
"""

import time
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

import structlog
from sextant_domain.console.alerts import AlertKind, AlertRule, AlertState
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from sextant_backend.domain_events import AlertNews, AlertsChanged, AlertTransition, announce
from sextant_backend.kit.db import db_now
from sextant_backend.modules.alerts import repository, rules, service
from sextant_backend.modules.alerts.decider import (
    AlertMemory,
    Decision,
    Holds,
    Observed,
    Phase,
    Transition,
    decide,
    is_due_again,
)
from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, Look
from sextant_backend.modules.alerts.kinds.registry import KINDS
from sextant_backend.modules.alerts.models import AlertRow

EVERY_S = 5.0
_log = structlog.get_logger()
_last: dict[AlertKind, float] = {}


def evaluate(session: Session, *, every_s: float = EVERY_S) -> bool:
    """One round, in the caller's transaction, if it is time for one; True if it was."""
    if not repository.take_turn(session, every_s):
        return False
    clock, now = repository.clock(session), db_now(session)
    held, one_round = repository.open_alerts(session), _Round(session, now)
    in_force = rules.in_force(session)
    for rule in in_force.values():
        if not _is_due(rule, every_s):
            continue
        one_round.evaluate(rule, {row.object_name: row for row in held if row.kind == rule.kind})
    session.flush()
    firing = [row for row in repository.open_alerts(session) if row.state == AlertState.FIRING]
    one_round.changed |= service.match_silences(firing, repository.active_silences(session, now))
    one_round.announce(firing, in_force)
    if one_round.changed:
        service.publish_counts(session, clock)
    return True


def _is_due(rule: AlertRule, every_s: float) -> bool:
    """Whether this process has not evaluated a slow kind lately. Of several watches each remembers its own: then one is
    evaluated more often, which does no harm. A rule that was switched off is not waited for."""
    kind_s = KINDS[rule.kind].every_s
    now = time.monotonic()
    if rule.enabled and every_s > 0 and now - _last.get(rule.kind, -kind_s) < kind_s:
        return False
    _last[rule.kind] = now
    return True


class _Round:
    """What one round knows."""

    def __init__(self, session: Session, now: datetime) -> None:
        self._session, self._now = session, now
        self.changed = False
        """Something that is shown."""
        self._ended: list[AlertRow] = []

    def evaluate(self, rule: AlertRule, open_ones: Mapping[str, AlertRow]) -> None:
        """One rule, with the alerts that are open by it."""
        found = self._observe(rule, open_ones)
        holds = Holds(timedelta(seconds=rule.fire_after_s), timedelta(seconds=rule.resolve_after_s))
        for name, row in open_ones.items():
            seen = _observed(found, name)
            decision = decide(_memory(row), seen, self._now, holds)
            if decision.memory is None:
                self._end(row, decision.transition, gone=seen is Observed.GONE)
            else:
                self._go_on(rule, row, decision, decision.memory, found.bad.get(name))
        for name in found.bad.keys() - open_ones.keys():
            decision = decide(None, Observed.BAD, self._now, holds)
            if decision.memory is not None:
                self._begin(rule, name, decision.memory, found.bad[name])

    def announce(self, firing: Iterable[AlertRow], in_force: Mapping[AlertKind, AlertRule]) -> None:
        """To those who send messages: what fires and no silence holds back, again what nobody acknowledges, and the end
        of what they were told."""
        found: list[AlertTransition] = []
        for row in firing:
            if (news := self._news(row, in_force)) is not None:
                row.announced_at = self._now
                found.append(AlertTransition(row.id, row.kind, row.severity, news))
        found += [
            AlertTransition(row.id, row.kind, row.severity, AlertNews.RESOLVED)
            for row in self._ended
            if row.announced_at is not None and row.silence_id is None
        ]
        if found:
            announce(self._session, AlertsChanged(tuple(found)))

    def _news(self, row: AlertRow, in_force: Mapping[AlertKind, AlertRule]) -> AlertNews | None:
        """What there is to say of an alert that fires."""
        if row.silence_id is not None:
            return None
        if row.announced_at is None:
            return AlertNews.FIRED
        repeat_after = timedelta(seconds=in_force[AlertKind(row.kind)].repeat_after_s)
        open_yet = row.acknowledged_at is None and row.unknown_since is None
        return AlertNews.REPEATED if open_yet and is_due_again(row.announced_at, self._now, repeat_after) else None

    def _observe(self, rule: AlertRule, open_ones: Mapping[str, AlertRow]) -> Findings:
        """A kind whose statement fails leaves its alerts as they are: nothing is known of them."""
        if not rule.enabled:
            return Findings(gone=frozenset(open_ones))
        look = Look(self._now, frozenset(open_ones), {one.name: one.value for one in rule.parameters})
        try:
            with self._session.begin_nested():
                return KINDS[rule.kind].observe(self._session, look)
        except DBAPIError as error:
            _log.warning("rule_not_evaluated", rule=rule.kind.value, cause=str(error.orig).strip()[:300])
            return Findings(unknown=frozenset(open_ones))

    def _begin(self, rule: AlertRule, name: str, memory: AlertMemory, condition: Condition) -> None:
        row = AlertRow(kind=rule.kind.value, object_kind=rule.object_kind.value, object_name=name, version=1)
        self._remember(row, memory)
        self._describe(row, rule, memory, condition)
        self._session.add(row)
        self.changed |= memory.phase is Phase.FIRING

    def _go_on(
        self, rule: AlertRule, row: AlertRow, decision: Decision, memory: AlertMemory, condition: Condition | None
    ) -> None:
        before = row.unknown_since is None, row.severity
        self._remember(row, memory)
        if decision.transition is Transition.FIRED and condition is not None:
            self._describe(row, rule, memory, condition)
        row.severity = rule.severity.value
        differs = decision.transition is not None or before != (row.unknown_since is None, row.severity)
        row.version += differs
        self.changed |= differs and memory.phase is Phase.FIRING

    def _remember(self, row: AlertRow, memory: AlertMemory) -> None:
        row.state = AlertState(memory.phase).value
        row.bad_since, row.seen_at = memory.bad_since, memory.seen_at
        row.good_since, row.unknown_since = memory.good_since, memory.unknown_since

    def _describe(self, row: AlertRow, rule: AlertRule, memory: AlertMemory, condition: Condition) -> None:
        """As it is when it begins, and when it fires: what is shown does not change under whoever reads it."""
        row.severity = rule.severity.value
        row.summary, row.cause, row.next_step = condition.summary, condition.cause, condition.next_step
        row.fired_at = self._now if memory.phase is Phase.FIRING else None

    def _end(self, row: AlertRow, transition: Transition | None, *, gone: bool) -> None:
        if transition is not Transition.RESOLVED:
            self._session.delete(row)
            return
        row.state, row.resolved_at, row.seen_at = AlertState.RESOLVED.value, self._now, self._now
        row.resolved_because = "it is no more, or is not judged any more" if gone else "the condition has ended"
        row.unknown_since = None
        row.version += 1
        self._ended.append(row)
        self.changed = True


def _observed(found: Findings, name: str) -> Observed:
    if name in found.bad:
        return Observed.BAD
    if name in found.gone:
        return Observed.GONE
    return Observed.UNKNOWN if name in found.unknown else Observed.GOOD


def _memory(row: AlertRow) -> AlertMemory:
    return AlertMemory(Phase(row.state), row.bad_since, row.seen_at, row.good_since, row.unknown_since)
