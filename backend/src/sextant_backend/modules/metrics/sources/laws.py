"""Control laws: whether they may act, when each was last evaluated, and what that came to."""

from sextant_domain.laws.recommendation import PolicyMode, RecommendationPolicy
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.laws import registry
from sextant_backend.modules.control.evaluation import DECISIONS, DECISIONS_TALLY
from sextant_backend.modules.metrics.frame import Family, Found, Group
from sextant_backend.modules.metrics.sources.tallies import Sums

STOPPED = Family("sextant_laws_stopped", "0 or 1", (), "1 while the switch stops all control laws", Group.FLEET)
MODE = Family(
    "sextant_law_mode",
    "0 or 1",
    ("law", "mode"),
    "1 for the mode of the fleet's policy, 0 for every other",
    Group.FLEET,
)
POLICIES = Family(
    "sextant_law_policies",
    "policies",
    ("law", "scope", "mode"),
    "Policies of single hosts and chains, which hold there in the place of the fleet's",
    Group.FLEET,
)
EVALUATED = Family(
    "sextant_law_last_evaluation_timestamp_seconds", "s", ("law",), "When the law was last evaluated", Group.FLEET
)
OPEN = Family(
    "sextant_law_open_recommendations",
    "recommendations",
    ("law",),
    "Recommendations that wait for somebody",
    Group.FLEET,
)
ROUNDS = Family(
    "sextant_law_evaluations_total",
    "1",
    ("law", "decision"),
    "Evaluations by what came of them: no-action, recommend, apply or withdraw",
    Group.FLEET,
    "counter",
)
WINDOWS = Family(
    "sextant_maintenance_windows_active",
    "windows",
    ("scope",),
    "Maintenance windows in force, of the fleet or of a host: control laws rest there",
    Group.FLEET,
)
FAMILIES = (STOPPED, MODE, POLICIES, EVALUATED, OPEN, ROUNDS, WINDOWS)

_SWITCH = text(
    """
    SELECT coalesce((SELECT stopped FROM control), false) AS stopped,
        (SELECT count(*) FROM maintenance_windows WHERE host_id IS NULL AND starts_at <= now() AND ends_at > now())
            AS of_fleet,
        (SELECT count(*) FROM maintenance_windows WHERE host_id IS NOT NULL AND starts_at <= now() AND ends_at > now())
            AS of_hosts
    """
)
_LAWS = text(
    """
    SELECT law, extract(epoch FROM max(evaluated_at)) AS evaluated,
        (SELECT count(*) FROM recommendations r WHERE r.law = c.law AND r.state = 'open') AS open
    FROM control_laws c GROUP BY law
    """
)
_POLICIES = text("SELECT law, scope, mode, count(*) AS number FROM policies GROUP BY law, scope, mode ORDER BY 1, 2, 3")


def collect(session: Session, found: Found, sums: Sums) -> None:
    """Three statements."""
    row = session.execute(_SWITCH).one()
    found.add(STOPPED, row.stopped)
    found.add(WINDOWS, row.of_fleet, "fleet")
    found.add(WINDOWS, row.of_hosts, "host")
    laws = {row.law: row for row in session.execute(_LAWS)}
    modes = {law.name: RecommendationPolicy().mode.value for law in registry.every()}
    for row in session.execute(_POLICIES):
        if row.scope == "fleet":
            modes[row.law] = row.mode
        else:
            found.add(POLICIES, row.number, row.law, row.scope, row.mode)
    for law, mode in modes.items():
        for one in PolicyMode:
            found.add(MODE, one == mode, law, one.value)
        found.add(EVALUATED, laws[law].evaluated if law in laws else None, law)
        found.add(OPEN, laws[law].open if law in laws else 0, law)
        for decision in DECISIONS:
            found.add(ROUNDS, sums.of(DECISIONS_TALLY, law, decision), law, decision)
