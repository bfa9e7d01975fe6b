"""`sextant tokens`: one's own API tokens."""

from typing import Annotated

import typer
from sextant_domain.console.access import Role
from sextant_domain.console.accounts import DEFAULT_TOKEN_DAYS, MOST_TOKEN_DAYS, TokenShownOnce, TokenView

from sextant_cli.client import path_of
from sextant_cli.figures import ago
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read, read_all, session_of

app = typer.Typer(no_args_is_help=True, help="Your own API tokens: list, create, revoke.")


@app.command("list")
def list_tokens(
    ctx: typer.Context, *, sort: Sort = None, filters: Filters = None, output: Output = Format.TABLE
) -> None:
    """Your tokens that have not expired, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("auth", "tokens"), listed(sort, filters))
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("TOKEN>", "NAME", "ROLE", "LAST USED", "EXPIRES"),
        (
            (str(one.id), one.name, one.role.value, ago(one.last_used_at), f"{one.expires_at:%Y-%m-%d %H:%M} UTC")
            for one in read_all(TokenView, page)
        ),
        empty="no tokens; create one with: sextant tokens create NAME",
    )


@app.command()
def create(
    ctx: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A token of the same name is replaced.")],
    *,
    role: Annotated[Role, typer.Option(help="What it may do; not above your own role.")] = Role.VIEWER,
    days: Annotated[int, typer.Option(min=1, max=MOST_TOKEN_DAYS, help="Until it expires.")] = DEFAULT_TOKEN_DAYS,
    output: Output = Format.TABLE,
) -> None:
    """Print a new token, which is not shown again."""
    session = session_of(ctx, output)
    asked = {"name": name, "role": role.value, "days": days}
    body = session.api.post(path_of("auth", "tokens"), asked).body
    if session.out.is_json:
        session.out.json(body)
        return
    made = read(TokenShownOnce, body)
    session.out.progress(f"{made.token.name}, until {made.token.expires_at:%Y-%m-%d %H:%M} UTC; not shown again")
    session.out.line(made.secret)


@app.command()
def revoke(
    ctx: typer.Context,
    number: Annotated[int, typer.Argument(metavar="TOKEN", help="Its number in `sextant tokens list`.")],
) -> None:
    """Refuse a token from its next request on."""
    session = session_of(ctx, Format.TABLE)
    session.api.delete(path_of("auth", "tokens", number), if_match=None)
    session.out.line(f"token {number} was revoked")
