"""`python -m sextant_run`: what the Makefile calls once .venv is there."""

import json
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from sextant_run.errors import RunError
from sextant_run.layout import DataLayout

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False, help=__doc__)


@app.command()
def up(
    detach: Annotated[bool, typer.Option("--detach", help="Leave it running in the background.")] = False,
) -> None:
    """Build what changed, start everything, print the address; in the foreground until Ctrl-C."""
    from sextant_run import commands

    commands.up(DataLayout.of_environment(), detach=detach)


@app.command()
def setup() -> None:
    """Build what changed; start nothing."""
    from sextant_run import commands

    commands.setup(DataLayout.of_environment())


@app.command()
def down() -> None:
    """End the installation of this data folder, packet processing included."""
    from sextant_run import commands

    commands.down(DataLayout.of_environment())


@app.command()
def status(
    as_json: Annotated[bool, typer.Option("--json", help="For programs.")] = False,
) -> None:
    """Every process with pid, uptime, memory, address and health. Exit status 0: all well, 1: not, 3: not up."""
    from sextant_run import commands

    commands.status(DataLayout.of_environment(), as_json=as_json)


@app.command("reset-password")
def reset_password(username: Annotated[str, typer.Argument(help="The name of the user.")] = "admin") -> None:
    """Give a user a new generated password and print it."""
    from sextant_run import commands

    commands.reset_password(DataLayout.of_environment(), username)


@app.command()
def backup(
    file: Annotated[
        Path | None,
        typer.Argument(help="Where it goes, its keys beside it. Default: backups/ of the data folder"),
    ] = None,
) -> None:
    """Make a backup, whether the installation is up or down, and read it back."""
    from sextant_run import backups

    made, keys = backups.make(DataLayout.of_environment(), file)
    print(f"\nBackup  {made}\nKeys    {keys}   (keep them elsewhere: with both, whoever finds them has everything)")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="A backup")],
    keys: Annotated[
        str | None, typer.Option(help="Its file of keys; `none`: go on without. Not needed where it was made")
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Throw away what is in the database")] = False,
) -> None:
    """Put a backup back, into an installation that is down or an empty data folder."""
    from sextant_run import backups

    backups.restore(DataLayout.of_environment(), file, keys, replace=replace)
    print("\nRestored. Next: make up")


@app.command()
def upgrade(
    former: Annotated[Path, typer.Argument(help="The clone whose version runs now")],
) -> None:
    """Run an installation by this clone's version that another clone's runs now; go back by itself where that fails."""
    from sextant_run.settings import RunSettings
    from sextant_run.upgrade import upgrade as bring_up_to_date

    layout = DataLayout.of_environment()
    if "SEXTANT_DATA_DIR" not in os.environ:
        layout = DataLayout(root=layout.root, data=former.resolve() / ".data")
        os.environ["SEXTANT_DATA_DIR"] = str(layout.data)  # of what is started
    file = bring_up_to_date(layout, former.resolve(), RunSettings.of_environment())
    print(f"\nUpgraded. From now on: SEXTANT_DATA_DIR={layout.data} make up. The backup of before is {file}")


@app.command()
def test(
    suites: Annotated[list[str] | None, typer.Argument(help="Names of suites; all by default.")] = None,
) -> None:
    """Run every suite against real servers; the last line is 'N passed, N failed'."""
    from sextant_run.setup.builds import make_python_client
    from sextant_run.suites.runner import run

    layout = DataLayout.of_environment()
    make_python_client(layout)
    raise SystemExit(0 if run(layout, suites or [], lint=False) else 1)


@app.command()
def lint() -> None:
    """Run the quick suites, which only read the code."""
    from sextant_run.setup.builds import make_python_client
    from sextant_run.suites.runner import run

    layout = DataLayout.of_environment()
    make_python_client(layout)
    raise SystemExit(0 if run(layout, [], lint=True) else 1)


@app.command(name="format")
def format_code() -> None:
    """Format Python, Rust and TypeScript in place."""
    from sextant_run import developing

    developing.format_code(DataLayout.of_environment())


@app.command()
def algorithms() -> None:
    """Write what follows the algorithms that the engine's core declares: the domain's enumeration, docs/engine.md."""
    from sextant_run import developing

    developing.algorithms(DataLayout.of_environment())


@app.command()
def openapi(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail if docs/openapi.json is stale.")] = False,
) -> None:
    """Write docs/openapi.json from the code, then the TypeScript types from it."""
    from sextant_run import developing

    developing.openapi(DataLayout.of_environment(), check=check)


@app.command()
def release(number: Annotated[str, typer.Argument(metavar="VERSION", help="MAJOR.MINOR.PATCH")]) -> None:
    """Give all of Sextant this version: checks that the change log has it, writes, commits, tags. Nothing is pushed."""
    from sextant_run import release as releasing

    tag = releasing.release(DataLayout.of_environment().root, number)
    print(f"{tag} is committed and tagged here. Next: make test, then git push --follow-tags")


@app.command(hidden=True)
def build(what: str, folder: str = typer.Argument("frontend")) -> None:
    """One build of the set-up: dataplane, srv6, node-packages FOLDER, frontend. Called by `test`."""
    from sextant_run import developing

    developing.build(DataLayout.of_environment(), what, folder)


@app.command("renew-certificates", hidden=True)
def renew_certificates() -> None:
    """Renew what has little time left; prints JSON. Called by the keeper."""
    from sextant_run import installation
    from sextant_run.lab_hosts import lab_hosts
    from sextant_run.pki.store import Store
    from sextant_run.simulated.identity import has_ended

    layout = DataLayout.of_environment()
    present = installation.load(layout)
    if present is None:
        raise RunError(f"{layout.data} holds no installation", "make up")
    store = Store(layout.pki)
    hosts = (present.host_id, *(host.name for host in lab_hosts(present)))
    renewed = [pair.urn for pair in store.renew(hosts)]
    next_at = store.next_renewal(hosts).timestamp()
    ended = bool(present.demo_hosts) and has_ended(layout.pki / "simulated")
    print(json.dumps({"renewed": renewed, "next_renewal_at": next_at, "simulated_ended": ended}))


def main() -> None:
    """Run a command; a RunError is shown as cause, log and next step."""
    try:
        app()
    except RunError as error:
        print(f"\n{error.text()}", file=sys.stderr)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
