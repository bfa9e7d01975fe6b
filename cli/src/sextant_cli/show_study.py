"""Lab studies as text."""

from sextant_domain.studies.result import Repeated
from sextant_domain.studies.study import Study

from sextant_cli.figures import NONE, ago, or_none
from sextant_cli.output import Printer
from sextant_cli.show_profiling import duration

STUDY_COLUMNS = ("STUDY>", "STATE", "NAME", "KIND", "RUNS>", "DONE", "LEFT", "REPEATS", "NOTE", "BY", "ASKED")


def study_line(study: Study) -> str:
    """'study 4  running  placement-gains, step 3 of 9: draw centre, seed 2: profiling, 40 s left'."""
    progress = study.progress
    line = f"study {study.id}  {study.state.value}  {study.name}"
    if progress is None or study.finished_at is not None:
        return line
    left = "" if progress.seconds_left is None else f", {duration(progress.seconds_left)} left"
    curve = progress.curve
    if curve is not None:
        served = [f"{100 * mark.served:.1f} % of packets served in the last exam" for mark in curve.marks[-1:]]
        beside = f"round robin {100 * curve.rr:.1f} %, LPT {100 * curve.lpt:.1f} %"
        return f"{line}, {progress.what}{left}: {', '.join([*served, beside])}"
    return f"{line}, step {progress.done} of {progress.of}: {progress.what}{left}"


def study_row(study: Study) -> tuple[str, ...]:
    """A line of a list."""
    progress = study.progress
    repeated = NONE if study.repeated is None else repeated_text(study.repeated)
    return (
        str(study.id),
        study.state.value,
        study.name,
        study.kind,
        str(study.runs),
        NONE if progress is None else f"{progress.done} of {progress.of}",
        NONE if progress is None or study.finished_at else duration(progress.seconds_left),
        NONE if study.repeat_of is None else str(study.repeat_of),
        or_none(study.error.detail) if study.error else repeated,
        study.created_by,
        ago(study.created_at),
    )


def repeated_text(repeated: Repeated) -> str:
    """As `python -m sextant_lab repeat` says it."""
    if repeated.equal:
        return "equal in every figure"
    return f"figures differ, and {'so do ' + ', '.join(repeated.differs) if repeated.differs else 'nothing else does'}"


def show_study(out: Printer, study: Study) -> None:
    """All but what it found."""
    out.line(study_line(study), style="bold")
    out.line(
        f"{study.kind}, {study.runs} runs on {study.machine}; requested by {study.created_by} {ago(study.created_at)}"
    )
    if study.started_at is not None and study.finished_at is not None:
        out.line(f"took {duration((study.finished_at - study.started_at).total_seconds())}")
    if study.cancel_requested and study.finished_at is None:
        out.line("it is being cancelled", style="yellow")
    if study.repeated is not None:
        out.line(f"beside study {study.repeat_of}: {repeated_text(study.repeated)}")
    if study.error is not None:
        out.line(f"{study.error.title}: {study.error.detail}", style="red")
