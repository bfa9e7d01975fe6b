"""Comparisons as the API shows them."""

from collections.abc import Sequence

from sextant_domain.plans.comparison import ComparedPlan, Comparison

from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.snapshots.models import ComparisonRow


def view(row: ComparisonRow, plans: Sequence[PlanRow]) -> Comparison:
    """A comparison with the figures of its plans so far."""
    return Comparison.model_validate(
        {
            "id": row.id,
            "label": row.label,
            "source": row.source,
            "taken_at": row.taken_at,
            "hosts": row.hosts,
            "chains": row.chains,
            "intent": row.intent,
            "time_limit_s": row.time_limit_s,
            "plans": tuple(_compared(plan) for plan in plans),
            "created_at": row.created_at,
            "created_by": row.created_by,
        }
    )


def _compared(row: PlanRow) -> ComparedPlan:
    return ComparedPlan.model_validate(
        {
            "plan_id": row.id,
            "algorithm": row.solving["algorithm"],
            "state": row.state,
            "status": row.status,
            "doubt": row.doubt,
            "objective_mpps": row.objective_mpps,
            "score": row.score,
            "bound": row.bound,
            "gap": row.gap,
            "evaluations": row.evaluations,
            "seconds": row.seconds,
            "changes": row.changes,
            "moves": row.moves,
            "placed": row.placed,
            "rejected": row.rejected,
            "rejected_value": row.rejected_value,
        }
    )
