"""What NUMASFP's law would have done, as an ordinary plan of its host: which cores, ways, bandwidth and bounds."""

from collections.abc import Mapping

from sextant_domain.hosts.desired import ResourceBounds
from sextant_domain.hosts.levels import LevelTable
from sextant_domain.laws.numasfp import NUMASFP
from sextant_domain.plans.intents import ResourceIntent
from sextant_domain.plans.resources import MemoryRequest
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.planning.resource_groups import FULL_PERCENT
from sextant_engine.seats import CoreLayout, Seats

from sextant_backend.laws.frame import Draft
from sextant_backend.laws.numasfp import describe
from sextant_backend.laws.numasfp.evaluation import ProposedChange
from sextant_backend.laws.numasfp.members import HostMembers
from sextant_backend.laws.paced import plan


def draft(snapshot: FleetSnapshot, proposed: ProposedChange) -> Draft | str:
    """As a plan, checked as any; or why it cannot be one."""
    found = plan.planned(snapshot, intent_of(proposed))
    if isinstance(found, str):
        return found
    return plan.draft(
        found,
        proposed.gain_gbps,
        sum(proposed.carried.values()),
        because=because(proposed),
        move_loss=None if proposed.loss is None else proposed.loss.model_dump(mode="json"),
        trust_why=f"by levels version {proposed.members.table_version} of {proposed.members.table.host_model}",
    )


def intent_of(proposed: ProposedChange) -> ResourceIntent | str:
    """What is asked for; or why the chains have no room where they would go."""
    seats = seats_of(proposed.members, {chain: proposed.placement[chain] for chain in proposed.moved})
    if isinstance(seats, str):
        return seats
    chains: dict[str, MemoryRequest] = {}
    bounds: dict[str, ResourceBounds | None] = {}
    if proposed.members.undivided is None:
        chains, bounds = _given(proposed)
    tables: tuple[LevelTable, ...] = (proposed.members.table,) if bounds else ()
    return ResourceIntent(
        chains=chains, seats=seats, bounds=bounds, tables=tables, law=NUMASFP, loss_budget=proposed.budget
    )


def seats_of(members: HostMembers, target: Mapping[str, str]) -> dict[str, int] | str:
    """The core of each NF of chains that go to other nodes: first those that others leave there, then free ones."""
    layout = CoreLayout.of(members.inventory)
    staying = [(nf.core, nf.slot) for chain in members.content.chains if chain.chain not in target for nf in chain.nfs]
    seats = Seats(layout, staying)
    left = {core for chain in target for core in members.members[chain].cores}
    found: dict[str, int] = {}
    for chain in sorted(target):
        node = members.node_named(target[chain])
        open_units = [unit for unit in layout.units if unit.node == node and seats.free(unit) > 0]
        open_units.sort(key=lambda unit: (unit.core not in left, unit.spare, unit.core))
        nf_ids = members.members[chain].nf_ids
        if len(open_units) < len(nf_ids):
            return f"node {node} has {len(open_units)} free cores, and {chain} has {len(nf_ids)} NFs"
        for nf_id, unit in zip(nf_ids, open_units, strict=False):
            found[nf_id] = unit.core
            seats.take(unit.core, 0)
    return found


def _given(proposed: ProposedChange) -> tuple[dict[str, MemoryRequest], dict[str, ResourceBounds | None]]:
    """What members begin with, and within what their agent goes on. Those that stay and have their bounds keep what
    they have, unless chains come to their node: then all there begin anew, so that the sum fits."""
    members = proposed.members
    touched = {proposed.placement[chain] for chain in proposed.moved}
    hand_over = set(members.to_hand_over)
    if not proposed.moved:
        touched |= {members.placement[chain] for chain in hand_over}
    begins = begin_with(proposed)
    chains: dict[str, MemoryRequest] = {}
    bounds: dict[str, ResourceBounds | None] = {}
    for name, member in members.members.items():
        node = members.node_named(proposed.placement[name])
        wanted = members.bounds_on(node)
        if proposed.placement[name] in touched or name in hand_over:
            ways, percent = begins[name]
            has = member.resources
            if has is None or (has.llc_ways, has.memory_bandwidth_percent) != (ways, percent):
                chains[name] = MemoryRequest(llc_ways=ways, memory_bandwidth_percent=percent)
            if member.bounds != wanted:
                bounds[name] = wanted
    return chains, bounds


def begin_with(proposed: ProposedChange) -> dict[str, tuple[int, int]]:
    """Ways, and a step of bandwidth, of each member at the present rates. One that the table has nothing for, or for
    which there is no room, has one way; where that would be too many, those with most give some up."""
    members = proposed.members
    found: dict[str, tuple[int, int]] = {}
    for name in members.members:
        node = members.node_named(proposed.placement[name])
        grant = proposed.grants.get(name)
        ways, percent = (grant.ways, grant.mb_percent) if grant is not None else (1, 1)
        found[name] = max(1, ways), _step(members, node, percent)
    for node, room in members.nodes.items():
        here = [name for name in found if proposed.placement[name] == members.label(node)]
        while sum(found[name][0] for name in here) > room["ways"]:
            most = max(here, key=lambda name: (found[name][0], name))
            if found[most][0] == 1:
                break
            found[most] = found[most][0] - 1, found[most][1]
    return found


def _step(members: HostMembers, node: int, percent: int) -> int:
    """The least step of the node that gives as much."""
    steps = next(one for one in members.inventory.nodes if one.id == node).memory_bandwidth_steps_percent
    return next((step for step in steps if step >= percent), steps[-1] if steps else FULL_PERCENT)


def because(proposed: ProposedChange) -> str:
    """Why, for a person."""
    members = proposed.members
    if proposed.kind == "hand_over":
        return describe.why_hand_over(
            members.to_hand_over, members.table_version, members.table.host_model, members.notes
        )
    lead = max(proposed.moved, key=lambda chain: (_gains(proposed, chain), chain))
    others = [chain for chain in proposed.moved if chain != lead]
    nodes = members.members[lead].node, members.node_named(proposed.placement[lead])
    swap = all(_goes_to(proposed, chain) == nodes[0] for chain in others)
    figures = proposed.offered[lead], proposed.carried.get(lead, 0.0), _then(proposed, lead)
    told = [describe.why_move(lead, figures, nodes, others, swap=swap)]
    if proposed.loss is not None:
        told.append(describe.loss_of_move(proposed.loss, members.inventory.driver))
    if members.undivided is not None:
        told.append(f"ways and bandwidth cannot be given here: {members.undivided}")
    return "; ".join(told)


def _goes_to(proposed: ProposedChange, chain: str) -> int:
    return proposed.members.node_named(proposed.placement[chain])


def _then(proposed: ProposedChange, chain: str) -> float:
    grant = proposed.grants.get(chain)
    return min(proposed.offered[chain], grant.gbps if grant else 0.0)


def _gains(proposed: ProposedChange, chain: str) -> float:
    return _then(proposed, chain) - proposed.carried.get(chain, 0.0)
