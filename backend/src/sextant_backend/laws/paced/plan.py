"""What a law of every second would have done, as an ordinary plan and a recommendation."""

from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import Intent
from sextant_domain.plans.plan import ChangeKind, PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.plans.trust import TrustVerdict

from sextant_backend.laws.frame import Draft


def planned(snapshot: FleetSnapshot, intent: Intent | str) -> tuple[Intent, PlanBody] | str:
    """The plan of an intent, checked as any; or why there is none."""
    from sextant_engine.plan import make_plan  # the Rust core, which only this needs

    if isinstance(intent, str):
        return intent
    body = make_plan(snapshot, intent, Solving())
    if body.rejected:
        return body.rejected[0].reason
    return (intent, body) if body.does_something else "nothing would change"


def draft(found: tuple[Intent, PlanBody], gain_gbps: float | None, carried_gbps: float, **said: Any) -> Draft:
    """With its recommendation. `gain_gbps`: None where it is not for a gain; `carried_gbps`: by the host's chains now;
    `said`: `because`, `trust_why`, and what a law has beside."""
    intent, body = found
    moves = [change for change in body.changes if change.kind is ChangeKind.MOVE]
    recommendation: dict[str, Any] = {
        "hosts": [base.host for base in body.base],
        "chains": sorted({change.chain for change in moves} or body.changed_chains),
        "moves": len(moves),
        "gain_mpps": 0.0,
        "gain_gbps": round(gain_gbps or 0.0, 3),
        "gain_percent": None if gain_gbps is None or carried_gbps <= 0 else round(100 * gain_gbps / carried_gbps, 2),
        "low_mpps": None,
        "high_mpps": None,
        "provenance": Provenance.PREDICTED.value,
        "restores": [],
        "breaks": [],
        "trust": TrustVerdict.UNTESTED.value,
    }
    return Draft(intent, Solving(), body, recommendation | said)
