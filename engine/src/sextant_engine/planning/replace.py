"""Re-place the fleet: move what cannot stay, move what gains more than the margin, place what waits.

A chain that runs stays on its host, where its packets arrive; its NFs may change nodes and cores there. On hosts where
the model does not apply nothing is rebalanced, because there is no prediction to justify a move. Chains that are to be
kept stay as they are and count in all predictions; others are re-placed around them.
"""

from collections.abc import Callable, Mapping

from sextant_domain.plans.intents import ReplaceIntent
from sextant_domain.plans.plan import Rejection, Shortfall

from sextant_engine.assign_cores import RULE, Assigned
from sextant_engine.host_state import HostState
from sextant_engine.planning.apart import held_nodes
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.host_problem import grants
from sextant_engine.planning.misplaced import misplaced
from sextant_engine.planning.placing import place_chains
from sextant_engine.planning.ports import ingress_node
from sextant_engine.planning.refusals import cordoned_text, down_text
from sextant_engine.planning.seating import reseat
from sextant_engine.planning.tied_seats import TiedAssigner, TiedSeats, roomy
from sextant_engine.planning.ties import tied_with


def replace(draft: PlanDraft, intent: ReplaceIntent) -> None:
    """First, host by host, move what cannot stay; then search once for the fleet. For one host, all others stay as they
    are, and nothing that waits is placed."""
    only = draft.hosts.keys() if intent.host is None else {intent.host}
    draft.stuck |= draft.hosts.keys() - only
    draft.kept = frozenset(intent.keep)
    for host in list(draft.hosts.values()):
        if host.name not in only:
            continue
        if host.chains and not host.up:
            draft.warn(f"{down_text(host)}, so its chains stay as they are")
        elif host.chains and host.cordoned is not None:
            draft.warn(f"{cordoned_text(host)}, so its chains stay as they are")
        elif host.chains and not _move_misplaced(draft, host):
            draft.stuck.add(host.name)
    runs = {name for host in draft.hosts.values() for name in host.chains}
    waiting = [spec for spec in draft.fleet.specs.values() if spec.name not in runs]
    place_chains(draft, waiting if intent.host is None else [], may_move=True)


def _move_misplaced(draft: PlanDraft, host: HostState) -> bool:
    """Give misplaced NFs new seats, by falling value of their chains; False if some find none and stay."""
    wrong = misplaced(host)
    if kept := sorted(nf_id for nf_id in wrong if nf_id.split(".", 1)[0] in draft.kept):
        draft.warn(f"{kept[0]} cannot stay ({wrong[kept[0]]}) and is to be kept: nothing changes on {host.name}")
        return False
    stuck: dict[str, int] = {}
    for name in sorted(host.chains, key=lambda name: (-draft.fleet.value_of(name), name)):
        local = ingress_node(host.chains[name], host.inventory)
        for nf in host.chains[name].nfs:
            if nf.nf_id not in wrong:
                continue
            now = draft.hosts[host.name]  # as it stands once those before have moved
            partners = tied_with(draft.fleet, now, nf.nf_id)
            if partners:
                if nf.core == _core(now, nf.nf_id) and not _move_together(draft, now, [nf.nf_id, *partners], wrong):
                    stuck[name] = stuck.get(name, 0) + 1
                continue
            room = grants(now, 1, local)
            spec = draft.fleet.specs.get(name)
            held = {} if spec is None else held_nodes(draft.fleet, now, spec)
            free = set() if isinstance(room, int) else {node for node, seats in room.items() if seats > 0}
            node = min(free - held.keys(), key=lambda node: (node != local, node), default=None)
            if node is None:
                stuck[name] = stuck.get(name, 0) + 1
                continue
            reseat(draft, host.name, [(nf.nf_id, node)], _because(wrong[nf.nf_id]))
    for name, count in stuck.items():
        draft.rejected.append(_no_new_seat(draft, host, name, count))
    return not stuck


def _core(host: HostState, nf_id: str) -> int:
    return next(nf.core for nf in host.nfs() if nf.nf_id == nf_id)


def _move_together(draft: PlanDraft, host: HostState, element: list[str], wrong: Mapping[str, str]) -> bool:
    """All NFs that are one element, to a core that has room for all of them; False if there is none, or one is kept."""
    if any(nf_id.split(".", 1)[0] in draft.kept for nf_id in element):
        return False
    seats = host.seats(without=frozenset(element))
    unit = roomy(seats, len(element))
    if unit is None:
        return False
    why = wrong[element[0]]
    wanted = [(nf_id, unit.node) for nf_id in element]
    together = TiedAssigner(TiedSeats(dict.fromkeys(element, unit.core), {}, {}), RULE)
    reseat(
        draft,
        host.name,
        wanted,
        lambda nf_id, _: (
            f"{why if nf_id == element[0] else f'tied with {element[0]}'}; core {unit.core} has room for all"
        ),
        together,
    )
    return True


def _because(cause: str) -> Callable[[str, Assigned], str]:
    return lambda _, seat: f"{cause}; {seat.why}"


def _no_new_seat(draft: PlanDraft, host: HostState, chain: str, count: int) -> Rejection:
    which = "1 NF" if count == 1 else f"{count} NFs"
    tied = any(tied_with(draft.fleet, host, nf.nf_id) for nf in host.chains[chain].nfs)
    full = "no core has room for them and all that are tied with them" if tied else "no other slot is free"
    return Rejection(
        chain=chain,
        reason=f"{which} cannot stay on {host.name} where they are, and {full}; the chain is left alone",
        short=Shortfall(host=host.name, node=None, cores=count),
        relax=f"free {count} slots on {host.name}",
    )
