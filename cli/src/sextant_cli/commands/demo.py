"""`sextant demo`: more simulated hosts, and chains on them, for as long as they are wanted."""

from typing import Annotated

import typer
from sextant_domain.console.views import HostView
from sextant_domain.hosts.enrolment import MOST_HOSTS
from sextant_domain.hosts.host import HostStatus

from sextant_cli import demonstrating, measured_demo
from sextant_cli.client import path_of
from sextant_cli.errors import Exit, error
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, Timeout, read_all, session_of

INTERRUPTED = 130


def demo(
    ctx: typer.Context,
    *,
    hosts: Annotated[
        int | None, typer.Option(min=1, max=MOST_HOSTS, help="How many hosts: demo-01, demo-02 ...")
    ] = None,
    chains: Annotated[
        int, typer.Option(min=0, max=demonstrating.MOST_CHAINS, help="How many chains to place on them.")
    ] = 0,
    srv6: Annotated[
        bool, typer.Option("--srv6", help="Instead, two chains on hosts whose packets measure themselves.")
    ] = False,
    remove: Annotated[bool, typer.Option("--remove", help="Remove them and their chains.")] = False,
    timeout_s: Timeout = 600,
    output: Output = Format.TABLE,
) -> None:
    """Add simulated hosts beside sim-1 to sim-4, with chains on them, or remove them completely.

    Without options, show the demonstration fleet. All its figures are marked simulated; `make up` runs its process.
    With --srv6 nothing is simulated: a chain over two hosts is carried by real packets, and one whose CPU quota follows
    them (docs/guides/measured-packets.md).
    Can be stopped with Ctrl-C and run again: what was made until then stays.
    """
    session = session_of(ctx, output)
    if srv6 and (hosts or chains or remove):
        raise error("bad-option", "--srv6 cannot be combined with other options", "run it by itself", Exit.BAD_INPUT)
    if remove and (hosts or chains):
        raise error(
            "bad-option",
            "--remove cannot be combined with other options",
            "it removes all demonstration hosts and chains",
            Exit.BAD_INPUT,
        )
    try:
        if remove:
            _remove(session, timeout_s)
        elif srv6:
            measured_demo.place(session, timeout_s)
            return
        elif hosts or chains:
            _have(session, hosts, chains, timeout_s)
        _show(session)
    except KeyboardInterrupt:
        session.out.progress(
            "stopped; what was made stays. Run the same command to continue, or `sextant demo --remove` to remove it"
        )
        raise typer.Exit(INTERRUPTED) from None


def _have(session: Session, hosts: int | None, chains: int, timeout_s: float) -> None:
    wanted = demonstrating.present(session) if hosts is None else demonstrating.want(session, hosts)
    if not wanted.hosts:
        raise error("bad-option", "There are no hosts for the chains", "say how many: --hosts 20", Exit.BAD_INPUT)
    demonstrating.await_hosts(session, wanted.names, timeout_s)
    demonstrating.place_chains(session, chains, wanted.names, timeout_s)


def _remove(session: Session, timeout_s: float) -> None:
    """The hosts that are known by their label, too: an earlier call may have been stopped half-way."""
    names = {*demonstrating.present(session).names, *(host.host_id for host in _hosts(session))}
    demonstrating.take_away(session, sorted(names), timeout_s)


def _hosts(session: Session) -> list[HostView]:
    found = read_all(HostView, session.api.pages(path_of("hosts")))
    return [host for host in found if demonstrating.is_demo(host)]


def _show(session: Session) -> None:
    wanted = demonstrating.present(session)
    if session.out.is_json:
        session.out.json(wanted.model_dump())
        return
    if not wanted.hosts:
        session.out.line("no demonstration fleet; make one with: sextant demo --hosts 20 --chains 10")
        return
    up = sum(host.status is HostStatus.UP for host in _hosts(session))
    first, last = wanted.names[0], wanted.names[-1]
    session.out.line(f"{wanted.hosts} simulated hosts, {first} to {last}; {up} up. Remove them: sextant demo --remove")
