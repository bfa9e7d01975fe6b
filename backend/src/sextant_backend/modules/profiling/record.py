"""A profiling job as the decider sees it, what may happen to it, and what is to be done then. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from sextant_domain.problem import Problem
from sextant_domain.profiling.job import JobAction, JobState, PointState
from sextant_domain.profiling.profile import ProfileResult

from sextant_backend.modules.profiling.policy import PointFinding

Finds = Literal["levels", "shares"]


@dataclass(frozen=True, slots=True)
class PointRecord:
    """One point of a job."""

    number: int
    is_ideal: bool
    """It measures the throughput alone: without it there is no model."""
    state: PointState = PointState.WAITING
    attempt: int = 1
    tries: int = 0
    interruptions: int = 0
    note: str | None = None
    error: Problem | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None

    def from_the_start(self) -> "PointRecord":
        """To be measured once more, under another key."""
        return PointRecord(self.number, self.is_ideal, attempt=self.attempt + 1, interruptions=self.interruptions)


@dataclass(frozen=True, slots=True)
class JobRecord:
    """A job with its points, in the order of their numbers."""

    job_id: int
    host: str
    points: tuple[PointRecord, ...]
    finds: Finds | None = None
    """What its points are chosen for, one after another: where none waits, another may follow. None: a model, by points
    that are all designed."""
    state: JobState = JobState.QUEUED
    holding: bool = False
    """True while it measures on its host: no other job does."""
    running: int | None = None
    """Number of the point that is measured now."""
    cancel_requested: bool = False
    waits: int = 0
    waiting_since: datetime | None = None
    next_attempt_at: datetime | None = None
    note: str | None = None
    error: Problem | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None

    def point(self, number: int) -> PointRecord:
        """Raises KeyError where there is none of that number."""
        for point in self.points:
            if point.number == number:
                return point
        raise KeyError(number)

    def in_state(self, state: PointState) -> tuple[PointRecord, ...]:
        """Its points of that state."""
        return tuple(point for point in self.points if point.state is state)

    def put(self, changed: PointRecord) -> "JobRecord":
        """With that point in the place of the former one."""
        points = tuple(changed if point.number == changed.number else point for point in self.points)
        return replace(self, points=points)


# -- events


@dataclass(frozen=True, slots=True)
class JobClaimed:
    """A worker has claimed the job."""

    ahead: int | None = None
    """Of a queued job: one that is at work on its host, or comes first."""
    stale: Problem | None = None
    """Why its points cannot be measured any more: its host has left, or an NF type has another version."""


@dataclass(frozen=True, slots=True)
class Chosen:
    """There is room for this point now."""

    number: int
    other_cores: bool = False
    """Than it was to be measured on: another measurement, under a key of its own."""


@dataclass(frozen=True, slots=True)
class NoRoom:
    """For no point that waits; `number` is the first."""

    number: int
    reason: str


@dataclass(frozen=True, slots=True)
class NothingWaits:
    """No point is left to be measured."""


@dataclass(frozen=True, slots=True)
class PointEnded:
    """What became of the point that runs."""

    number: int
    finding: PointFinding


@dataclass(frozen=True, slots=True)
class JobActionAsked:
    """An operator wants it so."""

    action: JobAction


Event = JobClaimed | Chosen | NoRoom | NothingWaits | PointEnded | JobActionAsked


# -- actions


@dataclass(frozen=True, slots=True)
class Choose:
    """Look for a point that has room, and come back with what was found."""


@dataclass(frozen=True, slots=True)
class Measure:
    """Under the claim."""

    number: int


@dataclass(frozen=True, slots=True)
class KeepResult:
    """Store what was measured, as a record."""

    number: int
    result: ProfileResult


@dataclass(frozen=True, slots=True)
class Release:
    """Give the claim back."""


@dataclass(frozen=True, slots=True)
class RingSelf:
    """The job is due."""


@dataclass(frozen=True, slots=True)
class RingNext:
    """The host is free: the job that has waited longest for it is due."""


@dataclass(frozen=True, slots=True)
class RequestFit:
    """Ask for models, where there are figures; `own`: that the job measured itself."""

    own: bool


@dataclass(frozen=True, slots=True)
class StoreFound:
    """What the job has found."""


Action = Choose | Measure | KeepResult | Release | RingSelf | RingNext | RequestFit | StoreFound
