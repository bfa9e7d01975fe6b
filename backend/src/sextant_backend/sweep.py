"""The sweep: rings again for what no worker is at although one should be: plans, operations, jobs, fits, studies."""

from sqlalchemy.orm import Session

from sextant_backend.faults import fault_point
from sextant_backend.kit import outbox
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.models import fitting
from sextant_backend.modules.operations import repository
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.plans import model_waits, planner
from sextant_backend.modules.profiling import repository as profiling
from sextant_backend.modules.studies import repository as studies


def sweep(session: Session) -> int:
    """Ring for what has not started, whose lease has run out, or whose next attempt is due; returns how many. Plans
    that wait for a model say how far that is, and operations that wait for a host go on once it reports.

    Rings are sent after the commit; one that is lost comes again with the next sweep but one.
    """
    model_waits.report_waits(session)
    operations.follow_hosts(session)
    due = {
        TaskName.OPERATE: repository.to_ring(session),
        TaskName.PLAN: planner.to_ring(session),
        TaskName.PROFILE: profiling.to_ring(session),
        TaskName.STUDY: studies.to_ring(session),
        TaskName.FIT: fitting.to_ring(session),
    }
    for task, ids in due.items():
        for row_id in ids:
            outbox.ring(session, task, row_id)
    count = sum(map(len, due.values()))
    if count:
        fault_point("sweep.before_ring")
    return count
