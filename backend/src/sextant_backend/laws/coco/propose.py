"""What CoCo's law would have done, as an ordinary plan of its host: neighbours to other cores, all at once."""

from typing import Any

from sextant_domain.base import Provenance
from sextant_domain.laws.coco import COCO
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import ResourceIntent
from sextant_domain.plans.plan import ChangeKind, PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.plans.trust import TrustVerdict

from sextant_backend.laws.coco import describe
from sextant_backend.laws.coco.evaluation import ProposedPush
from sextant_backend.laws.frame import Draft

TRUST_WHY = "by what NFs used of their cores in the last second; no model is asked"


def draft(snapshot: FleetSnapshot, proposed: ProposedPush) -> Draft | str:
    """As a plan, checked as any; or why it cannot be one."""
    from sextant_engine.plan import make_plan  # the Rust core, which only this needs

    intent, solving = ResourceIntent(seats=proposed.moves, law=COCO), Solving()
    body = make_plan(snapshot, intent, solving)
    if body.rejected:
        return body.rejected[0].reason
    if not body.does_something:
        return "nothing would change"
    return Draft(intent, solving, body, _recommendation(body, proposed))


def _recommendation(body: PlanBody, proposed: ProposedPush) -> dict[str, Any]:
    """Recommendation as JSON, without what stands in columns."""
    moves = [change for change in body.changes if change.kind is ChangeKind.MOVE]
    carried = proposed.carried_gbps
    return {
        "hosts": [base.host for base in body.base],
        "chains": sorted({change.chain for change in moves}),
        "moves": len(moves),
        "gain_mpps": 0.0,
        "gain_gbps": round(proposed.gain_gbps, 3),
        "because": describe.why_push(proposed.element, proposed.core, proposed.lacks, proposed.freed, proposed.moves),
        "gain_percent": round(100 * proposed.gain_gbps / carried, 2) if carried > 0 else None,
        "low_mpps": None,
        "high_mpps": None,
        "provenance": Provenance.PREDICTED.value,
        "restores": [],
        "breaks": [],
        "trust": TrustVerdict.UNTESTED.value,
        "trust_why": TRUST_WHY,
    }
