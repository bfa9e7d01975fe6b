"""Which seats a host has, and which are free: slots, reservations, siblings and last choices.

A unit is what NFs compete for: a physical core with all its threads where cores are exclusive (one NF, its siblings
stay empty), or one core with its slots where they are shared. A physical core with a reserved thread is no unit for
NFs: its sibling would not stay empty.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

from sextant_domain.hosts.host import Core, HostInventory

Smt = Literal["exclusive", "share"]
NO_OTHER_WORK: Mapping[int, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Unit:
    """Room for `capacity` NFs."""

    core: int
    """The core that NFs are put on: the lowest ordinary thread of an exclusive physical core."""
    threads: tuple[int, ...]
    """Cores whose occupants count against this unit."""
    node: int
    capacity: int
    last_choice: bool
    blocked: str | None
    """Why no NF may stand here; None where one may."""
    siblings: tuple[int, ...] = ()
    """Other cores of its physical core that are units of their own: who stands there slows who stands here."""
    other: float = 0.0
    """Percent of it that work uses which is none of the host's NFs; 0 where that is little, or nobody knows."""

    @property
    def spare(self) -> bool:
        """True where NFs go only when every other core is full."""
        return self.last_choice or self.other > 0


@dataclass(frozen=True, slots=True)
class CoreLayout:
    """All units of a host: what never changes while a plan is made."""

    units: tuple[Unit, ...]
    """By rising core."""
    unit_of: dict[int, Unit]
    """The unit that each core belongs to."""

    @classmethod
    def of(
        cls, inventory: HostInventory, smt: Smt = "exclusive", other: Mapping[int, float] = NO_OTHER_WORK
    ) -> "CoreLayout":
        """`smt="share"` lets NFs stand on sibling threads; `other`: by core, what other work uses of it."""
        units = tuple(
            replace(unit, other=max(other.get(thread, 0.0) for thread in unit.threads))
            for unit in _units(inventory, smt)
        )
        return cls(units, {thread: unit for unit in units for thread in unit.threads})


def _units(inventory: HostInventory, smt: Smt) -> tuple[Unit, ...]:
    by_id = {core.id: core for core in inventory.cores}
    units: list[Unit] = []
    for threads in _physical_cores(by_id):
        if smt == "share" or any(by_id[thread].slots > 1 for thread in threads):
            units += [_unit(by_id[thread], (by_id[thread],), threads) for thread in threads]
        else:
            members = tuple(by_id[thread] for thread in threads)
            usable = [core for core in members if core.slots > 0] or list(members)
            units.append(_unit(min(usable, key=lambda core: (core.last_choice, core.id)), members))
    return tuple(sorted(units, key=lambda unit: unit.core))


def _physical_cores(by_id: dict[int, Core]) -> list[tuple[int, ...]]:
    """Groups of threads that share a physical core, by the siblings that the kernel lists."""
    neighbours: dict[int, set[int]] = {core: set() for core in by_id}
    for core in by_id.values():
        for sibling in core.siblings:
            if sibling in by_id:
                neighbours[core.id].add(sibling)
                neighbours[sibling].add(core.id)
    groups: list[tuple[int, ...]] = []
    seen: set[int] = set()
    for start in sorted(by_id):
        if start in seen:
            continue
        group, queue = {start}, [start]
        while queue:
            for sibling in neighbours[queue.pop()] - group:
                group.add(sibling)
                queue.append(sibling)
        seen |= group
        groups.append(tuple(sorted(group)))
    return groups


def _unit(core: Core, members: tuple[Core, ...], threads: tuple[int, ...] = ()) -> Unit:
    """`threads`: all of the physical core."""
    blocked = None
    if core.slots == 0:
        blocked = f"core {core.id} offers no slot"
    for member in members:
        if member.reserved_for is not None:
            whose = f"core {member.id}" if member is core else f"its sibling, core {member.id},"
            blocked = f"{whose} is {member.reserved_for.text}"
    own = tuple(m.id for m in members)
    others = tuple(thread for thread in threads if thread not in own)
    return Unit(core.id, own, core.node, core.slots, core.last_choice, blocked, others)


def shared_cores(layout: CoreLayout) -> int:
    """How many NFs may stand on, full ones among them."""
    return sum(unit.blocked is None for unit in layout.units)


class Seats:
    """Occupants of a host's units while a plan is made."""

    def __init__(self, layout: CoreLayout, taken: Iterable[tuple[int, int]]) -> None:
        """`taken`: (core, slot) of every NF that stays."""
        self.layout = layout
        self._slots: dict[int, list[int]] = {}
        for core, slot in taken:
            self.take(core, slot)

    def copy(self) -> "Seats":
        """The same occupants; taking a seat of one takes none of the other."""
        return Seats(self.layout, [(core, slot) for core, slots in self._slots.items() for slot in slots])

    def unit_of(self, core: int) -> Unit | None:
        """The unit a core belongs to; None if the host has no such core."""
        return self.layout.unit_of.get(core)

    def take(self, core: int, slot: int) -> None:
        """Count an occupant; one on a core that the host does not have takes nothing."""
        unit = self.unit_of(core)
        if unit is not None:
            self._slots.setdefault(unit.core, []).append(slot)

    def occupied(self, unit: Unit) -> int:
        """NFs that stand on a unit."""
        return len(self._slots.get(unit.core, ()))

    def beside(self, unit: Unit) -> int:
        """NFs that stand on other threads of its physical core."""
        return sum(len(self._slots.get(core, ())) for core in unit.siblings)

    def free(self, unit: Unit) -> int:
        """NFs that a unit can still take."""
        if unit.blocked is not None:
            return 0
        taken = self._slots.get(unit.core)
        if taken is None:
            return unit.capacity
        unused = sum(slot not in taken for slot in range(unit.capacity))
        return max(0, min(unused, unit.capacity - len(taken)))

    def slot_is_free(self, unit: Unit, slot: int) -> bool:
        """True if nobody has this slot."""
        return slot not in self._slots.get(unit.core, ())

    def lowest_free_slot(self, unit: Unit) -> int:
        """The slot that the next NF on a unit with room gets."""
        return next(slot for slot in range(unit.capacity) if self.slot_is_free(unit, slot))

    def open_units(self) -> list[Unit]:
        """Units with room, by rising core."""
        return [unit for unit in self.layout.units if self.free(unit) > 0]

    def room(self) -> Counter[tuple[int, bool]]:
        """Free seats by (node, whether they are kept for last)."""
        room: Counter[tuple[int, bool]] = Counter()
        for unit in self.layout.units:
            room[unit.node, unit.spare] += self.free(unit)
        return room
