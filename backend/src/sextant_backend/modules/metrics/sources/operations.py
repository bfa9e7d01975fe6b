"""Operations: how many there are in each state, and how long those took that have ended."""

from sextant_domain.plans.operation import FINAL_STATES, OperationState
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.modules.metrics.frame import Distribution, Family, Found, Group

OPERATIONS = Family("sextant_operations", "operations", ("state",), "Operations that have not ended", Group.FLEET)
DURATION = Family(
    "sextant_operation_duration_seconds",
    "s",
    ("kind", "state"),
    "From the request of an operation to its end, of all that have ended",
    Group.FLEET,
    "histogram",
)
FAMILIES = (OPERATIONS, DURATION)
BOUNDS_S = (1, 2.5, 5, 10, 30, 60, 300, 900, 3600)

_OPEN = text("SELECT state, count(*) AS number FROM operations WHERE NOT state = ANY(:final) GROUP BY state")
_AT_MOST = ", ".join(f"count(*) FILTER (WHERE s <= {bound}) AS b{at}" for at, bound in enumerate(BOUNDS_S))
_ENDED = text(
    f"""
    SELECT kind, state, count(*) AS number, sum(s) AS total, {_AT_MOST}
    FROM (
        SELECT kind, state, CAST(extract(epoch FROM finished_at - created_at) AS float) AS s
        FROM operations WHERE state = ANY(:final) AND finished_at IS NOT NULL
    ) ended
    GROUP BY kind, state ORDER BY kind, state
    """  # noqa: S608
)


def collect(session: Session, found: Found) -> None:
    """Two statements. Operations are never deleted, so that what is counted of them never falls."""
    final = {"final": [state.value for state in FINAL_STATES]}
    numbers = {row.state: row.number for row in session.execute(_OPEN, final)}
    for state in OperationState:
        if state not in FINAL_STATES:
            found.add(OPERATIONS, numbers.get(state.value, 0), state.value)
    for row in session.execute(_ENDED, final):
        counts = [(f"{bound:g}", float(getattr(row, f"b{at}"))) for at, bound in enumerate(BOUNDS_S)]
        found.add_distribution(DURATION, Distribution([*counts, ("+Inf", row.number)], row.total), row.kind, row.state)
