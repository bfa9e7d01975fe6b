"""Let a host's agent set what chains have by itself, within bounds and by a table of levels, or no longer."""

from collections.abc import Iterator, Mapping

from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import ChainResources, DesiredChain, ResourceBounds
from sextant_domain.hosts.levels import LevelTable
from sextant_domain.plans.intents import ResourceIntent
from sextant_domain.plans.plan import Rejection
from sextant_domain.plans.resources import RESOURCES, resource_text

from sextant_engine.host_state import HostState
from sextant_engine.planning.listing import listed
from sextant_engine.planning.refusals import down_text
from sextant_engine.planning.rejecting import rejection

NEEDS = {"llc_ways": "resctrl-cat", "memory_bandwidth_percent": "resctrl-mba"}
"""What an agent sets -> the capability that its host must have."""


def tables_of(intent: ResourceIntent) -> dict[str, LevelTable]:
    """By digest."""
    return {digest_of(table): table for table in intent.tables}


def bounded(host: HostState, intent: ResourceIntent) -> HostState:
    """The host with its chains bounded as asked."""
    for name, bounds in sorted(intent.bounds.items()):
        if name in host.chains:
            host = host.with_chain(host.chains[name].model_copy(update={"bounds": bounds}))
    return host.knowing(tables_of(intent))


def not_boundable(
    host: HostState | None, chain: str, bounds: ResourceBounds | None, tables: Mapping[str, LevelTable]
) -> Iterator[Rejection]:
    """Why the chain cannot have these bounds, whatever else it is given."""
    if host is None:
        relax = "list the chains that run and name one of them"
        yield rejection(chain, f"bounds of {chain}: no host runs it", relax=relax)
    elif not host.up:
        why = f"bounds of {chain}: {down_text(host)}, so no order reaches it"
        yield rejection(chain, why, relax=f"bring {host.name} back")
    elif bounds is not None:
        for field, capability in NEEDS.items():
            why_not = host.inventory.why_not(capability)
            if why_not is not None:
                why = f"bounds of {chain}: {host.name} cannot give {RESOURCES[field]}: {why_not}"
                yield rejection(chain, why, relax=f"leave bounds of {chain} out: its NFs can still be moved")
        yield from _wrong_table(host, host.chains[chain], bounds, tables)


def _wrong_table(
    host: HostState, chain: DesiredChain, bounds: ResourceBounds, tables: Mapping[str, LevelTable]
) -> Iterator[Rejection]:
    table = tables.get(bounds.table)
    if table is None:
        why = f"bounds of {chain.chain} name table {bounds.table}, which is not among tables"
        yield rejection(chain.chain, why, relax="send the table along in tables, as it was promoted")
        return
    unknown = table.without(tuple(nf.nf_type for nf in chain.nfs))
    if unknown:
        why = f"bounds of {chain.chain}: its table of levels says nothing of {listed(list(unknown), 'NF type')}"
        yield rejection(
            chain.chain, why, relax=f"measure levels of {unknown[0]} on {table.host_model} and promote them"
        )
    if table.host_model != host.inventory.host_model:
        why = (
            f"bounds of {chain.chain}: its table of levels is of {table.host_model}, and {host.name} is "
            f"{host.inventory.host_model}"
        )
        yield rejection(chain.chain, why, relax=f"name a table of {host.inventory.host_model}")


def outside_bounds(host: HostState) -> Iterator[Rejection]:
    """Of a host as the plan would have it: chains whose bounds do not hold what they begin with, or that their cache or
    their place cannot give."""
    for name in sorted(host.chains):
        chain = host.chains[name]
        if chain.bounds is not None and (host.before.get(name) != chain):
            why = _outside(host, chain, chain.bounds)
            if why is not None:
                yield rejection(name, f"bounds of {name}: {why[0]}", relax=why[1])


def _outside(host: HostState, chain: DesiredChain, bounds: ResourceBounds) -> tuple[str, str] | None:
    """What is wrong, and what helps."""
    nodes = sorted({host.node_of(nf.core) for nf in chain.nfs})
    if len(nodes) > 1:
        where = " and ".join(f"node {node}" for node in nodes)
        return f"its NFs stand on {where} of {host.name}", "move its NFs to one node (seats) as well"
    node = next((node for node in host.inventory.nodes if node.id == nodes[0]), None)
    ways = node.llc.ways if node is not None and node.llc is not None else None
    if ways is not None and bounds.most_ways > ways - 1:
        most = f"most_ways is {bounds.most_ways}, and the cache of node {nodes[0]} of {host.name} has {ways}"
        return f"{most}, one of which stays with all others", f"ask for {ways - 1} at most"
    if chain.resources is None:
        begins = "it has no LLC ways and no memory bandwidth of its own to begin with"
        return begins, f"give it some in chains, {_limits_text(bounds)}, in the same plan"
    if not bounds.hold(chain.resources):
        has = f"it has {_resources_text(chain.resources)}, outside {_limits_text(bounds)}"
        return has, "name what it begins with in chains, or widen its bounds, or take them away (null)"
    return None


def _resources_text(has: ChainResources) -> str:
    return " and ".join(
        f"{RESOURCES[field]} {resource_text(field, value)}" for field, value in has if value is not None
    )


def _limits_text(bounds: ResourceBounds) -> str:
    """'2 to 6 LLC ways and 20 to 60 % of memory bandwidth'."""
    return (
        f"{bounds.least_ways} to {bounds.most_ways} LLC ways and {bounds.least_percent} to {bounds.most_percent} % of "
        "memory bandwidth"
    )
