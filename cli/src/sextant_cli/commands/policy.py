"""`sextant policy`: how far control laws may act by themselves by law and scope."""

from collections.abc import Mapping
from typing import Annotated

import typer
from sextant_domain.laws.automation import ScopedPolicy
from sextant_domain.laws.recommendation import PolicyMode, PolicyView

from sextant_cli.client import Answer, path_of
from sextant_cli.figures import ago
from sextant_cli.groups import defaulting_to
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, read, read_all, session_of
from sextant_cli.versions import as_it_is

app = typer.Typer(
    cls=defaulting_to("show"),
    help="Whether a control law is manual, recommends or is automatic, for the fleet, a host or a chain.",
)

Law = Annotated[str, typer.Option(metavar="LAW", help="The control law.")]
Host = Annotated[str | None, typer.Option(metavar="HOST", help="Of this host alone, not of the fleet.")]
Chain = Annotated[str | None, typer.Option(metavar="CHAIN", help="Of this chain alone, not of the fleet.")]
OCTANS = "octans"
OWN_PARAMETERS = {law: f"sextant {law} parameters --set NAME=VALUE" for law in ("coco", "numasfp", "srv6")}
"""Laws whose margin, hold and budget are set elsewhere, and how."""


@app.command()
def show(ctx: typer.Context, *, law: Law = OCTANS, output: Output = Format.TABLE) -> None:
    """The policy of the fleet, and what is recommended or why nothing is."""
    session = session_of(ctx, output)
    _present(session, law, session.api.get(_fleet_path(law)))


@app.command("list")
def list_policies(
    ctx: typer.Context, *, sort: Sort = None, filters: Filters = None, output: Output = Format.TABLE
) -> None:
    """All policies: a chain's goes before its host's, which goes before the fleet's."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("policies"), listed(sort, filters))
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("LAW", "SCOPE", "NAME", "MODE", "SET BY", "SET"),
        (
            (one.law, one.scope.value, one.name or "-", one.mode.value, one.changed_by, ago(one.changed_at))
            for one in read_all(ScopedPolicy, page)
        ),
        empty="no policies",
    )


@app.command("set")
def set_policy(
    ctx: typer.Context,
    *,
    law: Law = OCTANS,
    host: Host = None,
    chain: Chain = None,
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
    """Change the given values; the others stay. With --host or --chain, and of laws with parameters of their own, only
    the mode can be set."""
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
    if host is not None or chain is not None:
        _set_scoped(session, _scoped_path(law, host, chain), changes)
        return

    if law in OWN_PARAMETERS and changes.keys() - {"mode"}:
        raise typer.BadParameter(f"of {law}, only --mode is set here; for the rest: {OWN_PARAMETERS[law]}")

    def put(found: Answer) -> Answer:
        present = read(PolicyView, found.body).policy.model_dump(mode="json")
        return session.api.put(_fleet_path(law), {**present, **changes}, if_match=found.etag)

    _present(session, law, as_it_is(session, _fleet_path(law), put))


@app.command()
def clear(
    ctx: typer.Context, *, law: Law = OCTANS, host: Host = None, chain: Chain = None, output: Output = Format.TABLE
) -> None:
    """Remove the policy of a host or a chain: that of the next wider scope applies."""
    session = session_of(ctx, output)
    session.api.delete(_scoped_path(law, host, chain), if_match=None)
    session.out.line(f"policy of {_scope_text(host, chain)} cleared")


def _fleet_path(law: str) -> str:
    return path_of("policies", law, "fleet")


def _scoped_path(law: str, host: str | None, chain: str | None) -> str:
    if host is not None and chain is None:
        return path_of("policies", law, "host", host)
    if chain is not None and host is None:
        return path_of("policies", law, "chain", chain)
    raise typer.BadParameter("give either --host or --chain")


def _scope_text(host: str | None, chain: str | None) -> str:
    return f"host {host}" if host is not None else f"chain {chain}"


def _set_scoped(session: Session, path: str, changes: Mapping[str, object]) -> None:
    if changes.keys() != {"mode"}:
        raise typer.BadParameter("with --host or --chain, --mode is required and the only value that can be set")
    answer = session.api.put(path, changes)
    if session.out.is_json:
        session.out.json(answer.body)
        return
    one = read(ScopedPolicy, answer.body)
    session.out.line(f"policy of {one.scope.value} {one.name}: {one.mode.value}")


def _present(session: Session, law: str, answer: Answer) -> None:
    if session.out.is_json:
        session.out.json(answer.body)
        return
    view = read(PolicyView, answer.body)
    policy = view.policy
    session.out.line(f"mode       {policy.mode.value}, set by {view.changed_by} {ago(view.changed_at)}")
    if law in OWN_PARAMETERS:
        session.out.line(f"margin     of the law itself: {OWN_PARAMETERS[law].removesuffix(' --set NAME=VALUE')}")
        session.out.line(f"evaluated  last {ago(view.evaluated_at)}")
        session.out.line(f"status     {view.status}")
        return
    session.out.line(f"margin     {policy.margin_percent:g} % and {policy.margin_mpps:g} value x Mpps")
    session.out.line(f"hold       {policy.hold_s:g} s, pause {policy.rest_s:g} s after an operation")
    session.out.line(f"max moves  {policy.max_moves}")
    session.out.line(f"evaluated  every {policy.every_s:g} s, last {ago(view.evaluated_at)}")
    session.out.line(f"races      {'with every plan that is applied' if policy.races else 'off'}")
    session.out.line(f"status     {view.status}")
