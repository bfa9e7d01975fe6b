"""Bodies of the plans' endpoints."""

from typing import Annotated

from pydantic import Field
from sextant_domain.base import Frozen, StrictFloat, StrictInt
from sextant_domain.plans.evidence import MAX_TIME_LIMIT_S, Algorithm, Solving
from sextant_domain.plans.intents import (
    DrainIntent,
    LaneIntent,
    LossBudget,
    MigrateIntent,
    PlaceIntent,
    RelocateIntent,
    ReplaceIntent,
    ResourceIntent,
    RestoreIntent,
)

AskedIntent = Annotated[
    PlaceIntent
    | MigrateIntent
    | RelocateIntent
    | DrainIntent
    | ReplaceIntent
    | ResourceIntent
    | LaneIntent
    | RestoreIntent,
    Field(discriminator="kind"),
]
"""A chain is removed by DELETE /chains/{name}, which plans and applies at once."""


class Search(Frozen):
    """How a plan shall be found: the fields of `Solving`, flat in a request."""

    time_limit_s: StrictFloat = Field(default=10.0, ge=0, le=MAX_TIME_LIMIT_S)
    """Wall time of the search; the best that was found by then is proposed, with its bound."""
    seed: StrictInt = Field(default=0, ge=0, lt=2**31)
    max_moves: StrictInt | None = Field(default=None, ge=0, le=1_000_000)
    """Most NFs that run and may change nodes; left out: as many as pay."""

    def with_algorithm(self, algorithm: Algorithm | None) -> Solving:
        """As the engine wants it."""
        return Solving(algorithm=algorithm, time_limit_s=self.time_limit_s, seed=self.seed, max_moves=self.max_moves)


class ApplyRequest(Frozen):
    """How a plan is carried out."""

    hosts_at_once: StrictInt | None = Field(default=None, ge=1, le=1000)
    """No further host is ordered before so many are complete, and none after the first that fails; left out: all hosts
    go on independently of each other."""
    loss_budget: LossBudget | None = None
    """What it may cost where hosts exchange chains and none has room for both meanwhile (`handover.interrupts` of the
    plan). Needed for such a plan, and no less than it says; of no effect on others."""


class PlanRequest(Search):
    """What shall be planned, and how."""

    intent: AskedIntent
    algorithm: Algorithm | None = None
    """Left out: `exact` for every host small enough for it, `anytime` for the others."""

    def solving(self) -> Solving:
        """As the engine wants it."""
        return self.with_algorithm(self.algorithm)
