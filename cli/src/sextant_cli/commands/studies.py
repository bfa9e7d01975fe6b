"""`sextant studies`: run lab studies on simulated servers, follow, repeat and read them."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from sextant_domain.problem import FieldError
from sextant_domain.studies.numasfp_result import NumasfpSummary
from sextant_domain.studies.scenario import MAX_SCENARIO_BYTES, BadScenario, scenario_of
from sextant_domain.studies.school import SchoolSummary
from sextant_domain.studies.sfc2cpu_result import Sfc2cpuSummary
from sextant_domain.studies.study import Study, StudyScenario, StudyState
from sextant_domain.studies.summary import PlacementSummary, StudySummary, summary_lines

from sextant_cli.client import Answer, path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, Timeout, read, read_all, session_of
from sextant_cli.show_study import STUDY_COLUMNS, show_study, study_line, study_row
from sextant_cli.versions import as_it_is
from sextant_cli.waiting import wait_for_study

app = typer.Typer(no_args_is_help=True, help="Lab studies: scenario files run on simulated servers.")

StudyId = Annotated[int, typer.Argument(metavar="STUDY", min=1, help="The study's number.")]
Waiting = Annotated[bool, typer.Option("--wait", help="Return when it has ended, and print its results.")]
RESULT_PATIENCE_S = 120.0
"""A result may have 64 MiB."""


@app.command()
def run(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Scenario file in TOML; '-' reads stdin.")],
    *,
    wait: Waiting = False,
    timeout_s: Timeout = 86400,
    output: Output = Format.TABLE,
) -> None:
    """Run a study. An invalid scenario is refused with the name of the field."""
    session = session_of(ctx, output)
    body = {"scenario_toml": _toml_in(file)}
    report(session, session.api.post(path_of("studies"), body), wait=wait, timeout_s=timeout_s)


@app.command("list")
def list_studies(
    ctx: typer.Context,
    *,
    state: Annotated[StudyState | None, typer.Option(case_sensitive=False, help="Only in this state.")] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="How many to show at most.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Studies, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("studies"), listed(sort, filters, {"state": state.value if state else None}), most)
    if session.out.is_json:
        session.out.json(page)
        return
    rows = (study_row(study) for study in read_all(Study, page))
    session.out.table(STUDY_COLUMNS, rows, empty="no studies; start one with: sextant studies run FILE")


@app.command()
def show(ctx: typer.Context, study_id: StudyId, output: Output = Format.TABLE) -> None:
    """One study: its progress, or its results as text."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("studies", study_id)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        _draw(session, read(Study, body))


@app.command()
def watch(ctx: typer.Context, study_id: StudyId, timeout_s: Timeout = 86400, output: Output = Format.TABLE) -> None:
    """Follow a study until it ends."""
    _follow(session_of(ctx, output), study_id, timeout_s)


@app.command()
def repeat(
    ctx: typer.Context,
    study_id: StudyId,
    *,
    wait: Waiting = False,
    timeout_s: Timeout = 86400,
    output: Output = Format.TABLE,
) -> None:
    """Run a study again as a new one, and report whether all figures are equal."""
    session = session_of(ctx, output)
    report(session, session.api.post(path_of("studies", study_id, "repetition")), wait=wait, timeout_s=timeout_s)


@app.command()
def cancel(ctx: typer.Context, study_id: StudyId, output: Output = Format.TABLE) -> None:
    """Cancel a study; its partial results are discarded."""
    session = session_of(ctx, output)
    report(session, session.api.post(path_of("studies", study_id, "cancellation")), wait=False, timeout_s=0)


@app.command()
def remove(ctx: typer.Context, study_id: StudyId, output: Output = Format.TABLE) -> None:
    """Delete a finished study and its results."""
    session = session_of(ctx, output)
    path = path_of("studies", study_id)
    as_it_is(session, path, lambda found: session.api.delete(path, if_match=found.etag))
    if not session.out.is_json:
        session.out.line(f"study {study_id} was deleted")


@app.command()
def export(ctx: typer.Context, study_id: StudyId, output: Output = Format.TABLE) -> None:
    """The scenario file of a study; with -o json also as it was parsed."""
    session = session_of(ctx, output)
    body = session.api.get(path_of("studies", study_id, "scenario")).body
    if session.out.is_json:
        session.out.json(body)
    else:
        sys.stdout.write(read(StudyScenario, body).toml)


@app.command()
def result(
    ctx: typer.Context,
    study_id: StudyId,
    out: Annotated[Path | None, typer.Option("--out", metavar="FILE", help="File to write; default: stdout.")] = None,
) -> None:
    """All results as JSON, for `python -m sextant_lab show` and `repeat`."""
    session = session_of(ctx, Format.JSON)
    body = session.api.get(path_of("studies", study_id, "result"), patience_s=RESULT_PATIENCE_S).body
    if out is None:
        session.out.json(body)
        return
    try:
        out.write_text(json.dumps(body, indent=1) + "\n", encoding="utf-8")
    except OSError as cause:
        raise error(
            "not-written", "The result cannot be written", f"{out}: {cause.strerror}", Exit.BAD_INPUT
        ) from cause


def _toml_in(file: str) -> str:
    """The scenario's text, once it is known to be one. Raises CliError naming the field."""
    name = "<stdin>" if file == "-" else file
    try:
        if file == "-":
            content = sys.stdin.buffer.read(MAX_SCENARIO_BYTES + 1)
        else:
            with Path(file).open("rb") as stream:
                content = stream.read(MAX_SCENARIO_BYTES + 1)
        toml = content.decode()
        scenario_of(toml)
    except OSError as cause:
        raise error("no-such-file", "The file cannot be read", f"{name}: {cause.strerror}", Exit.BAD_INPUT) from cause
    except UnicodeDecodeError as cause:
        raise error("not-toml", "The file is not text", f"{name}: {cause}", Exit.BAD_INPUT) from cause
    except BadScenario as cause:
        fields = (FieldError(field=cause.field, message=cause.message),) if cause.field else ()
        title = "The scenario is not valid"
        raise error("bad-scenario", title, f"{name}: {cause}", Exit.BAD_INPUT, fields=fields) from cause
    return toml


def report(session: Session, answer: Answer, *, wait: bool, timeout_s: float) -> None:
    """Of a study that was asked for; with `wait` what it found."""
    study = read(Study, answer.body)
    if wait:
        _follow(session, study.id, timeout_s)
    elif session.out.is_json:
        session.out.json(answer.body)
    else:
        session.out.line(study_line(study))
        session.out.progress(f"watch it with: sextant studies watch {study.id}")


def _follow(session: Session, study_id: int, timeout_s: float) -> None:
    """Until it ends; CliError where it failed or was refused."""
    study, answer = wait_for_study(session.api, session.out, study_id, timeout_s)
    if session.out.is_json:
        session.out.json(answer.body)
    else:
        _draw(session, study)
    if study.error is not None:
        raise CliError(study.error, Exit.BAD_INPUT if study.state is StudyState.REFUSED else Exit.FAILED)
    if study.repeated is not None and not study.repeated.equal:
        raise typer.Exit(int(Exit.FAILED))


def _summary(study: Study, body: Any) -> StudySummary:
    if study.kind == "school":
        return read(SchoolSummary, body)
    if study.kind == "sfc2cpu":
        return read(Sfc2cpuSummary, body)
    return read(NumasfpSummary, body) if study.kind == "numasfp" else read(PlacementSummary, body)


def _draw(session: Session, study: Study) -> None:
    show_study(session.out, study)
    if study.state is StudyState.DONE:
        body: Any = session.api.get(path_of("studies", study.id, "summary")).body
        session.out.line("")
        for line in summary_lines(_summary(study, body)):
            session.out.line(line)
