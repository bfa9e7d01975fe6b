"""From nodes to cores: one pure, deterministic function.

What runs stays. An NF goes to an ordinary core before a last-choice one, to one without other work before one of which
that uses a part (the least first), to the core with the fewest NFs before a fuller one, then to the one with the fewest
NFs on its sibling threads, and to the lowest core id among equals; on its core it gets the lowest free slot.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from sextant_domain.hosts.host import HostInventory

from sextant_engine.seats import CoreLayout, Seats, Smt, Unit


class NoSeat(LookupError):
    """A node has fewer free seats than it was given NFs: the caller counted wrongly."""


@dataclass(frozen=True, slots=True)
class Assigned:
    """The seat an NF got."""

    core: int
    slot: int
    node: int
    why: str
    """For a person: 'core 1 is the only core with a free slot'."""


@dataclass(frozen=True, slots=True)
class AssignmentProblem:
    """NFs that want seats on one host."""

    host: str
    wanted: tuple[tuple[str, int], ...]
    """NF id and node, in the order in which they choose."""


class Assigner(Protocol):
    """Chooses cores for NFs whose nodes are chosen: today's rule, or a learned one."""

    def assign(self, problem: AssignmentProblem, state: Seats) -> dict[str, Assigned]:
        """The seat of every NF that is wanted; each is free and on its node. The seats are taken in `state`, which is
        the assigner's own. Raises NoSeat where a node has none left."""
        ...


class RuleAssigner:
    """The rule at the top of this file."""

    def assign(self, problem: AssignmentProblem, state: Seats) -> dict[str, Assigned]:
        """As `Assigner.assign`; equal problems give equal seats."""
        open_units = state.open_units()
        assigned: dict[str, Assigned] = {}
        for nf_id, node in problem.wanted:
            on_node = [unit for unit in open_units if unit.node == node]
            if not on_node:
                raise NoSeat(f"node {node} of {problem.host} has no free seat for {nf_id}")
            unit = min(on_node, key=lambda unit: _order(state, unit))
            why = _why(state, unit, only=len(open_units) == 1)
            slot = state.lowest_free_slot(unit)
            state.take(unit.core, slot)
            if state.free(unit) == 0:
                open_units.remove(unit)
            assigned[nf_id] = Assigned(unit.core, slot, unit.node, why)
        return assigned


RULE: Assigner = RuleAssigner()


def assign_cores(
    inventory: HostInventory,
    incumbents: Iterable[tuple[int, int]],
    wanted: Iterable[tuple[str, int]],
    smt: Smt = "exclusive",
    assigner: Assigner = RULE,
) -> dict[str, Assigned]:
    """Seat every NF of `wanted` (NF id, node), in that order, around `incumbents` (core, slot).

    `smt="share"` lets NFs stand on sibling threads. Raises NoSeat where a node has no free seat left.
    """
    problem = AssignmentProblem(inventory.host_id, tuple(wanted))
    return take_seats(Seats(CoreLayout.of(inventory, smt), incumbents), problem, assigner)


def take_seats(seats: Seats, problem: AssignmentProblem, assigner: Assigner = RULE) -> dict[str, Assigned]:
    """The same on seats that are at hand. A learned assigner is not trusted: raises NoSeat for a seat that is taken,
    blocked or on another node, and for an NF without one."""
    assigned = assigner.assign(problem, seats.copy())
    for nf_id, node in problem.wanted:
        seat = assigned.get(nf_id)
        unit = None if seat is None else seats.unit_of(seat.core)
        if seat is None or unit is None or unit.node != node:
            raise NoSeat(f"{nf_id} was assigned no core of node {node} of {problem.host}")
        if seats.free(unit) == 0 or seat.slot not in range(unit.capacity) or not seats.slot_is_free(unit, seat.slot):
            raise NoSeat(
                f"{nf_id} was assigned slot {seat.slot} of core {seat.core} of {problem.host}, which is not free"
            )
        seats.take(seat.core, seat.slot)
    return assigned


def _order(seats: Seats, unit: Unit) -> tuple[bool, float, int, int, int]:
    return unit.last_choice, unit.other, seats.occupied(unit), seats.beside(unit), unit.core


def _why(seats: Seats, unit: Unit, *, only: bool) -> str:
    if unit.other:
        used = f"core {unit.core}, of which other work uses {unit.other:.0f} %"
        return f"no core of node {unit.node} without other work has room, so {used}"
    avoided = any(one.other and one.node == unit.node and seats.free(one) > 0 for one in seats.layout.units)
    why = _why_ordinary(seats, unit, only=only)
    return f"{why}, of those without other work" if avoided and not unit.last_choice else why


def _why_ordinary(seats: Seats, unit: Unit, *, only: bool) -> str:
    if only:
        word = "slot" if unit.capacity > 1 else "seat"
        if unit.last_choice:
            return f"every other core is full, so the last-choice core {unit.core}"
        return f"core {unit.core} is the only core with a free {word}"
    if unit.last_choice:
        return f"every ordinary core of node {unit.node} is full, so the last-choice core {unit.core}"
    if unit.capacity == 1:
        return f"core {unit.core} is the lowest free core of node {unit.node}"
    others = [
        other
        for other in seats.layout.units
        if other is not unit and other.node == unit.node and not other.last_choice and other.blocked is None
    ]
    if not others:
        return f"core {unit.core} is the only ordinary core, and has {seats.free(unit)} of {unit.capacity} slots free"
    return f"core {unit.core} holds the fewest NFs ({seats.occupied(unit)} of {unit.capacity} slots taken)"
