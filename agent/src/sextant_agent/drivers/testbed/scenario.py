"""Where everything stands while an NF is measured over rings, against itself alone where its packets arrive. Pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.hosts.host import Core, traffic_core
from sextant_domain.profiling.calibration import Calibration
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest

NO_CHAINED_COMPETITORS = "chains: competitors do not stand in chains here"
NOT_SHARED = "remote: NFs that share a core are measured on node {arrive}, where packets arrive"
NO_SOURCE = "remote: competitors hold all cores of node {arrive}, and source and sink need one there"
SHARED_WITH_SOURCE = (
    "where packets arrive it was on the core of source and sink, since node {arrive} has no other one: its packets "
    "were in that core's own caches, so what another place costs includes what any other core would"
)
HOP_BESIDE_SOURCE = (
    "one of the two NFs is on the core of source and sink, since no third core is free where packets arrive: what they "
    "wait for each other there is in the delay"
)
CLAIMED = (
    "nodes {first} and {second} are claimed, and not apart: their cores share an L3 by the time that a cache line "
    "takes between them, so what it costs to be on the other node is not what it would cost between two sockets"
)


class NoRoom(Exception):
    """Why the request cannot be measured on this host."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """A request with the cores that it does not name."""

    request: ProfileRequest
    arrive: int
    """Node that packets arrive on."""
    source: int
    """Core of source and sink."""
    home: ProfiledNf
    """The NF alone where packets arrive: what its times are compared with."""

    @property
    def cores(self) -> tuple[int, ...]:
        """Each once."""
        return tuple(dict.fromkeys((*self.request.cores, self.home.core, self.source)))

    @property
    def closed_loop(self) -> ProfileRequest:
        """The NF alone at home, as sextant-measure is asked for it."""
        changes = {"mode": ProfileMode.SOLO, "nf": self.home, "others": (), "upstream": (), "downstream": ()}
        return self.request.model_copy(update=changes)

    @property
    def chain(self) -> tuple[ProfiledNf, ...]:
        """In the order of packets; its own place is that after all upstream NFs."""
        return (*self.request.upstream, self.request.nf, *self.request.downstream)

    def notes(self, nodes: Mapping[int, int], calibration: Calibration) -> tuple[str, ...]:
        """How its figures are to be taken."""
        if self.request.hop is not None and self.source in self.request.cores:
            return (HOP_BESIDE_SOURCE, *claimed_nodes(self.cores, nodes, calibration))
        shares = self.source in {self.home.core, self.request.nf.core}
        found = [SHARED_WITH_SOURCE.format(arrive=self.arrive)] if shares else []
        return (*found, *claimed_nodes(self.cores, nodes, calibration))


def needs_rings(request: ProfileRequest, nodes: Mapping[int, int], arrive: int) -> bool:
    """Whether a closed loop on the NF's own core does not show what is asked for."""
    return bool(request.upstream or request.downstream) or nodes[request.nf.core] != arrive


def scenario_of(request: ProfileRequest, nodes: Mapping[int, int], arrive: int, free: Collection[int]) -> Scenario:
    """`nodes`: of offered cores; `free`: of these, those that nothing runs on, the first to be taken first. Source and
    sink have a core of their own on the node that packets arrive on if there is one, else that of a neighbour, else
    that of the NF itself.

    Raises NoRoom.
    """
    if request.mode is ProfileMode.SHARED_CORE:
        raise NoRoom(NOT_SHARED.format(arrive=arrive))
    chain = (*request.upstream, *request.downstream, request.nf)
    spare = [core for core in free if nodes[core] == arrive and core not in request.cores]
    neighbours = [nf.core for nf in chain if nodes[nf.core] == arrive]
    if not spare and not neighbours:
        raise NoRoom(NO_SOURCE.format(arrive=arrive))
    source = (*spare, *neighbours)[0]
    away = nodes[request.nf.core] != arrive
    core = next((one for one in spare if one != source), source) if away else request.nf.core
    return Scenario(request, arrive, source, request.nf.model_copy(update={"core": core}))


def cores_apart(cores: tuple[Core, ...], taken: Collection[int], free: Collection[int]) -> tuple[int, ...]:
    """Of `free`, one thread of each physical core that holds none of `taken`, since a busy sibling slows both; the one
    that chains' source and sink stand on comes first."""
    first = traffic_core(cores)
    held = {core.physical_core for core in cores if core.id in taken}
    found: list[int] = []
    for core in sorted(cores, key=lambda core: (core.id != first, core.id)):
        if core.id in free and core.physical_core not in held:
            held.add(core.physical_core)
            found.append(core.id)
    return tuple(found)


def claimed_nodes(cores: Sequence[int], nodes: Mapping[int, int], calibration: Calibration) -> tuple[str, ...]:
    """Pairs of nodes whose cores share an L3 all the same: nothing but a claim keeps them apart."""
    found: dict[tuple[int, int], str] = {}
    for pair in calibration.pairs:
        if not pair.shares_llc or not {pair.first, pair.second} <= set(cores):
            continue
        first, second = sorted((nodes[pair.first], nodes[pair.second]))
        if first != second:
            found[first, second] = CLAIMED.format(first=first, second=second)
    return tuple(found.values())
