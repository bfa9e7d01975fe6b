"""What SRv6-INT's global loop would have done, as an ordinary plan: a chain in so many even lanes."""

from sextant_domain.laws.srv6 import SRV6
from sextant_domain.plans.intents import LaneIntent
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_backend.laws.frame import Draft
from sextant_backend.laws.paced import plan
from sextant_backend.laws.srv6 import describe
from sextant_backend.laws.srv6.evaluation import ProposedLanes

TRUST_WHY = "by what packets measured in the last second; no model is asked"


def draft(snapshot: FleetSnapshot, proposed: ProposedLanes) -> Draft | str:
    """As a plan, checked as any; or why it cannot be one."""
    asked = proposed.asked
    intent = LaneIntent(chain=asked.chain, weights=(1,) * asked.lanes, hosts=dict(asked.hosts), law=SRV6)
    found = plan.planned(snapshot, intent)
    if isinstance(found, str):
        return found
    return plan.draft(found, None, 0.0, because=describe.why(asked), trust_why=TRUST_WHY)
