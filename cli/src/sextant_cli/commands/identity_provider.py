"""`sextant identity-provider`: show, set, remove."""

from typing import Annotated, Any

import typer
from sextant_domain.console.access import Role
from sextant_domain.console.identity import IdentityProvider

from sextant_cli.client import Answer, path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.figures import ago
from sextant_cli.groups import defaulting_to
from sextant_cli.output import Format
from sextant_cli.secrets import read_source
from sextant_cli.session import Output, Session, read, session_of
from sextant_cli.versions import as_it_is

app = typer.Typer(cls=defaulting_to("show"), help="Sign-in by an OpenID Connect provider; for administrators.")
PATH = path_of("identity-provider")
WITHOUT = "none"
_KEPT = (
    "name",
    "issuer",
    "console_url",
    "client_id",
    "client_secret",
    "scopes",
    "username_claim",
    "groups_claim",
    "roles",
)


@app.command()
def show(ctx: typer.Context, *, output: Output = Format.TABLE) -> None:
    """The provider that users may sign in by, and which role each group gives."""
    session = session_of(ctx, output)
    _present(session, session.api.get(PATH))


@app.command("set")
def set_provider(
    ctx: typer.Context,
    *,
    name: Annotated[str | None, typer.Option(help="On the sign-in page: 'Sign in with NAME'.")] = None,
    issuer: Annotated[str | None, typer.Option(help="Exactly as the provider names itself.")] = None,
    console_url: Annotated[str | None, typer.Option(help="The console's address, as browsers reach it.")] = None,
    client_id: Annotated[str | None, typer.Option(help="The console's id at the provider.")] = None,
    client_secret: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A file with the client's secret, or env:NAME; none: without one."),
    ] = None,
    username_claim: Annotated[str | None, typer.Option(help="The claim that names a user.")] = None,
    groups_claim: Annotated[
        str | None, typer.Option(help="The claim that lists groups, as realm_access.roles.")
    ] = None,
    scope: Annotated[list[str] | None, typer.Option(help="A scope to ask for; may be repeated.")] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(metavar="GROUP=ROLE", help="The role that a group gives; all of them, one an option."),
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """Set the provider up, or change what the options name. The console asks the provider before it stores anything."""
    session = session_of(ctx, output)
    given: dict[str, Any] = {
        "name": name,
        "issuer": issuer,
        "console_url": console_url,
        "client_id": client_id,
        "username_claim": username_claim,
        "groups_claim": groups_claim,
        "scopes": scope,
        "roles": _roles(group) if group else None,
    }
    wanted = {field: value for field, value in given.items() if value is not None}
    if client_secret is not None:
        without = client_secret == WITHOUT
        wanted["client_secret"] = None if without else read_source("--client-secret", client_secret)
    try:
        answer = as_it_is(session, PATH, lambda found: _put(session, _kept(found) | wanted, found.etag))
    except CliError as cause:
        if cause.kind != "not-found":
            raise
        answer = _put(session, wanted, None)
    _present(session, answer)


@app.command()
def remove(ctx: typer.Context) -> None:
    """Nobody signs in by the provider any more; its users stay, and their sessions until they end."""
    session = session_of(ctx, Format.TABLE)
    as_it_is(session, PATH, lambda found: session.api.delete(PATH, if_match=found.etag))
    session.out.line("the identity provider was removed")


def _put(session: Session, wanted: dict[str, Any], etag: str | None) -> Answer:
    return session.api.put(PATH, wanted, if_match=etag)


def _kept(found: Answer) -> dict[str, Any]:
    return {field: found.body[field] for field in _KEPT}


def _roles(options: list[str]) -> dict[str, str]:
    roles = {}
    for option in options:
        group, _, role = option.rpartition("=")
        if not group or role not in set(Role):
            detail = f"'{option}': write GROUP=ROLE, with one of {', '.join(Role)}"
            raise error("bad-option", "--group cannot be used", detail, Exit.BAD_INPUT)
        roles[group] = role
    return roles


def _present(session: Session, answer: Answer) -> None:
    if session.out.is_json:
        session.out.json(answer.body)
        return
    found = read(IdentityProvider, answer.body)
    session.out.table(
        ("SETTING", "VALUE"),
        (
            ("name", found.name),
            ("issuer", found.issuer),
            ("redirect URL", found.redirect_url),
            ("client", f"{found.client_id}, {'with a secret' if found.client_secret else 'without a secret'}"),
            ("scopes", " ".join(found.scopes)),
            ("username from", found.username_claim),
            ("groups from", found.groups_claim),
            *((f"group {group}", role.value) for group, role in sorted(found.roles.items())),
            ("changed", f"{ago(found.changed_at)} by {found.changed_by}"),
        ),
        empty="none",
    )
