"""`sextant policy`: how far re-placement may act by itself."""

from typing import Annotated

import typer
from sextant_domain.laws.recommendation import PolicyMode, PolicyView

from sextant_cli.client import Answer, path_of
from sextant_cli.figures import ago
from sextant_cli.groups import defaulting_to
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, read, session_of
from sextant_cli.versions import as_it_is

app = typer.Typer(
    cls=defaulting_to("show"),
    help="Whether re-placement is manual, recommended or automatic, and the smallest gain it acts on.",
)

_PATH = path_of("policy")


@app.command()
def show(ctx: typer.Context, output: Output = Format.TABLE) -> None:
    """The policy in force, and what is recommended or why nothing is."""
    session = session_of(ctx, output)
    _present(session, session.api.get(_PATH))


@app.command("set")
def set_policy(
    ctx: typer.Context,
    *,
    mode: Annotated[PolicyMode | None, typer.Option(help="What it may do by itself.")] = None,
    margin_percent: Annotated[
        float | None, typer.Option(metavar="PERCENT", help="Smallest gain, in percent of the present score.")
    ] = None,
    margin_mpps: Annotated[float | None, typer.Option(metavar="MPPS", help="Smallest gain, in value x Mpps.")] = None,
    hold_s: Annotated[
        float | None, typer.Option("--hold", metavar="SECONDS", help="How long the gain must last, in seconds.")
    ] = None,
    max_moves: Annotated[
        int | None, typer.Option(metavar="NFS", help="Most NFs that one recommendation may move.")
    ] = None,
    rest_s: Annotated[
        float | None, typer.Option("--rest", metavar="SECONDS", help="Pause after an operation, in seconds.")
    ] = None,
    every_s: Annotated[
        float | None, typer.Option("--every", metavar="SECONDS", help="Interval between evaluations, in seconds.")
    ] = None,
    races: Annotated[
        bool | None, typer.Option("--races/--no-races", help="Whether other algorithms plan in the background (races).")
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """Change the given values; the others stay."""
    session = session_of(ctx, output)
    named = {
        "mode": mode.value if mode else None,
        "margin_percent": margin_percent,
        "margin_mpps": margin_mpps,
        "hold_s": hold_s,
        "max_moves": max_moves,
        "rest_s": rest_s,
        "every_s": every_s,
        "races": races,
    }
    changes = {name: value for name, value in named.items() if value is not None}

    def put(found: Answer) -> Answer:
        present = read(PolicyView, found.body).policy.model_dump(mode="json")
        return session.api.put(_PATH, {**present, **changes}, if_match=found.etag)

    _present(session, as_it_is(session, _PATH, put))


def _present(session: Session, answer: Answer) -> None:
    if session.out.is_json:
        session.out.json(answer.body)
        return
    view = read(PolicyView, answer.body)
    policy = view.policy
    session.out.line(f"mode       {policy.mode.value}, set by {view.changed_by} {ago(view.changed_at)}")
    session.out.line(f"margin     {policy.margin_percent:g} % and {policy.margin_mpps:g} Mpps")
    session.out.line(f"hold       {policy.hold_s:g} s, pause {policy.rest_s:g} s after an operation")
    session.out.line(f"max moves  {policy.max_moves}")
    session.out.line(f"evaluated  every {policy.every_s:g} s, last {ago(view.looked_at)}")
    session.out.line(f"races      {'with every plan that is applied' if policy.races else 'off'}")
    session.out.line(f"status     {view.says}")
