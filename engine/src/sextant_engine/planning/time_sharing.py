"""What chains carry where NFs share cores: they divide a core's time, and Octans' model says nothing of it.

Weighted max-min fairness by progressive filling (D. Bertsekas and R. Gallager, Data Networks, Sec. 6.5.2): all chains
rise together, each so that the part that is slowest for its weight takes time on its core in proportion to that
weight. A chain stops when it carries what it is offered, when a part has used its CPU quota, or when a core it needs is
full. What an NF costs is 1 / its ideal throughput of core time a packet, so an NF alone on a core carries its ideal.
No time goes into packets that are lost later: an NF begins a burst when the next ring has room for it. Where the
testbed's source and sink stand on a core of the chain, they take time there for each packet, too. What a sibling thread
takes is not known here.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

from sextant_domain.chains.chain import DEFAULT_CPU_SHARE
from sextant_domain.hosts.desired import DesiredChain, DesiredNf
from sextant_domain.profiling.model import LocalRemote, PerformanceModel

from sextant_engine.host_state import HostState
from sextant_engine.planning.ports import ingress_node

PREDICTOR = "time-sharing"
NOTE = "shared cores: Octans' model does not apply; predicted by time sharing"
SOURCE_AND_SINK_US = 0.036
"""Of their core's time a packet, with the rings to and from one NF: measured once with six NFs alone beside them
(docs/measuring.md), and assumed of every other machine; outcomes show how far that holds."""
HAND_OVER_US = 0.026
"""More than that, where a second process of the chain is on that core and the kernel changes between them."""
ASSUMES = (
    f"what source and sink take of its core ({SOURCE_AND_SINK_US:g} us a packet, {HAND_OVER_US:g} more behind a second "
    "process) was measured on one machine and is assumed of this one"
)
BETWEEN_CORES = "what it loses where packets pass from core to core is not predicted"
_FULL = 1e-9
"""Of a core: less is no room."""


@dataclass(frozen=True, slots=True)
class ScheduledPart:
    """What the kernel schedules: an NF, or neighbours of a chain that share a process."""

    position: int
    """Of its slowest NF in the chain, from 0."""
    core: int
    ideal_mpps: float
    """Alone on its core."""
    weight: float
    quota: float
    """The most of its core it may use, at most 1."""


@dataclass(frozen=True, slots=True)
class SharingChain:
    """A chain by its parts."""

    name: str
    offered_mpps: float
    parts: tuple[ScheduledPart, ...]
    traffic_core: int | None = None
    """Where its source and sink take time; None where others make and take its packets."""

    @property
    def slowest(self) -> ScheduledPart:
        """The part that holds the chain up where all its cores are full: the slowest for its weight."""
        return min(self.parts, key=lambda part: (part.ideal_mpps * part.weight, part.position))

    @property
    def most_mpps(self) -> float:
        """What its offer and its quotas allow."""
        return min(self.offered_mpps, *(part.ideal_mpps * part.quota for part in self.parts))

    def time_on(self, core: int) -> float:
        """Of a core, for each Mpps."""
        here = [1 / part.ideal_mpps for part in self.parts if part.core == core]
        if core != self.traffic_core or not here:
            return sum(here)
        return sum(here) + SOURCE_AND_SINK_US + (HAND_OVER_US if len(here) > 1 else 0.0)


@dataclass(frozen=True, slots=True)
class Share:
    """What a chain gets."""

    mpps: float
    """Of what it is offered."""
    capacity_mpps: float
    """If it were offered as much, the others as they are."""
    bottleneck: int
    """Position of the NF that holds it up."""


def filled(chains: Sequence[SharingChain]) -> dict[str, float]:
    """Mpps of each chain: the weighted max-min fair rates under which no core has more than its time used."""
    speed = {chain.name: chain.slowest.ideal_mpps * chain.slowest.weight for chain in chains}
    rates = {chain.name: 0.0 for chain in chains}
    room = {part.core: 1.0 for chain in chains for part in chain.parts}
    rising = [chain for chain in chains if chain.most_mpps > 0]
    while rising:
        steps = [(chain.most_mpps - rates[chain.name]) / speed[chain.name] for chain in rising]
        use = {core: sum(speed[chain.name] * chain.time_on(core) for chain in rising) for core in room}
        steps += [room[core] / use[core] for core in room if use[core] > 0]
        step = max(0.0, min(steps))
        for chain in rising:
            rates[chain.name] += step * speed[chain.name]
        room = {core: left - step * use[core] for core, left in room.items()}
        still = [chain for chain in rising if _may_rise(chain, rates[chain.name], room)]
        if len(still) == len(rising):  # rounding left a hair of room: the chain nearest to its end is there
            still.remove(min(still, key=lambda chain: chain.most_mpps - rates[chain.name]))
        rising = still
    return rates


def _may_rise(chain: SharingChain, rate: float, room: Mapping[int, float]) -> bool:
    return rate < chain.most_mpps * (1 - _FULL) and all(room[part.core] > _FULL for part in chain.parts)


def shares(chains: Sequence[SharingChain]) -> dict[str, Share]:
    """What each chain gets, and could get."""
    rates = filled(chains)
    return {chain.name: _share(chain, chains, rates) for chain in chains}


def _share(chain: SharingChain, chains: Sequence[SharingChain], rates: Mapping[str, float]) -> Share:
    rate = capacity = rates[chain.name]
    if rate >= chain.offered_mpps * (1 - _FULL):
        wanting = [replace(one, offered_mpps=inf) if one is chain else one for one in chains]
        capacity = max(rate, filled(wanting)[chain.name])
    return Share(rate, capacity, _bottleneck(chain, capacity))


def _bottleneck(chain: SharingChain, capacity: float) -> int:
    """A part at the end of its quota, else the one that is slowest for its weight."""
    held = [part for part in chain.parts if capacity >= part.ideal_mpps * part.quota * (1 - _FULL)]
    limited = [part for part in held if part.quota < 1]
    return min(limited, key=lambda part: part.position).position if limited else chain.slowest.position


def sharing_of(host: HostState) -> dict[str, Share]:
    """Of the chains of a host's draft whose cores hold only NFs that were profiled alone, and so do the cores of all
    chains that they share one with, and so on. Empty where cores are not shared: there Octans' model holds."""
    if not host.inventory.shares_cores:
        return {}
    found: dict[str, Share] = {}
    for group in _groups(host.chains.values()):
        chains = [_sharing(host, chain) for chain in group]
        known = [chain for chain in chains if chain is not None]
        if len(known) == len(chains):
            found |= shares(known)
    return found


def sharing_with(host: HostState, name: str) -> list[DesiredChain]:
    """A chain of the host, and those that share a core with it, directly or through others."""
    return next(group for group in _groups(host.chains.values()) if any(one.chain == name for one in group))


def _groups(chains: Iterable[DesiredChain]) -> list[list[DesiredChain]]:
    """Chains that share a core, directly or through others."""
    groups: list[tuple[set[int], list[DesiredChain]]] = []
    for chain in chains:
        cores, members = {nf.core for nf in chain.nfs}, [chain]
        apart = []
        for other in groups:
            if other[0] & cores:
                cores, members = cores | other[0], [*other[1], *members]
            else:
                apart.append(other)
        groups = [*apart, (cores, members)]
    return [members for _, members in groups]


def _sharing(host: HostState, chain: DesiredChain) -> SharingChain | None:
    """None where an NF's ideal throughput is only assumed."""
    local = ingress_node(chain, host.inventory)
    parts: list[ScheduledPart] = []
    for run in _runs(chain):
        ideals = []
        for position in run:
            nf = chain.nfs[position]
            model = host.models.get(nf.nf_type)
            if model is None or not model.ideal_known:
                return None
            ideals.append(ideal_of(model, host.node_of(nf.core) == local))
        first = chain.nfs[run[0]]
        parts.append(
            ScheduledPart(
                position=run[ideals.index(min(ideals))],
                core=first.core,
                ideal_mpps=1 / sum(1 / ideal for ideal in ideals),
                weight=first.cpu_share or DEFAULT_CPU_SHARE,
                quota=_most_percent(chain, first) / 100,
            )
        )
    return SharingChain(chain.chain, chain.traffic.rate_mpps, tuple(parts), host.inventory.traffic_core)


def _most_percent(chain: DesiredChain, nf: DesiredNf) -> float:
    """Of its core, that it may use once its host's agent has given it all that the order allows."""
    if chain.quota_bounds is not None:
        return chain.quota_bounds.most_percent
    return nf.cpu_quota_percent or 100


def _runs(chain: DesiredChain) -> list[list[int]]:
    """Positions that share a process: a packet takes the time of all of them, and the process has one weight."""
    runs: list[list[int]] = []
    for position, nf in enumerate(chain.nfs):
        joins = bool(runs) and chain.execution == "run-to-completion" and chain.nfs[position - 1].core == nf.core
        runs = [*runs[:-1], [*runs[-1], position]] if joins else [*runs, [position]]
    return runs


def ideal_of(model: PerformanceModel, local: bool) -> float:
    """The one place that says which of a profile's figures stands for an NF alone on its core: the throughput measured
    in a closed loop."""
    ideal: LocalRemote = model.ideal_mpps
    return ideal.local if local else ideal.remote


def beside_source_and_sink(host: HostState, chain: DesiredChain) -> bool:
    """Whether what these take of a core is in the chain's prediction."""
    core = host.inventory.traffic_core
    return core is not None and any(nf.core == core for nf in chain.nfs)


def crosses_cores(chain: DesiredChain) -> bool:
    """Whether its packets pass from one core to another on their way through its NFs."""
    return len({nf.core for nf in chain.nfs}) > 1
