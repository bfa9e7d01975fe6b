"""Waiting for plans, operations, profiling jobs, fits of costs and studies, through short absences of the console."""

import time
from collections.abc import Callable
from typing import TypeVar

from sextant_domain.plans.comparison import Comparison
from sextant_domain.plans.evidence import PlanProgress
from sextant_domain.plans.operation import FINAL_STATES, Operation, OperationState, StepState
from sextant_domain.plans.plan import Plan, PlanState
from sextant_domain.plans.verdict import verdict_text
from sextant_domain.problem import NextAction
from sextant_domain.profiling.fit import FitState
from sextant_domain.profiling.host_cost import HostCostFit, fit_progress
from sextant_domain.profiling.job import STANDING_JOB_STATES, ProfilingJob
from sextant_domain.studies.study import FINAL_STUDY_STATES, Study

from sextant_cli.client import Answer, Api, path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.output import Printer
from sextant_cli.session import read
from sextant_cli.show_evidence import progress_text
from sextant_cli.show_profiling import job_line
from sextant_cli.show_study import study_line

POLL_S = 0.25
PLAN_PATIENCE_S = 60.0
"""A plan of a large fleet is 20 MB."""
ABSENCE_S = 30.0
"""A console that is restarted in the meantime does not end a wait before this."""

T = TypeVar("T")
SETTLED = FINAL_STATES | {OperationState.FAILED_TEMP}


def wait_for_plan(api: Api, out: Printer, plan_id: int, timeout_s: float) -> tuple[Plan, Answer]:
    """The plan once the engine has made it, or has failed to; its progress is shown meanwhile."""
    shown: PlanProgress | None = None
    reason: str | None = None

    def poll() -> tuple[Plan, Answer] | None:
        nonlocal shown, reason
        answer = api.get(path_of("plans", plan_id), patience_s=PLAN_PATIENCE_S)
        plan = read(Plan, answer.body)
        if plan.waits_for is not None and plan.waits_for.reason != reason:
            reason = plan.waits_for.reason
            out.progress(f"plan {plan_id}  {reason}")
        if plan.progress not in (None, shown):
            shown = plan.progress
            out.progress(f"plan {plan_id}  {progress_text(plan.progress)}")
        return None if plan.state is PlanState.PLANNING else (plan, answer)

    return _poll(poll, timeout_s, f"Plan {plan_id} is still being made", f"sextant plans show {plan_id}")


def wait_for_comparison(api: Api, out: Printer, comparison_id: int, timeout_s: float) -> tuple[Comparison, Answer]:
    """The comparison once all its plans are made, or could not be; each is shown as it comes."""
    shown: set[int] = set()

    def poll() -> tuple[Comparison, Answer] | None:
        answer = api.get(path_of("comparisons", comparison_id))
        comparison = read(Comparison, answer.body)
        for plan in comparison.plans:
            if plan.state is not PlanState.PLANNING and plan.plan_id not in shown:
                shown.add(plan.plan_id)
                found = plan.state.value if plan.status is None else verdict_text(plan.status, plan.doubt)
                out.progress(f"  {plan.algorithm.value:<16} {found}")
        return (comparison, answer) if len(shown) == len(comparison.plans) else None

    late = f"Comparison {comparison_id} has not ended"
    return _poll(poll, timeout_s, late, f"sextant compare show {comparison_id}")


def wait_for_operation(api: Api, out: Printer, operation_id: int, timeout_s: float) -> tuple[Operation, Answer]:
    """The operation once it has ended or has stopped; its steps are shown as they go."""
    shown: dict[tuple[str, str], str] = {}

    def poll() -> tuple[Operation, Answer] | None:
        answer = api.get(path_of("operations", operation_id))
        operation = read(Operation, answer.body)
        _print_steps(out, operation, shown)
        return (operation, answer) if operation.state in SETTLED else None

    return _poll(poll, timeout_s, f"Operation {operation_id} has not ended", f"sextant operations watch {operation_id}")


def wait_for_job(api: Api, out: Printer, job_id: int, timeout_s: float) -> tuple[ProfilingJob, Answer]:
    """The profiling job once it has ended or is paused; every change is shown."""
    shown = ""

    def poll() -> tuple[ProfilingJob, Answer] | None:
        nonlocal shown
        answer = api.get(path_of("profiling", "jobs", job_id))
        job = read(ProfilingJob, answer.body)
        text = job_line(job) + (f": {job.note}" if job.note else "")
        if text != shown:
            shown = text
            out.progress(text)
        return (job, answer) if job.state in STANDING_JOB_STATES else None

    return _poll(poll, timeout_s, f"Profiling job {job_id} has not ended", f"sextant profile watch {job_id}")


def wait_for_host_cost(api: Api, out: Printer, fit: HostCostFit, timeout_s: float) -> tuple[HostCostFit, Answer]:
    """The fit of a host's costs once it has ended; what it waits for, and of how much it is made, is shown."""
    shown = ""

    def poll() -> tuple[HostCostFit, Answer] | None:
        nonlocal shown
        answer = api.get(path_of("control", "sfc2cpu", "fits", fit.id))
        now = read(HostCostFit, answer.body)
        if now.state is not FitState.FITTING:
            return now, answer
        if fit_progress(now) != shown:
            shown = fit_progress(now)
            out.progress(f"fit {now.id} of {now.host}, asked for by {now.asked_by}  {shown}")
        return None

    late = f"Fit {fit.id} of {fit.host} has not ended"
    return _poll(poll, timeout_s, late, f"sextant sfc2cpu fits --host {fit.host}")


def wait_for_study(api: Api, out: Printer, study_id: int, timeout_s: float) -> tuple[Study, Answer]:
    """The study once it has ended; every step is shown."""
    shown = ""

    def poll() -> tuple[Study, Answer] | None:
        nonlocal shown
        answer = api.get(path_of("studies", study_id))
        study = read(Study, answer.body)
        if study_line(study) != shown:
            shown = study_line(study)
            out.progress(shown)
        return (study, answer) if study.state in FINAL_STUDY_STATES else None

    return _poll(poll, timeout_s, f"Study {study_id} has not ended", f"sextant studies watch {study_id}")


def until_free(attempt: Callable[[], T], timeout_s: float) -> T:
    """Repeats `attempt` while another operation holds one of its hosts (409 host-busy), where one ordered something of
    them meanwhile (409 fleet-moved-on), and while the console or its database has no time for it (503 unavailable):
    nothing was changed then."""
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            return attempt()
        except CliError as busy:
            if busy.kind not in {"host-busy", "fleet-moved-on", "unavailable"} or time.monotonic() >= deadline:
                raise
            time.sleep(POLL_S)


def _poll(poll: Callable[[], T | None], timeout_s: float, late: str, command: str) -> T:
    deadline = time.monotonic() + timeout_s
    absent_since: float | None = None
    while True:
        try:
            found = poll()
            absent_since = None
        except CliError as cause:
            now = time.monotonic()
            absent_since = absent_since or now
            if not _passing(cause) or now - absent_since > ABSENCE_S or now >= deadline:
                raise
            found = None
        if found is not None:
            return found
        if time.monotonic() >= deadline:
            raise error(
                "timeout",
                late,
                f"waited {timeout_s:.0f} s; it continues without this command",
                Exit.FAILED,
                next_actions=(NextAction(label="See it later", command=command),),
            )
        time.sleep(POLL_S)


def _passing(cause: CliError) -> bool:
    """Whether a restart of the console or its database explains the failure."""
    return cause.problem.status in {0, 500, 502, 503, 504} and cause.kind != "unexpected-answer"


def _print_steps(out: Printer, operation: Operation, shown: dict[tuple[str, str], str]) -> None:
    if shown.get(("", "")) != operation.state:
        shown[("", "")] = operation.state
        out.progress(f"operation {operation.id}  {operation.state.value}")
    for work in operation.hosts:
        for step in work.steps:
            if step.state is StepState.WAITING:
                continue
            text = f"{step.state.value}{f': {step.detail}' if step.detail else ''}"
            if shown.get((work.host, step.name)) != text:
                shown[(work.host, step.name)] = text
                out.progress(f"  {work.host}  {step.name.value:<8}  {text}")
