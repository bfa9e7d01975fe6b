"""`sextant users`: list, create, disable, enable, role, reset-password."""

from typing import Annotated, Any

import typer
from sextant_domain.console.access import Role
from sextant_domain.console.accounts import PasswordShownOnce, UserView

from sextant_cli.client import path_of
from sextant_cli.figures import ago
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, read, read_all, session_of
from sextant_cli.versions import as_it_is

app = typer.Typer(no_args_is_help=True, help="Users of the console and their roles; for administrators.")
Username = Annotated[str, typer.Argument(metavar="USER", help="The user's name.")]


@app.command("list")
def list_users(
    ctx: typer.Context, *, sort: Sort = None, filters: Filters = None, output: Output = Format.TABLE
) -> None:
    """Users with role, state and last use."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("users"), listed(sort, filters))
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("USER", "ROLE", "STATE", "LAST USED", "CREATED"),
        (
            (one.username, one.role.value, _state(one), ago(one.last_used_at), ago(one.created_at))
            for one in read_all(UserView, page)
        ),
        empty="no users",
    )


@app.command()
def create(
    ctx: typer.Context,
    username: Username,
    *,
    role: Annotated[Role, typer.Option(help="What the user may do.")] = Role.VIEWER,
    output: Output = Format.TABLE,
) -> None:
    """Create a user and print the generated password, which must be changed at the first sign-in."""
    session = session_of(ctx, output)
    _show_password(session, session.api.post(path_of("users"), {"username": username, "role": role.value}).body)


@app.command()
def disable(ctx: typer.Context, username: Username) -> None:
    """Refuse the user from now on; sessions and API tokens end at once."""
    _change(ctx, username, {"disabled": True})


@app.command()
def enable(ctx: typer.Context, username: Username) -> None:
    """Let a disabled user sign in again."""
    _change(ctx, username, {"disabled": False})


@app.command("role")
def set_role(
    ctx: typer.Context, username: Username, role: Annotated[Role, typer.Argument(help="What the user may do.")]
) -> None:
    """Give the user another role, from the next request on."""
    _change(ctx, username, {"role": role.value})


@app.command("reset-password")
def reset_password(ctx: typer.Context, username: Username, output: Output = Format.TABLE) -> None:
    """Print a generated password, which must be changed at the next sign-in; the user's sessions end."""
    session = session_of(ctx, output)
    _show_password(session, session.api.post(path_of("users", username, "password-reset")).body)


def _change(ctx: typer.Context, username: str, wanted: dict[str, Any]) -> None:
    session = session_of(ctx, Format.TABLE)
    path = path_of("users", username)
    answer = as_it_is(session, path, lambda found: session.api.patch(path, wanted, if_match=found.etag))
    user = read(UserView, answer.body)
    session.out.line(f"{user.username}: {user.role.value}, {_state(user)}")


def _show_password(session: Session, body: Any) -> None:
    if session.out.is_json:
        session.out.json(body)
        return
    made = read(PasswordShownOnce, body)
    session.out.progress(f"password of {made.user.username}, shown once; it must be changed at the next sign-in")
    session.out.line(made.password)


def _state(user: UserView) -> str:
    if user.disabled_at is not None:
        return "disabled"
    return "must change password" if user.must_change_password else "active"
