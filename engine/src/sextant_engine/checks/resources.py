"""Rules about LLC ways, memory bandwidth, CPU shares and quotas of NFs and of chains: as asked for, and no more than a
host can give.

As with seats, what stood wrongly before and stays is not this plan's doing.
"""

from collections import defaultdict
from collections.abc import Iterator

from sextant_domain.hosts.desired import ChainResources, DesiredChain, DesiredNf, HostContent
from sextant_domain.hosts.host import NumaNode
from sextant_domain.plans.intents import ResourceIntent

from sextant_engine.checks.view import View

Given = dict[tuple[str, int], dict[str, int]]
"""(host, node) -> NF, or chain, -> LLC ways of its own."""


def as_asked(view: View) -> list[str]:
    """NFs and chains that the intent names have what it says of them, where it says that they run."""
    intent = view.body.intent
    if not isinstance(intent, ResourceIntent) or not view.body.target:
        return []
    ordered = {nf.nf_id: (host, nf) for host, nf in view.nfs_after}
    wrong: list[str] = []
    for nf_id, asked in sorted(intent.resources.items()):
        if nf_id not in ordered:
            wrong.append(f"{nf_id} is asked for and runs nowhere")
            continue
        host, nf = ordered[nf_id]
        if asked.host is not None and asked.host != host:
            wrong.append(f"{nf_id} is asked for on {asked.host} and runs on {host}")
        has = resources_of(nf)
        wrong += [
            f"{nf_id}: {field} is not as asked for" for field, value in asked.asked.items() if has[field] != value
        ]
    return wrong + _chains_as_asked(view, intent)


def _chains_as_asked(view: View, intent: ResourceIntent) -> list[str]:
    wrong: list[str] = []
    for name, asked in sorted(intent.chains.items()):
        copies = view.chains_after.get(name, [])
        if not copies:
            wrong.append(f"{name} is asked for and runs nowhere")
        for host, chain in copies:
            if asked.host is not None and asked.host != host:
                wrong.append(f"{name} is asked for on {asked.host} and runs on {host}")
            has = dict(chain.resources or ChainResources())
            wrong += [
                f"{name}: {field} is not as asked for" for field, value in asked.asked.items() if has[field] != value
            ]
    return wrong


def resources_of(nf: DesiredNf) -> dict[str, float | None]:
    """What an order gives one NF, by field."""
    return {
        "llc_ways": nf.llc_ways,
        "memory_bandwidth_percent": nf.memory_bandwidth_percent,
        "cpu_share": nf.cpu_share,
        "cpu_quota_percent": nf.cpu_quota_percent,
    }


def seat_resources(chain: DesiredChain, nf: DesiredNf) -> dict[str, float | None]:
    """The same, and what it has with all other NFs of its chain, as a seat says it."""
    shared = chain.resources
    return {
        **resources_of(nf),
        "chain_llc_ways": None if shared is None else shared.llc_ways,
        "chain_memory_bandwidth_percent": None if shared is None else shared.memory_bandwidth_percent,
    }


def within_cache(view: View) -> list[str]:
    """Ways of their own leave one way of each cache at least to all others."""
    before, after = _ways(view, view.before), _ways(view, view.after)
    wrong: list[str] = []
    for (host, node), given in sorted(after.items()):
        found = _node(view, host, node)
        ways = found.llc.ways if found is not None and found.llc is not None else None
        if given == before.get((host, node)) or ways is None:
            continue
        if any(own < 1 for own in given.values()):
            wrong.append(f"node {node} of {host}: an NF or chain has no way of its cache")
        if sum(given.values()) > max(ways - 1, sum(before.get((host, node), {}).values())):
            wrong.append(f"node {node} of {host}: {sum(given.values())} of {ways} ways are given away, one must stay")
    return wrong


def bandwidth_in_steps(view: View) -> list[str]:
    """A limit of memory bandwidth is one of the steps that its host has."""
    then = set(_limits(view.before))
    wrong: list[str] = []
    for host, owner, core_id, percent in _limits(view.after):
        if (host, owner, core_id, percent) in then:
            continue
        core = view.core(host, core_id)
        node = None if core is None else _node(view, host, core.node)
        steps = () if node is None else node.memory_bandwidth_steps_percent
        if steps and percent not in steps:
            wrong.append(f"{owner}: {host} has no step of {percent} % of memory bandwidth")
    return wrong


def _limits(contents: dict[str, HostContent]) -> Iterator[tuple[str, str, int, int]]:
    """(host, NF or chain, a core of it, percent) of each limit."""
    for host, content in contents.items():
        for chain in content.chains:
            percent = None if chain.resources is None else chain.resources.memory_bandwidth_percent
            if percent is not None and chain.nfs:
                yield host, chain.chain, chain.nfs[0].core, percent
            for nf in chain.nfs:
                if nf.memory_bandwidth_percent is not None:
                    yield host, nf.nf_id, nf.core, nf.memory_bandwidth_percent


def in_one_group(view: View) -> list[str]:
    """A thread has one group, a chain's group is of one node, and a host has as many groups as it says."""
    wrong: list[str] = []
    for host, content in view.after.items():
        before = view.before.get(host)
        if content == before:
            continue
        for chain in content.chains:
            if chain.resources is not None and (before is None or chain not in before.chains):
                wrong += _not_a_group(view, host, chain)
        inventory = view.inventory(host)
        most = None if inventory is None else inventory.resource_groups
        groups = len(_owners(content))
        if most is not None and groups > max(most, 0 if before is None else len(_owners(before))):
            wrong.append(f"{host}: {groups} NFs and chains have resources of their own, {most} can")
    return wrong


def _not_a_group(view: View, host: str, chain: DesiredChain) -> list[str]:
    nodes = {core.node for nf in chain.nfs if (core := view.core(host, nf.core)) is not None}
    wrong = [f"{chain.chain} on {host} has resources and stands on nodes {sorted(nodes)}"] if len(nodes) > 1 else []
    if chain.resources == ChainResources():
        wrong.append(f"{chain.chain} on {host} has resources that are none")
    return wrong + [
        f"{nf.nf_id} on {host} has resources of its own beside those of its chain"
        for nf in chain.nfs
        if nf.llc_ways is not None or nf.memory_bandwidth_percent not in {None, 100}
    ]


def _owners(content: HostContent) -> list[str]:
    """NFs and chains that have a group; a chain with bounds may get something at any moment."""
    found: list[str] = []
    for chain in content.chains:
        parts = [(nf.nf_id, nf.llc_ways, nf.memory_bandwidth_percent) for nf in chain.nfs]
        if chain.bounds is not None:
            found.append(chain.chain)
        elif chain.resources is not None:
            parts.append((chain.chain, chain.resources.llc_ways, chain.resources.memory_bandwidth_percent))
        found += [owner for owner, ways, percent in parts if ways is not None or percent not in {None, 100}]
    return found


def of_processes(view: View) -> list[str]:
    """NFs that share a process have no resources of their own."""
    shared = [
        (host, chain)
        for host, content in view.after.items()
        if content != view.before.get(host)
        for chain in content.chains
        if chain.execution != "isolated" and chain not in view.before[host].chains
    ]
    return [
        f"{nf.nf_id} on {host} shares a process, and is given resources of its own"
        for host, chain in shared
        for nf in chain.nfs
        if any(value is not None for value in resources_of(nf).values())
    ]


def _ways(view: View, contents: dict[str, HostContent]) -> Given:
    found: Given = defaultdict(dict)
    for host, content in contents.items():
        for chain in content.chains:
            of_chain = None if chain.resources is None else chain.resources.llc_ways
            for nf in chain.nfs:
                core = view.core(host, nf.core)
                if core is not None and of_chain is not None:
                    found[host, core.node][chain.chain] = of_chain
                if core is not None and nf.llc_ways is not None:
                    found[host, core.node][nf.nf_id] = nf.llc_ways
    return found


def _node(view: View, host: str, node: int) -> NumaNode | None:
    inventory = view.inventory(host)
    return None if inventory is None else next((one for one in inventory.nodes if one.id == node), None)
