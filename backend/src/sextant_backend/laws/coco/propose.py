"""What CoCo's law would have done, as an ordinary plan of its host: neighbours to other cores, all at once, or
more or fewer lanes of a chain."""

from sextant_domain.laws.coco import COCO
from sextant_domain.plans.intents import Intent, LaneIntent, ResourceIntent
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_backend.laws.coco import describe
from sextant_backend.laws.coco.evaluation import ProposedPush
from sextant_backend.laws.frame import Draft
from sextant_backend.laws.paced import plan

TRUST_WHY = "by what NFs used of their cores in the last second; no model is asked"


def draft(snapshot: FleetSnapshot, proposed: ProposedPush) -> Draft | str:
    """As a plan, checked as any; or why it cannot be one."""
    found = plan.planned(snapshot, _intent(proposed))
    if isinstance(found, str):
        return found
    if proposed.fewer is not None:
        return plan.draft(found, None, 0.0, because=describe.why_fewer(proposed.fewer), trust_why=TRUST_WHY)
    if proposed.lanes is None:
        because = describe.why_push(proposed.element, proposed.core, proposed.lacks, proposed.freed, proposed.moves)
    else:
        because = describe.why_lanes(proposed.element, proposed.core, proposed.lacks, proposed.lanes)
    return plan.draft(found, proposed.gbps, proposed.carried_gbps, because=because, trust_why=TRUST_WHY)


def _intent(proposed: ProposedPush) -> Intent:
    lanes, fewer = proposed.lanes, proposed.fewer
    if fewer is not None:
        return LaneIntent(chain=fewer.chain, weights=fewer.weights, law=COCO)
    if lanes is None:
        return ResourceIntent(seats=proposed.moves, law=COCO)
    return LaneIntent(
        chain=lanes.chain, weights=lanes.weights, seats=dict(lanes.seats), hosts=dict(lanes.hosts), law=COCO
    )
