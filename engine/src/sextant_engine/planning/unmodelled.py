"""What no model predicts: LLC ways and memory bandwidth of their own; where cores are exclusive, CPU quotas, and NFs
that do not stand alone.

Profiles are measured with all of the cache, the memory and the core within reach (Octans, Sec. IV), so their figures
say nothing of an NF that may use a part only, nor of its neighbours on the node. Time sharing knows shares and quotas.
"""

from collections import Counter

from sextant_engine.host_state import HostState
from sextant_engine.planning.resource_groups import resource_groups


def unmodelled(host: HostState) -> dict[str, str]:
    """Chain -> why nothing is predicted of it, of the chains of the view for which that is so."""
    on_node = {node: one for one in reversed(resource_groups(host)) for node in one.nodes}
    found: dict[str, str] = {}
    for name, chain in host.chains.items():
        near = [on_node[node] for node in map(host.node_of, (nf.core for nf in chain.nfs)) if node in on_node]
        limited = [nf for nf in chain.nfs if nf.cpu_quota_percent is not None or chain.quota_bounds is not None]
        if near:
            what = f"{near[0].what} of {near[0].owner}'s own, for it or for others on its node"
            found[name] = f"no model predicts {what}: throughput is measured only"
        elif limited and not host.inventory.shares_cores:
            quota = f"a CPU quota, as {limited[0].nf_id} has, on a core of its own"
            found[name] = f"no model predicts {quota}: throughput is measured only"
    return found


def crowded(host: HostState) -> dict[str, str]:
    """Chain -> why nothing is predicted of it, of the chains with an NF that stands beside others on a core of its own:
    cores were shared until an operator set one slot, and it stays until a plan moves it."""
    if host.inventory.shares_cores:
        return {}
    unit_of = host.cores.layout.unit_of
    held = Counter(unit_of[nf.core].core for nf in host.nfs() if nf.core in unit_of)
    full = {core: count for core, count in held.items() if count > 1}
    found: dict[str, str] = {}
    for name, chain in host.chains.items():
        units = [unit_of[nf.core].core for nf in chain.nfs if nf.core in unit_of]
        core = next((core for core in units if core in full), None)
        if core is not None:
            found[name] = f"no model predicts {full[core]} NFs on core {core}, which has one slot: re-place the host"
    return found
