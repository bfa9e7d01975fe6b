"""Give NFs and chains that run other cores of their hosts, LLC ways, memory bandwidth, CPU shares, quotas or bounds:
all of them, or none."""

from collections.abc import Iterable, Iterator, Mapping

from sextant_domain.chains.chain import DEFAULT_CPU_SHARE, SHARED_PROCESS
from sextant_domain.hosts.desired import ChainResources, DesiredChain, DesiredNf
from sextant_domain.plans.intents import ResourceIntent
from sextant_domain.plans.plan import Rejection
from sextant_domain.plans.resources import RESOURCES, MemoryRequest, resource_text

from sextant_engine.host_state import HostState
from sextant_engine.planning.bounds import bounded, not_boundable, outside_bounds, tables_of
from sextant_engine.planning.cores_by_hand import chain_of, with_tied
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.loss import beyond_budget
from sextant_engine.planning.moves import cannot_stand, moved_to
from sextant_engine.planning.refusals import down_text
from sextant_engine.planning.rejecting import rejection
from sextant_engine.planning.resource_groups import (
    doubly_given,
    groups_beyond,
    overfull_caches,
    resource_groups,
    spread_chains,
)

CAPABILITIES = {
    "llc_ways": "resctrl-cat",
    "memory_bandwidth_percent": "resctrl-mba",
    "cpu_share": "cpu-share",
    "cpu_quota_percent": "cpu-share",
}
"""Field -> the capability that a host must have to give it."""


def give_resources(draft: PlanDraft, intent: ResourceIntent) -> None:
    """Give every NF and chain what is asked for it, or record why not and change nothing."""
    asked: dict[str, MemoryRequest] = {**intent.chains, **intent.resources}
    homes: dict[str, tuple[HostState, tuple[DesiredNf, ...]]] = {}
    homes |= {nf.nf_id: (host, (nf,)) for host in draft.hosts.values() for nf in host.nfs()}
    homes |= {name: (host, chain.nfs) for host in draft.hosts.values() for name, chain in host.chains.items()}
    seats, led_by, refused = with_tied(draft.fleet, draft.hosts, intent.seats)
    given, immovable = moved_to(draft.hosts, seats, led_by)
    refused += immovable
    tables = tables_of(intent)
    for owner, request in sorted(asked.items()):
        refused += _refusals(owner, request, *homes.get(owner, (None, ())))
    for name, bounds in sorted(intent.bounds.items()):
        refused += not_boundable(homes.get(name, (None, ()))[0], name, bounds, tables)
    if not refused:
        for owner, request in sorted(asked.items()):
            name = homes[owner][0].name
            given[name] = _given(given.get(name, draft.hosts[name]), owner, request)
        for name in sorted({homes[chain][0].name for chain in intent.bounds}):
            given[name] = bounded(given.get(name, draft.hosts[name]), intent)
        refused = [one for name in sorted(given) for one in _not_together(draft, given[name], seats, asked)]
    if not refused and intent.loss_budget is not None:
        too_dear = beyond_budget([given[name] for name in sorted(given)], intent.loss_budget)
        refused = [] if too_dear is None else [too_dear]
    if not refused and not any(host.changed for host in given.values()):
        refused = [_nothing(owner) for owner in sorted({*asked, *intent.bounds})]
    if refused:
        draft.rejected += refused
        return
    draft.hosts |= given
    for owner, request in sorted(asked.items()):  # a chain before its NFs, whose own reason is the nearer one
        draft.reasons |= {nf.nf_id: _reason(owner, request) for nf in homes[owner][1]}
    for nf_id, core in intent.seats.items():
        more = f"; {draft.reasons[nf_id]}" if nf_id in draft.reasons else ""
        draft.reasons[nf_id] = f"ordered to core {core}{f' by {intent.law}' if intent.law else ''}{more}"
    draft.reasons |= {nf_id: f"tied with {leader}, ordered to core {seats[nf_id]}" for nf_id, leader in led_by.items()}


def _not_together(
    draft: PlanDraft, host: HostState, seats: Mapping[str, int], asked: Mapping[str, MemoryRequest]
) -> Iterator[Rejection]:
    """What each alone could be and all of it cannot: one refusal a chain."""
    before = draft.hosts[host.name]
    said: set[str] = set()
    for one in (
        *_impossible(before, host, asked),
        *cannot_stand(draft.fleet, before, host, seats),
        *outside_bounds(host),
    ):
        if one.chain not in said:
            yield one
        said.add(one.chain)


def _refusals(
    owner: str, asked: MemoryRequest, host: HostState | None, nfs: tuple[DesiredNf, ...]
) -> Iterator[Rejection]:
    chain = chain_of(owner)
    if host is None:
        what = "NFs" if "." in owner else "chains"
        yield rejection(chain, f"no host runs {owner}", relax=f"list the {what} that run and name one of them")
    elif asked.host is not None and asked.host != host.name:
        relax = f"name {host.name}, or leave the host out; a migration moves an NF"
        yield rejection(chain, f"{owner} runs on {host.name}, not on {asked.host}", relax=relax)
    elif not host.up:
        relax = f"bring {host.name} back"
        yield rejection(chain, f"{down_text(host)}, so nothing can be given there", relax=relax)
    else:
        for field, value in asked.asked.items():
            why = None if value is None else _cannot(host, owner, nfs, field, value)
            if why is not None:
                yield rejection(chain, f"{field} of {owner}: {why[0]}", relax=why[1])


def _cannot(
    host: HostState, owner: str, nfs: tuple[DesiredNf, ...], field: str, value: float
) -> tuple[str, str] | None:
    """Why this host cannot give it, and what helps; None where it can."""
    chain = host.chains[chain_of(owner)]
    if chain.execution != "isolated" and owner != chain.chain:
        return SHARED_PROCESS.replace("CPU time", RESOURCES[field]), f"make {chain.chain} isolated first"
    as_any = field == "cpu_share" and value == DEFAULT_CPU_SHARE
    why_not = None if as_any else host.inventory.why_not(CAPABILITIES[field])
    if why_not is not None:
        return f"{host.name} cannot give {RESOURCES[field]}: {why_not}", f"leave {field} out"
    budget = host.inventory.cpu_budget_percent
    limited = field == "cpu_quota_percent" and chain.quota_bounds is None  # within bounds it begins with what fits
    if limited and budget is not None and value > budget:
        return f"all NFs of {host.name} have {budget:g} % of a core together", f"ask for {budget:g} % at most"
    standing = {host.node_of(nf.core) for nf in nfs}
    node = next((node for node in host.inventory.nodes if node.id in standing), None)
    steps = node.memory_bandwidth_steps_percent if node is not None else ()
    if field == "memory_bandwidth_percent" and steps and value not in steps:
        return f"{host.name} has no step of {value:g} %", f"ask for {', '.join(f'{step} %' for step in steps)}"
    return None


def _given(host: HostState, owner: str, asked: MemoryRequest) -> HostState:
    chain = host.chains[chain_of(owner)]
    if owner == chain.chain:
        return host.with_chain(chain.model_copy(update={"resources": _of_chain(chain, asked)}))
    nfs = tuple(nf.model_copy(update=asked.asked) if nf.nf_id == owner else nf for nf in chain.nfs)
    return host.with_chain(chain.model_copy(update={"nfs": nfs}))


def _of_chain(chain: DesiredChain, asked: MemoryRequest) -> ChainResources | None:
    has = chain.resources or ChainResources()
    changed = has.model_copy(update=asked.asked)
    return None if changed == ChainResources() else changed


def _reason(owner: str, asked: MemoryRequest) -> str:
    wanted = [f"{RESOURCES[field]} {resource_text(field, value)}" for field, value in asked.asked.items()]
    whose = "" if "." in owner else f" for all NFs of {owner} together"
    return f"as ordered: {', '.join(wanted)}{whose}"


def _impossible(before: HostState, host: HostState, asked: Mapping[str, MemoryRequest]) -> Iterator[Rejection]:
    """What no host could give together; what stood so before, and was not asked for, is not this plan's doing."""
    yield from _doubly(host, asked)
    yield from _spread(host, asked)
    yield from _overfull(host, asked)
    yield from _too_many(before, host, asked)


def _doubly(host: HostState, asked: Mapping[str, MemoryRequest]) -> Iterator[Rejection]:
    for name, owners in doubly_given(host).items():
        cause = _first(asked, [name, *owners])
        if cause is not None:
            reason = (
                f"{cause[1]} of {cause[0]}: on {host.name} {name} would have LLC ways or memory bandwidth for all its "
                f"NFs together, and {', '.join(owners)} some of its own; a thread is in one group"
            )
            yield rejection(name, reason, relax=f"give back (none) what {', '.join(owners)} has, or what {name} has")


def _spread(host: HostState, asked: Mapping[str, MemoryRequest]) -> Iterator[Rejection]:
    for one in spread_chains(host):
        cause = _first(asked, [one.owner])
        if cause is not None:
            nodes = " and ".join(str(node) for node in one.nodes)
            reason = (
                f"{cause[1]} of {one.owner}: its NFs stand on nodes {nodes} of {host.name}; ways and bandwidth of a "
                "chain are of one node"
            )
            yield rejection(one.chain, reason, relax="move its NFs to one node first, or name single NFs")


def _overfull(host: HostState, asked: Mapping[str, MemoryRequest]) -> Iterator[Rejection]:
    """Caches of which more ways would be given away than there are, less the one that all others share."""
    for node, given, ways in overfull_caches(host):
        first = next((one for one in given if _asks(asked, one.owner, ("llc_ways",))), None)
        if first is None:
            continue
        rest = ways - 1 - sum(one.llc_ways or 0 for one in given if one is not first)
        shares = ", ".join(f"{one.owner} {one.llc_ways}" for one in given)
        reason = (
            f"llc_ways of {first.owner}: the cache of node {node} of {host.name} has {ways} ways, one at least for all "
            f"others, and {sum(one.llc_ways or 0 for one in given)} would be given away ({shares})"
        )
        relax = f"ask for {rest} at most" if rest > 0 else "take ways from others there first (none)"
        yield rejection(first.chain, reason, relax=relax)


def _too_many(before: HostState, host: HostState, asked: Mapping[str, MemoryRequest]) -> Iterator[Rejection]:
    most, held = groups_beyond(host), resource_groups(before)
    cause = _first(asked, [one.owner for one in resource_groups(host) if one.owner not in {old.owner for old in held}])
    if most is None or cause is None or len(resource_groups(host)) <= len(held):
        return
    owners = ", ".join(one.owner for one in held) or "none"
    reason = (
        f"{cause[1]} of {cause[0]}: {host.name} has {most + 1} classes of service, counted for the whole host, one of "
        f"which all others share, and {len(resource_groups(host))} NFs and chains would need one each (now: {owners})"
    )
    yield rejection(
        chain_of(cause[0]), reason, relax="give back (none) what another has, or give a chain some as a whole"
    )


def _first(asked: Mapping[str, MemoryRequest], owners: Iterable[str]) -> tuple[str, str] | None:
    """(owner, field) of the first that asks for ways or bandwidth, and not to give them back."""
    fields = ("llc_ways", "memory_bandwidth_percent")
    found = ((owner, _asks(asked, owner, fields)) for owner in owners)
    return next(((owner, field) for owner, field in found if field is not None), None)


def _asks(asked: Mapping[str, MemoryRequest], owner: str, fields: tuple[str, ...]) -> str | None:
    wanted = asked[owner].asked if owner in asked else {}
    return next((field for field in fields if wanted.get(field) is not None), None)


def _nothing(owner: str) -> Rejection:
    reason = f"nothing changes: {owner} has all of that already"
    return rejection(chain_of(owner), reason, relax="ask for another value")
