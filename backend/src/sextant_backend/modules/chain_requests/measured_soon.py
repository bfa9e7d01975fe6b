"""What would make a figure of what is not predicted, where a profiling job is about to measure it already."""

from typing import Protocol

from sextant_domain.problem import NextAction
from sextant_domain.profiling.job import JobState
from sqlalchemy.orm import Session

from sextant_backend.modules.profiling import repository as profiling
from sextant_backend.modules.profiling.models import ProfilingJobRow

MOST_JOBS = 100
"""Open ones of a host that are looked at; `make up` files ten."""


class Unmeasured(Protocol):
    """A prediction that lacks figures."""

    @property
    def host(self) -> str | None: ...
    @property
    def unmeasured(self) -> tuple[str, ...]: ...
    @property
    def next_actions(self) -> tuple[NextAction, ...]: ...


def next_actions(session: Session, found: Unmeasured) -> tuple[NextAction, ...]:
    """Those of the prediction; where a job of that NF type and host is open, watching or resuming it instead of another
    job."""
    if found.host is None or not found.next_actions:
        return found.next_actions
    rows = profiling.open_on(session, found.host, MOST_JOBS)
    jobs = {row.nf_type: row for row in reversed(rows) if row.grid_points is None}
    return tuple(
        action if (job := jobs.get(nf_type)) is None else _of_job(job)
        for nf_type, action in zip(found.unmeasured, found.next_actions, strict=False)
    )


def _of_job(job: ProfilingJobRow) -> NextAction:
    if job.state == JobState.PAUSED:
        label = f"Resume job {job.id}, which profiles {job.nf_type} on {job.host_id} and is paused"
        return NextAction(label=label, command=f"sextant profile resume {job.id}")
    label = f"Wait for job {job.id}, which profiles {job.nf_type} on {job.host_id}"
    return NextAction(label=label, command=f"sextant profile watch {job.id}")
