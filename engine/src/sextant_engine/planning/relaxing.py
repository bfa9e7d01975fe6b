"""The ways to make room for a chain that does not fit: each as an instruction, and as what a preview assumes.

Cheapest first: nothing given up (a host back, another way in, a chain moved), then the least value removed; behind it
the fewest slots that would do.
"""

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.cpu_bounds import QUOTA_BOUNDS
from sextant_domain.chains.lane import LANES
from sextant_domain.chains.match import IPV6
from sextant_domain.hosts.host import MOST_SLOTS, SHARED_SLOTS
from sextant_domain.plans.assumptions import RELAXABLE, Assumption, AssumptionKind, ChainMove, Relaxation

from sextant_engine.host_state import HostState
from sextant_engine.planning.apart import free_apart
from sextant_engine.planning.cpu_budget import above_budget, ask_for_less, quotas_of
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.ports import routes_of
from sextant_engine.planning.refusals import HostRefusal
from sextant_engine.planning.ties import why_not

NEAREST = 50
"""Hosts, those with the least missing, in which a chain to move or to remove is looked for."""


MOST_REMOVED = 16
"""Chains that a preview can take for removed."""

OPENNETVM = "opennetvm"
"""A driver whose hosts choose whether NFs share cores."""
WITHOUT = {
    "cpu-share": "take its CPU shares and quotas away",
    IPV6: "match IPv4 prefixes in ingress.match",
    LANES: "submit it without lanes",
    "pause": "submit it unpaused",
    QUOTA_BOUNDS: "take its quota bounds away",
    "run-to-completion": "run it isolated",
}
"""How a chain does without what a host cannot do."""


def relaxations(draft: PlanDraft, spec: ChainSpec, refusals: list[HostRefusal]) -> tuple[Relaxation, ...]:
    """Never none. `refusals`: one of every host."""
    short = sorted((one for one in refusals if one.cause == "room"), key=lambda one: (one.missing, one.host.name))
    found = (
        _host_back(draft, spec, refusals),
        _uncordon(draft, spec, refusals),
        _other_way_in(draft, spec, refusals),
        _move(draft, short[:NEAREST]),
        _without_group(spec, refusals),
        _with_slots(refusals),
        _without_wishes(draft, spec, refusals),
        _with_less_cpu(draft, spec, refusals),
        _removal(draft, short[:NEAREST]),
        _fewest_slots(spec, short),
    )
    ways = tuple(one for one in found if one is not None)
    return ways or (Relaxation(text="bring a host back, or enrol another"),)


def cheapest_text(ways: tuple[Relaxation, ...]) -> str:
    """The first of them, and behind it what only takes slots."""
    first, last = ways[0].text, ways[-1]
    by_slots = len(ways) > 1 and not last.assume and last.move is None
    return f"{first}; or {last.text}" if by_slots else first


def _assume(kind: AssumptionKind, *names: str) -> tuple[Assumption, ...]:
    return tuple(Assumption(kind=kind, name=name) for name in names)


def _host_back(draft: PlanDraft, spec: ChainSpec, refusals: list[HostRefusal]) -> Relaxation | None:
    for refusal in refusals:
        if refusal.cause == "down" and _would_take(draft, refusal.host, spec):
            text = f"bring {refusal.host.name} back: it has {slots(refusal.host.free)} free"
            return Relaxation(text=text, assume=_assume(AssumptionKind.UP, refusal.host.name))
    return None


def _uncordon(draft: PlanDraft, spec: ChainSpec, refusals: list[HostRefusal]) -> Relaxation | None:
    for refusal in refusals:
        if refusal.cause == "cordoned" and _takes_by_itself(draft, refusal.host, spec):
            text = f"uncordon {refusal.host.name}: it has {slots(refusal.host.free)} free"
            return Relaxation(text=text, assume=_assume(AssumptionKind.UNCORDONED, refusal.host.name))
    return None


def _other_way_in(draft: PlanDraft, spec: ChainSpec, refusals: list[HostRefusal]) -> Relaxation | None:
    """Hosts that only the chain's own ends exclude, of the choice of those: a chain of real packets is not led to a
    simulated host, nor one of a simulated host to another."""
    ends = (draft.hosts.get(name) for name in (spec.ingress.host, spec.egress.host) if name is not None)
    choices = {end.inventory.order_of_choice for end in ends if end is not None} or {draft.fleet.first_choice}
    for refusal in refusals:
        if refusal.cause != "elsewhere" or refusal.host.inventory.order_of_choice not in choices:
            continue
        if _in_service(refusal.host) and _would_take(draft, refusal.host, spec):
            text = f"let it enter and leave at {refusal.host.name}: it has {slots(refusal.host.free)} free"
            return Relaxation(text=text, assume=_assume(AssumptionKind.ENTRY, refusal.host.name))
    if any(refusal.cause == "port" for refusal in refusals):
        return Relaxation(text="name a port that the host has, or none to let the engine choose")
    return None


def _move(draft: PlanDraft, short: list[HostRefusal]) -> Relaxation | None:
    """The shortest chain that frees enough and has room elsewhere."""
    open_hosts = [host for host in draft.hosts.values() if host.name not in draft.closed]
    up = [host for host in open_hosts if _in_service(host) and host.free > 0]
    roomy = sorted(up, key=lambda host: (-host.free, host.name))[:NEAREST]
    found: list[tuple[int, str, str, str]] = []
    for refusal in short:
        for name, chain in refusal.host.chains.items():
            spec = draft.fleet.specs.get(name)
            if spec is None or spec.ingress.host or spec.egress.host or len(chain.nfs) < refusal.missing:
                continue
            target = next((host for host in roomy if _takes(draft, host, refusal.host, spec)), None)
            if target is not None:
                found.append((len(chain.nfs), name, refusal.host.name, target.name))
    if not found:
        return None
    length, name, source, goal = min(found)
    text = f"move {name} from {source} to {goal}, which frees {slots(length)}"
    return Relaxation(text=text, move=ChainMove(chain=name, host=goal))


def _in_service(host: HostState) -> bool:
    return host.up and host.cordoned is None


def _takes(draft: PlanDraft, host: HostState, source: HostState, spec: ChainSpec) -> bool:
    return host is not source and _takes_by_itself(draft, host, spec)


def _takes_by_itself(draft: PlanDraft, host: HostState, spec: ChainSpec) -> bool:
    """By room, abilities, ports and whom it must not stand with."""
    return _would_take(draft, host, spec) and not isinstance(routes_of(spec, host), str)


def _would_take(draft: PlanDraft, host: HostState, spec: ChainSpec) -> bool:
    """By room, abilities, whom it must not stand with, and whom it must."""
    if free_apart(draft.fleet, host, spec) < len(spec.nfs) or host.cannot_run(draft.fleet.runs_of(spec)) is not None:
        return False
    if host.lacks(spec.needs.values()) is not None or above_budget(host, quotas_of(draft.fleet, spec)) is not None:
        return False
    return why_not(draft.fleet, host, spec) is None


def _without_group(spec: ChainSpec, refusals: list[HostRefusal]) -> Relaxation | None:
    """The first host that has room, beside chains that it must not stand with."""
    for refusal in refusals:
        if refusal.cause == "apart" and spec.anti_affinity is not None:
            group = spec.anti_affinity.group
            text = f"place it without anti-affinity group {group}: "
            text += f"then {refusal.host.name} has {slots(refusal.host.free)} free"
            return Relaxation(text=text, assume=_assume(AssumptionKind.TOGETHER, group))
    return None


def _with_slots(refusals: list[HostRefusal]) -> Relaxation | None:
    """The first host that has no room for it where those stand that it is tied with."""
    for refusal in refusals:
        if refusal.cause == "tied" and refusal.host.inventory.shares_cores:
            text = f"move those that it is tied with to a core of {refusal.host.name} with more free slots"
            return Relaxation(text=f"{text} (sextant migrate), or submit it without the tie")
        if refusal.cause == "tied":
            slots_of = f"sextant hosts slots {refusal.host.name} 4 --reason ..."
            return Relaxation(text=f"let several NFs share a core (`{slots_of}`), or submit it without the tie")
    return None


def _without_wishes(draft: PlanDraft, spec: ChainSpec, refusals: list[HostRefusal]) -> Relaxation | None:
    """The first host that has room and only lacks an ability."""
    for refusal in refusals:
        missing = {one for one in spec.needs.values() if refusal.host.inventory.why_not(one) is not None}
        only_lacks = refusal.cause == "ability" and refusal.host.cannot_run(draft.fleet.runs_of(spec)) is None
        if only_lacks and free_apart(draft.fleet, refusal.host, spec) >= len(spec.nfs):
            without = " and ".join(WITHOUT[one] for one in sorted(missing))
            text = f"{without}: then {refusal.host.name} has {slots(refusal.host.free)} free"
            assume = _assume(AssumptionKind.WITHOUT, *sorted(missing)) if missing <= RELAXABLE else ()
            return Relaxation(text=text, assume=assume)
    return None


def _with_less_cpu(draft: PlanDraft, spec: ChainSpec, refusals: list[HostRefusal]) -> Relaxation | None:
    """The host of the largest CPU budget, of those that have room and only give their NFs less."""
    roomy = [
        one.host
        for one in refusals
        if one.cause == "budget" and free_apart(draft.fleet, one.host, spec) >= len(spec.nfs)
    ]
    if not roomy:
        return None
    host = min(roomy, key=lambda host: (-(host.inventory.cpu_budget_percent or 0.0), host.name))
    how = ask_for_less(spec.quota_bounds, host)
    return Relaxation(text=f"{how}: then {host.name} has {slots(host.free)} free")


def _removal(draft: PlanDraft, short: list[HostRefusal]) -> Relaxation | None:
    found = [
        (value, refusal.host.name, names, freed)
        for refusal in short
        for value, names, freed in [_cheapest_removal(draft, refusal.host, refusal.missing)]
        if names
    ]
    if not found:
        return None
    value, host, names, freed = min(found)
    text = f"remove {' and '.join(names)} (value {value:g}) from {host}, which frees {slots(freed)}"
    return Relaxation(text=text, assume=_assume(AssumptionKind.REMOVED, *names) if len(names) <= MOST_REMOVED else ())


def _cheapest_removal(draft: PlanDraft, host: HostState, missing: int) -> tuple[float, tuple[str, ...], int]:
    """Chains of least summed value that free `missing` seats: the best single one, or the cheapest per seat in turn."""
    chains = sorted((draft.fleet.value_of(name), name, len(host.chains[name].nfs)) for name in host.chains)
    for value, name, freed in chains:
        if freed >= missing:
            return value, (name,), freed
    total, freed_in_all, names = 0.0, 0, []
    for value, name, freed in sorted(chains, key=lambda chain: (chain[0] / chain[2], chain[1])):
        total, freed_in_all = total + value, freed_in_all + freed
        names.append(name)
        if freed_in_all >= missing:
            return total, tuple(names), freed_in_all
    return 0.0, (), 0


def _fewest_slots(spec: ChainSpec, short: list[HostRefusal]) -> Relaxation | None:
    if not short:
        return None
    nearest = short[0]
    left = len(spec.nfs) - nearest.missing
    shorten = f"shorten it to {left} NF{'s' if left > 1 else ''}, or " if left > 0 else ""
    return Relaxation(text=f"{shorten}add {slots(nearest.missing)} on {nearest.host.name}{_by_sharing(nearest)}")


def _by_sharing(refusal: HostRefusal) -> str:
    """A host on which every NF has a core of its own may share its cores where an operator says so; an OpenNetVM host
    once it is configured so."""
    host = refusal.host
    inventory, cores = host.inventory, len(host.inventory.cores_for_nfs)
    if inventory.why_not(SHARED_SLOTS) is None and cores and not inventory.shares_cores:
        wanted = len(host.nfs()) + host.free + refusal.missing
        enough = min(MOST_SLOTS, max(2, -(-wanted // cores)))
        return f": `sextant hosts slots {host.name} {enough} --reason ...` lets {enough} NFs share a core"
    if inventory.driver != OPENNETVM or not any(core.slots == 1 for core in inventory.cores):
        return ""
    return ": `shared = true` for a manager in its opennetvm.toml lets NFs share cores"


def slots(count: int) -> str:
    """'1 slot', '3 slots'."""
    return "1 slot" if count == 1 else f"{count} slots"
