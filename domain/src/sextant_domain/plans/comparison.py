"""Several algorithms side by side on one snapshot of a fleet."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen
from sextant_domain.plans.evidence import Algorithm, Doubt, PlanStatus
from sextant_domain.plans.intents import Intent
from sextant_domain.plans.plan import PlanState


class ComparedPlan(Frozen):
    """One algorithm's plan; figures are None until it is made."""

    plan_id: int
    algorithm: Algorithm
    state: PlanState
    status: PlanStatus | None = None
    doubt: Doubt | None = None
    """Of its models, as of `PlanBrief`."""
    objective_mpps: float | None = None
    score: float | None = None
    bound: float | None = None
    gap: float | None = None
    evaluations: int | None = None
    seconds: float | None = None
    changes: int = 0
    moves: int = 0
    placed: int = 0
    """Chains that start."""
    rejected: int = 0
    rejected_value: float = 0.0
    """Their summed value: of two plans the one that leaves out less is better, whatever their scores."""


class Comparison(Frozen):
    """One snapshot, one intent, several plans."""

    id: int
    label: str = Field(max_length=120)
    """The file's name, or what the operator called it."""
    source: Literal["fleet", "file"]
    """Plans on a snapshot from a file are studies: they can never be applied."""
    taken_at: datetime
    hosts: int
    chains: int
    intent: Intent
    time_limit_s: float
    plans: tuple[ComparedPlan, ...]
    """In the order asked for."""
    created_at: datetime
    created_by: str
