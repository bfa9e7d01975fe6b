"""The decider of profiling jobs, whatever happens when: jobs share a host, operators pause and cancel, workers die.

The world of the test does what `claim_next.py` does to rows, to records: it looks up who is ahead, carries actions out,
and forgets a claim where its worker dies.
"""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_backend.modules.profiling.decider import decide, why_to_stop
from sextant_backend.modules.profiling.policy import (
    CoresBusy,
    MeasurementForgotten,
    PointFailed,
    PointFinding,
    PointMeasured,
    PointStopped,
    Unreachable,
    WorkerLeft,
)
from sextant_backend.modules.profiling.record import (
    Choose,
    Chosen,
    Event,
    JobActionAsked,
    JobClaimed,
    JobRecord,
    Measure,
    NoRoom,
    NothingWaits,
    PointEnded,
    PointRecord,
    Release,
    RingNext,
    RingSelf,
)
from sextant_domain.base import Provenance
from sextant_domain.profiling.job import FINAL_JOB_STATES, JobAction, JobState, PointState
from sextant_domain.profiling.profile import ProfileResult

START = datetime(2026, 1, 2, tzinfo=UTC)
HOST, JOBS, POINTS = "edge-1", 2, 2
GOOD = PointMeasured(ProfileResult.model_construct(not_measurable=None, provenance=Provenance.MEASURED))
UNMEASURABLE = PointMeasured(
    ProfileResult.model_construct(not_measurable="no counters", provenance=Provenance.MEASURED)
)
FINDINGS: tuple[PointFinding, ...] = (
    *(
        GOOD,
        UNMEASURABLE,
        PointFailed("it crashed"),
        PointFailed("no such type", permanent=True),
        CoresBusy("core 1 is taken"),
    ),
    *(
        CoresBusy("begun", spent=True),
        Unreachable("no connection"),
        MeasurementForgotten(),
        PointStopped(),
        PointStopped("no answer"),
        WorkerLeft(),
    ),
)


def a_job(job_id: int, points: int = POINTS) -> JobRecord:
    """Its first point measures the throughput alone."""
    return JobRecord(job_id, HOST, tuple(PointRecord(number, is_ideal=number == 0) for number in range(points)))


@dataclass
class World:
    """Jobs of one host, and which of them a worker is at."""

    jobs: dict[int, JobRecord] = field(default_factory=lambda: {one: a_job(one) for one in range(1, JOBS + 1)})
    claimed: set[int] = field(default_factory=set)
    now: datetime = START
    rung: set[int] = field(default_factory=set)

    def happens(self, job_id: int, event: Event) -> None:
        record, actions = decide(self.jobs[job_id], event, self.now)
        self.jobs[job_id] = record
        for action in actions:
            match action:
                case Choose():
                    self.happens(job_id, self.chosen(record))
                case Measure(number=number):
                    assert record.running == number and record.point(number).state is PointState.RUNNING
                case Release():
                    self.claimed.discard(job_id)
                case RingSelf():
                    self.rung.add(job_id)
                case RingNext():
                    self.ring_next()
                case _:
                    pass
        self.check()

    def chosen(self, record: JobRecord) -> Event:
        waiting = record.in_state(PointState.WAITING)
        if not waiting:
            return NothingWaits()
        return NoRoom(waiting[0].number, "no free cores") if self.now.second % 7 == 3 else Chosen(waiting[-1].number)

    def ring_next(self) -> None:
        queued = [one for one in self.jobs.values() if one.state is JobState.QUEUED]
        if queued:
            first = min(queued, key=lambda one: one.job_id)
            self.jobs[first.job_id] = decide(first, JobActionAsked(JobAction.RESUME), self.now)[0]  # it is due at once

    def take(self, job_id: int) -> None:
        """A worker is rung for the job: nothing happens unless it is due and nobody is at it."""
        record = self.jobs[job_id]
        active = record.state in (JobState.QUEUED, JobState.PROCESSING)
        left = record.state is JobState.PAUSED and record.running is not None
        due = record.next_attempt_at is None or record.next_attempt_at <= self.now
        if job_id in self.claimed or not due or not (active or left):
            return
        self.claimed.add(job_id)
        others = [one for one in self.jobs.values() if one.job_id != job_id]
        ahead = [one.job_id for one in others if one.holding] + [
            one.job_id for one in others if one.state is JobState.QUEUED and one.job_id < job_id
        ]
        self.happens(job_id, JobClaimed(ahead=ahead[0] if ahead and record.state is JobState.QUEUED else None))

    def end(self, job_id: int, finding: PointFinding) -> None:
        """The worker that measures comes back with what it found."""
        running = self.jobs[job_id].running
        if job_id in self.claimed and running is not None:
            self.happens(job_id, PointEnded(running, finding))

    def ask(self, job_id: int, action: JobAction) -> None:
        """As far as the page offers it (`actions.py`)."""
        record = self.jobs[job_id]
        final, going = record.state in FINAL_JOB_STATES, record.state in (JobState.QUEUED, JobState.PROCESSING)
        allowed = {
            JobAction.PAUSE: going and not record.cancel_requested,
            JobAction.RESUME: record.state is JobState.PAUSED and not record.cancel_requested,
            JobAction.CANCEL: not final and not record.cancel_requested,
            JobAction.RETRY: record.state in (JobState.COMPLETED, JobState.FAILED)
            and bool(record.in_state(PointState.FAILED) or record.in_state(PointState.NOT_MEASURABLE)),
        }
        if allowed[action]:
            self.happens(job_id, JobActionAsked(action))

    def check(self) -> None:
        """At every moment."""
        running = [one for one in self.jobs.values() if one.running is not None]
        assert len(running) <= 1, "never two points on one host at once"
        assert sum(one.holding for one in self.jobs.values()) <= 1
        for one in self.jobs.values():
            points = one.in_state(PointState.RUNNING)
            assert [point.number for point in points] == ([] if one.running is None else [one.running])
            assert one.running is None or one.holding, "whoever measures holds the host"
            assert not (one.holding and one.running is None and one.state is JobState.PAUSED), "others may have it"
            if one.state in FINAL_JOB_STATES:
                assert not points and not one.in_state(PointState.WAITING) and not one.holding
                assert one.next_attempt_at is None and one.finished_at is not None


STEP = st.one_of(
    st.tuples(st.just("take"), st.integers(1, JOBS)),
    st.tuples(st.just("end"), st.integers(1, JOBS), st.just(GOOD)),
    st.tuples(st.just("ask"), st.integers(1, JOBS), st.sampled_from((JobAction.PAUSE, JobAction.RESUME))),
    st.tuples(st.just("take"), st.integers(1, JOBS)),
    st.tuples(st.just("end"), st.integers(1, JOBS), st.sampled_from(FINDINGS)),
    st.tuples(st.just("die"), st.integers(1, JOBS)),
    st.tuples(st.just("ask"), st.integers(1, JOBS), st.sampled_from(JobAction)),
    st.tuples(st.just("wait"), st.integers(1, 700)),
)


def _do(world: World, step: tuple[object, ...]) -> None:
    match step:
        case ("take", int(job)):
            world.take(job)
        case ("end", int(job), finding):
            world.end(job, finding)  # type: ignore[arg-type]
        case ("die", int(job)):
            world.claimed.discard(job)
        case ("ask", int(job), JobAction() as action):
            world.ask(job, action)
        case ("wait", int(seconds)):
            world.now += timedelta(seconds=seconds)


@settings(max_examples=400, deadline=None)
@given(st.lists(STEP, max_size=60))
def test_no_host_measures_two_points_and_every_point_ends(steps: list[tuple[object, ...]]) -> None:
    world = World()
    for step in steps:
        _do(world, step)
    world.claimed.clear()  # every worker dies once more; then all goes well
    for _ in range(40 * JOBS * POINTS):
        for job in world.jobs:
            world.ask(job, JobAction.RESUME)
            world.take(job)
            world.end(job, PointStopped() if world.jobs[job].cancel_requested else GOOD)
        world.now += timedelta(seconds=31)
    assert {one.state for one in world.jobs.values()} <= FINAL_JOB_STATES
    for one in world.jobs.values():
        assert not one.in_state(PointState.WAITING) and not one.in_state(PointState.RUNNING)


def test_ten_workers_that_die_at_a_point_are_a_failed_try_and_it_is_not_measured_again() -> None:
    world = World({1: a_job(1, points=2)})
    for died in range(11):
        world.take(1)
        assert world.jobs[1].running == 1
        assert world.jobs[1].point(1).interruptions == died
        world.claimed.clear()
    world.take(1)
    given_up = world.jobs[1].point(1)
    assert given_up.state is PointState.FAILED and given_up.error is not None
    assert "10 workers died while they waited for it" in given_up.error.detail


def test_a_worker_that_was_overtaken_is_told_so() -> None:
    with pytest.raises(ValueError, match="point 1 does not run"):
        decide(a_job(1), PointEnded(1, GOOD), START)


@pytest.mark.parametrize(
    ("cancelled", "began", "after_s", "stop"),
    [
        (True, START, 1, "cancelled"),
        (False, START, 60, None),
        (False, START, 60.1, "too-long"),
        (False, None, 900, None),
    ],
)
def test_when_a_measurement_is_stopped(
    cancelled: bool, began: datetime | None, after_s: float, stop: str | None
) -> None:
    assert why_to_stop(cancelled, began, 60.0, START + timedelta(seconds=after_s)) == stop
