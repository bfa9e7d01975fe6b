"""What commands say of a profiling job that they have started, steered, or follow to its end."""

from sextant_domain.profiling.job import JobState, ProfilingJob

from sextant_cli.client import Answer
from sextant_cli.errors import CliError, Exit
from sextant_cli.session import Session, read
from sextant_cli.show_profiling import job_line, show_job
from sextant_cli.waiting import wait_for_job


def report_job(session: Session, answer: Answer, *, wait: bool, timeout_s: float) -> None:
    """The job of an answer; with `wait` it is followed."""
    job = read(ProfilingJob, answer.body)
    if wait:
        follow_job(session, job.id, timeout_s)
    elif session.out.is_json:
        session.out.json(answer.body)
    else:
        session.out.line(job_line(job))
        session.out.progress(f"watch it with: sextant profile watch {job.id}")


def follow_job(session: Session, job_id: int, timeout_s: float) -> ProfilingJob:
    """Until it ends or is paused; CliError where it failed."""
    job, answer = wait_for_job(session.api, session.out, job_id, timeout_s)
    if session.out.is_json:
        session.out.json(answer.body)
    else:
        show_job(session.out, job)
    if job.state is JobState.FAILED and job.error is not None:
        raise CliError(job.error, Exit.FAILED)
    return job
