"""Back to what hosts were ordered before an operation: its chains alone, and only where nobody changed them since.

A host is restored whole or not at all: of chains that changed places with each other half would not fit. Hosts between
which the operation moved a chain are restored together or not at all: half of that would stop the chain.
"""

from collections.abc import Iterator, Mapping, Sequence

from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent
from sextant_domain.plans.intents import RestoreIntent
from sextant_domain.plans.plan import Rejection
from sextant_domain.plans.snapshot import Former

from sextant_engine.host_state import HostState
from sextant_engine.planning.apart import group_of, together
from sextant_engine.planning.cores_by_hand import chain_of
from sextant_engine.planning.cpu_budget import above_budget, quotas_beyond
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.refusals import cordoned_text, down_text
from sextant_engine.planning.rejecting import rejection
from sextant_engine.planning.ties import apart
from sextant_engine.seats import Seats


def restore(draft: PlanDraft, intent: RestoreIntent) -> None:
    """Restore every host that the snapshot knows the former content of, or say why not."""
    for formers in _together(draft.fleet.snapshot.former):
        hosts, reasons = dict(draft.hosts), dict(draft.reasons)
        refused = {former.before.host_id: _restored(draft, former, intent) for former in formers}
        if any(refused.values()):
            draft.hosts, draft.reasons = hosts, reasons
            draft.rejected += _rejections(formers, refused)


def _together(formers: Sequence[Former]) -> list[list[Former]]:
    """Hosts with a chain, or parts of one, in common that the operation changed on both, directly or through others."""
    groups: list[list[Former]] = []
    for former in formers:
        chains = _shared(former)
        near = [group for group in groups if any(chains & _shared(one) for one in group)]
        groups = [group for group in groups if group not in near]
        groups.append([*(one for group in near for one in group), former])
    return groups


def _restored(draft: PlanDraft, former: Former, intent: RestoreIntent) -> list[Rejection]:
    """Nothing of a host that is restored; otherwise why it cannot be."""
    host = draft.hosts.get(former.before.host_id)
    chains = changed_by(former)
    refused = list(_refusals(draft, host, former, chains, intent))
    if host is None or refused:
        return refused
    return _put_back(draft, host, former.before, chains, intent) or list(_broken(draft, host, chains))


def _broken(draft: PlanDraft, before: HostState, chains: tuple[str, ...]) -> Iterator[Rejection]:
    """Chains that would stand together again and must not by now, or apart from those that they are tied with."""
    after = draft.hosts[before.name]
    for one, other in sorted(set(apart(draft.fleet, after)) - set(apart(draft.fleet, before))):
        back, stays = (one, other) if chain_of(one) in chains else (other, one)
        yield rejection(
            chain_of(back),
            f"{back} would go back to another core than that of {stays}, with which it is tied by now",
            relax=f"move {back} to the core that you want; all that are tied with it go along",
        )
    for one, other, node in sorted(together(draft.fleet, after) - together(draft.fleet, before)):
        back, there = (one, other) if one in chains else (other, one)
        group = group_of(draft.fleet, back)
        where = before.name if node is None else f"node {node} of {before.name}"
        yield rejection(
            back,
            f"it would stand with {there} of anti-affinity group {group and group.group} on {where} again",
            relax="move the other to another host first, or take one of them out of the group",
        )


def _rejections(formers: Sequence[Former], refused: Mapping[str, list[Rejection]]) -> Iterator[Rejection]:
    """One for each chain of all the hosts."""
    said: set[str] = set()
    for one in (one for found in refused.values() for one in found):
        if one.chain not in said:
            yield one
        said.add(one.chain)
    stopped = " and ".join(host for host, found in refused.items() if found)
    for former in formers:
        for chain in changed_by(former):
            if chain not in said:
                said.add(chain)
                yield rejection(chain, f"it goes back together with what cannot go back on {stopped}", relax=None)


def changed_by(former: Former) -> tuple[str, ...]:
    """Chains that the operation started, moved, stopped or set otherwise."""
    before, after = _chains(former.before), _chains(former.after)
    return tuple(sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name)))


def _shared(former: Former) -> set[str | int]:
    """Chains that the operation changed, and the tags of those that other hosts have parts of."""
    changed = set(changed_by(former))
    both = (*former.before.chains, *former.after.chains)
    tags = {chain.path.tag for chain in both if chain.path is not None and chain.chain in changed}
    return {*changed, *tags}


def _chains(content: HostContent) -> dict[str, DesiredChain]:
    return {chain.chain: chain for chain in content.chains}


def _refusals(
    draft: PlanDraft, host: HostState | None, former: Former, chains: tuple[str, ...], intent: RestoreIntent
) -> Iterator[Rejection]:
    """What has moved on so that there is no way back."""
    before, after, name = _chains(former.before), _chains(former.after), former.before.host_id
    for chain in chains:
        spec = draft.fleet.specs.get(chain)
        if host is None:
            yield rejection(chain, f"host {name} has left the fleet", relax="restore the other hosts alone")
        elif not host.up:
            yield rejection(chain, down_text(host), relax=f"bring {name} back")
        elif host.cordoned is not None and chain in before and _seats(before[chain]) != _seats(after.get(chain)):
            yield rejection(chain, f"{cordoned_text(host)}, so nothing goes back there", relax=f"uncordon {name} first")
        elif host.chains.get(chain) != after.get(chain):
            reason = f"its order on {name} was changed again after operation {intent.operation_id}"
            yield rejection(chain, reason, relax="undo the newer operations on it first, the newest before the others")
        elif chain in before and spec is None:
            yield rejection(chain, "it was deleted since", relax="submit the chain again")
        elif chain not in after and spec is not None and not spec.settings.agrees_with(before[chain].settings):
            yield rejection(chain, "its settings were changed since", relax="place it by a new plan")
        elif (too_much := _too_much(host, before.get(chain), after.get(chain))) is not None:
            yield rejection(chain, too_much, relax="place it, or change its CPU quotas, by a new plan")


def _too_much(host: HostState, before: DesiredChain | None, after: DesiredChain | None) -> str | None:
    """What the host's CPU budget does not allow by now of what it would have again."""
    return None if before is None else above_budget(host, quotas_beyond(before, after))


def _seats(chain: DesiredChain | None) -> list[tuple[str, int, int]]:
    return [(nf.nf_id, nf.core, nf.slot) for nf in chain.nfs] if chain else []


def _put_back(
    draft: PlanDraft, host: HostState, before: HostContent, chains: tuple[str, ...], intent: RestoreIntent
) -> list[Rejection]:
    """The former chains on the draft, or why a core of theirs does not take them; nothing is changed then."""
    then, tables = _chains(before), {digest_of(table): table for table in before.tables}
    others = {nf.nf_id for chain in host.chains.values() if chain.chain not in chains for nf in chain.nfs}
    seats = host.seats(without=frozenset(nf.nf_id for nf in host.nfs()) - others)
    back = [nf for name in chains if name in then for nf in then[name].nfs]
    # Those whose own slot is free first: nobody else is put there.
    found = {nf.nf_id: _seated(host, seats, nf) for nf in sorted(back, key=lambda nf: not _own_slot(seats, nf))}
    refused = [
        rejection(nf.nf_id.split(".", 1)[0], f"{nf.nf_id} cannot go back on {host.name}: {why}", "free its core first")
        for nf in back
        if (why := found[nf.nf_id][1]) is not None
    ]
    if refused:
        return refused
    draft.hosts[host.name] = host.knowing(tables)
    for name in chains:
        for nf in (then.get(name) or host.chains[name]).nfs:
            draft.reasons[nf.nf_id] = f"as before operation {intent.operation_id}"
        if name in then:
            draft.put(
                host.name, then[name].model_copy(update={"nfs": tuple(found[nf.nf_id][0] for nf in then[name].nfs)})
            )
        else:
            draft.drop(host.name, name)
    return []


def _seated(host: HostState, seats: Seats, nf: DesiredNf) -> tuple[DesiredNf, str | None]:
    """On its former core, in its slot or, since slots of a core are alike, in the lowest free one; or why not there."""
    unit = seats.unit_of(nf.core)
    if unit is None:
        return nf, f"{host.name} has no core {nf.core} any more"
    if unit.blocked is not None:
        return nf, unit.blocked
    if seats.free(unit) == 0:
        return nf, f"core {nf.core} is full now"
    slot = nf.slot if _own_slot(seats, nf) else seats.lowest_free_slot(unit)
    seats.take(nf.core, slot)
    return nf.model_copy(update={"slot": slot}), None


def _own_slot(seats: Seats, nf: DesiredNf) -> bool:
    unit = seats.unit_of(nf.core)
    return unit is not None and nf.slot < unit.capacity and seats.slot_is_free(unit, nf.slot)
