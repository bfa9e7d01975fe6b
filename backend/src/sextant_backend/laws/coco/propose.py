"""What CoCo's law would have done, as an ordinary plan of its host: neighbours to other cores, all at once."""

from sextant_domain.laws.coco import COCO
from sextant_domain.plans.intents import ResourceIntent
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_backend.laws.coco import describe
from sextant_backend.laws.coco.evaluation import ProposedPush
from sextant_backend.laws.frame import Draft
from sextant_backend.laws.paced import plan

TRUST_WHY = "by what NFs used of their cores in the last second; no model is asked"


def draft(snapshot: FleetSnapshot, proposed: ProposedPush) -> Draft | str:
    """As a plan, checked as any; or why it cannot be one."""
    found = plan.planned(snapshot, ResourceIntent(seats=proposed.moves, law=COCO))
    if isinstance(found, str):
        return found
    because = describe.why_push(proposed.element, proposed.core, proposed.lacks, proposed.freed, proposed.moves)
    return plan.draft(found, proposed.gbps, proposed.carried_gbps, because=because, trust_why=TRUST_WHY)
