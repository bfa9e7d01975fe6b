"""What is said of how good a plan is, in one word or few.

The console's pages say the same by `frontend/src/plans/status.ts`; both are held to docs/contracts/verdicts.json and
proofs.json.
"""

from collections.abc import Sequence

from sextant_domain.plans.evidence import Doubt, PlanPredictor, PlanStatus

_WORDS = {"optimal": "optimal", "feasible": "feasible", "infeasible": "does not fit", "as_ordered": "as ordered"}

PREDICTOR_WORDS: dict[PlanPredictor, str] = {
    "octans": "Octans' equations",
    "curves": "pressure curves",
    "gaussian-process": "a Gaussian process",
}
"""Whose figures they are: 'by pressure curves'."""


def verdict_text(status: PlanStatus, doubt: Doubt | None) -> str:
    """What is optimal by models that were never tested, or did not hold, is not called so."""
    if status == "optimal" and doubt is not None:
        return f"best under {doubt.value} models"
    return _WORDS[status]


def proof_text(status: PlanStatus, doubt: Doubt | None, predictors: Sequence[PlanPredictor]) -> str:
    """The same with what is proved, and of whose figures: 'optimal under Octans' equations, proved'."""
    *others, last = [PREDICTOR_WORDS[one] for one in predictors] or [""]
    by = f" under {' and '.join(filter(None, (', '.join(others), last)))}" if last else ""
    if status == "optimal" and doubt is None:
        return f"optimal{by}, proved"
    return f"best found{by}" if status == "feasible" else verdict_text(status, doubt)
