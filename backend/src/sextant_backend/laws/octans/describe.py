"""How the console describes what Octans' law recommends."""

from typing import TYPE_CHECKING, Any

from sextant_domain.laws.recommendation import RecommendationPolicy
from sextant_domain.plans.plan import Change, ChangeKind, PlanBody

if TYPE_CHECKING:
    from sextant_engine.planning.gain import PlanGain

TITLE = "Octans re-placement"
SUMMARY = "Moves running NFs to other cores of their hosts where that gains throughput, within a budget of moves."


def moves(body: PlanBody) -> list[Change]:
    """NFs that would change their core."""
    return [change for change in body.changes if change.kind is ChangeKind.MOVE]


def recommendation(body: PlanBody, gain: "PlanGain") -> dict[str, Any]:
    """Recommendation as JSON, without what stands in columns."""
    moved = moves(body)
    return {
        "hosts": [base.host for base in body.base],
        "chains": sorted({change.chain for change in moved}),
        "moves": len(moved),
        "gain_mpps": gain.mpps,
        "gain_percent": gain.percent,
        **gain.model_dump(mode="json", exclude={"mpps", "percent", "now"}),
    }


def by_itself(policy: RecommendationPolicy) -> str:
    """What it does where its policy is automatic."""
    moves = "1 move" if policy.max_moves == 1 else f"{policy.max_moves} moves"
    return (
        f"It applies up to {moves} once their gain has stood for {policy.hold_s:g} s, where every model that they rest"
        " on is trusted."
    )
