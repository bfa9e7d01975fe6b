"""The designed set: what stands where in each point of a job, so that (alpha, beta, c) can be separated.

What identifies them (Octans, Eq. 9-11): on the local node, competitors beside the NF and competitors on other nodes
only; an upstream NF elsewhere, which fixes the LLC term. On a remote node the LLC term is fixed unless an NF of the
same chain stands in front, so that points behind one are what separates alpha from c.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import cycle, islice

from sextant_domain.chains.kernel_nf import IN_KERNEL
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.host import PROFILING_CHAINS, PROFILING_COLOCATION, PROFILING_RATES, HostInventory
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfilingAsk, StandingNf
from sextant_domain.profiling.model import PerformanceModel

from sextant_engine.parameters import assumed_models, at_scale_of
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.rated import handing, rates
from sextant_engine.profiling.requests import BUBBLE, REPORTER, UPSTREAM
from sextant_engine.profiling.room import ProfilingRoom, most_beside

STEPS = (1, 2, 3, 5, 8, 13)
"""Numbers of competitors: close where the first ones take the most (Octans, Fig. 5b)."""
BUBBLE_SHARES = (1 / 16, 1 / 4, 1)
"""Sizes of bubbles, of the LLC."""
LEAST_BUBBLE_KIB, MOST_BUBBLE_KIB = 256, 64 * 1024
USUAL_LLC_BYTES = 32 * 2**20
"""Where the host does not report it."""


class PointSet:
    """The designed set on one host, measured before or not."""

    def __init__(
        self,
        ask: ProfilingAsk,
        inventory: HostInventory,
        nf_types: Mapping[str, NfType],
        room: ProfilingRoom,
        promoted: Mapping[str, PerformanceModel],
    ) -> None:
        self._ask, self._inventory, self._nf_types, self._room = ask, inventory, nf_types, room
        self._chosen = _competitors(ask, inventory, nf_types, promoted)
        """Most aggressive first."""
        self._types = tuple(dict.fromkeys((*self._chosen, ask.nf_type)))

    def points(self) -> tuple[tuple[PointSetting, ...], list[str]]:
        """Each setting once, and what is left out with the reason."""
        apart = self._inventory.why_not(PROFILING_COLOCATION)
        room, no_chains = self._room, self._inventory.why_not(PROFILING_CHAINS)
        left_out = self._left_out(apart)
        no_rates = self._inventory.why_refused(PROFILING_RATES)
        if apart is None and no_rates is not None:
            left_out.append(f"rates: {no_rates}")
        if apart is None and no_chains is not None:
            behind = "" if room.remote is None else "crossing, behind, "
            left_out.append(f"{behind}rates of chains, handing: {no_chains}")
        if apart is not None or (room.near <= 0 and room.remote is None):
            found = self._ideals((self._ask.nf_type,))
        else:
            found = [
                *self._ideals(self._needing_ideals()),
                *self._local(),
                *self._across(),
                *self._remote(),
                *(rates(self._ask, room, self._types, with_chains=no_chains is None) if no_rates is None else ()),
                *(self._in_chains() if no_chains is None and self._has(UPSTREAM) else ()),
                *self._sensitivity(),
                *self._contentiousness(),
            ]
        return tuple({setting_key(point): point for point in found}.values()), left_out

    def _left_out(self, apart: str | None) -> list[str]:
        room = self._room
        missing = []
        if len(self._inventory.nodes) == 1:
            missing.append("remote, crossing, behind: the host has one NUMA node")
        elif room.remote is None:
            missing.append("remote, crossing, behind: no other node than the packets' own has a free core")
        elif room.seats[room.remote] == 1 and apart is None:
            missing.append(f"behind, competitors on a remote node: node {room.remote} has one free core")
        if apart is not None:
            missing.append(f"competitors: {apart}")
        elif room.most == 0:
            missing.append("competitors: none were asked for")
        elif room.near == 0:
            missing.append(f"competitors on the local node: node {room.local} has one free core{self._taken()}")
        elif room.near < min(room.most, most_beside(self._inventory)):
            missing.append(
                f"more than {room.near} beside it on the local node: {room.near + 1} cores of node "
                f"{room.local} are free{self._taken()}"
            )
        needed = {BUBBLE: "sensitivity", REPORTER: "contentiousness", UPSTREAM: "crossing, behind, handing"}
        missing += [f"{what}: there is no NF type '{name}'" for name, what in needed.items() if not self._has(name)]
        return missing

    def _taken(self) -> str:
        """How many cores of the local node NFs have."""
        room = self._room
        seats = len(free_cores(self._inventory)[room.local])
        return (
            f", {seats - room.seats[room.local]} of {seats} are taken by NFs" if room.seats[room.local] < seats else ""
        )

    def _has(self, name: str) -> bool:
        return name in self._nf_types

    def _needing_ideals(self) -> Sequence[str]:
        """The upstream NF competes for memory, too."""
        upstream = (UPSTREAM,) if self._has(UPSTREAM) and self._room.remote is not None else ()
        beside = self._chosen if self._room.most > 0 else ()
        return tuple(dict.fromkeys((self._ask.nf_type, *beside, *upstream)))

    def _ideals(self, types: Iterable[str]) -> list[PointSetting]:
        nodes = [self._room.local] if self._room.remote is None else [self._room.local, self._room.remote]
        return [self._point(PointPurpose.IDEAL, [(name, node)]) for name in types for node in nodes]

    def _local(self) -> list[PointSetting]:
        """Each type alone in rising number, the NF itself and the most aggressive one in all steps; two mixes."""
        near = self._room.near
        found = []
        for name in self._types:
            detailed = name in (self._ask.nf_type, self._types[0])
            for number in _steps(near) if detailed else _few_steps(near):
                found.append(self._beside(PointPurpose.LOCAL, self._at(self._room.local, name, number)))
        if near >= 2 and len(self._types) > 1:
            mixes = (islice(cycle(self._types), near), islice(cycle(reversed(self._types)), max(2, near // 2)))
            found += [self._beside(PointPurpose.LOCAL, [(name, self._room.local) for name in mix]) for mix in mixes]
        return found

    def _across(self) -> list[PointSetting]:
        """Competitors elsewhere only, then near and far at once."""
        room, first, last = self._room, self._types[0], self._types[-1]
        seats = room.elsewhere(room.local)
        found = [
            self._beside(PointPurpose.ACROSS, self._on(seats[:number], name))
            for name in dict.fromkeys((first, last))
            for number in _far_steps(len(seats))
            if name == first or number in (2, len(seats))
        ]
        for near_type, near, far_type in ((first, min(2, room.near), last), (last, min(1, room.near), first)):
            far = self._on(seats[: room.most - near], far_type)
            if near and far:
                found.append(self._beside(PointPurpose.ACROSS, [*self._at(room.local, near_type, near), *far]))
        return found

    def _remote(self) -> list[PointSetting]:
        """On a remote node: competitors there, elsewhere only, and both."""
        room, first, last = self._room, self._types[0], self._types[-1]
        near = room.near_remote()
        if room.remote is None:
            return []
        far = self._on(room.elsewhere(room.remote), first)
        others = [self._at(room.remote, first, number) for number in _few_steps(near)]
        others += [self._at(room.remote, last, number) for number in sorted({min(2, near), near})]
        others.append([(name, room.remote) for name in islice(cycle(self._types), (near + 1) // 2)])
        others += [far, [*self._at(room.remote, last, near // 2), *far[: room.most - near // 2]]]
        return [self._beside(PointPurpose.REMOTE, beside, room.remote) for beside in others if beside]

    def _in_chains(self) -> list[PointSetting]:
        return [*self._crossing(), *self._behind(), *handing(self._ask.nf_type, self._room)]

    def _crossing(self) -> list[PointSetting]:
        """Local, its upstream NF on the remote node: alone, beside competitors near, far, and both."""
        room = self._room
        if room.remote is None:
            return []
        first, last = self._types[0], self._types[-1]
        seats = room.elsewhere(room.local, upstream=1)
        both = self._at(room.local, last, room.near) + self._on(seats[: room.most - room.near], first)
        chain = [(UPSTREAM, room.remote), (self._ask.nf_type, room.local)]
        return [
            self._point(PointPurpose.CROSSING, chain, others)
            for others in (
                [],
                self._at(room.local, first, min(2, room.near)),
                self._on(seats[:2], last),
                self._on(seats[: (len(seats) + 1) // 2], first),
                self._at(room.local, first, room.near),
                both,
            )
        ]

    def _behind(self) -> list[PointSetting]:
        """Remote, behind an NF of its chain on that node: alone, then beside competitors there."""
        room = self._room
        if room.remote is None or room.seats[room.remote] < 2:
            return []
        near = room.near_remote(chain=2)
        first, last = self._types[0], self._types[-1]
        chain = [(UPSTREAM, room.remote), (self._ask.nf_type, room.remote)]
        numbers = [(first, number) for number in sorted({0, *_few_steps(near)})]
        numbers += [(last, number) for number in sorted({min(2, near), near})]
        others = [self._at(room.remote, name, number) for name, number in numbers]
        others.append([(name, room.remote) for name in islice(cycle(self._types), near // 2)])
        return [self._point(PointPurpose.BEHIND, chain, beside) for beside in others]

    def _sensitivity(self) -> list[PointSetting]:
        """As many bubbles as there is room for, of a rising size."""
        room = self._room
        if not self._has(BUBBLE):
            return []
        found = []
        far = room.near_remote()
        for node, number in ((room.local, room.near), (room.remote, min(room.near, far) or far)):
            if node is not None and number > 0:
                for kib in self._bubbles_kib(node):
                    others = self._at(node, BUBBLE, number)
                    found.append(self._beside(PointPurpose.SENSITIVITY, others, node, kib))
        return found

    def _bubbles_kib(self, node: int) -> list[int]:
        """Powers of two, at most the node's LLC."""
        llc = next(one.llc for one in self._inventory.nodes if one.id == node)
        size = llc.size_bytes if llc is not None and llc.size_bytes else USUAL_LLC_BYTES
        wished = [max(1, int(size * share / 1024)) for share in BUBBLE_SHARES]
        return sorted({min(max(1 << (kib.bit_length() - 1), LEAST_BUBBLE_KIB), MOST_BUBBLE_KIB) for kib in wished})

    def _contentiousness(self) -> list[PointSetting]:
        """The reporter beside the NF in rising number; on the remote node where the local one has room for one NF."""
        room = self._room
        if not self._has(REPORTER):
            return []
        node, near = (
            (room.local, room.near) if room.near > 0 or room.remote is None else (room.remote, room.near_remote())
        )
        return [
            self._point(PointPurpose.CONTENTIOUSNESS, [(REPORTER, node)], self._at(node, self._ask.nf_type, number))
            for number in sorted({min(1, near), min(2, near), near} - {0})
        ]

    def _on(self, nodes: Iterable[int], name: str) -> list[tuple[str, int]]:
        return [(name, node) for node in nodes]

    def _at(self, node: int, name: str, number: int) -> list[tuple[str, int]]:
        return [(name, node)] * number

    def _beside(
        self, purpose: PointPurpose, others: Iterable[tuple[str, int]], node: int | None = None, kib: int | None = None
    ) -> PointSetting:
        """The NF alone in its chain, on the local node if none is named."""
        return self._point(purpose, [(self._ask.nf_type, self._room.local if node is None else node)], others, kib)

    def _point(
        self,
        purpose: PointPurpose,
        chain: Iterable[tuple[str, int]],
        others: Iterable[tuple[str, int]] = (),
        kib: int | None = None,
    ) -> PointSetting:
        return PointSetting(
            purpose=purpose,
            ingress_node=self._room.local,
            chain=tuple(StandingNf(nf_type=name, node=node) for name, node in chain),
            others=tuple(StandingNf(nf_type=name, node=node) for name, node in others),
            bubble_kib=kib,
        )


def _competitors(
    ask: ProfilingAsk,
    inventory: HostInventory,
    nf_types: Mapping[str, NfType],
    promoted: Mapping[str, PerformanceModel],
) -> tuple[str, ...]:
    """Those asked for, or the most, the least and a middling aggressive one; the fewer stalls, the more aggressive
    (Octans, Property 1). The NF itself is not among them."""
    assumed = at_scale_of(promoted, assumed_models(inventory.host_model, nf_types=nf_types.values()))
    stalls = {model.nf_type: model.stalls for model in (*assumed, *promoted.values())}
    known = {
        name: stalls.get(name, max(stalls.values())) for name, one in nf_types.items() if one.runs not in IN_KERNEL
    }
    ranked = sorted(known, key=lambda name: (known[name], name))
    if ask.competitors:
        return tuple(name for name in ranked if name in ask.competitors and name != ask.nf_type)
    candidates = [
        name
        for name in ranked
        if name not in (ask.nf_type, BUBBLE) and (nf_types[name].implementation is None or name in promoted)
    ]
    if len(candidates) <= 3:
        return tuple(candidates)
    return candidates[0], candidates[len(candidates) // 2], candidates[-1]


def _steps(most: int) -> list[int]:
    return sorted({number for number in STEPS if number < most} | ({most} if most > 0 else set()))


def _far_steps(most: int) -> list[int]:
    """Memory gives way at once where it is full: how many that takes is not known before."""
    return sorted({number for number in (2, 5, 8) if number < most} | ({most} if most > 0 else set()))


def _few_steps(most: int) -> list[int]:
    return sorted({min(1, most), min(3, most), most} - {0})


def setting_key(setting: PointSetting) -> Hashable:
    """Equal for settings that differ in the order of competitors only."""
    others = tuple(sorted((other.nf_type, other.node) for other in setting.others))
    if setting.others_a_chain > 1:
        others = tuple((other.nf_type, other.node) for other in setting.others)
    chains = setting.downstream, setting.others_a_chain, setting.rate_mpps
    resources = setting.llc_ways, setting.memory_bandwidth_percent, setting.hop
    return setting.purpose, setting.ingress_node, setting.chain, others, setting.bubble_kib, chains, resources
