"""One plan: what the intent asks for, decided on a draft of the fleet and written down."""

from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import (
    AdjustIntent,
    AlignIntent,
    DrainIntent,
    Intent,
    LaneIntent,
    MigrateIntent,
    PlaceIntent,
    RelocateIntent,
    RemoveIntent,
    ResourceIntent,
    RestoreIntent,
)
from sextant_domain.plans.plan import PlanBody

from sextant_engine.fleet_view import FleetView
from sextant_engine.planning.adjust import adjust
from sextant_engine.planning.align import align
from sextant_engine.planning.body import body_of
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.lanes import scale
from sextant_engine.planning.migrate import migrate
from sextant_engine.planning.place import place
from sextant_engine.planning.progress import Progress
from sextant_engine.planning.relocate import drain, relocate
from sextant_engine.planning.remove import remove
from sextant_engine.planning.replace import replace
from sextant_engine.planning.resources import give_resources
from sextant_engine.planning.restore import restore


def propose(fleet: FleetView, intent: Intent, solving: Solving, progress: Progress) -> PlanBody:
    """The plan before anybody has checked it. Raises PlanningCancelled."""
    draft = PlanDraft(fleet, solving, progress)
    progress.report("choosing")
    match intent:
        case PlaceIntent():
            place(draft, intent)
        case RemoveIntent():
            remove(draft, intent)
        case MigrateIntent():
            migrate(draft, intent)
        case RelocateIntent():
            relocate(draft, intent)
        case DrainIntent():
            drain(draft, intent)
        case AdjustIntent():
            adjust(draft, intent)
        case ResourceIntent():
            give_resources(draft, intent)
        case LaneIntent():
            scale(draft, intent)
        case RestoreIntent():
            restore(draft, intent)
        case AlignIntent():
            align(draft, intent)
        case _:
            replace(draft, intent)
    return body_of(draft, intent)
