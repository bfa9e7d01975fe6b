"""`sextant automation`: control laws of all hosts or one, the switch that stops them, and what they decided."""

from typing import Annotated

import typer
from sextant_domain.laws.automation import Automation, TimelineEntry
from sextant_domain.laws.host_automation import HostAutomation

from sextant_cli.client import Answer, path_of
from sextant_cli.figures import ago, or_none
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, read, read_all, session_of
from sextant_cli.show_host_automation import show_host_automation
from sextant_cli.versions import as_it_is

app = typer.Typer(cls=defaulting_to("show"), help="Control laws: what each does, and one switch that stops them all.")

_PATH = path_of("automation")


@app.command()
def show(
    ctx: typer.Context,
    host: Annotated[
        str | None, typer.Option("--host", metavar="HOST", help="What Sextant does by itself on this host.")
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """All control laws, and whether they are stopped; or all that Sextant does by itself on one host."""
    session = session_of(ctx, output)
    if host is None:
        _present(session, session.api.get(_PATH))
        return
    body = session.api.get(path_of("automation", "hosts", host)).body
    if session.out.is_json:
        session.out.json(body)
    else:
        show_host_automation(session.out, read(HostAutomation, body))


@app.command()
def stop(ctx: typer.Context, output: Output = Format.TABLE) -> None:
    """Stop all control laws: nothing is evaluated, recommended or applied automatically."""
    _switch(session_of(ctx, output), stopped=True)


@app.command()
def resume(ctx: typer.Context, output: Output = Format.TABLE) -> None:
    """Start the control laws again, each under its policies."""
    _switch(session_of(ctx, output), stopped=False)


@app.command()
def timeline(
    ctx: typer.Context,
    *,
    law: Annotated[
        str | None, typer.Option("--law", metavar="LAW", help="Only what is of this law; what is of all is of each.")
    ] = None,
    most: Annotated[int, typer.Option("--most", min=1, max=10_000, help="Number of entries.")] = 50,
    sort: Sort = None,
    filters: Filters = None,
    output: Output = Format.TABLE,
) -> None:
    """Decisions of control laws and about them, and their outcomes, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("automation", "timeline"), listed(sort, filters, {"law": law}), most)
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("WHEN", "LAW", "PLAN>", "BY", "WHAT"),
        (
            (ago(one.at), or_none(one.law), str(one.plan_id or "-"), one.actor, one.text)
            for one in read_all(TimelineEntry, page)
        ),
        empty="no entries",
    )


def _switch(session: Session, *, stopped: bool) -> None:
    def put(found: Answer) -> Answer:
        return session.api.put(_PATH, {"stopped": stopped}, if_match=found.etag)

    _present(session, as_it_is(session, _PATH, put))


def _present(session: Session, answer: Answer) -> None:
    if session.out.is_json:
        session.out.json(answer.body)
        return
    view = read(Automation, answer.body)
    state = "stopped" if view.stopped else "active"
    session.out.line(f"control laws {state}, set by {view.changed_by} {ago(view.changed_at)}")
    session.out.table(
        ("LAW", "MODE", "EVALUATED", "STATUS"),
        ((law.name, law.mode.value, ago(law.evaluated_at), law.status) for law in view.laws),
        empty="no control laws",
    )
