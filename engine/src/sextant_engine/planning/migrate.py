"""Move one NF, and those that are tied with it, to the core that an operator names; refused, with the reason, where
that core cannot take them."""

from collections.abc import Collection, Iterator, Mapping

from sextant_domain.plans.intents import MigrateIntent
from sextant_domain.plans.plan import Rejection

from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.cores_by_hand import (
    broken_groups,
    chain_of,
    closed_host,
    led,
    not_running,
    on_core,
    with_tied,
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
    _, led_by, _ = with_tied(draft.fleet, draft.hosts, {intent.nf_id: intent.core})
    draft.hosts[intent.host] = moved
    draft.reasons[intent.nf_id] = f"ordered to core {intent.core}"
    draft.reasons |= {nf_id: f"tied with {leader}, ordered to core {intent.core}" for nf_id, leader in led_by.items()}


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
    closed = closed_host(home, intent.nf_id)
    if closed is not None:
        return closed
    cores, _, _ = with_tied(fleet, hosts, {intent.nf_id: intent.core})
    moved = _all_moved(home, intent, cores)
    return moved if isinstance(moved, Rejection) else next(_broken(fleet, home, moved, cores), moved)


def _broken(fleet: FleetView, home: HostState, moved: HostState, cores: Collection[str]) -> Iterator[Rejection]:
    """What makes the moves impossible beside their seats."""
    for nf_id in cores:
        no_room = without_room(moved, nf_id)
        if no_room is not None:
            relax = "give back (none) some of it, or of what others have there, first"
            yield rejection(chain_of(nf_id), no_room, relax=relax)
    yield from broken_groups(fleet, home, moved, {chain_of(nf_id) for nf_id in cores})


def _all_moved(home: HostState, intent: MigrateIntent, cores: Mapping[str, int]) -> HostState | Rejection:
    """With the NF and all that go along, or why one of them finds no slot."""
    others, moved = home.seats(without=frozenset(cores)), home
    for nf_id, core in cores.items():
        wrong = wrong_core(home, others, nf_id, core)
        if wrong is not None:
            return wrong if nf_id == intent.nf_id else led(wrong, nf_id, intent.nf_id)
        unit = others.unit_of(core)
        assert unit is not None  # noqa: S101 - wrong_core refuses a core that the host lacks
        slot = others.lowest_free_slot(unit)
        moved = on_core(moved, nf_id, core, slot)
        others.take(core, slot)
    return moved
