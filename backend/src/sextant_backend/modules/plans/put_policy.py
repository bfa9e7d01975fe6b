"""What a plan would put where it may not be put any more since the plan was made, by cordon, reserved core,
slots or anti-affinity: pure."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sextant_domain.chains.anti_affinity import AntiAffinity, Together, together
from sextant_domain.hosts.desired import DesiredHostConfig, DesiredNf, HostContent
from sextant_domain.hosts.host import HostInventory, ReservedFor
from sextant_domain.plans.intents import AlignIntent
from sextant_domain.plans.plan import PlanBody


class NfOnReserved(NamedTuple):
    """An NF that would start on, or move to, a reserved core."""

    nf_id: str
    core: int
    """The reserved one: its own, or a thread of the same physical core."""
    why: str
    """'core 3 is reserved by an operator'."""
    ours: bool
    """An operator reserved it, and can take that back."""


def put_on_cordoned(
    body: PlanBody, present: Mapping[str, DesiredHostConfig], reasons: Mapping[str, str]
) -> Iterator[tuple[str, list[str]]]:
    """Each cordoned host (`reasons`: why, by host) with the NFs that would start or move there."""
    for host, nfs in _put(body, present):
        if host in reasons and nfs:
            yield host, [nf.nf_id for nf in nfs]


def put_on_reserved(
    body: PlanBody, present: Mapping[str, DesiredHostConfig], inventories: Mapping[str, HostInventory]
) -> Iterator[tuple[str, list[NfOnReserved]]]:
    """Each host with the NFs that would start or move to cores of it that are reserved by now."""
    for host, nfs in _put(body, present):
        found = [one for nf in nfs if host in inventories and (one := _on_reserved(nf, inventories[host]))]
        if found:
            yield host, found


def put_beyond_slots(
    body: PlanBody, present: Mapping[str, DesiredHostConfig], inventories: Mapping[str, HostInventory]
) -> Iterator[tuple[str, list[str]]]:
    """Each host with the NFs that would get a slot which an operator has taken away by now, and why it is not there:
    'web.nat: core 3 has 1 slot'."""
    targets = {target.content.host_id: target.content for target in body.target}
    for host, nfs in _put(body, present):
        if host in inventories:
            beyond = _beyond_slots(targets[host], inventories[host])
            found = [f"{nf.nf_id}: {beyond[nf.nf_id]}" for nf in nfs if nf.nf_id in beyond]
            if found:
                yield host, found


def put_together(
    body: PlanBody,
    present: Mapping[str, DesiredHostConfig],
    inventories: Mapping[str, HostInventory],
    groups: Mapping[str, AntiAffinity],
) -> Iterator[tuple[str, list[Together]]]:
    """Each host with the chains that would come to stand together there and must not by now. `groups`: by chain."""
    for target in body.target:
        host = target.content.host_id
        node_of = {core.id: core.node for core in inventories[host].cores} if host in inventories else {}
        before = set(_together(present[host].content, node_of, groups)) if host in present else set()
        found = [one for one in _together(target.content, node_of, groups) if one not in before]
        if found and not isinstance(body.intent, AlignIntent):  # what a host was found to run is accepted as it is
            yield host, found


def _together(
    content: HostContent, node_of: Mapping[int, int], groups: Mapping[str, AntiAffinity]
) -> Iterator[Together]:
    chains = {chain.chain: {node_of.get(nf.core, 0) for nf in chain.nfs} for chain in content.chains}
    return together({name: groups[name] for name in chains if name in groups}, chains)


def _put(body: PlanBody, present: Mapping[str, DesiredHostConfig]) -> Iterator[tuple[str, list[DesiredNf]]]:
    """Each host of the plan with the NFs that get another seat there than they have."""
    for target in body.target:
        host = target.content.host_id
        chains = present[host].content.chains if host in present else ()
        stand = {(nf.nf_id, nf.core, nf.slot) for chain in chains for nf in chain.nfs}
        nfs = [nf for chain in target.content.chains for nf in chain.nfs]
        yield host, [nf for nf in nfs if (nf.nf_id, nf.core, nf.slot) not in stand]


def _on_reserved(nf: DesiredNf, inventory: HostInventory) -> NfOnReserved | None:
    reserved = inventory.reserved_with(nf.core)
    if reserved is None or reserved.reserved_for is None:
        return None
    why = inventory.why_reserved(nf.core) or ""
    return NfOnReserved(nf.nf_id, reserved.id, why, reserved.reserved_for is ReservedFor.OPERATOR)


def _beyond_slots(content: HostContent, inventory: HostInventory) -> dict[str, str]:
    """NFs of an order whose slot their core does not have or, where each has a physical core of its own, whose sibling
    core has an NF too; with the reason."""
    cores = {core.id: core for core in inventory.cores}
    nfs = [nf for chain in content.chains for nf in chain.nfs if nf.core in cores]
    used = {nf.core for nf in nfs}
    found: dict[str, str] = {}
    for nf in nfs:
        core = cores[nf.core]
        threads = [core, *(cores[sibling] for sibling in core.siblings if sibling in cores)]
        beside = sorted(thread.id for thread in threads[1:] if thread.id in used)
        if nf.slot >= core.slots:
            found[nf.nf_id] = f"core {core.id} has {core.slots} slot{'' if core.slots == 1 else 's'}"
        elif beside and all(thread.slots <= 1 for thread in threads):
            found[nf.nf_id] = f"core {beside[0]} of the same physical core has an NF"
    return found
