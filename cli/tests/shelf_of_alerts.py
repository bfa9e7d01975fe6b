"""The small console's alert, silences and rule, by docs/contracts/console.md."""

from datetime import timedelta
from typing import Any

from sextant_domain.console.alerts import (
    Acknowledgement,
    Alert,
    AlertKind,
    AlertObjectKind,
    AlertRule,
    AlertSeverity,
    AlertState,
    RuleParameter,
    Silence,
    SilenceMatcher,
    SilenceNew,
)

from .answers import NOW


class ShelfOfAlerts:
    """One chain misses its objective."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}
        """The newest query of the list."""
        self.one = Alert(
            id=3,
            kind=AlertKind.SLO_VIOLATED,
            severity=AlertSeverity.CRITICAL,
            object_kind=AlertObjectKind.CHAIN,
            object_name="web-edge",
            state=AlertState.FIRING,
            summary="web-edge misses its objective",
            cause="On edge-1 it carries 0.10 Mpps, the objective is at least 0.45; 0.50 Mpps are offered.",
            next_step="sextant plans ask",
            pending_since=NOW - timedelta(minutes=5),
            fired_at=NOW - timedelta(minutes=4),
            unknown_since=None,
            resolved_at=None,
            resolved_because=None,
            acknowledged=None,
            silence_id=None,
            version=1,
        )
        self.silences: list[Silence] = []
        self.rule = AlertRule(
            kind=AlertKind.OPERATION_FAILED,
            title="Operation failed",
            summary="An operation waits for somebody",
            object_kind=AlertObjectKind.OPERATION,
            enabled=True,
            severity=AlertSeverity.CRITICAL,
            fire_after_s=0.0,
            resolve_after_s=0.0,
            repeat_after_s=14_400.0,
            parameters=(
                RuleParameter(
                    name="ended_minutes", title="Show for", unit="min", value=60, default=60, least=0, most=10_080
                ),
            ),
            changed_at=None,
            changed_by=None,
            version=0,
        )

    def acknowledge(self, note: str) -> Alert:
        seen = Acknowledgement(by="ada", at=NOW, note=note)
        self.one = self.one.model_copy(update={"acknowledged": seen})
        return self.one

    def silence(self, body: dict[str, Any]) -> Silence:
        asked = SilenceNew.model_validate(body)
        matcher = {name: getattr(asked, name) for name in SilenceMatcher.model_fields}
        made = Silence(
            id=len(self.silences) + 1,
            matcher=SilenceMatcher(**matcher),
            reason=asked.reason,
            created_by="ada",
            created_at=NOW,
            until=asked.until,
            ended_at=None,
            ended_by=None,
            active=True,
        )
        self.silences.insert(0, made)
        return made

    def end(self, number: int) -> Silence:
        at = len(self.silences) - number
        changes = {"active": False, "ended_at": NOW, "ended_by": "ada"}
        self.silences[at] = self.silences[at].model_copy(update=changes)
        return self.silences[at]

    def change(self, body: dict[str, Any]) -> AlertRule:
        parameters = tuple(
            one.model_copy(update={"value": body.get("parameters", {}).get(one.name, one.value)})
            for one in self.rule.parameters
        )
        changes = {**body, "parameters": parameters, "version": self.rule.version + 1, "changed_by": "ada"}
        self.rule = AlertRule.model_validate({**self.rule.model_dump(), **changes})
        return self.rule
