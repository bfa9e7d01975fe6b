"""`sextant account`: one's own password and sessions."""

import typer
from sextant_domain.console.accounts import SessionView

from sextant_cli.client import path_of
from sextant_cli.figures import ago
from sextant_cli.list_options import Filters, Sort, listed
from sextant_cli.output import Format
from sextant_cli.session import Output, read_all, session_of

app = typer.Typer(no_args_is_help=True, help="Your own account: sessions and password.")


@app.command()
def sessions(ctx: typer.Context, *, sort: Sort = None, filters: Filters = None, output: Output = Format.TABLE) -> None:
    """Browsers you are signed in with, newest first."""
    session = session_of(ctx, output)
    page = session.api.pages(path_of("auth", "sessions"), listed(sort, filters))
    if session.out.is_json:
        session.out.json(page)
        return
    session.out.table(
        ("SESSION>", "ADDRESS", "BROWSER", "SIGNED IN", "LAST USED"),
        (
            (str(one.id), one.client or "-", one.browser_name, ago(one.created_at), ago(one.last_used_at))
            for one in read_all(SessionView, page)
        ),
        empty="no sessions",
    )


@app.command("end-session")
def end_session(ctx: typer.Context, number: int) -> None:
    """End one of your sessions, by its number in `sextant account sessions`."""
    session = session_of(ctx, Format.TABLE)
    session.api.delete(path_of("auth", "sessions", number), if_match=None)
    session.out.line(f"session {number} was ended")


@app.command()
def password(ctx: typer.Context) -> None:
    """Change your password; asks for the current and the new one. Your sessions end."""
    session = session_of(ctx, Format.TABLE)
    current = typer.prompt("Current password", hide_input=True)
    wanted = typer.prompt("New password", hide_input=True, confirmation_prompt=True)
    session.api.post(path_of("auth", "password"), {"current_password": current, "new_password": wanted})
    session.out.line("the password was changed")
