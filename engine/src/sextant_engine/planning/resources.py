"""Give NFs that run other LLC ways, memory bandwidth, CPU shares or quotas where they stand: all of them, or none."""

from collections.abc import Iterator

from sextant_domain.chains.chain import DEFAULT_CPU_SHARE, SHARED_PROCESS
from sextant_domain.hosts.desired import DesiredNf
from sextant_domain.plans.intents import ResourceIntent
from sextant_domain.plans.plan import Rejection
from sextant_domain.plans.resources import RESOURCES, ResourceRequest, resource_text

from sextant_engine.host_state import HostState
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.refusals import down_text
from sextant_engine.planning.rejecting import rejection

CAPABILITIES = {
    "llc_ways": "resctrl-cat",
    "memory_bandwidth_percent": "resctrl-mba",
    "cpu_share": "cpu-share",
    "cpu_quota_percent": "cpu-share",
}
"""Field -> the capability that a host must have to give it."""


def give_resources(draft: PlanDraft, intent: ResourceIntent) -> None:
    """Give every NF what is asked for it, or record why not and change nothing."""
    homes = {nf.nf_id: (host, nf) for host in draft.hosts.values() for nf in host.nfs()}
    refused: list[Rejection] = []
    for nf_id, asked in sorted(intent.resources.items()):
        refused += _refusals(nf_id, asked, *homes.get(nf_id, (None, None)))
    given: dict[str, HostState] = {}
    if not refused:
        for nf_id, asked in sorted(intent.resources.items()):
            name = homes[nf_id][0].name
            given[name] = _given(given.get(name, draft.hosts[name]), nf_id, asked)
        refused = [one for host in given.values() for one in _overfull(host, intent)]
    if not refused and not any(host.changed for host in given.values()):
        refused = [_nothing(nf_id) for nf_id in sorted(intent.resources)]
    if refused:
        draft.rejected += refused
        return
    draft.hosts |= given
    draft.reasons |= {nf_id: _reason(asked) for nf_id, asked in intent.resources.items()}


def _refusals(nf_id: str, asked: ResourceRequest, host: HostState | None, nf: DesiredNf | None) -> Iterator[Rejection]:
    chain = nf_id.split(".", 1)[0]
    if host is None or nf is None:
        yield rejection(chain, f"no host runs {nf_id}", relax="list the NFs that run and name one of them")
    elif asked.host is not None and asked.host != host.name:
        relax = f"name {host.name}, or leave the host out; a migration moves an NF"
        yield rejection(chain, f"{nf_id} runs on {host.name}, not on {asked.host}", relax=relax)
    elif not host.up:
        relax = f"bring {host.name} back"
        yield rejection(chain, f"{down_text(host)}, so nothing can be given there", relax=relax)
    else:
        for field, value in asked.asked.items():
            why = None if value is None else _cannot(host, nf, field, value)
            if why is not None:
                yield rejection(chain, f"{field} of {nf_id}: {why[0]}", relax=why[1])


def _cannot(host: HostState, nf: DesiredNf, field: str, value: float) -> tuple[str, str] | None:
    """Why this host cannot give it, and what helps; None where it can."""
    chain = host.chains[nf.nf_id.split(".", 1)[0]]
    if chain.execution != "isolated":
        return SHARED_PROCESS.replace("CPU time", RESOURCES[field]), f"make {chain.chain} isolated first"
    as_any = field == "cpu_share" and value == DEFAULT_CPU_SHARE
    why_not = None if as_any else host.inventory.why_not(CAPABILITIES[field])
    if why_not is not None:
        return f"{host.name} cannot give {RESOURCES[field]}: {why_not}", f"leave {field} out"
    node = next((node for node in host.inventory.nodes if node.id == host.node_of(nf.core)), None)
    steps = node.memory_bandwidth_steps_percent if node is not None else ()
    if field == "memory_bandwidth_percent" and steps and value not in steps:
        return f"{host.name} has no step of {value:g} %", f"ask for {', '.join(f'{step} %' for step in steps)}"
    return None


def _given(host: HostState, nf_id: str, asked: ResourceRequest) -> HostState:
    chain = host.chains[nf_id.split(".", 1)[0]]
    nfs = tuple(nf.model_copy(update=asked.asked) if nf.nf_id == nf_id else nf for nf in chain.nfs)
    return host.with_chain(chain.model_copy(update={"nfs": nfs}))


def _reason(asked: ResourceRequest) -> str:
    wanted = [f"{RESOURCES[field]} {resource_text(field, value)}" for field, value in asked.asked.items()]
    return f"as ordered: {', '.join(wanted)}"


def _overfull(host: HostState, intent: ResourceIntent) -> Iterator[Rejection]:
    """Caches of which more ways would be given away than there are, less the one that all others share."""
    for node, given, ways in overfull_caches(host):
        first = next((nf for nf in given if _asks_ways(intent, nf)), None)
        if first is None:
            continue
        rest = ways - 1 - sum(nf.llc_ways or 0 for nf in given if nf is not first)
        shares = ", ".join(f"{nf.nf_id} {nf.llc_ways}" for nf in given)
        reason = (
            f"llc_ways of {first.nf_id}: the cache of node {node} of {host.name} has {ways} ways, one at least for all "
            f"others, and {sum(nf.llc_ways or 0 for nf in given)} would be given away ({shares})"
        )
        relax = f"ask for {rest} at most" if rest > 0 else "take ways from others there first (none)"
        yield rejection(first.nf_id.split(".", 1)[0], reason, relax=relax)


def _asks_ways(intent: ResourceIntent, nf: DesiredNf) -> bool:
    asked = intent.resources.get(nf.nf_id)
    return asked is not None and asked.llc_ways is not None


def overfull_caches(host: HostState) -> Iterator[tuple[int, list[DesiredNf], int]]:
    """(node, NFs with ways of their own, ways of its cache) where these are more than all ways but one."""
    for node in host.inventory.nodes:
        ways = node.llc.ways if node.llc is not None else None
        given = [nf for nf in host.nfs() if nf.llc_ways is not None and host.node_of(nf.core) == node.id]
        if ways is not None and sum(nf.llc_ways or 0 for nf in given) > ways - 1:
            yield node.id, given, ways


def without_room(host: HostState, nf_id: str) -> str | None:
    """Why the ways that an NF holds do not fit where it would stand; None where they do."""
    for node, given, ways in overfull_caches(host):
        held = next((nf.llc_ways for nf in given if nf.nf_id == nf_id), None)
        if held is not None:
            return (
                f"its {held} LLC ways do not fit into the cache of node {node}: of {ways} ways one at least stays for "
                f"all others, and {sum(nf.llc_ways or 0 for nf in given)} would be given away"
            )
    return None


def _nothing(nf_id: str) -> Rejection:
    chain = nf_id.split(".", 1)[0]
    return rejection(chain, f"nothing changes: {nf_id} has all of that already", relax="ask for another value")
