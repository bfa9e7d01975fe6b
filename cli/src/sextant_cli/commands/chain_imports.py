"""`sextant chains import`: chains of an OpenNetVM group file."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer
from sextant_domain.console.views import ChainView
from sextant_domain.opennetvm.views import ChainImport, ImportedChain
from sextant_domain.plans.intents import PlaceIntent

from sextant_cli.applying import carry_out, end_if_no_room, made_plan
from sextant_cli.client import path_of
from sextant_cli.errors import CliError, Exit, error
from sextant_cli.output import Format, Printer
from sextant_cli.session import Apply, Output, Session, Timeout, Wait, read, session_of
from sextant_cli.show_plan import show_plan

MAX_BYTES = 256 * 1024


@dataclass(frozen=True)
class _Submitting:
    apply: bool
    wait: bool
    timeout_s: float


def import_chains(
    ctx: typer.Context,
    *,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="OpenNetVM's group file, as run_group.py reads it.")],
    beside: Annotated[
        list[Path] | None,
        typer.Option("--with", metavar="FILE", help="A file that its NFs read, such as rules.json. Repeatable."),
    ] = None,
    prefix: Annotated[
        str | None, typer.Option(help="Name the chains PREFIX-1, PREFIX-2 ...; a single one PREFIX.")
    ] = None,
    rate_mpps: Annotated[
        float | None, typer.Option("--rate", metavar="MPPS", help="Offered rate of each chain; the file has none.")
    ] = None,
    packet_bytes: Annotated[
        int, typer.Option("--packet-bytes", metavar="BYTES", help="Packet size; with --rate.")
    ] = 64,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the chains without submitting them.")] = False,
    apply: Apply = False,
    wait: Wait = False,
    timeout_s: Timeout = 120,
    output: Output = Format.TABLE,
) -> None:
    """Read chains from a group file and submit them; with --apply also place them, one after the other.

    A chain that exists with the same specification is skipped, so an interrupted import can be run again.
    """
    if dry_run and apply:
        raise typer.BadParameter("--dry-run submits nothing that could be applied", param_hint="--apply")
    session = session_of(ctx, output)
    body: dict[str, Any] = {"format": "opennetvm-group", "text": _text(file)}
    body["files"] = {one.name: _text(one) for one in beside or ()}
    body |= {"name_prefix": prefix} if prefix is not None else {}
    body |= {"traffic": {"rate_mpps": rate_mpps, "packet_bytes": packet_bytes}} if rate_mpps is not None else {}
    answer = session.api.post(path_of("chains", "imports"), body)
    found = read(ChainImport, answer.body)
    if dry_run and session.out.is_json:
        session.out.json(answer.body)
    if not session.out.is_json:
        _show(session.out, found)
    if dry_run:
        return
    for number, chain in enumerate(found.chains, 1):
        last = number == len(found.chains)
        _submit(session, chain, _Submitting(apply, wait or (apply and not last), timeout_s))


def _submit(session: Session, chain: ImportedChain, how: _Submitting) -> None:
    name, spec = chain.spec.name, chain.spec.model_dump(mode="json")
    try:
        plan_id = int(session.api.post(path_of("chains"), spec).body["plan_id"])
    except CliError as cause:
        if cause.kind != "name-taken":
            raise
        there = read(ChainView, session.api.get(path_of("chains", name)).body)
        if there.spec != chain.spec:
            raise
        session.out.progress(f"chain {name} already exists with this specification")
        return
    if how.apply:
        carry_out(session, PlaceIntent(chain=name), plan_id, wait=how.wait, timeout_s=how.timeout_s)
        return
    plan, answer = made_plan(session, plan_id, how.timeout_s)
    if session.out.is_json:
        session.out.json(answer.body)
    else:
        show_plan(session.out, plan)
    end_if_no_room(plan)


def _show(out: Printer, found: ChainImport) -> None:
    out.table(
        ("CHAIN", "NFS", "SERVICES", "NAME"),
        (
            (
                chain.spec.name,
                " -> ".join(nf.name for nf in chain.spec.nfs),
                " -> ".join(map(str, chain.services)),
                "taken" if chain.taken else "free",
            )
            for chain in found.chains
        ),
        empty="no chains",
    )
    for note in found.notes:
        out.progress(f"{note.at}: {note.message}" if note.at else note.message)


def _text(file: Path) -> str:
    try:
        content = file.read_bytes() if file.is_file() and file.stat().st_size <= MAX_BYTES else None
        if content is not None:
            return content.decode()
        cause = f"has more than {MAX_BYTES} bytes" if file.is_file() else "does not exist or is not a regular file"
    except OSError as failed:
        cause = f"cannot be read: {failed.strerror}"
    except UnicodeDecodeError:
        cause = "is not UTF-8 text"
    raise error("bad-file", "The group file is not accepted", f"{file} {cause}", Exit.BAD_INPUT)
