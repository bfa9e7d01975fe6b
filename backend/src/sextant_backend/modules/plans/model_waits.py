"""Plans that wait until an NF type has a model: no worker begins them before it is promoted or an operator says so."""

from collections.abc import Sequence

from sextant_domain.plans.plan import PlanState, PlanWait
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.profiling.fit import FitState, ModelState
from sextant_domain.profiling.job import JobState
from sqlalchemy import ColumnElement, exists, select
from sqlalchemy.orm import Session

from sextant_backend.domain_events import ModelsPromoted
from sextant_backend.kit import outbox
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.models.models import FitRow, ModelVersionRow
from sextant_backend.modules.nfs import types
from sextant_backend.modules.plans import views
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.profiling.models import ProfilingJobRow
from sextant_backend.modules.profiling.operator_actions import is_stale

_WAITING = (PlanRow.state == PlanState.PLANNING.value, PlanRow.waits_for.is_not(None))


def go_on(session: Session, promoted: ModelsPromoted) -> None:
    """Plans that waited for no other model are made now."""
    for row in session.scalars(select(PlanRow).where(*_WAITING).order_by(PlanRow.id).with_for_update()):
        wait = PlanWait.model_validate(row.waits_for)
        missing = tuple(name for name in wait.nf_types if name not in promoted.nf_types)
        if not missing:
            release(session, row)
        elif len(missing) < len(wait.nf_types):
            _put(session, row, wait.model_copy(update={"nf_types": missing}))


def release(session: Session, row: PlanRow) -> None:
    """Let a (locked) plan be made."""
    row.waits_for = None
    views.changed(session, row)
    outbox.ring(session, TaskName.PLAN, row.id)


def left_out(session: Session, snapshot: FleetSnapshot) -> tuple[FleetSnapshot, tuple[str, ...]]:
    """The fleet without the chains that run nowhere and whose own plan waits: a plan of the whole fleet would place
    them on the assumed figures that nobody has agreed to. And a warning for each."""
    runs = {chain.chain for host in snapshot.hosts for chain in host.content.chains}
    known = {spec.name for spec in snapshot.chains} - runs
    found = {
        name: f"{name} is left out: its plan {row.id} {PlanWait.model_validate(row.waits_for).reason}; to place it on "
        f"assumed figures: sextant plans proceed {row.id}"
        for row in session.scalars(select(PlanRow).where(*_WAITING).order_by(PlanRow.id))
        for name in row.chains
        if name in known
    }
    kept = tuple(spec for spec in snapshot.chains if spec.name not in found)
    return snapshot.model_copy(update={"chains": kept}), tuple(found[name] for name in sorted(found))


def any_waits() -> ColumnElement[bool]:
    """Whether a plan waits."""
    return exists().where(*_WAITING)


def report_waits(session: Session) -> int:
    """Say of every plan that waits how far that is, where it is not what was said before; returns of how many."""
    changed = 0
    for row in session.scalars(select(PlanRow).where(*_WAITING).order_by(PlanRow.id).with_for_update(skip_locked=True)):
        wait = PlanWait.model_validate(row.waits_for)
        now = wait_of(session, wait.nf_types, wait.job_ids)
        if now != wait:
            _put(session, row, now)
            changed += 1
    return changed


def _put(session: Session, row: PlanRow, wait: PlanWait) -> None:
    row.waits_for = wait.model_dump(mode="json")
    views.changed(session, row)


def wait_of(session: Session, nf_types: Sequence[str], job_ids: Sequence[int]) -> PlanWait:
    """What each model waits for, and what an operator can do: 'waits for models: edge-firewall is profiled on ...'.

    `job_ids`: jobs on the host models where the chain may go. The newest job of an NF type there counts, and the
    newest model of it that could be promoted, whichever job or operator asked for them.
    """
    jobs = _newest_jobs(session, nf_types, job_ids)
    said = (_of_type(session, name, jobs.get(name)) for name in nf_types)
    return PlanWait(
        reason=f"waits for models: {'; '.join(said)}",
        nf_types=tuple(nf_types),
        job_ids=tuple(dict.fromkeys(jobs[name].id for name in nf_types if name in jobs)) or tuple(job_ids),
    )


def _newest_jobs(session: Session, nf_types: Sequence[str], job_ids: Sequence[int]) -> dict[str, ProfilingJobRow]:
    row = ProfilingJobRow
    host_models = select(row.host_model).where(row.id.in_(job_ids))
    query = select(row).where(row.nf_type.in_(nf_types), row.host_model.in_(host_models)).order_by(row.id)
    return {job.nf_type: job for job in session.scalars(query.execution_options(populate_existing=True))}


def _of_type(session: Session, nf_type: str, job: ProfilingJobRow | None) -> str:
    if job is None:
        return f"{nf_type} is not profiled any more; start with {_start(nf_type, 'HOST')}, or use assumed figures"
    match job.state:
        case JobState.QUEUED | JobState.PROCESSING:
            return f"{nf_type} is profiled on {job.host_id} (job {job.id})"
        case JobState.PAUSED:
            return f"profiling of {nf_type} on {job.host_id} is paused; resume job {job.id}"
        case _:
            return _of_fits(session, job) or _of_ended(job)


def _of_fits(session: Session, job: ProfilingJobRow) -> str | None:
    """Of a model that can be promoted, one that is on its way, or what came of the job's own fit."""
    model, fit = ModelVersionRow, FitRow
    of_type = (model.host_model == job.host_model, model.nf_type == job.nf_type)
    known = types.named(session, [job.nf_type]).get(job.nf_type)
    usable = (*of_type, model.state == ModelState.CANDIDATE, model.nf_version == (known.version if known else None))
    fits = select(fit.id).where(fit.host_model == job.host_model, fit.state == FitState.FITTING)
    if (fitting := session.scalar(fits.order_by(fit.id.desc()).limit(1))) is not None:
        return f"models of {job.nf_type} are fitted (fit {fitting})"
    found = session.scalar(select(model.fit_id).where(*usable).order_by(model.fit_id.desc()).limit(1))
    if found is not None:
        return f"fit {found} has a model of {job.nf_type}; promote it"
    if job.fit_id is None or job.state != JobState.COMPLETED:
        return None
    return f"fit {job.fit_id} made no model of {job.nf_type} that can be used; see why there, or use assumed figures"


def _of_ended(job: ProfilingJobRow) -> str:
    """Without a model. What was cancelled, or began with another version of the NF type, cannot be retried."""
    assumed = "or use assumed figures"
    if job.state == JobState.CANCELLED:
        return f"profiling of {job.nf_type} was cancelled (job {job.id}); start another: {_start_of(job)}, {assumed}"
    if job.state == JobState.FAILED and is_stale(job):
        return f"profiling of {job.nf_type} is out of date (job {job.id}); start another: {_start_of(job)}, {assumed}"
    ended = "failed" if job.state == JobState.FAILED else "ended without figures"
    return f"profiling of {job.nf_type} {ended}; see why and retry job {job.id}, {assumed}"


def _start_of(job: ProfilingJobRow) -> str:
    return _start(job.nf_type, job.host_id)


def _start(nf_type: str, host: str) -> str:
    return f"sextant profile start {nf_type} --host {host}"
