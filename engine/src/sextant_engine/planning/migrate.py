"""Move one NF to the core that an operator names; refused, with the reason, where that core cannot take it."""

from collections.abc import Mapping

from sextant_domain.plans.intents import MigrateIntent
from sextant_domain.plans.plan import Rejection, Shortfall

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.apart import group_of, together
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.refusals import cordoned_text, down_text
from sextant_engine.planning.rejecting import rejection
from sextant_engine.planning.resource_groups import without_room
from sextant_engine.seats import Seats


def migrate(draft: PlanDraft, intent: MigrateIntent) -> None:
    """Move the NF, or record why not."""
    moved = moved_by(draft.fleet, draft.hosts, intent)
    if isinstance(moved, Rejection):
        draft.rejected.append(moved)
        return
    draft.hosts[intent.host] = moved
    draft.reasons[intent.nf_id] = f"ordered to core {intent.core}"


def moved_by(fleet: FleetView, hosts: Mapping[str, HostState], intent: MigrateIntent) -> HostState | Rejection:
    """The NF's host with the NF moved, or why it cannot be."""
    chain = intent.nf_id.split(".", 1)[0]
    home = next((host for host in hosts.values() if any(nf.nf_id == intent.nf_id for nf in host.nfs())), None)
    if intent.host not in hosts:
        return rejection(chain, f"host {intent.host} is not in the fleet", relax="name a host of the fleet")
    if home is None:
        return rejection(chain, f"no host runs {intent.nf_id}", relax="list the NFs that run and name one of them")
    wrong = _wrong_host(home, intent, chain) or _wrong_core(home, intent, chain)
    if wrong is not None:
        return wrong
    moved = _moved(home, intent, chain)
    return moved if isinstance(moved, Rejection) else _breaks_group(fleet, home, moved, chain) or moved


def _breaks_group(fleet: FleetView, home: HostState, moved: HostState, chain: str) -> Rejection | None:
    """Within a host only a node can be shared anew."""
    group = group_of(fleet, chain)
    for one, other, node in sorted(together(fleet, moved) - together(fleet, home)):
        holds = f"node {node} of {home.name} holds {other if chain == one else one}"
        return rejection(
            chain, f"{holds} of anti-affinity group {group and group.group}", relax="name a core of another node"
        )
    return None


def _wrong_host(home: HostState, intent: MigrateIntent, chain: str) -> Rejection | None:
    if home.name != intent.host:
        return rejection(
            chain,
            f"{intent.nf_id} runs on {home.name}; one NF cannot leave its chain's host",
            relax=f"name a core of {home.name}",
        )
    if not home.up:
        return rejection(chain, f"{down_text(home)}, so the move cannot be made", relax=f"bring {home.name} back")
    if home.cordoned is not None:
        return rejection(chain, f"{cordoned_text(home)}, so no NF may move there", relax=f"uncordon {home.name} first")
    return None


def _wrong_core(home: HostState, intent: MigrateIntent, chain: str) -> Rejection | None:
    others = home.seats(without=frozenset({intent.nf_id}))
    open_cores = _open_cores(home, others, intent)
    relax = f"name core {open_cores}" if open_cores else f"free a slot on {home.name} first"
    why = _never(home, others, intent)
    if why is not None:
        return rejection(chain, why, relax=relax)
    unit = others.unit_of(intent.core)
    if unit is None or others.free(unit) > 0:
        return None
    holds = f"all {unit.capacity} slots are taken" if unit.capacity > 1 else "an NF stands on its physical core"
    return rejection(
        chain,
        f"core {intent.core} is full: {holds}",
        relax=relax,
        short=Shortfall(host=home.name, node=unit.node, cores=1),
    )


def _never(home: HostState, others: Seats, intent: MigrateIntent) -> str | None:
    """Why this core could not take the NF even if it were empty."""
    core = next((core for core in home.inventory.cores if core.id == intent.core), None)
    unit = others.unit_of(intent.core)
    if core is None or unit is None:
        return f"{home.name} has no core {intent.core}"
    if any(nf.nf_id == intent.nf_id and nf.core == intent.core for nf in home.nfs()):
        return f"{intent.nf_id} stands on core {intent.core} already"
    if core.reserved_for is not None:
        return f"core {core.id} is {core.reserved_for.text}"
    if core.slots == 0:
        return f"core {core.id} offers no slot"
    return f"core {core.id} must stay empty: {unit.blocked}" if unit.blocked is not None else None


def _open_cores(home: HostState, others: Seats, intent: MigrateIntent) -> str:
    now = next(nf.core for nf in home.nfs() if nf.nf_id == intent.nf_id)
    return " or ".join(str(unit.core) for unit in others.open_units() if now not in unit.threads)


def _moved(home: HostState, intent: MigrateIntent, chain: str) -> HostState | Rejection:
    others = home.seats(without=frozenset({intent.nf_id}))
    unit = others.unit_of(intent.core)
    assert unit is not None  # noqa: S101 - _wrong_core refuses a core that the host lacks
    seat = {"core": intent.core, "slot": others.lowest_free_slot(unit)}
    placed = home.chains[chain]
    nfs = tuple(nf.model_copy(update=seat) if nf.nf_id == intent.nf_id else nf for nf in placed.nfs)
    moved = home.with_chain(placed.model_copy(update={"nfs": nfs}))
    no_room = without_room(moved, intent.nf_id)
    if no_room is not None:
        return rejection(chain, no_room, relax="give back (none) some of it, or of what others have there, first")
    return moved
