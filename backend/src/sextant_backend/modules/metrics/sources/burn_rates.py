"""How fast chains use up their error budgets: by the windows of the alert rule `slo_burn_rate`, up to this minute."""

from datetime import timedelta

from sextant_domain.console.alerts import AlertKind
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts import rules
from sextant_backend.modules.metrics.frame import Family, Found, Group

BURN_RATE = Family(
    "sextant_chain_slo_burn_rate",
    "1",
    ("chain", "window"),
    "Share of measured seconds that missed an objective, over the share that may; none where less than half of the "
    "window was measured",
    Group.CHAIN,
)
THRESHOLD = Family(
    "sextant_slo_burn_rate_threshold",
    "1",
    (),
    "From which on the rule `slo_burn_rate` fires, in both windows",
    Group.FLEET,
)
WINDOWS = Family(
    "sextant_slo_burn_rate_window_seconds", "s", ("window",), "How long the windows `long` and `short` are", Group.FLEET
)
FAMILIES = (THRESHOLD, WINDOWS, BURN_RATE)

_MISSED = text(
    """
    SELECT w.name AS window_name, m.chain, count(*) AS minutes, sum(m.measured) AS measured, sum(m.missed) AS missed
    FROM (VALUES ('long', CAST(:long AS interval)), ('short', CAST(:short AS interval))) w(name, length)
    JOIN slo_minutes m ON m.minute >= date_trunc('minute', now()) - w.length
    JOIN chains c ON c.name = m.chain AND c.deleted_at IS NULL
    GROUP BY 1, 2 ORDER BY 2, 1
    """
)


def collect(session: Session, found: Found) -> None:
    """Two statements."""
    limits = {one.name: one.value for one in rules.in_force(session)[AlertKind.SLO_BURN_RATE].parameters}
    windows = {name: timedelta(minutes=limits[f"{name}_minutes"]) for name in ("long", "short")}
    found.add(THRESHOLD, limits["factor"])
    for name, length in windows.items():
        found.add(WINDOWS, length.total_seconds(), name)
    budget = 1 - limits["objective_percent"] / 100
    for row in session.execute(_MISSED, windows):
        if row.measured and row.minutes >= windows[row.window_name].total_seconds() / 60 / 2:
            found.add(BURN_RATE, float(row.missed) / float(row.measured) / budget, row.chain, row.window_name)
