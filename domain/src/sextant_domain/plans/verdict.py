"""What is said of how good a plan is, in one word or few.

The console's pages say the same by `frontend/src/plans/status.ts`; both are held to docs/contracts/verdicts.json.
"""

from sextant_domain.plans.evidence import Doubt, PlanStatus

_WORDS = {"optimal": "optimal", "feasible": "feasible", "infeasible": "does not fit", "as_ordered": "as ordered"}


def verdict_text(status: PlanStatus, doubt: Doubt | None) -> str:
    """What is optimal by models that were never tested, or did not hold, is not called so."""
    if status == "optimal" and doubt is not None:
        return f"best under {doubt.value} models"
    return _WORDS[status]
