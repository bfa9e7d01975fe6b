"""Alerts of the console's own rules, and when these were last evaluated."""

from sextant_domain.console.alerts import AlertState
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts import rules
from sextant_backend.modules.metrics.frame import Family, Found, Group

_BY = ("kind", "severity")
FIRING = Family("sextant_alerts_firing", "alerts", _BY, "Alerts that fire", Group.FLEET)
UNATTENDED = Family(
    "sextant_alerts_unattended", "alerts", _BY, "Those of them that are neither acknowledged nor silenced", Group.FLEET
)
EVALUATED = Family(
    "sextant_alerts_last_evaluation_timestamp_seconds",
    "s",
    (),
    "When rules were last evaluated: what fires may be out of date where that is long ago",
    Group.FLEET,
)
FAMILIES = (FIRING, UNATTENDED, EVALUATED)

_FIRING = text(
    """
    SELECT kind, severity, count(*) AS number,
        count(*) FILTER (WHERE acknowledged_at IS NULL AND silence_id IS NULL) AS unattended
    FROM alerts WHERE state = :firing GROUP BY kind, severity
    """
)
_CLOCK = text("SELECT extract(epoch FROM evaluated_at) FROM alert_clock")


def collect(session: Session, found: Found) -> None:
    """Three statements. A kind that does not fire is there with 0, with the severity of its rule."""
    counts = {(kind.value, rule.severity.value): (0, 0) for kind, rule in rules.in_force(session).items()}
    for row in session.execute(_FIRING, {"firing": AlertState.FIRING.value}):
        counts[row.kind, row.severity] = (row.number, row.unattended)
    for labels, (firing, unattended) in sorted(counts.items()):
        found.add(FIRING, firing, *labels)
        found.add(UNATTENDED, unattended, *labels)
    found.add(EVALUATED, session.execute(_CLOCK).scalar_one_or_none())
