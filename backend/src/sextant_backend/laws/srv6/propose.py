"""What SRv6-INT's global loop would have done, as an ordinary plan: a chain in so many even lanes, or all of it
on another host."""

from sextant_domain.laws.srv6 import SRV6
from sextant_domain.plans.intents import LaneIntent, RelocateIntent
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.control.srv6.chains import MoveAsked

from sextant_backend.laws.frame import Draft
from sextant_backend.laws.paced import plan
from sextant_backend.laws.srv6 import describe
from sextant_backend.laws.srv6.evaluation import ProposedLanes

TRUST_WHY = "by what packets measured in the last second; no model is asked"


def draft(snapshot: FleetSnapshot, proposed: ProposedLanes) -> Draft | str:
    """As a plan, checked as any; or why it cannot be one."""
    asked = proposed.asked
    if isinstance(asked, MoveAsked):
        found = plan.planned(snapshot, RelocateIntent(chain=asked.chain, host=asked.host))
        because = describe.why_moved(asked, proposed.home, proposed.uncounted)
        return found if isinstance(found, str) else plan.draft(found, None, 0.0, because=because, trust_why=TRUST_WHY)
    intent = LaneIntent(chain=asked.chain, weights=(1,) * asked.lanes, hosts=dict(asked.hosts), law=SRV6)
    found = plan.planned(snapshot, intent)
    if isinstance(found, str):
        return found
    return plan.draft(found, None, 0.0, because=describe.why(asked, proposed.uncounted), trust_why=TRUST_WHY)
