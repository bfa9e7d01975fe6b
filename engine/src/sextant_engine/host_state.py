"""One host as values that never change: its cores, its models, what runs on it, and the chains that are considered."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Concatenate, ParamSpec, TypeVar

from sextant_domain.base import Digest, digest_of
from sextant_domain.chains.cpu_bounds import QUEUE_MATCHING
from sextant_domain.chains.kernel_nf import IN_KERNEL, KERNEL_NFS
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent, OrderedLine
from sextant_domain.hosts.host import SHARE_LINES, HostInventory, HostStatus
from sextant_domain.hosts.levels import LevelTable
from sextant_domain.plans.compact import HopDelays
from sextant_domain.plans.snapshot import HostSnapshot
from sextant_domain.profiling.assigner import PromotedNetwork
from sextant_domain.profiling.curves import CurveModel
from sextant_domain.profiling.host_cost import FittedCost
from sextant_domain.profiling.model import PerformanceModel

from sextant_engine.host_processes import NO_PROCESSES, HostProcesses
from sextant_engine.seats import CoreLayout, Seats

P = ParamSpec("P")
T = TypeVar("T")

NO_CURVES: Mapping[str, CurveModel] = MappingProxyType({})
NO_TABLES: Mapping[Digest, LevelTable] = MappingProxyType({})
NO_NETWORKS: Mapping[int, PromotedNetwork] = MappingProxyType({})
ASSUMED_DELAYS = HopDelays()
SHARED_CORES = "shared cores: Octans' model does not apply"


@dataclass(frozen=True, eq=False)
class HostCores:
    """The cores of a host: shared by all its views, and worked out when they are first asked for."""

    inventory: HostInventory
    other_work: Mapping[int, float]
    """By core, percent of its time that work uses which is none of the host's NFs."""

    @cached_property
    def layout(self) -> CoreLayout:
        """The host's units."""
        return CoreLayout.of(self.inventory, other=self.other_work)

    @cached_property
    def _node_of(self) -> dict[int, int]:
        return {core.id: core.node for core in self.inventory.cores}

    def node_of(self, core: int) -> int:
        """The NUMA node of a core; the lowest node for a core that the host has lost."""
        node = self._node_of.get(core)
        return min((one.id for one in self.inventory.nodes), default=0) if node is None else node


@dataclass(frozen=True, eq=False)
class HostState:
    """A host with certain chains on it: those that run, or those of a plan."""

    snapshot: HostSnapshot
    models: Mapping[str, PerformanceModel]
    """Performance model of each NF type on this host's model."""
    cores: HostCores
    before: Mapping[str, DesiredChain]
    """What was ordered when the snapshot was taken."""
    chains: Mapping[str, DesiredChain]
    curves: Mapping[str, CurveModel] = field(default_factory=lambda: NO_CURVES)
    """Pressure curves of NF types on this host's model, of the versions of `models`."""
    processes: HostProcesses = NO_PROCESSES
    """Gaussian processes likewise."""
    delays: HopDelays = ASSUMED_DELAYS
    """What handing packets on costs on this host's model."""
    tables: Mapping[Digest, LevelTable] = field(default_factory=lambda: NO_TABLES)
    """Tables of levels that bounds of its chains may name, by digest; `content` takes along those that they do name."""
    lines: tuple[OrderedLine, ...] = ()
    """Promoted shares on this host's model, by NF type; `content` takes along those that its agent divides cores by."""
    cost: FittedCost | None = None
    """What its NFs cost beside others, as fitted on this host; None: never."""
    networks: Mapping[int, PromotedNetwork] = field(default_factory=lambda: NO_NETWORKS)
    """Of the fleet, promoted, by number of cores."""
    _derived: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        snapshot: HostSnapshot,
        models: Mapping[str, PerformanceModel],
        curves: Mapping[str, CurveModel] = NO_CURVES,
        processes: HostProcesses = NO_PROCESSES,
        delays: HopDelays = ASSUMED_DELAYS,
        *,
        lines: tuple[OrderedLine, ...] = (),
        cost: FittedCost | None = None,
        networks: Mapping[int, PromotedNetwork] = NO_NETWORKS,
    ) -> "HostState":
        """The host as it stands."""
        chains = {chain.chain: chain for chain in snapshot.content.chains}
        other_work = {work.core: work.percent for work in snapshot.other_work}
        tables = {digest_of(table): table for table in snapshot.content.tables}
        cores = HostCores(snapshot.inventory, other_work)
        return cls(snapshot, models, cores, chains, chains, curves, processes, delays, tables, lines, cost, networks)

    def with_chain(self, chain: DesiredChain) -> "HostState":
        """The same host with this chain added, or replaced."""
        return self.holding({**self.chains, chain.chain: chain})

    def without_chain(self, name: str) -> "HostState":
        """The same host without a chain."""
        return self.holding({chain: one for chain, one in self.chains.items() if chain != name})

    def holding(self, chains: Mapping[str, DesiredChain]) -> "HostState":
        """The same host with these chains and no others."""
        return replace(self, chains=chains)

    def knowing(self, tables: Mapping[Digest, LevelTable]) -> "HostState":
        """The same host with more tables that bounds may name."""
        return replace(self, tables={**self.tables, **tables}) if tables else self

    def derive(self, compute: Callable[Concatenate["HostState", P], T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`compute(view, ...)`, once for each view: nothing that it may depend on ever changes."""
        key = (compute, args, *kwargs.items())
        if key not in self._derived:
            self._derived[key] = compute(self, *args, **kwargs)
        found: T = self._derived[key]
        return found

    @property
    def inventory(self) -> HostInventory:
        """Nodes, cores, ports, capabilities."""
        return self.snapshot.inventory

    @property
    def name(self) -> str:
        """The host's id."""
        return self.snapshot.inventory.host_id

    @property
    def up(self) -> bool:
        """True where an order can be delivered and the figures are fresh."""
        return self.snapshot.status is HostStatus.UP

    @property
    def cordoned(self) -> str | None:
        """Why no NF may start or move here; None for a host in service."""
        return self.snapshot.cordoned

    @property
    def changed(self) -> bool:
        """True if the chains differ from what was ordered."""
        return self.chains != self.before

    def nfs(self) -> list[DesiredNf]:
        """All NFs, by chain name."""
        return [nf for name in sorted(self.chains) for nf in self.chains[name].nfs]

    def node_of(self, core: int) -> int:
        """As `HostCores.node_of`."""
        return self.cores.node_of(core)

    def content(self) -> HostContent:
        """The chains as an order's content, with the tables that their bounds name, and the lines of shares that cores
        are divided by."""
        chains = tuple(self.chains[name] for name in sorted(self.chains))
        named = sorted({chain.bounds.table for chain in chains if chain.bounds is not None})
        tables = tuple(self.tables[table] for table in named)
        return HostContent(host_id=self.name, chains=chains, tables=tables, share_lines=tuple(self._lines_of(chains)))

    def _lines_of(self, chains: Iterable[DesiredChain]) -> Iterator[OrderedLine]:
        if self.inventory.why_not(SHARE_LINES) is not None:
            return  # an agent of before there were such lines refuses orders that hold them
        bounded = {(nf.nf_type, nf.nf_version) for one in chains if _by_queue_matching(one) for nf in one.nfs}
        yield from (line for line in self.lines if (line.nf_type, line.nf_version) in bounded)

    def seats(self, without: frozenset[str] = frozenset()) -> Seats:
        """Seats with the NFs on them, but for those left out."""
        return Seats(self.cores.layout, [(nf.core, nf.slot) for nf in self.nfs() if nf.nf_id not in without])

    @property
    def free(self) -> int:
        """Free seats, last choices included."""
        return self._room.total()

    def room(self, node: int, spare: bool) -> int:
        """Free seats of a node on cores that are kept for last (last choices, and those with other work), or on all
        others."""
        return self._room[node, spare]

    @cached_property
    def _room(self) -> Counter[tuple[int, bool]]:
        return self.seats().room()

    def lacks(self, capabilities: Iterable[str]) -> str | None:
        """The first capability that the host does not have, with the reason: 'pause (its driver does not offer it)'."""
        for capability in sorted(set(capabilities)):
            why_not = self.inventory.why_not(capability)
            if why_not is not None:
                return f"{capability} ({why_not})"
        return None

    def cannot_run(self, nf_types: Iterable[str]) -> str | None:
        """The first built-in NF type that the host has no program for: 'router (it runs firewall, nat)'; of one in the
        kernel, with the reason."""
        for nf_type in sorted(set(nf_types)):
            if nf_type in IN_KERNEL and (why_not := self.inventory.why_not(KERNEL_NFS)) is not None:
                return f"{nf_type} ({why_not})"
            if self.inventory.cannot_run(nf_type):
                return f"{nf_type} (it runs {', '.join(sorted(self.inventory.nf_types or ())) or 'nothing'})"
        return None

    @cached_property
    def unpredictable(self) -> str | None:
        """Why the model says nothing about this host; None where it does."""
        if self.inventory.shares_cores:
            return SHARED_CORES
        for nf in self.nfs():
            if nf.nf_type not in self.models:
                return f"no performance model of {nf.nf_type} for host model '{self.inventory.host_model}'"
        return None


def _by_queue_matching(chain: DesiredChain) -> bool:
    return chain.share_bounds is not None and chain.share_bounds.law == QUEUE_MATCHING
