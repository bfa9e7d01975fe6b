"""A worker's turn at a job: take the next point, and write down what became of it. Each is one transaction."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from sextant_domain.problem import NextAction, Problem, problem_type
from sextant_domain.profiling.job import FINAL_JOB_STATES, JobState, PointSetting, PointState
from sextant_domain.profiling.profile import ProfileProgress, ProfileRequest
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now
from sextant_backend.kit.leases import claims
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.models import fitting
from sextant_backend.modules.nfs import types
from sextant_backend.modules.profiling import choosing, repository, verdicts, views
from sextant_backend.modules.profiling.actions import STALE
from sextant_backend.modules.profiling.choosing import NoRoom
from sextant_backend.modules.profiling.limits import MAX_INTERRUPTIONS, QUEUE_LOOK_S, longest_s
from sextant_backend.modules.profiling.models import ProfilingJobRow, ProfilingPointRow
from sextant_backend.modules.profiling.verdicts import Busy, Failed, Finding, Left, Measured, Standing, Stopped, Verdict
from sextant_backend.modules.records import repository as records
from sextant_backend.modules.records.models import ProfileRecordRow

Stop = Literal["cancelled", "too-long"]
"""Why a measurement is stopped: its job was cancelled, or it has gone on for longer than any can."""


@dataclass(frozen=True)
class Turn:
    """One point to be measured under a claim."""

    job_id: int
    token: str
    host: str
    number: int
    key: str
    request: ProfileRequest


def take(session: Session, job_id: int) -> Turn | None:
    """Claim the job and its next point; None where nothing is due, or where it ended by this."""
    token = claims.claim(session, ProfilingJobRow, job_id, *repository.due())
    if token is None:
        return None
    row = _locked(session, job_id)
    row.next_attempt_at = None
    point = _next_point(session, row)
    if point is None:
        claims.give_back(row)
        return None
    return Turn(
        job_id=row.id,
        token=token,
        host=row.host_id,
        number=point.number,
        key=key_of(row, point),
        request=ProfileRequest.model_validate(point.request),
    )


def key_of(row: ProfilingJobRow, point: ProfilingPointRow) -> str:
    """Under which the agent measures the point: the same for every worker, another one for every try."""
    return f"{row.mark}-{row.id}-{point.number}-{point.attempt}"


def _locked(session: Session, job_id: int) -> ProfilingJobRow:
    row = repository.job(session, job_id, lock=True)
    if row is None:
        raise claims.ClaimLostError(f"profiling job {job_id} is gone")
    return row


def _next_point(session: Session, row: ProfilingJobRow) -> ProfilingPointRow | None:
    """The one that a worker left behind, or the first that waits; without any the job has ended."""
    if row.state == JobState.QUEUED and not _takes_its_host(session, row):
        return None
    stale = _stale(session, row)
    if stale is not None:
        skip(session, row)
        end(session, row, JobState.FAILED, stale)
        return None
    if row.running is not None:
        left = repository.point(session, row.id, row.running)
        return None if left is None else _resumed(session, row, left)
    return _begun(session, row) if row.state == JobState.PROCESSING else None


def _begun(session: Session, row: ProfilingJobRow) -> ProfilingPointRow | None:
    found = choosing.next_point(session, row)
    if found is None:
        end_of_points(session, row)
        return None
    if isinstance(found, NoRoom):
        _settle(session, row, found.point, Busy(found.reason))
        return None
    found.state, found.started_at, found.note = PointState.RUNNING.value, db_now(session), None
    row.running, row.note = found.number, None
    views.changed(session, row, found)
    return found


def _takes_its_host(session: Session, row: ProfilingJobRow) -> bool:
    """One job at a time a host, in the order of their numbers."""
    repository.lock_turns(session, row.host_id)
    other = repository.before_it(session, row)
    if other is not None:
        note = f"job {other} is at work on {row.host_id}, or comes first"
        row.next_attempt_at = db_now(session) + timedelta(seconds=QUEUE_LOOK_S)
        if row.note != note:
            row.note = note
            views.changed(session, row)
        return False
    row.state, row.holding, row.note = JobState.PROCESSING.value, True, None
    row.started_at = row.started_at or db_now(session)
    return True


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
    return None


def _resumed(session: Session, row: ProfilingJobRow, point: ProfilingPointRow) -> ProfilingPointRow | None:
    """Its worker died. Where one after the other does, the point is what kills them."""
    point.interruptions += 1
    if point.interruptions <= MAX_INTERRUPTIONS:
        return point
    point.interruptions = 0
    reason = f"{MAX_INTERRUPTIONS} workers died while they waited for it"
    _settle(session, row, point, Failed(reason, permanent=True))
    return None


def progress(session: Session, turn: Turn, told: ProfileProgress | None) -> Stop | None:
    """Note how far it is; why it is to be stopped, where it is. ClaimLostError where another worker took it over."""
    row = repository.job(session, turn.job_id)
    if row is None:
        raise claims.ClaimLostError(f"profiling job {turn.job_id} is gone")
    claims.held(row, turn.token)
    point = repository.point(session, turn.job_id, turn.number)
    dumped = None if told is None else told.model_dump(mode="json")
    if point is not None and dumped is not None and point.progress != dumped:
        point.progress = dumped
        views.tell(session, row, point)
    if row.cancel_requested:
        return "cancelled"
    began = None if point is None else point.started_at
    longest = timedelta(seconds=longest_s(turn.request))
    return "too-long" if began is not None and db_now(session) - began > longest else None


def tell(session: Session, turn: Turn, finding: Finding) -> None:
    """Write down what became of the point, give the claim back, and ring for the next."""
    row = _locked(session, turn.job_id)
    claims.held(row, turn.token)
    claims.give_back(row)
    point = repository.point(session, turn.job_id, turn.number)
    if point is None:
        raise claims.ClaimLostError(f"point {turn.number} of profiling job {turn.job_id} is gone")
    if isinstance(finding, Left):
        outbox.ring(session, TaskName.PROFILE, row.id)
        return
    point.interruptions = 0
    _settle(session, row, point, finding)


def _settle(session: Session, row: ProfilingJobRow, point: ProfilingPointRow, finding: Finding) -> None:
    """The point does not run any more: it is done, waits, or has failed."""
    row.running, point.progress, left = None, None, None
    if isinstance(finding, Measured):
        _done(session, row, point, finding)
    elif isinstance(finding, Stopped) or row.cancel_requested:
        point.state, point.finished_at = PointState.SKIPPED.value, db_now(session)
        if isinstance(finding, Stopped) and finding.why_not is not None:
            left = f"the agent could not be told to stop: {finding.why_not}; its measurement ends by itself"
    elif not isinstance(finding, Left):
        standing = Standing(row.host_id, point.number, point.tries, row.waits, row.waiting_since)
        _follow(session, row, point, verdicts.judge(finding, standing, db_now(session)))
    _go_on(session, row, point, left)


def _done(session: Session, row: ProfilingJobRow, point: ProfilingPointRow, found: Measured) -> None:
    result, why_not = found.result, found.result.not_measurable
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
            measurable=why_not is None,
            provenance=result.provenance.value,
            versions=row.versions,
            setting=point.setting,
            request=point.request,
            result=result.model_dump(mode="json"),
        ),
    )
    point.state = (PointState.DONE if why_not is None else PointState.NOT_MEASURABLE).value
    point.figures = views.figures_of(result).model_dump(mode="json")
    point.tries, point.note, point.error = point.tries + 1, why_not, None
    point.finished_at = db_now(session)
    _waits_no_more(row)


def _waits_no_more(row: ProfilingJobRow) -> None:
    row.waits, row.waiting_since, row.note = 0, None, None


def _follow(session: Session, row: ProfilingJobRow, point: ProfilingPointRow, verdict: Verdict) -> None:
    now = db_now(session)
    point.tries += verdict.counts
    point.attempt += verdict.next_key
    point.note = verdict.note
    if verdict.does == "give-up":
        point.state, point.finished_at = PointState.FAILED.value, now
        point.error = None if verdict.error is None else verdict.error.model_dump(mode="json")
        _waits_no_more(row)
        return
    point.state = PointState.WAITING.value
    if row.state == JobState.PAUSED:
        return
    row.note = verdict.note
    if verdict.does == "wait":
        row.waits += 1
        row.waiting_since = row.waiting_since or now
        row.next_attempt_at = now + timedelta(seconds=verdict.wait_s)
    elif verdict.does == "pause":
        row.state, row.waits, row.waiting_since = JobState.PAUSED.value, 0, None


def _go_on(
    session: Session, row: ProfilingJobRow, point: ProfilingPointRow | None = None, left: str | None = None
) -> None:
    """After a point, or an operator's word: the next point, the next job on the host, or the end. `left`: what a
    cancelled job leaves behind."""
    if row.cancel_requested:
        skip(session, row)
        end(session, row, JobState.CANCELLED, point=point, note=left)
        return
    if row.state == JobState.PAUSED:
        leave_host(session, row)
        views.changed(session, row, point)
        return
    if not repository.is_any_waiting(session, row.id):
        end_of_points(session, row, point)
        return
    views.changed(session, row, point)
    if row.next_attempt_at is None:
        outbox.ring(session, TaskName.PROFILE, row.id)


def skip(session: Session, row: ProfilingJobRow) -> None:
    """What waits, or ran, is not measured any more."""
    row.running = None
    for state in (PointState.WAITING, PointState.RUNNING):
        for point in repository.points_in(session, row.id, state):
            point.state, point.progress = PointState.SKIPPED.value, None


def end_of_points(session: Session, row: ProfilingJobRow, point: ProfilingPointRow | None = None) -> None:
    """Every point has been measured or given up."""
    session.flush()
    failed = repository.tallies(session, [row.id])[row.id].failed
    ideals = repository.ideals(session, row.id)
    lacking = [one for one in ideals if one.state == PointState.FAILED]
    if not failed or (ideals and not lacking):
        end(session, row, JobState.COMPLETED, point=point)
        return
    first = lacking[0] if lacking else repository.points_in(session, row.id, PointState.FAILED)[0]
    cause = (first.error or {}).get("detail", "no cause was given")
    problem = Problem(
        type=problem_type("profiling-failed"),
        title="The NF type could not be profiled",
        status=500,
        detail=f"{failed} of the job's points failed, and without throughput alone no model can be made. {cause}",
        next_actions=(
            NextAction(label="Mend the cause, then", command=f"sextant profile retry {row.id}"),
            NextAction(label="See every point", command=f"sextant profile points {row.id}"),
        ),
    )
    end(session, row, JobState.FAILED, problem, point=point)


def end(
    session: Session,
    row: ProfilingJobRow,
    state: JobState,
    error: Problem | None = None,
    *,
    point: ProfilingPointRow | None = None,
    note: str | None = None,
) -> None:
    """The job is final; the next one on its host is rung for."""
    if state not in FINAL_JOB_STATES:
        raise ValueError(f"{state} is not final")
    row.state, row.finished_at, row.running = state.value, db_now(session), None
    row.claim_token = row.next_attempt_at = row.waiting_since = None
    row.waits, row.note = 0, note
    row.error = None if error is None else error.model_dump(mode="json")
    leave_host(session, row)
    if state is not JobState.FAILED:
        row.fit_id = request_fit(session, row)
    views.changed(session, row, point)


def leave_host(session: Session, row: ProfilingJobRow) -> None:
    """The next job may have it."""
    row.holding = False
    session.flush()
    following = repository.next_on(session, row.host_id)
    if following is not None:
        following.next_attempt_at = None
        outbox.ring(session, TaskName.PROFILE, following.id)


def request_fit(session: Session, row: ProfilingJobRow) -> int | None:
    """Ask for models of the host model, where there are figures; the fit's id. A job that was cancelled before it
    measured anything has told nothing new."""
    if not repository.has_figures(session, row.id, own=row.state == JobState.CANCELLED):
        return None
    return fitting.request(session, row.host_model, row.id).id
