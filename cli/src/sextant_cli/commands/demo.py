"""`sextant demo`: more simulated hosts, and chains on them, for as long as they are wanted."""

from typing import Annotated

import typer
from sextant_domain.console.views import HostView
from sextant_domain.hosts.enrolment import MOST_HOSTS
from sextant_domain.hosts.host import HostStatus

from sextant_cli import demonstrating
from sextant_cli.client import path_of
from sextant_cli.errors import Exit, error
from sextant_cli.output import Format
from sextant_cli.session import Output, Session, Timeout, read_all, session_of

INTERRUPTED = 130


def demo(
    ctx: typer.Context,
    *,
    hosts: Annotated[int | None, typer.Option(min=1, max=MOST_HOSTS, help="Have so many, demo-01 and so on.")] = None,
    chains: Annotated[int, typer.Option(min=0, max=demonstrating.MOST_CHAINS, help="Put so many chains on them.")] = 0,
    remove: Annotated[bool, typer.Option("--remove", help="Take them away, with the chains made here.")] = False,
    timeout_s: Timeout = 600,
    output: Output = Format.TABLE,
) -> None:
    """Have more simulated hosts beside sim-1 to sim-4, with chains on them, or take them away without a trace.

    Without options: what there is. Every figure of theirs is marked simulated; a process of `make up` serves them.
    May be repeated, and stopped with Ctrl-C: what stands then, stays.
    """
    session = session_of(ctx, output)
    if remove and (hosts or chains):
        raise error("bad-option", "--remove goes alone", "it takes all hosts and chains away", Exit.BAD_INPUT)
    try:
        if remove:
            _remove(session, timeout_s)
        elif hosts or chains:
            _have(session, hosts, chains, timeout_s)
        _show(session)
    except KeyboardInterrupt:
        session.out.progress(
            "stopped; what stands, stays. The same command goes on, `sextant demo --remove` takes it away"
        )
        raise typer.Exit(INTERRUPTED) from None


def _have(session: Session, hosts: int | None, chains: int, timeout_s: float) -> None:
    wanted = demonstrating.present(session) if hosts is None else demonstrating.want(session, hosts)
    if not wanted.hosts:
        raise error("bad-option", "There are no hosts to put chains on", "say how many: --hosts 20", Exit.BAD_INPUT)
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
        session.out.line("no demonstration fleet; have one with: sextant demo --hosts 20 --chains 10")
        return
    up = sum(host.status is HostStatus.UP for host in _hosts(session))
    first, last = wanted.names[0], wanted.names[-1]
    session.out.line(
        f"{wanted.hosts} simulated hosts, {first} to {last}; {up} up. Take them away: sextant demo --remove"
    )
