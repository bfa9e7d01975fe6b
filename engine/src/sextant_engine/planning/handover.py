"""Hosts that would wait for each other: each gives up a chain once that runs elsewhere, and elsewhere is the other.

The circle is opened at a host that can run for a while all that it runs and beside it all that comes to it: that is its
order in between. What comes stands where it is to stand in the end, or, where somebody is still in the way, on seats of
that host that are free. Where no host of a circle has room for that, its chains are interrupted, and the plan says so.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from math import ceil

from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf
from sextant_domain.plans.handover import Handover
from sextant_domain.plans.loss import EXCHANGE_PAUSE_MS, ChainLoss, LossPreview

from sextant_engine.host_state import HostState
from sextant_engine.planning.ports import takes_one_more
from sextant_engine.seats import Seats, Unit

ASSUMED = (
    "no host of the circle has room for what comes beside what runs; taken to be as long as an order may take without "
    "coming nearer to its end, which was not measured"
)


def handover_of(hosts: Sequence[HostState]) -> Handover | None:
    """How the chains that change hosts are handed over; None where nobody waits in a circle."""
    homes = {chain: host.name for host in hosts for chain in host.before}
    arriving = {
        host.name: sorted(name for name in host.chains.keys() - host.before.keys() if name in homes) for host in hosts
    }
    waits = {host.name: set[str]() for host in hosts}
    for goal, names in arriving.items():
        for name in names:
            waits[homes[name]].add(goal)
    left = _in_circles(waits)
    if not left:
        return None
    between: list[DesiredHostConfig] = []
    by_name = {host.name: host for host in hosts}
    while left:
        made = [(moved, name, state) for name in left for moved, state in _beside(by_name[name], arriving[name])]
        if not made:
            break
        _, name, state = min(made, key=lambda found: found[:2])
        between.append(DesiredHostConfig.of(state.snapshot.generation + 1, state.content()))
        for others in waits.values():
            others.discard(name)  # for what comes to it nobody has to wait until it is complete
        left = _in_circles(waits)
    stopped = [
        by_name[goal].chains[name]
        for goal, names in arriving.items()
        for name in names
        if goal in left and homes[name] in left
    ]
    between.sort(key=lambda order: order.content.host_id)
    return Handover(between=tuple(between), interrupts=_interrupts(stopped))


def _in_circles(waits: Mapping[str, Set[str]]) -> set[str]:
    """Hosts that wait for each other, and those between two circles."""
    left = set(waits)
    while True:
        waited_for = {other for host in left for other in waits[host] & left}
        rest = {host for host in left if waits[host] & left and host in waited_for}
        if rest == left:
            return left
        left = rest


def _beside(host: HostState, arriving: Sequence[str]) -> list[tuple[int, HostState]]:
    """The host with all that runs and all that comes, and how many NFs stand elsewhere than in the end; none where it
    has no room for that."""
    chains = [host.chains[name] for name in arriving]
    now = replace(host, chains=host.before)
    if any(_has_its_own(chain) or not takes_one_more(now, chain.ingress.port) for chain in chains):
        return []
    seats = now.seats()
    at: dict[str, tuple[int, int]] = {}
    nfs = [nf for chain in chains for nf in chain.nfs]
    for nf in nfs:
        unit = seats.unit_of(nf.core)
        if unit is not None and seats.free(unit) > 0:
            at[nf.nf_id] = _taken(seats, unit, nf)
    elsewhere = [nf for nf in nfs if nf.nf_id not in at]
    for nf in elsewhere:
        units = sorted(seats.open_units(), key=lambda unit: (unit.spare, unit.node != host.node_of(nf.core), unit.core))
        if not units:
            return []
        at[nf.nf_id] = _taken(seats, units[0], nf)
    for chain in chains:
        now = now.with_chain(_seated(chain, at))
    return [(len(elsewhere), now)]


def _taken(seats: Seats, unit: Unit, nf: DesiredNf) -> tuple[int, int]:
    slot = nf.slot if nf.core in unit.threads and seats.slot_is_free(unit, nf.slot) else seats.lowest_free_slot(unit)
    core = nf.core if nf.core in unit.threads else unit.core
    seats.take(core, slot)
    return core, slot


def _seated(chain: DesiredChain, at: Mapping[str, tuple[int, int]]) -> DesiredChain:
    nfs = (nf.model_copy(update=dict(zip(("core", "slot"), at[nf.nf_id], strict=True))) for nf in chain.nfs)
    return chain.model_copy(update={"nfs": tuple(nfs)})


def _has_its_own(chain: DesiredChain) -> bool:
    """Ways and bandwidth of its own may not be there beside what others have: not looked into."""
    return chain.resources is not None or any(nf.llc_ways or nf.memory_bandwidth_percent for nf in chain.nfs)


def _interrupts(stopped: Sequence[DesiredChain]) -> LossPreview | None:
    if not stopped:
        return None
    chains = [
        ChainLoss(chain=chain.chain, moves=1, rate_mpps=rate, packets=ceil(rate * EXCHANGE_PAUSE_MS * 1000))
        for chain in sorted(stopped, key=lambda chain: chain.chain)
        for rate in [0.0 if chain.paused else chain.traffic.rate_mpps]
    ]
    return LossPreview(
        packets=sum(one.packets for one in chains),
        pause_ms=EXCHANGE_PAUSE_MS,
        assumed=True,
        basis=ASSUMED,
        chains=tuple(chains),
    )
