"""`sextant hosts start-commands` and `sextant plans start-commands`: a placement as OpenNetVM's start commands."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from sextant_domain.opennetvm.views import StartCommands

from sextant_cli.client import path_of
from sextant_cli.errors import Exit, error
from sextant_cli.output import Format, Printer, clean
from sextant_cli.session import Output, Session, read, session_of

SCRIPT, GROUP = "start.sh", "group.json"

Group = Annotated[bool, typer.Option("--group", help="The group file for run_group.py instead of the script.")]
Save = Annotated[
    Path | None,
    typer.Option("--save", metavar="FOLDER", help=f"Write {SCRIPT}, {GROUP} and the files of its NFs there."),
]


def of_host(
    ctx: typer.Context,
    *,
    host_id: Annotated[str, typer.Argument(metavar="HOST", help="The host.")],
    group: Group = False,
    save: Save = None,
    output: Output = Format.TABLE,
) -> None:
    """Print a script that starts on OpenNetVM what a host was ordered to run.

    Exit status 1 if a chain had to be left out; stderr says which and why.
    """
    _write(session_of(ctx, output), path_of("hosts", host_id, "start-commands"), None, group=group, save=save)


def of_plan(
    ctx: typer.Context,
    *,
    plan_id: Annotated[int, typer.Argument(metavar="PLAN", min=1, help="The plan's number.")],
    host: Annotated[str | None, typer.Option(help="The host, if the plan changes several.")] = None,
    group: Group = False,
    save: Save = None,
    output: Output = Format.TABLE,
) -> None:
    """Print a script that starts on OpenNetVM what a plan orders for a host.

    Exit status 1 if a chain had to be left out; stderr says which and why.
    """
    _write(session_of(ctx, output), path_of("plans", plan_id, "start-commands"), host, group=group, save=save)


def _write(session: Session, path: str, host: str | None, *, group: bool, save: Path | None) -> None:
    answer = session.api.get(path, {"host": host})
    commands = read(StartCommands, answer.body)
    if save is not None:
        _save(commands, save)
        session.out.progress(f"wrote {SCRIPT}, {GROUP} and {len(commands.group_files)} files of NFs into {save}")
    elif session.out.is_json:
        session.out.json(answer.body)
    else:
        text = commands.group if group else commands.shell
        sys.stdout.write("\n".join(clean(line) for line in text.split("\n")))
    if _print_refusals(session.out, commands, of_group=group or save is not None):
        raise typer.Exit(Exit.FAILED)


def _print_refusals(out: Printer, commands: StartCommands, *, of_group: bool) -> bool:
    """Of what is missing, which is the answer, and what differs."""
    missing = [one for one in commands.refusals if of_group or not one.group_only]
    for one in missing:
        where = "left out of the group file" if one.group_only else "left out"
        out.progress(f"chain {one.chain} is {where}: {one.nf_id or one.chain}: {one.field} {one.message}")
    for note in commands.notes:
        out.progress(note)
    if of_group and commands.group_manager:
        out.progress(f"start the manager before the group: {commands.group_manager}")
    return bool(missing)


def _save(commands: StartCommands, folder: Path) -> None:
    texts = {SCRIPT: commands.shell, GROUP: commands.group, **commands.group_files}
    try:
        for name, text in texts.items():
            path = folder / name
            if not path.resolve().is_relative_to(folder.resolve()):
                raise error("bad-answer", "The console names a file elsewhere", f"{name} leads out", Exit.UNREACHABLE)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    except OSError as cause:
        detail = f"{cause.filename}: {cause.strerror}; free space or choose another folder"
        raise error("not-written", "The commands cannot be written", detail, Exit.FAILED) from cause
