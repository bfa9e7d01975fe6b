"""Plans that wait until an NF type has a model: no worker begins them before it is promoted or an operator says so."""

from collections.abc import Collection

from sextant_domain.plan import PlanState, PlanWait
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.plans import views
from sextant_backend.modules.plans.models import PlanRow


def go_on(session: Session, nf_types: Collection[str]) -> int:
    """A model of these NF types was promoted: plans that waited for no other are made now; returns how many."""
    query = select(PlanRow).where(PlanRow.state == PlanState.PLANNING.value, PlanRow.waits_for.is_not(None))
    released = 0
    for row in session.scalars(query.order_by(PlanRow.id).with_for_update()):
        wait = PlanWait.model_validate(row.waits_for)
        missing = tuple(name for name in wait.nf_types if name not in nf_types)
        if len(missing) == len(wait.nf_types):
            continue
        if missing:
            row.waits_for = wait.model_copy(update={"nf_types": missing}).model_dump(mode="json")
            views.changed(session, row)
        else:
            release(session, row)
            released += 1
    return released


def release(session: Session, row: PlanRow) -> None:
    """Let a (locked) plan be made."""
    row.waits_for = None
    views.changed(session, row)
    outbox.ring(session, TaskName.PLAN, row.id)
