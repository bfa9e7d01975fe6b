"""What an operator may ask of a job now, and what that would do: buttons are disabled with a reason, never hidden."""

from sextant_domain.problem import problem_type
from sextant_domain.profiling.job import FINAL_JOB_STATES, JobAction, JobOffer, JobState

from sextant_backend.modules.profiling.models import ProfilingJobRow
from sextant_backend.modules.profiling.repository import PointCounts

STALE = problem_type("profiling-stale")
_ENDED = {state.value for state in FINAL_JOB_STATES}
_GOING = {JobState.QUEUED.value, JobState.PROCESSING.value}


def offers(row: ProfilingJobRow, counts: PointCounts) -> tuple[JobOffer, ...]:
    """One for each action."""
    return tuple(_offer(action, row, counts) for action in JobAction)


def _offer(action: JobAction, row: ProfilingJobRow, counts: PointCounts) -> JobOffer:
    allowed, reason = _judge(action, row, counts)
    return JobOffer(action=action, allowed=allowed, reason=reason)


def _judge(action: JobAction, row: ProfilingJobRow, counts: PointCounts) -> tuple[bool, str]:
    if action is JobAction.RETRY:
        return _retry(row, counts)
    if row.state in _ENDED:
        return False, f"the job is {row.state}"
    if row.cancel_requested:
        return False, "it is being cancelled"
    waiting = counts.waiting + counts.running
    left = _points(waiting) if waiting or row.grid_points is None else "what is left"
    if action is JobAction.CANCEL:
        return True, f"skips {left}; what was measured stays"
    going = row.state in _GOING
    if action is JobAction.RESUME:
        return not going, f"it is not paused: {row.state}" if going else f"goes on with {left}"
    then = "; the one that runs ends and counts" if counts.running else ""
    return going, f"sends no further point{then}" if going else "it is paused already"


def _retry(row: ProfilingJobRow, counts: PointCounts) -> tuple[bool, str]:
    if row.state == JobState.CANCELLED:
        return False, "it was cancelled: start a new job, which does not repeat what was measured"
    if row.error is not None and is_stale(row):
        title = str(row.error["title"])
        return False, f"{title[0].lower()}{title[1:]}: start a new job"
    if not counts.failed + counts.not_measurable:
        return False, "no point has failed, and none was not measurable"
    if row.state in _GOING or row.running is not None:
        return False, "it is at work: pause it first, or wait for its end"
    once_more = [f"{_points(counts.failed)} that failed"] if counts.failed else []
    if counts.not_measurable:
        once_more.append(f"{_points(counts.not_measurable)} that were not measurable on the host")
    return True, f"measures {' and '.join(once_more)} once more"


def is_stale(row: ProfilingJobRow) -> bool:
    """It failed because its host or an NF type is not what its points were designed for."""
    return row.error is not None and row.error["type"] == STALE


def _points(count: int) -> str:
    return f"{count} point" if count == 1 else f"{count} points"
