"""Seats for a chain that comes to a host and is tied with others: first its tied NFs, then the others around them."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from sextant_domain.chains.chain import ChainSpec

from sextant_engine.assign_cores import Assigned, Assigner, AssignmentProblem, NoSeat
from sextant_engine.fleet_view import FleetView
from sextant_engine.host_state import HostState
from sextant_engine.planning.ties import homes, why_not
from sextant_engine.seats import Seats, Unit

_ROOMY = "core {0} has room for all that are tied with it"


@dataclass(frozen=True)
class TiedSeats:
    """Where the tied NFs of a chain that comes to a host go."""

    cores: Mapping[str, int]
    """By NF; those that choose freely are not named."""
    others: Mapping[str, str]
    """By NF: one that it is tied with there; not of one whose partners come after it."""
    reserved: Mapping[int, int]
    """By core: slots for NFs of these ties that come after it."""

    def nodes(self, host: HostState, spec: ChainSpec, nodes: tuple[int, ...], held: Collection[int]) -> tuple[int, ...]:
        """The nodes that were chosen, but for tied NFs, and for those that these leave no seat on theirs."""
        if not self.cores:
            return nodes
        seats = host.seats()
        for core in self.cores.values():
            _take(seats, seats.layout.unit_of[core])
        room: Counter[int] = Counter()
        for (node, _spare), free in seats.room().items():
            room[node] += free
        found: list[int] = []
        for position, node in enumerate(nodes):
            nf_id = spec.nf_id(position)
            if nf_id in self.cores:
                found.append(host.node_of(self.cores[nf_id]))
                continue
            open_nodes = [one for one in room if room[one] > 0 and one not in held]
            chosen = node if room[node] > 0 or not open_nodes else min(open_nodes)
            room[chosen] -= 1
            found.append(chosen)
        return tuple(found)


def seats_for(
    fleet: FleetView, host: HostState, spec: ChainSpec, nodes: tuple[int, ...], coming: Mapping[str, int]
) -> TiedSeats | None:
    """For a chain that is new on a host; None where one that it is tied with has a core without a slot left. `coming`:
    by tie, NFs of chains that come after it."""
    ties = spec.ties
    if not ties:
        return TiedSeats({}, {}, {})
    if why_not(fleet, host, spec) is not None:
        return None
    at, seats = homes(fleet, host, spec), host.seats()
    cores = {nf_id: core for nf_id, (core, _) in at.items()}
    for core in cores.values():
        _take(seats, seats.layout.unit_of[core])
    reserved: Counter[int] = Counter()
    node_of = {spec.nf_id(position): node for position, node in enumerate(nodes)}
    for nf_id, tie in ties.items():
        more = coming.get(tie, 0)
        if nf_id not in cores and more > 0:
            unit = _roomy(seats, node_of[nf_id], 1 + more)
            if unit is None:
                return None
            cores[nf_id] = unit.core
            _take(seats, unit)
        if nf_id in cores:
            unit = seats.layout.unit_of[cores[nf_id]]
            for _ in range(min(more, seats.free(unit))):
                _take(seats, unit)
                reserved[unit.core] += 1
    return TiedSeats(cores, {nf_id: other for nf_id, (_, other) in at.items()}, reserved)


class TiedAssigner:
    """An `Assigner` that puts tied NFs on their cores, and leaves the others to another one."""

    def __init__(self, tied: TiedSeats, others: Assigner) -> None:
        self._tied, self._others = tied, others

    def assign(self, problem: AssignmentProblem, state: Seats) -> dict[str, Assigned]:
        """As `Assigner.assign`."""
        assigned: dict[str, Assigned] = {}
        for nf_id, core in self._tied.cores.items():
            unit = state.layout.unit_of[core]
            with_whom = self._tied.others.get(nf_id)
            why = f"core {core}, where {with_whom} stands, with which it is tied" if with_whom else _ROOMY.format(core)
            assigned[nf_id] = Assigned(core, _take(state, unit), unit.node, why)
        wanted = tuple((nf_id, node) for nf_id, node in problem.wanted if nf_id not in assigned)
        rest = AssignmentProblem(problem.host, wanted)
        if self._tied.reserved:
            try:
                return assigned | self._others.assign(rest, self._without_reserved(state))
            except NoSeat:
                pass  # what was kept for those that come after it is needed at once
        return assigned | self._others.assign(rest, state)

    def _without_reserved(self, state: Seats) -> Seats:
        seats = state.copy()
        for core, count in self._tied.reserved.items():
            for _ in range(count):
                _take(seats, seats.layout.unit_of[core])
        return seats


def roomy(seats: Seats, need: int) -> Unit | None:
    """The unit for NFs that run already and have to go together: of those that take all the first as `assign_cores`
    has it."""
    units = [unit for unit in seats.open_units() if seats.free(unit) >= need]
    return min(units, key=lambda one: (one.last_choice, one.other, seats.occupied(one), one.core), default=None)


def _roomy(seats: Seats, node: int, need: int) -> Unit | None:
    """The unit for an element of so many NFs: one that takes all of them, on the chosen node, an ordinary one, the
    emptiest; None: nobody has a seat."""
    order = sorted(
        seats.open_units(),
        key=lambda unit: (
            -min(need, seats.free(unit)),
            unit.last_choice,
            unit.other,
            unit.node != node,
            seats.occupied(unit),
            unit.core,
        ),
    )
    return order[0] if order else None


def _take(seats: Seats, unit: Unit) -> int:
    slot = seats.lowest_free_slot(unit)
    seats.take(unit.core, slot)
    return slot
