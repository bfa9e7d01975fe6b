"""Claims a job's next point for a worker and notes what becomes of it: reads the rows, has `decider.py` decide, writes
what it says. Each call is one step of a transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace

from sextant_domain.problem import NextAction, Problem
from sextant_domain.profiling.job import JobState, PointPurpose, PointSetting, PointState
from sextant_domain.profiling.profile import ProfileProgress, ProfileRequest, ProfileResult
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now
from sextant_backend.kit.leases import claims
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.models import fitting
from sextant_backend.modules.nfs import types
from sextant_backend.modules.profiling import chosen_points, decider, next_point, repository, views
from sextant_backend.modules.profiling.decider import Stop
from sextant_backend.modules.profiling.limits import longest_s
from sextant_backend.modules.profiling.models import ProfilingJobRow, ProfilingPointRow
from sextant_backend.modules.profiling.operator_actions import STALE
from sextant_backend.modules.profiling.policy import PointFinding
from sextant_backend.modules.profiling.record import (
    Action,
    Choose,
    Event,
    JobClaimed,
    JobRecord,
    KeepResult,
    Measure,
    PointEnded,
    PointRecord,
    Release,
    RequestFit,
    RingNext,
    RingSelf,
    StoreFound,
)
from sextant_backend.modules.records import repository as records
from sextant_backend.modules.records.models import ProfileRecordRow

_OF_JOB = {one.name for one in fields(JobRecord)} - {"job_id", "host", "points", "state", "error", "finds"}
_OF_POINT = {one.name for one in fields(PointRecord)} - {"number", "is_ideal", "state", "error"}


@dataclass(frozen=True)
class ClaimedPoint:
    """One point to be measured under a claim."""

    job_id: int
    token: str
    host: str
    number: int
    key: str
    request: ProfileRequest


def take(session: Session, job_id: int) -> ClaimedPoint | None:
    """Claim the job and its next point; None where nothing is due, or where it ended by this."""
    token = claims.claim(session, ProfilingJobRow, job_id, *repository.due())
    if token is None:
        return None
    row = _locked(session, job_id)
    number = apply(session, row, JobClaimed(ahead=_ahead(session, row), stale=_stale(session, row)))
    point = None if number is None else repository.point(session, job_id, number)
    if point is None:
        return None
    request = ProfileRequest.model_validate(point.request)
    return ClaimedPoint(row.id, token, row.host_id, point.number, key_of(row, point), request)


def key_of(row: ProfilingJobRow, point: ProfilingPointRow) -> str:
    """Under which the agent measures the point: the same for every worker, another one for every try."""
    return f"{row.mark}-{row.id}-{point.number}-{point.attempt}"


def progress(session: Session, claimed: ClaimedPoint, reported: ProfileProgress | None) -> Stop | None:
    """Note how far it is; why it is to be stopped, where it is. ClaimLostError where another worker took it over."""
    row = repository.job(session, claimed.job_id)
    if row is None:
        raise claims.ClaimLostError(f"profiling job {claimed.job_id} is gone")
    claims.held(row, claimed.token)
    point = repository.point(session, claimed.job_id, claimed.number)
    dumped = None if reported is None else reported.model_dump(mode="json")
    if point is not None and dumped is not None and point.progress != dumped:
        point.progress = dumped
        views.publish_job(session, row, point)
    began = None if point is None else point.started_at
    return decider.why_to_stop(row.cancel_requested, began, longest_s(claimed.request), db_now(session))


def end_point(session: Session, claimed: ClaimedPoint, finding: PointFinding) -> None:
    """Write down what became of the point, give the claim back, and ring for the next."""
    row = _locked(session, claimed.job_id)
    claims.held(row, claimed.token)
    if repository.point(session, claimed.job_id, claimed.number) is None:
        raise claims.ClaimLostError(f"point {claimed.number} of profiling job {claimed.job_id} is gone")
    apply(session, row, PointEnded(claimed.number, finding))


def _locked(session: Session, job_id: int) -> ProfilingJobRow:
    row = repository.job(session, job_id, lock=True)
    if row is None:
        raise claims.ClaimLostError(f"profiling job {job_id} is gone")
    return row


def _ahead(session: Session, row: ProfilingJobRow) -> int | None:
    """One job at a time a host, in the order of their numbers; nobody else asks whose turn it is meanwhile."""
    if row.state != JobState.QUEUED:
        return None
    repository.lock_turns(session, row.host_id)
    return repository.before_it(session, row)


def _stale(session: Session, row: ProfilingJobRow) -> Problem | None:
    """Its host has left the fleet, or an NF type has another version than the points were designed for."""
    if hosts.get(session, row.host_id) is None:
        return Problem(
            type=STALE,
            title="The host has left the fleet",
            status=409,
            detail=f"{row.host_id} was removed from the fleet. What was measured stays.",
            next_actions=(NextAction(label="Start a new job on another host", command="sextant hosts"),),
        )
    now = {name: one.version for name, one in types.named(session, row.versions).items()}
    for nf_type, version in row.versions.items():
        if now.get(nf_type) != version:
            is_now = f"is at version {now[nf_type]} now" if nf_type in now else "is not registered any more"
            return Problem(
                type=STALE,
                title="The NF type has changed",
                status=409,
                detail=f"{nf_type} {is_now}, the job began with version {version}; start a new job. "
                "What was measured stays, for version "
                f"{version}.",
                next_actions=(
                    NextAction(
                        label="Start a new job", command=f"sextant profile start {row.nf_type} --host {row.host_id}"
                    ),
                ),
            )
    cannot = chosen_points.why_not(session, row) if row.grid_points is not None else None
    if cannot is not None:
        return Problem(
            type=STALE,
            title="The host has changed",
            status=409,
            detail=f"{cannot.rstrip('.')}. What was measured stays.",
            next_actions=(NextAction(label="Start a new job", command=f"sextant levels measure {row.nf_type} --help"),),
        )
    return None


# -- rows, and the decider's record of them


def apply(session: Session, row: ProfilingJobRow, event: Event) -> int | None:
    """What follows from an event for a (locked) job; the number of the point to be measured, None where there is
    none."""
    points = repository.all_points(session, row.id)
    before = _record_of(row, points)
    after, actions = decider.decide(before, event, db_now(session))
    changed = _write(row, points, before, after)
    for action in actions:
        if isinstance(action, Choose):
            session.flush()
            return apply(session, row, next_point.next_point(session, row))
        _act(session, row, {point.number: point for point in points}, action)
    if _visible(after) != _visible(before):
        views.changed(session, row, changed[0] if len(changed) == 1 else None)
    return next((action.number for action in actions if isinstance(action, Measure)), None)


def _record_of(row: ProfilingJobRow, points: Sequence[ProfilingPointRow]) -> JobRecord:
    return JobRecord(
        job_id=row.id,
        host=row.host_id,
        points=tuple(_point_of(point) for point in points),
        finds=chosen_points.finds(row),
        state=JobState(row.state),
        error=None if row.error is None else Problem.model_validate(row.error),
        **{name: getattr(row, name) for name in _OF_JOB},
    )


def _point_of(row: ProfilingPointRow) -> PointRecord:
    return PointRecord(
        number=row.number,
        is_ideal=row.purpose == PointPurpose.IDEAL,
        state=PointState(row.state),
        error=None if row.error is None else Problem.model_validate(row.error),
        **{name: getattr(row, name) for name in _OF_POINT},
    )


def _write(
    row: ProfilingJobRow, points: Sequence[ProfilingPointRow], before: JobRecord, after: JobRecord
) -> list[ProfilingPointRow]:
    """The points that are others than before."""
    row.state, row.error = after.state.value, None if after.error is None else after.error.model_dump(mode="json")
    for name in _OF_JOB:
        setattr(row, name, getattr(after, name))
    changed = [
        (point, now) for point, then, now in zip(points, before.points, after.points, strict=True) if now != then
    ]
    for point, now in changed:
        point.state, point.error = now.state.value, None if now.error is None else now.error.model_dump(mode="json")
        for name in _OF_POINT:
            setattr(point, name, getattr(now, name))
        if now.state is not PointState.RUNNING:
            point.progress = None
        if now.state is PointState.WAITING:
            point.record_id = point.figures = None
    return [point for point, _ in changed]


def _visible(record: JobRecord) -> JobRecord:
    """Without what no console shows."""
    points = tuple(replace(point, interruptions=0) for point in record.points)
    return replace(record, points=points, next_attempt_at=None)


def _act(session: Session, row: ProfilingJobRow, points: Mapping[int, ProfilingPointRow], action: Action) -> None:
    match action:
        case Release():
            claims.give_back(row)
        case RingSelf():
            outbox.ring(session, TaskName.PROFILE, row.id)
        case RingNext():
            session.flush()
            following = repository.next_on(session, row.host_id)
            if following is not None:
                following.next_attempt_at = None
                outbox.ring(session, TaskName.PROFILE, following.id)
        case KeepResult(number=number, result=result):
            _keep(session, row, points[number], result)
        case RequestFit(own=own):
            session.flush()
            # A job that was cancelled before it measured anything has yielded nothing new.
            if repository.has_figures(session, row.id, own=own):
                row.fit_id = fitting.request(session, row.host_model, row.id).id
        case StoreFound():
            session.flush()
            chosen_points.store(session, row)


def _keep(session: Session, row: ProfilingJobRow, point: ProfilingPointRow, result: ProfileResult) -> None:
    point.record_id = records.store(
        session,
        ProfileRecordRow(
            key=key_of(row, point),
            job_id=row.id,
            point_id=point.id,
            host_id=row.host_id,
            host_model=row.host_model,
            nf_type=PointSetting.model_validate(point.setting).subject.nf_type,
            purpose=point.purpose,
            measurable=result.not_measurable is None,
            provenance=result.provenance.value,
            versions=row.versions,
            setting=point.setting,
            request=point.request,
            result=result.model_dump(mode="json"),
        ),
    )
    point.figures = views.figures_of(result).model_dump(mode="json")
