"""Which NFs, and chains as a whole, have LLC ways or memory bandwidth of their own on a host, and what cannot be.

What has some is a group of the kernel (resctrl), and a thread is in one group. Groups have masks of ways on one cache,
and each takes a class of service, of which the kernel counts as many for the whole host as the smaller of its two
kinds (ways, bandwidth) has.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sextant_domain.hosts.desired import ChainResources, DesiredNf
from sextant_domain.hosts.host import ThreadThrottleMode

from sextant_engine.host_state import HostState

FULL_PERCENT = 100


@dataclass(frozen=True)
class ResourceGroup:
    """One NF, or one chain, with something of its own."""

    owner: str
    """The NF's id, or the chain's name."""
    chain: str
    nodes: tuple[int, ...]
    """Where its NFs stand, rising."""
    llc_ways: int | None
    memory_bandwidth_percent: int | None

    @property
    def what(self) -> str:
        """'LLC ways', or 'a limit of memory bandwidth'."""
        return "LLC ways" if self.llc_ways is not None else "a limit of memory bandwidth"


def resource_groups(host: HostState) -> list[ResourceGroup]:
    """By chain; a chain's own comes before those of its NFs. A chain with bounds has one, whatever it begins with: its
    agent may give it ways at any moment."""
    return host.derive(_groups)


def _groups(host: HostState) -> list[ResourceGroup]:
    found: list[ResourceGroup] = []
    for name in sorted(host.chains):
        chain = host.chains[name]
        if chain.resources is not None and (partitions(chain.resources) or chain.bounds is not None):
            found.append(_group(host, name, name, chain.resources, chain.nfs))
        found += [_group(host, nf.nf_id, name, nf, (nf,)) for nf in chain.nfs if partitions(nf)]
    return found


def partitions(one: ChainResources | DesiredNf) -> bool:
    """It has something that others have not; all of the bandwidth is what everybody has."""
    return one.llc_ways is not None or one.memory_bandwidth_percent not in {None, FULL_PERCENT}


def _group(
    host: HostState, owner: str, chain: str, has: ChainResources | DesiredNf, nfs: tuple[DesiredNf, ...]
) -> ResourceGroup:
    nodes = tuple(sorted({host.node_of(nf.core) for nf in nfs}))
    return ResourceGroup(owner, chain, nodes, has.llc_ways, has.memory_bandwidth_percent)


def overfull_caches(host: HostState) -> Iterator[tuple[int, list[ResourceGroup], int]]:
    """(node, groups with ways there, ways of its cache) where these are more than all ways but one."""
    for node in host.inventory.nodes:
        ways = node.llc.ways if node.llc is not None else None
        given = [one for one in resource_groups(host) if one.llc_ways is not None and node.id in one.nodes]
        if ways is not None and sum(one.llc_ways or 0 for one in given) > ways - 1:
            yield node.id, given, ways


def spread_chains(host: HostState) -> list[ResourceGroup]:
    """Chains with something of their own whose NFs stand on several nodes."""
    return [one for one in resource_groups(host) if len(one.nodes) > 1]


def doubly_given(host: HostState) -> dict[str, list[str]]:
    """Chain with something of its own -> those of its NFs that have something, too."""
    groups = resource_groups(host)
    chains = {one.owner for one in groups if one.owner == one.chain}
    nfs = {name: [one.owner for one in groups if one.chain == name and one.owner != name] for name in chains}
    return {name: owners for name, owners in sorted(nfs.items()) if owners}


def throttled_together(host: HostState) -> Iterator[tuple[int, int, dict[str, int]]]:
    """(core, sibling, limit of memory bandwidth by NF on either) where NFs on both threads of a physical core have
    different limits, and its threads are throttled as one."""
    if host.inventory.thread_throttle_mode is not ThreadThrottleMode.MAX:
        return
    limits: dict[int, dict[str, int]] = {}
    for chain in host.chains.values():
        of_chain = None if chain.resources is None else chain.resources.memory_bandwidth_percent
        for nf in chain.nfs:
            limit = nf.memory_bandwidth_percent or of_chain or FULL_PERCENT
            limits.setdefault(nf.core, {})[nf.nf_id] = limit
    for core in host.inventory.cores:
        for sibling in core.siblings:
            one, other = limits.get(core.id, {}), limits.get(sibling, {})
            if core.id < sibling and one and other and len({*one.values(), *other.values()}) > 1:
                yield core.id, sibling, one | other


def groups_beyond(host: HostState) -> int | None:
    """How many groups the host can have, where there would be more; None where it has room, or has not said."""
    most = host.inventory.resource_groups
    return most if most is not None and len(resource_groups(host)) > most else None


def without_room(host: HostState, nf_id: str) -> str | None:
    """Why what an NF, or its chain, has of its own cannot be kept where the NF would stand; None where it can."""
    chain = nf_id.split(".", 1)[0]
    if any(one.chain == chain for one in spread_chains(host)):
        return (
            f"{chain} has LLC ways or memory bandwidth of its own, which are of one node, and its NFs would stand on "
            "several"
        )
    for node, given, ways in overfull_caches(host):
        held = next((one.llc_ways for one in given if one.owner in {nf_id, chain}), None)
        if held is not None:
            return (
                f"its {held} LLC ways do not fit into the cache of node {node}: of {ways} ways one at least stays for "
                f"all others, and {sum(one.llc_ways or 0 for one in given)} would be given away"
            )
    return None
