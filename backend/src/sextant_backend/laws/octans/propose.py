"""What Octans' law would do: the best re-placement of what runs within the budget of moves, and its gain."""

from typing import TYPE_CHECKING

from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import ReplaceIntent

from sextant_backend.kit.memory import without_collector
from sextant_backend.laws.frame import Draft, LawInput
from sextant_backend.laws.octans import describe, observe

if TYPE_CHECKING:
    from sextant_engine.planning.gain import PlanGain

TIME_LIMIT_S = 2.0
"""Wall time of the search: it is done again and again, and an operator waits for none of them."""


def propose(given: LawInput) -> tuple[Draft, "PlanGain"]:
    """A plan, with nothing to change where nothing pays, and what it gains over what runs."""
    from sextant_engine.fleet_view import MoveThresholds  # the Rust core, which only this needs
    from sextant_engine.plan import make_plan
    from sextant_engine.planning.gain import gain_of

    solving = Solving(time_limit_s=TIME_LIMIT_S, max_moves=given.policy.max_moves)
    intent = ReplaceIntent(keep=tuple(sorted(given.kept)))
    thresholds = MoveThresholds(margin_mpps=given.policy.margin_mpps)
    with without_collector():
        body = make_plan(given.snapshot, intent, solving, thresholds=thresholds)
        gain = gain_of(given.snapshot, body, observe.meets_slo({one.chain for one in body.predictions}))
    return Draft(intent, solving, body, describe.recommendation(body, gain)), gain
