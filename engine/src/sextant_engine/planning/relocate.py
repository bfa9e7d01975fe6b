"""Move chains to other hosts: one to the host that an operator names, alone or in exchange for chains there, or all
off a host that is drained.

A chain goes as a whole, and is placed anew by the search that places chains that wait. Its packets are the operator's
affair: one that names the host they arrive on leaves it only for a host that the operator names instead.
"""

from collections.abc import Collection, Mapping

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.intents import DrainIntent, RelocateIntent
from sextant_domain.plans.plan import Rejection
from sextant_domain.plans.resources import RESOURCES

from sextant_engine.host_state import HostState
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.listing import listed
from sextant_engine.planning.parts import stays
from sextant_engine.planning.placing import place_chains
from sextant_engine.planning.refusals import down_text
from sextant_engine.planning.rejecting import rejection

OF_HOST = ("llc_ways", "memory_bandwidth_percent")
"""Resources that are of a machine and stand in no specification."""


def relocate(draft: PlanDraft, intent: RelocateIntent) -> None:
    """Move the chain, and those that it changes places with; or record why none of them moves."""
    homes = {name: draft.hosts_of(name) for name in intent.chains}
    refused = {name: why for name in intent.chains if (why := _not_relocatable(draft, intent, name, homes[name]))}
    if refused:
        draft.rejected += _none_moves(intent, refused)
        return
    before = dict(draft.hosts)
    goals = dict.fromkeys(intent.exchange, homes[intent.chain][0].name) | {intent.chain: intent.host}
    specs = {name: draft.fleet.specs[name].moved_to(goal) for name, goal in goals.items()}
    for name, (home,) in homes.items():
        _warn_of_lost_resources(draft, home, [specs[name]])
        draft.drop(home.name, name)
    for goal in dict.fromkeys(goals[name] for name in intent.chains):
        draft.closed = dict.fromkeys(draft.hosts.keys() - {goal}, f"the chain is to go to {goal}")
        place_chains(draft, [specs[name] for name in intent.chains if goals[name] == goal], may_move=False)
    stay = {one.chain: (f"{one.reason}; it stays on {homes[one.chain][0].name}", one) for one in draft.rejected}
    if stay:
        draft.hosts = before
        said = [one.model_copy(update={"reason": reason}) for reason, one in stay.values()]
        draft.rejected = said + _along(intent, stay)
        return
    for name, (home,) in homes.items():
        for nf in home.chains[name].nfs:
            draft.reasons[nf.nf_id] = f"ordered to {goals[name]}; {draft.reasons[nf.nf_id]}"


def _none_moves(intent: RelocateIntent, refused: Mapping[str, tuple[str, str]]) -> list[Rejection]:
    return [rejection(name, *why) for name, why in refused.items()] + _along(intent, refused)


def _along(intent: RelocateIntent, stay: Collection[str]) -> list[Rejection]:
    """Chains that could move, but not without those that stay."""
    reason = f"it changes places with {listed(list(stay))}, which cannot move"
    relax = "exchange other chains, or move them one by one"
    return [rejection(name, reason, relax=relax) for name in intent.chains if name not in stay]


def _not_relocatable(
    draft: PlanDraft, intent: RelocateIntent, name: str, homes: list[HostState]
) -> tuple[str, str] | None:
    """Reason and what helps."""
    if intent.host not in draft.hosts:
        return f"host {intent.host} is not in the fleet", "name a host of the fleet"
    if not homes:
        return "the chain runs on no host", "place it instead"
    at = [home.name for home in homes]
    if name == intent.chain and (len(at) > 1 or at == [intent.host]):
        return f"the chain runs on {listed(at)} already", "name another host"
    if name != intent.chain and at != [intent.host]:
        return f"the chain runs on {listed(at)}, not on {intent.host}", f"name a chain that runs on {intent.host}"
    return _not_to_be_stopped(draft, name, homes[0])


def _not_to_be_stopped(draft: PlanDraft, name: str, home: HostState) -> tuple[str, str] | None:
    if not home.up:
        return f"{down_text(home)}, so the chain cannot be stopped there", f"bring {home.name} back"
    spec = draft.fleet.specs.get(name)
    if spec is None:
        return "the chain is not among those that shall run", "submit it again"
    return None if spec.part is None else stays(spec.part, home.name)


def drain(draft: PlanDraft, intent: DrainIntent) -> None:
    """Move what can go; what cannot is rejected with the reason and stays where it runs."""
    home = draft.hosts.get(intent.host)
    if home is None:
        draft.rejected.append(rejection("fleet", f"host {intent.host} is not in the fleet", "name a host of the fleet"))
        return
    if not home.up:
        why = f"{down_text(home)}, so its chains cannot be stopped there"
        draft.rejected += [rejection(name, why, f"bring {home.name} back") for name in sorted(home.chains)]
        return
    if home.cordoned is None:
        draft.warn(f"{home.name} is not cordoned: plans may put NFs there again; cordon it to keep it empty")
    draft.closed = {home.name: f"{home.name} is drained"}
    leaving: list[ChainSpec] = []
    for name in sorted(home.chains):
        spec = draft.fleet.specs.get(name)
        stays = _why_it_stays(draft, home, spec)
        if stays is not None:
            draft.rejected.append(rejection(name, *stays))
        elif spec is not None:
            leaving.append(spec)
    _move(draft, home, leaving, f"{home.name} is drained")


def _why_it_stays(draft: PlanDraft, home: HostState, spec: ChainSpec | None) -> tuple[str, str] | None:
    if spec is None:
        return f"the chain is being deleted, and {home.name} still runs it", "wait for the operation that deletes it"
    if spec.part is not None:
        return stays(spec.part, home.name)
    if home.name in {spec.ingress.host, spec.egress.host}:
        end = "ingress" if spec.ingress.host == home.name else "egress"
        why = f"its {end} is {home.name}: its packets arrive or leave there"
        return f"{why}, and no other host is named", "lead them to another host, then move the chain there by hand"
    if len(draft.hosts) == 1:
        return f"{home.name} is the only host of the fleet", "enrol another"
    return None


def _move(draft: PlanDraft, home: HostState, specs: list[ChainSpec], why: str) -> None:
    """Chains that find no place go back as they were."""
    _warn_of_lost_resources(draft, home, specs)
    for spec in specs:
        draft.drop(home.name, spec.name)
    place_chains(draft, specs, may_move=False)
    stay = {spec.name for spec in specs if not draft.hosts_of(spec.name)}
    for name in sorted(stay):
        draft.put(home.name, home.chains[name])
    for spec in specs:
        if spec.name not in stay:
            for nf in home.chains[spec.name].nfs:
                draft.reasons[nf.nf_id] = f"{why}; {draft.reasons[nf.nf_id]}"
    draft.rejected = [
        one.model_copy(update={"reason": f"{one.reason}; it stays on {home.name}"}) if one.chain in stay else one
        for one in draft.rejected
    ]


def _warn_of_lost_resources(draft: PlanDraft, home: HostState, specs: list[ChainSpec]) -> None:
    for spec in specs:
        chain = home.chains[spec.name]
        if chain.resources is not None:
            owned = [RESOURCES[field] for field in OF_HOST if getattr(chain.resources, field) is not None]
            draft.warn(f"{spec.name} has {' and '.join(owned)} of its own on {home.name}, which do not go along")
        if chain.bounds is not None:
            draft.warn(f"{spec.name} has bounds of {chain.bounds.law} on {home.name}, which do not go along")
        for nf in chain.nfs:
            owned = [RESOURCES[field] for field in OF_HOST if getattr(nf, field) is not None]
            if owned:
                draft.warn(f"{nf.nf_id} has {' and '.join(owned)} of its own on {home.name}, which do not go along")
