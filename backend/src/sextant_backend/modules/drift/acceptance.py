"""What a host runs as an order for it, where that can be said: pure.

All of it or nothing: what would be left out went on differing. Only what is a chain of this console, and of no other
host, can become an order: accepting a chain that another host was ordered to run would have two hosts run it.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from sextant_domain.base import digest_of
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.desired import ActualNf, ChainResources, DesiredChain, DesiredNf, HostContent, NfState
from sextant_domain.plans.resources import RESOURCES

from sextant_backend.modules.drift.comparison import Found
from sextant_backend.modules.operations import verification


class Elsewhere(NamedTuple):
    """What is known of the chains that the host holds or runs, beside the host."""

    specs: Mapping[str, ChainSpec]
    """Of those that are chains of this console."""
    hosts: Mapping[str, Sequence[str]]
    """Other hosts that were ordered to run a chain."""


class Acceptance(NamedTuple):
    """What would be ordered, or why nothing can be."""

    content: HostContent | None
    reasons: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    """Chains that do not run there: they are not ordered there any more."""


def accept(found: Found, known: Elsewhere) -> Acceptance:
    """The content of an order that the host fulfils as it is."""
    base = found.desired.content if found.held_as_ordered else found.held.content
    there = {nf.nf_id: nf for nf in found.actual.nfs}
    ordered = {chain.chain: chain for chain in found.desired.content.chains}
    reasons: list[str] = []
    chains: list[DesiredChain] = []
    for chain in base.chains:
        running = [nf for nf in chain.nfs if nf.nf_id in there and there[nf.nf_id].state is NfState.RUNNING]
        if not running:
            continue  # it does not run here: not ordered any more, it waits for a place
        if chain != ordered.get(chain.chain):
            reasons += _not_known(chain, known)
        if len(running) < len(chain.nfs):
            missing = ", ".join(nf.nf_id for nf in chain.nfs if nf not in running)
            reasons.append(
                f"{missing}: not running while the rest of {chain.chain} is; a chain runs whole or not at all"
            )
            continue
        shared = {_shared_by(chain, nf, there[nf.nf_id]) for nf in chain.nfs}
        if len(shared) > 1:
            reasons.append(f"{chain.chain}: its NFs do not have the same LLC ways and memory bandwidth of their chain")
            continue
        has = shared.pop()
        if chain.bounds is not None and (has is None or not chain.bounds.hold(has)):
            reasons.append(f"{chain.chain}: what it has lies outside the bounds of its order; repair restores it")
            continue
        nfs = tuple(_as_found(chain, nf, there[nf.nf_id]) for nf in chain.nfs)
        chains.append(chain.model_copy(update={"nfs": nfs, "resources": has}))
    reasons += _foreign(base, there)
    seated = tuple(_seated(found, chains, reasons))
    if reasons:
        return Acceptance(None, tuple(dict.fromkeys(reasons)))
    named = {chain.bounds.table for chain in seated if chain.bounds is not None}
    tables = tuple(table for table in base.tables if digest_of(table) in named)
    content = HostContent(host_id=base.host_id, chains=tuple(seated), tables=tables)
    return Acceptance(content, (), tuple(sorted(ordered.keys() - {chain.chain for chain in content.chains})))


def _not_known(chain: DesiredChain, known: Elsewhere) -> Iterator[str]:
    """Why a chain that this host was not ordered so by the console cannot be taken on."""
    spec, name = known.specs.get(chain.chain), chain.chain
    if spec is None:
        yield f"{name}: no chain of this console; repair stops it, or submit it under another name first"
        return
    if others := known.hosts.get(name):
        yield f"{name}: ordered to run on {', '.join(others)}; two hosts would run it. Repair stops it here"
    if [(nf.nf_id, nf.nf_type) for nf in chain.nfs] != [(spec.nf_id(i), nf.type) for i, nf in enumerate(spec.nfs)]:
        yield f"{name}: its NFs are not those of its specification, in that order"


def _shared_by(chain: DesiredChain, nf: DesiredNf, there: ActualNf) -> ChainResources | None:
    """What an NF was found to have together with all others of its chain."""
    differs = {field: has for field, has, _ in verification.resource_differences(chain, nf, there)}
    ordered = chain.resources or ChainResources()
    found = ChainResources.model_validate({field: differs.get(f"chain_{field}", value) for field, value in ordered})
    return None if found == ChainResources() else found


def _as_found(chain: DesiredChain, nf: DesiredNf, there: ActualNf) -> DesiredNf:
    """On the core and with the resources of its own that it was found with."""
    differences = verification.resource_differences(chain, nf, there)
    changed: dict[str, object] = {field: has for field, has, _ in differences if field in RESOURCES}
    if there.core is not None:
        changed["core"] = there.core
    return nf.model_copy(update=changed)


def _foreign(base: HostContent, there: Mapping[str, ActualNf]) -> Iterator[str]:
    ours = {nf.nf_id for chain in base.chains for nf in chain.nfs}
    for nf_id in sorted(there.keys() - ours):
        yield f"{nf_id}: never ordered by this console, which does not know how it was started; end it on the host"


def _seated(found: Found, chains: Sequence[DesiredChain], reasons: list[str]) -> Iterator[DesiredChain]:
    """Every NF in its slot or, where it was found on another core, in the lowest free one there."""
    stood = {nf.nf_id: nf for chain in found.desired.content.chains for nf in chain.nfs}
    slots = {core.id: core.slots for core in found.inventory.cores}
    open_cores = set(found.inventory.cores_for_nfs)
    stays = [nf for chain in chains for nf in chain.nfs if _stays(nf, stood)]
    taken = {(nf.core, nf.slot) for nf in stays}
    for chain in chains:
        nfs = []
        for nf in chain.nfs:
            if _stays(nf, stood):
                nfs.append(nf)
                continue
            free = next((slot for slot in range(slots.get(nf.core, 0)) if (nf.core, slot) not in taken), None)
            if nf.core not in open_cores:
                why = found.inventory.why_reserved(nf.core) or f"core {nf.core} is not offered to NFs"
                reasons.append(f"{nf.nf_id}: {why}, so it cannot be ordered there")
            elif free is None:
                reasons.append(f"{nf.nf_id}: all slots of core {nf.core} are taken, so it cannot be ordered there")
            else:
                taken.add((nf.core, free))
                nfs.append(nf.model_copy(update={"slot": free}))
        yield chain.model_copy(update={"nfs": tuple(nfs)})


def _stays(nf: DesiredNf, stood: Mapping[str, DesiredNf]) -> bool:
    then = stood.get(nf.nf_id)
    return then is not None and (then.core, then.slot) == (nf.core, nf.slot)
