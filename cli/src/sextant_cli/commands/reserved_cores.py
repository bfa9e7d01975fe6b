"""`sextant hosts reserve` and `unreserve`: cores of a host that operators keep from NFs."""

from collections.abc import Callable, Iterable
from typing import Annotated

import typer
from sextant_domain.console.views import HostView, NfView
from sextant_domain.hosts.host import MOST_CORES

from sextant_cli.client import Answer, path_of
from sextant_cli.commands.cordons import HostArgument
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, read, read_all, session_of
from sextant_cli.versions import as_it_is

Cores = Annotated[str, typer.Option(metavar="LIST", help="Numbers and ranges: 3,5-7.")]


def reserve(
    ctx: typer.Context,
    *,
    host: HostArgument,
    cores: Cores,
    reason: Annotated[str, typer.Option(help="The reason, shown with the host and recorded in the audit log.")],
    output: Output = Format.TABLE,
) -> None:
    """Keep cores of a host from NFs, in addition to those that its agent reserves.

    An NF that stands on one of them stays until a plan moves it; plans that would put one there cannot be applied.
    Refused where no core would be left for NFs.
    """
    asked = _numbers(cores)
    _change(session_of(ctx, output), host, lambda now: now | asked, reason)


def unreserve(ctx: typer.Context, *, host: HostArgument, cores: Cores, output: Output = Format.TABLE) -> None:
    """Let NFs have reserved cores of a host again."""
    asked = _numbers(cores)
    _change(session_of(ctx, output), host, lambda now: now - asked, None)


def _numbers(text: str) -> set[int]:
    """`3,5-7` as the kernel writes lists of CPUs."""
    found: set[int] = set()
    for part in text.split(","):
        first, dash, last = part.strip().partition("-")
        if not (first.isdecimal() and (last.isdecimal() or not dash)) or len(part) > 11 or int(last or first) >= 2**16:
            raise typer.BadParameter(f"'{part.strip()}' is no core and no range of cores; an example: 3,5-7")
        low, high = int(first), int(last or first)
        if high < low or high - low >= MOST_CORES:
            raise typer.BadParameter(f"'{part.strip()}' is no range: at most {MOST_CORES} cores, the lowest first")
        found.update(range(low, high + 1))
    return found


def _change(session: Session, host: str, new: Callable[[set[int]], set[int]], reason: str | None) -> None:
    path = path_of("hosts", host)

    def put(found: Answer) -> Answer:
        now = {one.core for one in read(HostView, found.body).reserved_cores}
        body = {"cores": sorted(new(now)), "reason": reason}
        return session.api.put(f"{path}/reserved-cores", body, if_match=found.etag)

    answer = as_it_is(session, path, put)
    if session.out.is_json:
        session.out.json(answer.body)
        return
    after = read(HostView, answer.body)
    nfs = read_all(NfView, session.api.pages(path_of("nfs"), {"host": host}))
    for line in said(after, nfs):
        session.out.line(line)


def said(host: HostView, nfs: Iterable[NfView]) -> list[str]:
    """What operators reserve, what is left, and which NFs stand where none may start."""
    if host.inventory is None:
        return []
    there = {core.id for core in host.inventory.cores}
    lines = [
        f"core {one.core} is reserved by {one.by}: {one.reason}"
        + ("" if one.core in there else f" (the machine has no core {one.core} any more)")
        for one in host.reserved_cores
    ]
    left = host.inventory.cores_for_nfs
    lines.append(f"{len(left)} of {len(there)} cores are left for NFs{': ' if left else ''}{ranges(left)}")
    standing = sorted(nf.nf_id for nf in nfs if host.inventory.why_reserved(nf.seat.core) is not None)
    if standing:
        stay = "stays" if len(standing) == 1 else "stay"
        lines.append(
            f"{', '.join(standing)} {stay} on a reserved core until moved; plan that with: "
            f"sextant plans ask --host {host.host_id}"
        )
    return lines


def ranges(cores: Iterable[int]) -> str:
    """`[0, 1, 2, 5]` as `0-2,5`."""
    parts: list[list[int]] = []
    for core in sorted(cores):
        if parts and core == parts[-1][1] + 1:
            parts[-1][1] = core
        else:
            parts.append([core, core])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in parts)
