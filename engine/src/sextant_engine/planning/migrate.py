"""Move one NF to the core that an operator names; refused, with the reason, where that core cannot take it."""

from collections.abc import Mapping

from sextant_domain.plans.intents import MigrateIntent
from sextant_domain.plans.plan import Rejection

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.cores_by_hand import (
    broken_groups,
    chain_of,
    closed_host,
    not_running,
    on_core,
    wrong_core,
)
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.rejecting import rejection
from sextant_engine.planning.resource_groups import without_room


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
    chain = chain_of(intent.nf_id)
    home = next((host for host in hosts.values() if any(nf.nf_id == intent.nf_id for nf in host.nfs())), None)
    if intent.host not in hosts:
        return rejection(chain, f"host {intent.host} is not in the fleet", relax="name a host of the fleet")
    if home is None:
        return not_running(intent.nf_id)
    if home.name != intent.host:
        return rejection(
            chain,
            f"{intent.nf_id} runs on {home.name}; one NF cannot leave its chain's host",
            relax=f"name a core of {home.name}",
        )
    others = home.seats(without=frozenset({intent.nf_id}))
    wrong = closed_host(home, intent.nf_id) or wrong_core(home, others, intent.nf_id, intent.core)
    if wrong is not None:
        return wrong
    unit = others.unit_of(intent.core)
    assert unit is not None  # noqa: S101 - wrong_core refuses a core that the host lacks
    moved = on_core(home, intent.nf_id, intent.core, others.lowest_free_slot(unit))
    no_room = without_room(moved, intent.nf_id)
    if no_room is not None:
        return rejection(chain, no_room, relax="give back (none) some of it, or of what others have there, first")
    return next(broken_groups(fleet, home, moved, {chain}), moved)
