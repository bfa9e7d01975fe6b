"""The sweep: rings again for plans and operations that no worker is at although one should be."""

from sqlalchemy.orm import Session

from sextant_backend.faults import fault_point
from sextant_backend.kit import outbox
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.operations import repository
from sextant_backend.modules.plans import making


def sweep(session: Session) -> int:
    """Ring for what has not started, whose lease has run out, or whose next attempt is due; returns how many.

    Rings are sent after the commit; one that is lost comes again with the next sweep but one.
    """
    operations, plans = repository.to_ring(session), making.to_ring(session)
    for operation_id in operations:
        outbox.ring(session, TaskName.OPERATE, operation_id)
    for plan_id in plans:
        outbox.ring(session, TaskName.PLAN, plan_id)
    if operations or plans:
        fault_point("sweep.before_ring")
    return len(operations) + len(plans)
