"""Rules about LLC ways, memory bandwidth, CPU shares and quotas: as asked for, and no more than a host can give.

As with seats, what stood wrongly before and stays is not this plan's doing.
"""

from collections import defaultdict
from collections.abc import Iterable

from sextant_domain.hosts.desired import DesiredNf
from sextant_domain.hosts.host import NumaNode
from sextant_domain.plans.intents import ResourceIntent

from sextant_engine.checks.view import View

Given = dict[tuple[str, int], dict[str, int]]
"""(host, node) -> NF -> LLC ways of its own."""


def as_asked(view: View) -> list[str]:
    """NFs that the intent names have what it says of them, where it says that they run."""
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
    return wrong


def resources_of(nf: DesiredNf) -> dict[str, float | None]:
    """What an order gives one NF, by field."""
    return {
        "llc_ways": nf.llc_ways,
        "memory_bandwidth_percent": nf.memory_bandwidth_percent,
        "cpu_share": nf.cpu_share,
        "cpu_quota_percent": nf.cpu_quota_percent,
    }


def within_cache(view: View) -> list[str]:
    """Ways of their own leave one way of each cache at least to all others."""
    before, after = _ways(view, view.nfs_before), _ways(view, view.nfs_after)
    wrong: list[str] = []
    for (host, node), given in sorted(after.items()):
        found = _node(view, host, node)
        ways = found.llc.ways if found is not None and found.llc is not None else None
        if given == before.get((host, node)) or ways is None:
            continue
        if any(own < 1 for own in given.values()):
            wrong.append(f"node {node} of {host}: an NF has no way of its cache")
        if sum(given.values()) > max(ways - 1, sum(before.get((host, node), {}).values())):
            wrong.append(f"node {node} of {host}: {sum(given.values())} of {ways} ways are given away, one must stay")
    return wrong


def bandwidth_in_steps(view: View) -> list[str]:
    """A limit of memory bandwidth is one of the steps that the NF's host has."""
    then = {nf.nf_id: (host, nf.core, nf.memory_bandwidth_percent) for host, nf in view.nfs_before}
    wrong: list[str] = []
    for host, nf in view.nfs_after:
        percent = nf.memory_bandwidth_percent
        if percent is None or then.get(nf.nf_id) == (host, nf.core, percent):
            continue
        core = view.core(host, nf.core)
        node = None if core is None else _node(view, host, core.node)
        steps = () if node is None else node.memory_bandwidth_steps_percent
        if steps and percent not in steps:
            wrong.append(f"{nf.nf_id}: {host} has no step of {percent} % of memory bandwidth")
    return wrong


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


def _ways(view: View, nfs: Iterable[tuple[str, DesiredNf]]) -> Given:
    found: Given = defaultdict(dict)
    for host, nf in nfs:
        if nf.llc_ways is not None and (core := view.core(host, nf.core)) is not None:
            found[host, core.node][nf.nf_id] = nf.llc_ways
    return found


def _node(view: View, host: str, node: int) -> NumaNode | None:
    inventory = view.inventory(host)
    return None if inventory is None else next((one for one in inventory.nodes if one.id == node), None)
