"""What follows from what became of a point: pure, with the clock passed in. Its callers are pure, too (`decider.py`).

A point that its host could not be asked for, or whose cores are busy, waits and costs no try. One that failed is tried
again, three times in all. A host that is waited for longer than ten minutes is an operator's affair: the job is paused.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from sextant_domain.problem import NextAction, Problem, problem_type
from sextant_domain.profiling.profile import ProfileResult

from sextant_backend.modules.profiling.limits import LONGEST_WAIT_S, MAX_TRIES, WAITS_S


@dataclass(frozen=True)
class PointMeasured:
    """The agent has measured it, or found that its host cannot measure it."""

    result: ProfileResult


@dataclass(frozen=True)
class PointFailed:
    """The measurement came to nothing."""

    reason: str
    permanent: bool = False
    """Trying again cannot help before something is changed."""


@dataclass(frozen=True)
class CoresBusy:
    """Another measurement, or NFs on its cores, are in the way."""

    reason: str
    spent: bool = False
    """True where the agent began under this key: it measures again under another one only."""


@dataclass(frozen=True)
class Unreachable:
    """The host gave no answer; the measurement may go on there."""

    cause: str


@dataclass(frozen=True)
class MeasurementForgotten:
    """The agent knows nothing of it any more: it was restarted."""


@dataclass(frozen=True)
class PointStopped:
    """It was stopped because the job is cancelled; `why_not`: why the agent could not be asked to stop."""

    why_not: str | None = None


@dataclass(frozen=True)
class WorkerLeft:
    """This worker ends; whoever comes next asks for the same key."""


PointFinding = PointMeasured | PointFailed | CoresBusy | Unreachable | MeasurementForgotten | PointStopped | WorkerLeft
Trouble = PointFailed | CoresBusy | Unreachable | MeasurementForgotten


@dataclass(frozen=True)
class PointStanding:
    """What is known of the point and of its job's waiting."""

    host: str
    number: int
    tries: int
    """That came to an end."""
    waits: int
    waiting_since: datetime | None


@dataclass(frozen=True)
class PointVerdict:
    """What to do."""

    does: Literal["again", "wait", "give-up", "pause"]
    """Measure it again at once; later; never (it has failed, others go on); not before an operator says so."""
    note: str | None = None
    next_key: bool = False
    counts: bool = False
    """As a try."""
    wait_s: float = 0.0
    error: Problem | None = None


def judge(trouble: Trouble, standing: PointStanding, now: datetime) -> PointVerdict:
    """Of a point that was not measured."""
    if isinstance(trouble, Unreachable | CoresBusy):
        return _wait(trouble, standing, now)
    if isinstance(trouble, MeasurementForgotten):
        trouble = PointFailed(f"the agent of {standing.host} was restarted while it measured")
    tries = standing.tries + 1
    if trouble.permanent or tries >= MAX_TRIES:
        return PointVerdict("give-up", counts=True, error=_failed(trouble, standing, tries))
    note = f"try {tries} of {MAX_TRIES} failed: {trouble.reason}"
    return PointVerdict("again", note=note, next_key=True, counts=True)


def _wait(trouble: Unreachable | CoresBusy, standing: PointStanding, now: datetime) -> PointVerdict:
    since = standing.waiting_since or now
    spent = isinstance(trouble, CoresBusy) and trouble.spent
    if isinstance(trouble, CoresBusy):
        what = trouble.reason.rstrip(".")
    else:
        what = f"{standing.host} is unreachable since {since:%H:%M} UTC: {trouble.cause.rstrip('.')}"
    if now - since >= timedelta(seconds=LONGEST_WAIT_S):
        waited = f"{LONGEST_WAIT_S / 60:.0f} min"
        return PointVerdict(
            "pause", note=f"{what}. Paused after {waited}; resume it once that is fixed", next_key=spent
        )
    return PointVerdict(
        "wait",
        note=f"{what}. It goes on by itself",
        next_key=spent,
        wait_s=WAITS_S[min(standing.waits, len(WAITS_S) - 1)],
    )


def _failed(failed: PointFailed, standing: PointStanding, tries: int) -> Problem:
    again = "Trying again cannot help before that is changed" if failed.permanent else f"{tries} tries failed"
    return Problem(
        type=problem_type("point-failed"),
        title="The point could not be measured",
        status=500,
        detail=f"Point {standing.number} on {standing.host}: {failed.reason.rstrip('.')}. {again}; the others go on.",
        next_actions=(
            NextAction(label="Mend the cause, then measure the failed points once more (retry)"),
            NextAction(label="See what the host says", command=f"sextant hosts {standing.host}"),
        ),
    )
