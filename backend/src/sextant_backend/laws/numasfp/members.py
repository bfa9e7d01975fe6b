"""Which chains of a host the law takes, and what their nodes have to give them. Pure: from inventory, order and table.

A host's node that most of its chains' packets arrive on is called `local`, as the engine's core calls it. A chain that
the law does not take stays as it is, and what it holds is taken off what its node has.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.hosts.desired import ChainResources, DesiredChain, DesiredNf, HostContent, ResourceBounds
from sextant_domain.hosts.host import HostInventory, NumaNode
from sextant_domain.hosts.levels import LevelTable
from sextant_domain.laws.numasfp import NUMASFP
from sextant_domain.naming import few
from sextant_engine.control.numasfp.allocation_state import LAW_VERSION
from sextant_engine.seats import CoreLayout, Seats

LOCAL = "local"
ALL_PERCENT = 100
MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Member:
    """A chain that the law takes."""

    chain: str
    node: int
    types: tuple[str, ...]
    nf_ids: tuple[str, ...]
    cores: tuple[int, ...]
    """Of its NFs, in their order."""
    frame_bytes: float
    resources: ChainResources | None
    bounds: ResourceBounds | None

    def gbps(self, mpps: float) -> float:
        """On the wire."""
        return wire_gbps(mpps, self.frame_bytes)


@dataclass(frozen=True)
class HostMembers:
    """A host as the law sees it, as long as its order, its inventory, its table and its policies stay as they are."""

    inventory: HostInventory
    content: HostContent
    table: LevelTable
    table_digest: str
    table_version: int
    local: int
    members: Mapping[str, Member]
    notes: Mapping[str, str]
    """Of the chains that the law does not take, why; a sentence without a full stop."""
    nodes: Mapping[int, Mapping[str, int]]
    """By node: `ways`, `mb_percent` and `cores` that members can have together."""
    undivided: str | None
    """Why ways and bandwidth cannot be given to chains there; None: they can."""
    problem: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What the engine's core is told of it."""

    @cached_property
    def placement(self) -> dict[str, str]:
        """Where members stand, by the core's names of nodes."""
        return {name: self.label(one.node) for name, one in self.members.items()}

    def label(self, node: int) -> str:
        """The core's name of a node."""
        return LOCAL if node == self.local else str(node)

    def node_named(self, label: str) -> int:
        """The node of that name."""
        return self.local if label == LOCAL else int(label)

    def bounds_on(self, node: int) -> ResourceBounds:
        """What the law lets an agent give a chain on a node."""
        of_node = _node(self.inventory, node)
        steps = of_node.memory_bandwidth_steps_percent
        ways = (of_node.llc.ways if of_node.llc else None) or 2
        return ResourceBounds(
            law=NUMASFP,
            law_version=LAW_VERSION,
            table=self.table_digest,
            least_ways=1,
            most_ways=max(1, ways - 1),
            least_percent=steps[0] if steps else ALL_PERCENT,
            most_percent=steps[-1] if steps else ALL_PERCENT,
        )

    @cached_property
    def to_hand_over(self) -> tuple[str, ...]:
        """Members whose bounds are not those that the law would give them, by name."""
        if self.undivided is not None:
            return ()
        return tuple(sorted(name for name, one in self.members.items() if one.bounds != self.bounds_on(one.node)))


def members_of(
    inventory: HostInventory,
    content: HostContent,
    table: LevelTable,
    *,
    digest: str,
    version: int,
    kept: frozenset[str] = frozenset(),
) -> HostMembers:
    """`kept`: chains whose policy is manual."""
    chains = {chain.chain: chain for chain in content.chains}
    node_of = {core.id: core.node for core in inventory.cores}
    local = _local(inventory, content)
    undivided = _undivided(inventory)
    notes: dict[str, str] = {}
    taken: dict[str, Member] = {}
    for name in sorted(chains):
        why = _why_not(inventory, chains[name], node_of, table, local)
        why = why or ("its policy is manual" if name in kept else None)
        if why is None:
            taken[name] = _member(chains[name], node_of)
        else:
            notes[name] = why
    if undivided is None:
        taken = _with_classes(inventory, content, taken, notes)
    found = HostMembers(
        inventory=inventory,
        content=content,
        table=table,
        table_digest=digest,
        table_version=version,
        local=local,
        members=taken,
        notes=notes,
        nodes={node.id: _room(inventory, content, node, taken, undivided) for node in inventory.nodes},
        undivided=undivided,
    )
    return replace(found, problem=_problem(found))


def _local(inventory: HostInventory, content: HostContent) -> int:
    arrive = Counter(inventory.arrival_node(chain.ingress.port) for chain in content.chains)
    return min(arrive, key=lambda node: (-arrive[node], node)) if arrive else inventory.arrival_node(None)


def _undivided(inventory: HostInventory) -> str | None:
    for capability in ("resctrl-cat", "resctrl-mba"):
        why = inventory.why_not(capability)
        if why is not None:
            return why
    without = [node.id for node in inventory.nodes if not (node.llc and node.llc.ways)]
    return f"node {without[0]} reports no cache ways" if without else None


def _why_not(
    inventory: HostInventory, chain: DesiredChain, node_of: Mapping[int, int], table: LevelTable, local: int
) -> str | None:
    """Why the law leaves a chain as it is; None where it takes it."""
    nodes = sorted({node_of.get(nf.core, -1) for nf in chain.nfs})
    unknown = table.without(tuple(nf.nf_type for nf in chain.nfs))
    arrives = inventory.arrival_node(chain.ingress.port)
    own = [nf.nf_id for nf in chain.nfs if nf.llc_ways is not None or nf.memory_bandwidth_percent is not None]
    other_law = None if chain.bounds is None or chain.bounds.law == NUMASFP else chain.bounds.law
    reasons = {
        "NFs share cores on its host, for which no levels hold": inventory.shares_cores,
        f"its NFs stand on nodes {' and '.join(map(str, nodes))}, and the law moves whole chains": len(nodes) != 1,
        "its NFs stand on cores that its host does not have": -1 in nodes,
        f"no levels of {few(unknown, MOST_NAMED)} are promoted for {table.host_model}": unknown,
        "its NFs share a process": chain.execution != "isolated",
        f"its packets arrive on node {arrives}, those of most chains of its host on node {local}": arrives != local,
        f"{few(own, MOST_NAMED)} has ways or bandwidth of its own: give them back first": own,
        f"its bounds are of another law, {other_law}": other_law,
    }
    return next((why for why, holds in reasons.items() if holds), None)


def _member(chain: DesiredChain, node_of: Mapping[int, int]) -> Member:
    return Member(
        chain=chain.chain,
        node=node_of[chain.nfs[0].core],
        types=tuple(nf.nf_type for nf in chain.nfs),
        nf_ids=tuple(nf.nf_id for nf in chain.nfs),
        cores=tuple(nf.core for nf in chain.nfs),
        frame_bytes=chain.traffic.mean_packet_bytes,
        resources=chain.resources,
        bounds=chain.bounds,
    )


def _with_classes(
    inventory: HostInventory, content: HostContent, taken: dict[str, Member], notes: dict[str, str]
) -> dict[str, Member]:
    """Those of them for which there are classes of service: who has one keeps it, then by falling rate as ordered."""
    most = inventory.resource_groups
    others = sum(_groups(chain) for chain in content.chains if chain.chain not in taken)
    if most is None or len(taken) <= most - others:
        return taken
    rates = {chain.chain: chain.traffic.rate_mpps for chain in content.chains}

    def need(name: str) -> tuple[bool, float, str]:
        return taken[name].resources is None, -taken[name].gbps(rates[name]), name

    chosen = set(sorted(taken, key=need)[: max(0, most - others)])
    for name in sorted(taken.keys() - chosen):
        notes[name] = f"all {most} classes of service of its host are taken by chains that need them more"
    return {name: one for name, one in taken.items() if name in chosen}


def _groups(chain: DesiredChain) -> int:
    """Classes of service that a chain and its NFs take."""
    own = sum(nf.llc_ways is not None or nf.memory_bandwidth_percent not in {None, ALL_PERCENT} for nf in chain.nfs)
    return own + (chain.resources is not None)


def _room(
    inventory: HostInventory, content: HostContent, node: NumaNode, taken: Mapping[str, Member], undivided: str | None
) -> dict[str, int]:
    here = {core.id for core in inventory.cores if core.node == node.id}
    others = [chain for chain in content.chains if chain.chain not in taken and chain.nfs and chain.nfs[0].core in here]
    nfs = [nf for chain in others for nf in chain.nfs]
    has: list[ChainResources | DesiredNf] = [*(chain.resources for chain in others if chain.resources), *nfs]
    layout = CoreLayout.of(inventory)
    staying = [(nf.core, nf.slot) for chain in content.chains if chain.chain not in taken for nf in chain.nfs]
    seats = Seats(layout, staying)
    room = {"cores": sum(seats.free(unit) for unit in layout.units if unit.node == node.id)}
    if undivided is not None:
        return {"ways": 10_000, "mb_percent": 10_000, **room}
    ways = (node.llc.ways if node.llc and node.llc.ways else 1) - 1 - sum(one.llc_ways or 0 for one in has)
    percent = ALL_PERCENT - sum(one.memory_bandwidth_percent or 0 for one in has)
    return {"ways": max(0, ways), "mb_percent": max(0, percent), **room}


def _node(inventory: HostInventory, node: int) -> NumaNode:
    return next(one for one in inventory.nodes if one.id == node)


def _problem(host: HostMembers) -> dict[str, Any]:
    types = {nf_type for one in host.members.values() for nf_type in one.types}
    return {
        "table": {
            nf_type: {
                kind: {
                    f"{level.gbps:g}": [level.ways, level.mb_percent] for level in host.table.types[nf_type].on(kind)
                }
                for kind in ("local", "remote")
            }
            for nf_type in sorted(types)
        },
        "chains": {name: list(one.types) for name, one in host.members.items()},
        "nodes": {host.label(node): dict(room) for node, room in host.nodes.items()},
    }
