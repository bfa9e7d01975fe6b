"""Decides on profiling jobs: a job's record and what has happened give the record afterwards, and what to do. Pure.

One job at a time measures on a host (`holding`), one point at a time (`running`). A point that its host could not be
asked for, or whose cores are busy, waits and costs no try; one that failed is tried again (`policy.py`).
"""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Literal

from sextant_domain.problem import NextAction, Problem, problem_type
from sextant_domain.profiling.job import FINAL_JOB_STATES, JobAction, JobState, PointState

from sextant_backend.modules.profiling import policy
from sextant_backend.modules.profiling.limits import MAX_INTERRUPTIONS, QUEUE_CHECK_EVERY_S
from sextant_backend.modules.profiling.policy import (
    CoresBusy,
    PointFailed,
    PointFinding,
    PointMeasured,
    PointStanding,
    PointStopped,
    WorkerLeft,
)
from sextant_backend.modules.profiling.record import (
    Action,
    Choose,
    Chosen,
    Event,
    Finds,
    JobActionAsked,
    JobClaimed,
    JobRecord,
    KeepResult,
    Measure,
    NoRoom,
    NothingWaits,
    PointEnded,
    PointRecord,
    Release,
    RequestFit,
    RingNext,
    RingSelf,
    StoreFound,
)

Decision = tuple[JobRecord, tuple[Action, ...]]
Stop = Literal["cancelled", "too-long"]
_NOT_REACHED: dict[Finds, str] = {
    "levels": "",
    "shares": " Rates and hops that come after it were not measured: a retry goes on with them.",
}
_NO_WAIT: dict[str, Any] = {"waits": 0, "waiting_since": None}


def decide(record: JobRecord, event: Event, now: datetime) -> Decision:
    """Events that a record cannot meet raise ValueError: whoever sends them has read another one."""
    match event:
        case JobClaimed():
            decision = _claimed(record, event, now)
        case Chosen():
            decision = _begun(record, event, now)
        case NoRoom():
            decision = _ended_point(record, event.number, CoresBusy(event.reason), now)
        case NothingWaits():
            decision = _end_of_points(record, now)
        case PointEnded():
            decision = _reported(record, event.number, event.finding, now)
        case JobActionAsked():
            decision = _asked(record, event.action, now)
    return decision


# -- a worker's claim


def _claimed(record: JobRecord, claimed: JobClaimed, now: datetime) -> Decision:
    """Its turn on its host; then the point that a worker left behind, or another one."""
    record = replace(record, next_attempt_at=None)
    if record.state is JobState.QUEUED and claimed.ahead is not None:
        note = f"job {claimed.ahead} is at work on {record.host}, or comes first"
        return replace(record, note=note, next_attempt_at=now + timedelta(seconds=QUEUE_CHECK_EVERY_S)), (Release(),)
    if record.state is JobState.QUEUED:
        began = record.started_at or now
        record = replace(record, state=JobState.PROCESSING, holding=True, note=None, started_at=began)
    if claimed.stale is not None:
        return _ended(_skipped(record), JobState.FAILED, now, error=claimed.stale)
    if record.running is not None:
        return _again(record, record.point(record.running), now)
    return record, (Choose() if record.state is JobState.PROCESSING else Release(),)


def _again(record: JobRecord, point: PointRecord, now: datetime) -> Decision:
    """The worker of the point that runs has died. Where one after the other does, the point is what kills them."""
    times = point.interruptions + 1
    if times <= MAX_INTERRUPTIONS:
        return record.put(replace(point, interruptions=times)), (Measure(point.number),)
    died = PointFailed(f"{MAX_INTERRUPTIONS} workers died while they waited for it", permanent=True)
    return _ended_point(record.put(replace(point, interruptions=0)), point.number, died, now)


def _begun(record: JobRecord, chosen: Chosen, now: datetime) -> Decision:
    point = record.point(chosen.number)
    attempt = point.attempt + chosen.other_cores
    begun = replace(point, state=PointState.RUNNING, started_at=now, note=None, attempt=attempt)
    return replace(record.put(begun), running=chosen.number, note=None), (Measure(chosen.number),)


# -- the end of a point


def _reported(record: JobRecord, number: int, finding: PointFinding, now: datetime) -> Decision:
    """By the worker that waited for it."""
    if record.running != number:
        raise ValueError(f"point {number} does not run: {record.running} does")
    if isinstance(finding, WorkerLeft):
        return record, (Release(), RingSelf())
    return _ended_point(record.put(replace(record.point(number), interruptions=0)), number, finding, now)


def _ended_point(record: JobRecord, number: int, finding: PointFinding, now: datetime) -> Decision:
    """The point does not run any more: it is done, waits, or has failed."""
    record, point = replace(record, running=None), record.point(number)
    stored: tuple[Action, ...] = ()
    left = None
    if isinstance(finding, PointMeasured):
        why_not = finding.result.not_measurable
        state = PointState.DONE if why_not is None else PointState.NOT_MEASURABLE
        note = why_not or "; ".join(finding.result.notes) or None
        done = replace(point, state=state, tries=point.tries + 1, note=note, error=None, finished_at=now)
        record = replace(record.put(done), note=None, **_NO_WAIT)
        stored = (KeepResult(number, finding.result),)
    elif isinstance(finding, PointStopped) or record.cancel_requested:
        record = record.put(replace(point, state=PointState.SKIPPED, finished_at=now))
        if isinstance(finding, PointStopped) and finding.why_not is not None:
            left = f"the agent could not be asked to stop: {finding.why_not}; its measurement ends by itself"
    elif not isinstance(finding, WorkerLeft):
        record = _after_trouble(record, point, finding, now)
    record, actions = _go_on(record, left, now)
    return record, (*stored, *actions)


def _after_trouble(record: JobRecord, point: PointRecord, trouble: policy.Trouble, now: datetime) -> JobRecord:
    standing = PointStanding(record.host, point.number, point.tries, record.waits, record.waiting_since)
    verdict = policy.judge(trouble, standing, now)
    point = replace(
        point, tries=point.tries + verdict.counts, attempt=point.attempt + verdict.next_key, note=verdict.note
    )
    if verdict.does == "give-up":
        failed = replace(point, state=PointState.FAILED, finished_at=now, error=verdict.error)
        return replace(record.put(failed), note=None, **_NO_WAIT)
    record = record.put(replace(point, state=PointState.WAITING))
    if record.state is JobState.PAUSED:
        return record
    record = replace(record, note=verdict.note)
    if verdict.does == "wait":
        due = now + timedelta(seconds=verdict.wait_s)
        since = record.waiting_since or now
        return replace(record, waits=record.waits + 1, waiting_since=since, next_attempt_at=due)
    return replace(record, state=JobState.PAUSED, **_NO_WAIT) if verdict.does == "pause" else record


def _go_on(record: JobRecord, left: str | None, now: datetime) -> Decision:
    """The next point, the next job on the host, or the end. `left`: what a cancelled job leaves behind."""
    if record.cancel_requested:
        return _ended(_skipped(record), JobState.CANCELLED, now, note=left)
    if record.state is JobState.PAUSED:
        return replace(record, holding=False), (Release(), RingNext())
    if not record.in_state(PointState.WAITING) and record.finds is None:
        return _end_of_points(record, now)
    return record, (Release(),) if record.next_attempt_at is not None else (Release(), RingSelf())


# -- the end of a job


def _skipped(record: JobRecord) -> JobRecord:
    """What waits, or ran, is not measured any more."""
    for state in (PointState.WAITING, PointState.RUNNING):
        for point in record.in_state(state):
            record = record.put(replace(point, state=PointState.SKIPPED))
    return replace(record, running=None)


def _end_of_points(record: JobRecord, now: datetime) -> Decision:
    """Every point has been measured or given up."""
    if record.finds is not None:
        return _end_of_search(record, record.finds, now)
    failed = record.in_state(PointState.FAILED)
    ideals = [point for point in record.points if point.is_ideal]
    lacking = [point for point in ideals if point.state is PointState.FAILED]
    if not failed or (ideals and not lacking):
        return _ended(record, JobState.COMPLETED, now)
    first = (lacking or failed)[0]
    cause = first.error.detail if first.error is not None else "no cause was given"
    problem = Problem(
        type=problem_type("profiling-failed"),
        title="The NF type could not be profiled",
        status=500,
        detail=f"{len(failed)} of the job's points failed, and without throughput alone no model can be made. {cause}",
        next_actions=(
            NextAction(label="Repair the cause, then", command=f"sextant profile retry {record.job_id}"),
            NextAction(label="See every point", command=f"sextant profile points {record.job_id}"),
        ),
    )
    return _ended(record, JobState.FAILED, now, error=problem)


def _end_of_search(record: JobRecord, finds: Finds, now: datetime) -> Decision:
    """All is decided; or a point has no figure, and what follows from it is not known."""
    lacking = (*record.in_state(PointState.FAILED), *record.in_state(PointState.NOT_MEASURABLE))
    if not lacking:
        return _ended(record, JobState.COMPLETED, now)
    first = lacking[0]
    cause = (first.error.detail if first.error is not None else first.note) or "no cause was given"
    problem = Problem(
        type=problem_type(f"{finds}-not-found"),
        title=f"The {finds} could not be found",
        status=500,
        detail=f"Point {first.number} has no figure, and what is found goes by each.{_NOT_REACHED[finds]} {cause}",
        next_actions=(
            NextAction(label="Repair the cause, then", command=f"sextant profile retry {record.job_id}"),
            NextAction(label="See every point", command=f"sextant profile points {record.job_id}"),
        ),
    )
    return _ended(record, JobState.FAILED, now, error=problem)


def _ended(
    record: JobRecord, state: JobState, now: datetime, *, error: Problem | None = None, note: str | None = None
) -> Decision:
    """The job is final; the next one on its host is rung for. What was measured is fitted, unless the job failed;
    levels and shares are stored where all are found."""
    if state not in FINAL_JOB_STATES:
        raise ValueError(f"{state} is not final")
    record = replace(record, state=state, finished_at=now, running=None, next_attempt_at=None, holding=False)
    record = replace(record, note=note, error=error, **_NO_WAIT)
    result: tuple[Action, ...] = ()
    if record.finds is not None:
        result = (StoreFound(),) if state is JobState.COMPLETED else ()
    elif state is not JobState.FAILED:
        result = (RequestFit(own=state is JobState.CANCELLED),)
    return record, (Release(), RingNext(), *result)


# -- an operator's word


def _asked(record: JobRecord, action: JobAction, now: datetime) -> Decision:
    """`actions.py` has said that it is allowed."""
    match action:
        case JobAction.PAUSE:
            record = replace(record, state=JobState.PAUSED, note=None, next_attempt_at=None, **_NO_WAIT)
            return (record, ()) if record.running is not None else (replace(record, holding=False), (RingNext(),))
        case JobAction.RESUME:  # where its last point still runs it keeps its host, else it waits for its turn
            state = JobState.QUEUED if record.running is None else JobState.PROCESSING
            return replace(record, state=state, note=None, next_attempt_at=None), (RingSelf(),)
        case JobAction.CANCEL:  # a point that runs is stopped by the worker that waits for it, which ends the job then
            record = replace(record, cancel_requested=True)
            if record.running is None:
                return _ended(_skipped(record), JobState.CANCELLED, now)
            return replace(record, note=f"cancelling: point {record.running} is being stopped"), ()
        case JobAction.RETRY:
            for point in (*record.in_state(PointState.FAILED), *record.in_state(PointState.NOT_MEASURABLE)):
                record = record.put(point.from_the_start())
            record = replace(record, state=JobState.QUEUED, note=None, error=None, finished_at=None)
            return replace(record, next_attempt_at=None, **_NO_WAIT), (RingSelf(),)


def why_to_stop(cancel_requested: bool, began: datetime | None, longest_s: float, now: datetime) -> Stop | None:
    """A measurement that goes on: its job was cancelled, or it has gone on for longer than any can."""
    if cancel_requested:
        return "cancelled"
    return "too-long" if began is not None and now - began > timedelta(seconds=longest_s) else None
