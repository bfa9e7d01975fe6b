"""Studies as jobs of the console: asked for, run by a worker, kept with what they found."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name
from sextant_domain.problem import Problem
from sextant_domain.studies.result import Repeated
from sextant_domain.studies.scenario import MAX_SCENARIO_BYTES, Scenario
from sextant_domain.studies.school import SchoolCurve


class StudyState(StrEnum):
    """Life of a study."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"
    """It cannot be run as it is written: `error` names the field."""
    CANCELLED = "cancelled"


FINAL_STUDY_STATES = frozenset({StudyState.DONE, StudyState.FAILED, StudyState.REFUSED, StudyState.CANCELLED})


class StudyRequest(Frozen):
    """POST /studies."""

    scenario_toml: str = Field(min_length=1, max_length=MAX_SCENARIO_BYTES)
    """A scenario file's text: docs/guides/run-a-study.md."""


class StudyProgress(Frozen):
    """Progress of a study."""

    done: int = Field(ge=0)
    """Steps: the profiling of a run, or a set of one."""
    of: int = Field(ge=1)
    what: str = Field(max_length=200)
    """The present step: 'draw centre, seed 1: profiling'."""
    seconds_left: float | None = Field(default=None, ge=0)
    """Estimated from earlier steps of the same kind; None before the first of them."""
    curve: SchoolCurve | None = Field(default=None, exclude_if=lambda curve: curve is None)
    """Of a training: its exams so far."""


class StudyRefusal(Frozen):
    """What the lab cannot do of a scenario; beside lines of StudyProgress, the last line that it prints."""

    refused: str
    """Field: a path of dots and indices."""
    message: str
    remedy: str | None = None
    """Command that helps where the scenario is right, as far as one does."""


class Study(Frozen):
    """A study as lists, pages and events show it; its file and result are asked for by themselves."""

    id: int
    name: Name
    summary: str
    kind: Literal["placement", "prediction", "numasfp", "sfc2cpu", "school"]
    machine: str
    """The simulated server's data file, or the look-up table that stands for one."""
    runs: int = Field(ge=1)
    """Draws of the twin's priors times seeds of noise."""
    state: StudyState
    progress: StudyProgress | None
    """While it runs, and how far it came where it ended early."""
    cancel_requested: bool
    error: Problem | None
    """Why it failed or was refused; None otherwise."""
    repeat_of: int | None
    """The study that it repeats; that one may have been removed since."""
    repeated: Repeated | None
    """Where a repetition is done."""
    attempts: int = Field(ge=0)
    """Number of workers that began it."""
    created_by: str
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    version: int


class StudyScenario(Frozen):
    """GET /studies/{id}/scenario: what was asked for; it never changes."""

    toml: str
    scenario: Scenario
