"""What an order means for NUMASFP's law on this host: chains that it looks after, what it can give, and what it cannot
look after and why. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import ChainResources, DesiredChain, HostContent, ResourceBounds
from sextant_domain.hosts.host import HostInventory, NumaNode
from sextant_domain.hosts.levels import NodeKind
from sextant_domain.hosts.telemetry import ChainControl, ControlState
from sextant_domain.laws.numasfp import NUMASFP
from sextant_engine.control.numasfp.allocation_state import LAW_VERSION, BoundedChain, Standing
from sextant_engine.control.numasfp.shares import NOTHING, Room, Share, ladder_of, total

from sextant_agent.contract.driver import ResourcesGiven
from sextant_agent.contract.ordered_resources import FULL_PERCENT, normal, request_of
from sextant_agent.contract.ordered_resources import NOTHING as NO_REQUEST

MOST_NOTE = 300
NEEDED = ("resctrl-cat", "resctrl-mba")
"""Capabilities."""


@dataclass(frozen=True, slots=True)
class Task:
    """What one order asks of the law."""

    bounded: Mapping[str, DesiredChain]
    """All chains with bounds."""
    chains: tuple[BoundedChain, ...]
    """Those of them that it looks after."""
    rooms: Mapping[int, Room]
    """By node."""
    unfit: Mapping[str, str]
    """All others of them, and why."""


def task_of(content: HostContent, host: HostInventory) -> Task:
    """On this host, as it is now."""
    bounded = {chain.chain: chain for chain in content.chains if chain.bounds is not None}
    nodes, of_core = {node.id: node for node in host.nodes}, {core.id: core.node for core in host.cores}
    groups = _groups_left(content, host)
    chains: list[BoundedChain] = []
    unfit: dict[str, str] = {}
    for name, chain in sorted(bounded.items()):
        found = _looked_after(chain, content, host, [of_core.get(nf.core) for nf in chain.nfs])
        if isinstance(found, str):
            unfit[name] = found
        elif not _has_group(chain) and groups == 0:
            unfit[name] = f"all {host.resource_groups} groups of this host that can have ways and bandwidth are taken"
        else:
            groups = groups if groups is None or _has_group(chain) else groups - 1
            chains.append(found)
    cared_for = {one.chain for one in chains}
    others = [(chain, of_core) for chain in content.chains if chain.chain not in cared_for]
    rooms = {node.id: _room(node, total(_owned(others, node.id))) for node in nodes.values()}
    return Task(bounded, tuple(chains), rooms, unfit)


def _looked_after(
    chain: DesiredChain, content: HostContent, host: HostInventory, nodes: Sequence[int | None]
) -> BoundedChain | str:
    bounds = chain.bounds
    assert bounds is not None  # noqa: S101 - of chains with bounds
    if bounds.law != NUMASFP:
        return f"this agent has no law {bounds.law}"
    if bounds.law_version != LAW_VERSION:
        return f"this agent has version {LAW_VERSION} of the law, the order names {bounds.law_version}"
    node = nodes[0] if nodes else None
    if node is None or len(set(nodes)) != 1:
        return "its NFs stand on several nodes, and ways and bandwidth of a chain are of one"
    if missing := next((why for name in NEEDED if (why := host.why_not(name)) is not None), None):
        return f"this host gives no ways or bandwidth: {missing}"
    table = next(one for one in content.tables if digest_of(one) == bounds.table)
    steps = next(one.memory_bandwidth_steps_percent for one in host.nodes if one.id == node)
    kind: NodeKind = "local" if node == host.arrival_node(chain.ingress.port) else "remote"
    ladder = ladder_of(table, [nf.nf_type for nf in chain.nfs], kind, bounds, steps)
    return ladder if isinstance(ladder, str) else BoundedChain(chain.chain, node, ladder, ordered_share(chain, bounds))


def ordered_share(chain: DesiredChain, bounds: ResourceBounds) -> Share:
    """What it begins with; what it shares with others by its order is the least, or most, of its bounds."""
    resources = chain.resources or ChainResources()
    percent = resources.memory_bandwidth_percent
    return Share(resources.llc_ways or bounds.least_ways, bounds.most_percent if percent is None else percent)


def _has_group(chain: DesiredChain) -> bool:
    return any(request_of(chain, nf) != NO_REQUEST for nf in chain.nfs)


def _groups_left(content: HostContent, host: HostInventory) -> int | None:
    """Beside what the order itself takes; None: there is no end of them."""
    if host.resource_groups is None:
        return None
    owners = {
        chain.chain if request.of_chain else nf.nf_id
        for chain in content.chains
        for nf in chain.nfs
        if (request := request_of(chain, nf)) != NO_REQUEST
    }
    return max(0, host.resource_groups - len(owners))


def _owned(others: Sequence[tuple[DesiredChain, Mapping[int, int]]], node: int) -> Iterator[Share]:
    """Of NFs and chains that the law does not look after, on one node."""
    for chain, of_core in others:
        here = [nf for nf in chain.nfs if of_core.get(nf.core) == node]
        requests = [request_of(chain, nf) for nf in here]
        together = [one for one in requests if one.of_chain][:1]
        for request in (*together, *(one for one in requests if not one.of_chain)):
            limit = request.memory_bandwidth_percent
            yield NOTHING if request == NO_REQUEST else Share(request.llc_ways or 0, 0 if limit is None else limit)


def _room(node: NumaNode, taken: Share) -> Room:
    """One way stays with all others."""
    ways = (node.llc.ways if node.llc is not None else None) or 1
    left = Share(ways - 1, FULL_PERCENT).minus(taken)
    return Room(max(0, left.ways), max(0, left.percent), node.memory_bandwidth_steps_percent)


def given(chain: DesiredChain, share: Share) -> ResourcesGiven:
    """What a driver gives a chain that has this share."""
    return ResourcesGiven(chain, normal(share.ways, share.percent, of_chain=True))


def with_shares(
    content: HostContent, task: Task, shares: Mapping[str, Share], before: HostContent | None = None
) -> HostContent:
    """The order, with what the law gave in place of what its chains began with. `before`: the same order with what it
    gave before, of which chains that have it still are taken as they are."""
    changed = {
        one.chain: shares[one.chain]
        for one in task.chains
        if one.chain in shares and not _as_ordered(task.bounded[one.chain], shares[one.chain])
    }
    if not changed:
        return content
    there = {} if before is None else {chain.chain: chain for chain in before.chains}
    chains = tuple(
        _with_share(chain, there.get(chain.chain), changed[chain.chain]) if chain.chain in changed else chain
        for chain in content.chains
    )
    return content.model_copy(update={"chains": chains})


def _with_share(ordered: DesiredChain, before: DesiredChain | None, share: Share) -> DesiredChain:
    resources = _resources(share)
    if before is not None and before.resources == resources:
        return before
    return ordered.model_copy(update={"resources": resources})


def _as_ordered(chain: DesiredChain, share: Share) -> bool:
    ordered = chain.resources or ChainResources()
    return normal(ordered.llc_ways, ordered.memory_bandwidth_percent) == normal(*share)


def _resources(share: Share) -> ChainResources:
    return ChainResources(llc_ways=share.ways, memory_bandwidth_percent=share.percent)


def control_of(chain: DesiredChain, standing: Standing | None, note: str | None) -> ChainControl:
    """As it is reported. `standing`: None where the law does not look after the chain; `note`: why it is held."""
    bounds, resources = chain.bounds, chain.resources or ChainResources()
    assert bounds is not None  # noqa: S101 - of chains with bounds
    about = {"chain": chain.chain, "law": bounds.law, "law_version": bounds.law_version, "table": bounds.table}
    if standing is None:
        given = resources.model_dump()
        return ChainControl.model_validate({**about, **given, "state": ControlState.HELD, "note": _cut(note)})
    return ChainControl(
        **about,
        llc_ways=standing.has.ways,
        memory_bandwidth_percent=standing.has.percent,
        rate_gbps=None if standing.rate_gbps is None else round(standing.rate_gbps, 2),
        level_gbps=standing.level_gbps,
        state=standing.state if note is None else ControlState.HELD,
        note=_cut(note or standing.note),
    )


def _cut(text: str | None) -> str | None:
    return None if text is None else text[:MOST_NOTE]
