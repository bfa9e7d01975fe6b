"""Re-place the fleet: mend what cannot stay, move what gains more than the margin, place what waits.

A chain that runs stays on its host, where its packets arrive; its NFs may change nodes and cores there. On hosts where
the model does not apply nothing is rebalanced, because there is no prediction to justify a move.
"""

from collections.abc import Callable

from sextant_domain.plans.plan import Rejection, ReplaceIntent, Shortfall

from sextant_engine.assign_cores import Assigned
from sextant_engine.fleet import Draft, HostDraft
from sextant_engine.planning.host_problem import grants
from sextant_engine.planning.placing import place_chains
from sextant_engine.planning.ports import ingress_node
from sextant_engine.planning.refusals import down_text
from sextant_engine.planning.seating import reseat
from sextant_engine.seats import Seats


def replace(draft: Draft, intent: ReplaceIntent) -> None:
    """Mend host by host, then one search for the fleet; for one host all others stay as they are, and nothing that
    waits is placed."""
    only = draft.hosts.keys() if intent.host is None else {intent.host}
    draft.stuck |= draft.hosts.keys() - only
    for host in draft.hosts.values():
        if host.name not in only:
            continue
        if host.chains and not host.up:
            draft.warn(f"{down_text(host)}, so its chains stay as they are")
        elif host.chains and not _mend(draft, host):
            draft.stuck.add(host.name)
    runs = {name for host in draft.hosts.values() for name in host.chains}
    waiting = [spec for spec in draft.specs.values() if spec.name not in runs]
    place_chains(draft, waiting if intent.host is None else [], may_move=True)


def misplaced(host: HostDraft) -> dict[str, str]:
    """NFs that cannot stay where they are, and why; by chain name and position."""
    seats = Seats(host.layout, ())
    cores = {core.id: core for core in host.inventory.cores}
    found: dict[str, str] = {}
    for nf in host.nfs():
        unit = seats.unit_of(nf.core)
        if unit is None:
            found[nf.nf_id] = f"core {nf.core} is not there any more"
        elif unit.blocked is not None:
            found[nf.nf_id] = unit.blocked
        elif (
            seats.occupied(unit) >= unit.capacity
            or nf.slot >= cores[nf.core].slots
            or not seats.slot_is_free(unit, nf.slot)
        ):
            found[nf.nf_id] = f"core {nf.core} holds more NFs than it has slots"
        else:
            seats.take(nf.core, nf.slot)
    return found


def _mend(draft: Draft, host: HostDraft) -> bool:
    """Give misplaced NFs new seats, by falling value of their chains; False if some find none and stay."""
    wrong = misplaced(host)
    stuck: dict[str, int] = {}
    for name in sorted(host.chains, key=lambda name: (-draft.value_of(name), name)):
        local = ingress_node(host.chains[name], host.inventory)
        for nf in host.chains[name].nfs:
            if nf.nf_id not in wrong:
                continue
            room = grants(host, 1, local)
            if isinstance(room, int):
                stuck[name] = stuck.get(name, 0) + 1
                continue
            node = next(node for node in sorted(room, key=lambda node: (node != local, node)) if room[node] > 0)
            reseat(draft, host, [(nf.nf_id, node)], _because(wrong[nf.nf_id]))
    for name, count in stuck.items():
        draft.rejected.append(_no_new_seat(host, name, count))
    return not stuck


def _because(cause: str) -> Callable[[str, Assigned], str]:
    return lambda _, seat: f"{cause}; {seat.why}"


def _no_new_seat(host: HostDraft, chain: str, count: int) -> Rejection:
    which = "1 NF" if count == 1 else f"{count} NFs"
    return Rejection(
        chain=chain,
        reason=f"{which} cannot stay on {host.name} where they are, and no other slot is free; the chain is left alone",
        short=Shortfall(host=host.name, node=None, cores=count),
        relax=f"free {count} slots on {host.name}",
    )
