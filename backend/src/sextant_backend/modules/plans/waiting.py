"""Plans that wait until an NF type has a model: no worker begins them before it is promoted or an operator says so."""

from collections.abc import Collection, Sequence

from sextant_domain.fit import FitState, ModelState
from sextant_domain.plan import PlanState, PlanWait
from sextant_domain.profiling import JobState
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.models.models import FitRow, ModelVersionRow
from sextant_backend.modules.plans import views
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.profiling.models import ProfilingJobRow

_WAITING = (PlanRow.state == PlanState.PLANNING.value, PlanRow.waits_for.is_not(None))


def go_on(session: Session, nf_types: Collection[str]) -> int:
    """A model of these NF types was promoted: plans that waited for no other are made now; returns how many."""
    released = 0
    for row in session.scalars(select(PlanRow).where(*_WAITING).order_by(PlanRow.id).with_for_update()):
        wait = PlanWait.model_validate(row.waits_for)
        missing = tuple(name for name in wait.nf_types if name not in nf_types)
        if not missing:
            release(session, row)
            released += 1
        elif len(missing) < len(wait.nf_types):
            _put(session, row, wait.model_copy(update={"nf_types": missing}))
    return released


def release(session: Session, row: PlanRow) -> None:
    """Let a (locked) plan be made."""
    row.waits_for = None
    views.changed(session, row)
    outbox.ring(session, TaskName.PLAN, row.id)


def tell(session: Session) -> int:
    """Say of every plan that waits how far that is, where it is not what was said before; returns of how many."""
    told = 0
    for row in session.scalars(select(PlanRow).where(*_WAITING).order_by(PlanRow.id).with_for_update(skip_locked=True)):
        wait = PlanWait.model_validate(row.waits_for)
        now = wait.model_copy(update={"reason": reason(session, wait.nf_types, wait.job_ids)})
        if now != wait:
            _put(session, row, now)
            told += 1
    return told


def _put(session: Session, row: PlanRow, wait: PlanWait) -> None:
    row.waits_for = wait.model_dump(mode="json")
    views.changed(session, row)


def reason(session: Session, nf_types: Sequence[str], job_ids: Sequence[int]) -> str:
    """What each model waits for, and what an operator can do: 'waits for models: edge-firewall is profiled on ...'."""
    query = select(ProfilingJobRow).where(ProfilingJobRow.id.in_(job_ids))
    jobs = {row.nf_type: row for row in session.scalars(query.execution_options(populate_existing=True))}
    said = (_of_job(session, jobs[name]) if name in jobs else f"{name} is not profiled any more" for name in nf_types)
    return f"waits for models: {'; '.join(said)}"


def _of_job(session: Session, job: ProfilingJobRow) -> str:
    match job.state:
        case JobState.QUEUED | JobState.PROCESSING:
            return f"{job.nf_type} is profiled on {job.host_id} (job {job.id})"
        case JobState.PAUSED:
            return f"profiling of {job.nf_type} on {job.host_id} is paused; resume job {job.id}"
        case JobState.COMPLETED if job.fit_id is not None:
            return _of_fit(session, job.nf_type, job.fit_id)
        case _:
            return f"profiling of {job.nf_type} ended without figures; retry job {job.id}, or use assumed ones"


def _of_fit(session: Session, nf_type: str, fit_id: int) -> str:
    fit = session.scalar(select(FitRow.state).where(FitRow.id == fit_id))
    if fit == FitState.FITTING:
        return f"models of {nf_type} are fitted (fit {fit_id})"
    state = session.scalar(
        select(ModelVersionRow.state).where(ModelVersionRow.fit_id == fit_id, ModelVersionRow.nf_type == nf_type)
    )
    if state is None or state == ModelState.REFUSED:
        return f"fit {fit_id} made no model of {nf_type} that can be used; see why there, or use assumed figures"
    return f"fit {fit_id} has a model of {nf_type}; promote it"
