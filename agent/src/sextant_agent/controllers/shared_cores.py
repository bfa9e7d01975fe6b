"""Cores of an order that the agent is to divide: who stands there, why one cannot be divided now, and what was counted
of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sextant_domain.chains.cpu_bounds import ShareBounds, ShareLaw
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent, NfState, OrderedLine
from sextant_domain.hosts.telemetry import MOST_ON_CORE
from sextant_engine.control.shared_core import CoreReading, Counted

from sextant_agent.contract.sample import HostSample, NfCounters
from sextant_agent.control.cpu_requests import share_of


@dataclass(frozen=True, slots=True)
class Seated:
    """An NF of an order, and its chain."""

    chain: DesiredChain
    nf: DesiredNf
    before: str | None
    """The NF before it in the chain; None: it is the first."""
    line: OrderedLine | None
    """CoCo's f of it, as the order holds it; None: its packets alone say what it takes."""

    @property
    def bounds(self) -> ShareBounds:
        """Of cores that can be divided."""
        bounds = self.chain.share_bounds
        assert bounds is not None  # noqa: S101 - `unfit`
        return bounds


def shared_cores(content: HostContent) -> dict[int, dict[str, Seated]]:
    """Cores with several NFs, some of which have bounds; by NF who stands there. Paused chains take no time."""
    cores: dict[int, dict[str, Seated]] = {}
    lines = {(one.nf_type, one.nf_version): one for one in content.share_lines}
    for chain in content.chains:
        before: str | None = None
        for nf in chain.nfs:
            if not chain.paused:
                line = lines.get((nf.nf_type, nf.nf_version))
                cores.setdefault(nf.core, {})[nf.nf_id] = Seated(chain, nf, before, line)
            before = nf.nf_id
    return {
        core: seats
        for core, seats in sorted(cores.items())
        if len(seats) > 1 and any(seat.chain.share_bounds is not None for seat in seats.values())
    }


def law_of(seats: Mapping[str, Seated]) -> ShareLaw | None:
    """By which the core is divided; None where its chains name several."""
    named = {seat.chain.share_bounds.law for seat in seats.values() if seat.chain.share_bounds is not None}
    return named.pop() if len(named) == 1 else None


def unfit(seats: Mapping[str, Seated], found: HostSample) -> str | None:
    """Why the core cannot be shared out now; None where it can."""
    return next(_unfit(seats, found), None)


def _unfit(seats: Mapping[str, Seated], found: HostSample) -> Iterator[str]:
    if found.no_cpu_control is not None:
        yield f"shares not met: {found.no_cpu_control}"
    if len(seats) > MOST_ON_CORE:
        yield f"{len(seats)} NFs share it, {MOST_ON_CORE} at most can be shared out"
    if law_of(seats) is None:
        yield _several_laws(seats)
    for name, seat in seats.items():
        nf = found.nfs.get(name)
        if seat.chain.share_bounds is None:
            yield f"{name} shares it and has no bounds of its share"
        elif seat.chain.chain not in found.chains or nf is None or nf.state is not NfState.RUNNING:
            yield f"{name} does not run"
        elif nf.last_core != seat.nf.core:
            yield f"{name} is on core {nf.last_core} still"
        elif nf.cpu_ns is None:
            yield f"the CPU time of {name} is not measured"
        elif nf.cpu is None:
            yield f"{name} has no CPU group yet"


def _several_laws(seats: Mapping[str, Seated]) -> str:
    first: dict[ShareLaw, str] = {}
    for name, seat in sorted(seats.items()):
        if seat.chain.share_bounds is not None:
            first.setdefault(seat.chain.share_bounds.law, name)
    named = " and ".join(f"{law} ({name})" for law, name in sorted(first.items()))
    return f"its NFs are to be divided by {named}: one law divides a core"


def reading_of(seats: Mapping[str, Seated], found: HostSample) -> CoreReading:
    """Of a core that can be shared out. What arrives for the first NF of a chain is what its chain is offered: a source
    holds back what its ring has no room for, and for a while counts it as neither sent nor dropped."""
    weights = {
        name: cpu.weight if (cpu := found.nfs[name].cpu) is not None else share_of(seats[name].nf) for name in seats
    }
    total = sum(weights.values()) or 1
    elements: dict[str, Counted] = {}
    for name, seat in seats.items():
        nf, chain = found.nfs[name], found.chains[seat.chain.chain]
        assert nf.cpu_ns is not None  # noqa: S101 - `unfit`
        elements[name] = Counted(
            arrived=chain.offered if seat.before is None else _handed_on(nf, found.nfs[seat.before]),
            served=nf.rx,
            cpu_ns=nf.cpu_ns,
            share=weights[name] / total,
            life=(found.epoch, chain.instance, nf.starts),
        )
    return CoreReading(found.taken_ns, elements)


def _handed_on(nf: NfCounters, before: NfCounters) -> int:
    """To an NF, by the one before it: served, waiting, or dropped for want of room."""
    return nf.rx + nf.ring_used + (before.drops if nf.ring_drops is None else nf.ring_drops)
