"""`sextant hosts slots`: how many NFs share a core of a host."""

from collections.abc import Iterable
from typing import Annotated

import typer
from sextant_domain.console.views import HostView, NfView
from sextant_domain.hosts.host import MOST_SLOTS

from sextant_cli.client import Answer, path_of
from sextant_cli.commands.cordons import HostArgument
from sextant_cli.output import Format
from sextant_cli.session import Output, read, read_all, session_of
from sextant_cli.versions import as_it_is

DEFAULT = "default"


def slots(
    ctx: typer.Context,
    *,
    host: HostArgument,
    number: Annotated[
        str,
        typer.Argument(metavar="N|default", help="NFs a core; default: what its agent offers by the machine's size."),
    ],
    reason: Annotated[
        str | None, typer.Option(help="The reason, shown with the host and recorded in the audit log.")
    ] = None,
    output: Output = Format.TABLE,
) -> None:
    """Let so many NFs share each core that the host's agent offers to NFs; 1 gives every NF a core of its own.

    NFs beyond it stay until a plan moves them; plans that were made for more slots cannot be applied.
    Refused, with the reason, where the host's driver cannot share cores.
    """
    session = session_of(ctx, output)
    path, wanted = path_of("hosts", host), _number(number)

    def put(found: Answer) -> Answer:
        return session.api.put(f"{path}/core-slots", {"slots": wanted, "reason": reason}, if_match=found.etag)

    answer = as_it_is(session, path, put)
    if session.out.is_json:
        session.out.json(answer.body)
        return
    after = read(HostView, answer.body)
    nfs = read_all(NfView, session.api.pages(path_of("nfs"), {"host": host}))
    for line in said(after, nfs):
        session.out.line(line)


def _number(text: str) -> int | None:
    if text == DEFAULT:
        return None
    if not text.isdecimal() or len(text) > 2 or not 1 <= int(text) <= MOST_SLOTS:
        raise typer.BadParameter(f"'{text}' is neither 1 to {MOST_SLOTS} NFs a core nor {DEFAULT}")
    return int(text)


def said(host: HostView, nfs: Iterable[NfView]) -> list[str]:
    """Who set how many, what holds instead, and which NFs stand beyond it."""
    if host.inventory is None:
        return []
    lines = []
    if host.core_slots is None:
        slots = sorted({core.slots for core in host.inventory.cores if core.slots > 0})
        lines.append(f"its agent determines how many NFs share a core: {' or '.join(map(str, slots)) or 'none'}")
    else:
        one = host.core_slots
        lines.append(f"{one.slots} NF{'' if one.slots == 1 else 's'} a core, set by {one.by}: {one.reason}")
        if one.not_met is not None:
            lines.append(f"not so at present, its agent's slots hold: {one.not_met}")
    room = {core.id: core.slots for core in host.inventory.cores}
    beyond = sorted(nf.nf_id for nf in nfs if nf.seat.slot >= room.get(nf.seat.core, MOST_SLOTS))
    if beyond:
        lines.append(
            f"{', '.join(beyond)} {'stays' if len(beyond) == 1 else 'stay'} beyond the slots until moved; plan that "
            f"with: sextant plans ask --host {host.host_id}"
        )
    return lines
