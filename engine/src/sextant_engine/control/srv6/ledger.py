"""What NFs have of each resource during one step: every change goes through it, and so stays within its limits."""

from collections.abc import Iterator

from sextant_engine.control.srv6.resources import Limits, Resource
from sextant_engine.control.srv6.state import Change, ChangeKind, LoopObservation

_ROUNDING = 1e-9


class Ledger:
    """`changes` holds what is to be applied."""

    def __init__(self, observation: LoopObservation) -> None:
        self._seen, self._rooms = observation.nfs, observation.rooms
        self._has = {(name, of): value for name, seen in observation.nfs.items() for of, value in seen.has.items()}
        self.changes: list[Change] = []

    def has(self, name: str, resource: Resource) -> float:
        """Now."""
        return self._has.get((name, resource), 0.0)

    def wants(self, name: str, resource: Resource) -> bool:
        """It may be given more, if there were some."""
        limits = self._seen[name].limits.get(resource)
        return limits is not None and self.has(name, resource) < limits.most - _ROUNDING

    def sharers(self, name: str, resource: Resource) -> Iterator[str]:
        """Others that draw on the same pool, be it the wider one alone."""
        pools = set(self._seen[name].limits[resource].pools)
        for other, seen in self._seen.items():
            limits = seen.limits.get(resource)
            if other != name and limits is not None and pools & set(limits.pools):
                yield other

    def raise_one(self, name: str, resource: Resource, cause: str) -> float:
        """A step up; by how much, 0 where there is none."""
        limits = self._seen[name].limits.get(resource)
        if limits is None:
            return 0.0
        to = limits.raised(self.has(name, resource), self._room(limits, resource))
        return 0.0 if to is None else self.put(name, resource, to, ChangeKind.RAISED, cause)

    def free_one(self, name: str, resource: Resource, kind: ChangeKind, cause: str) -> float:
        """A step down; by how much, 0 where there is none."""
        seen = self._seen[name]
        limits = seen.limits.get(resource)
        if limits is None:
            return 0.0
        to = limits.freed(self.has(name, resource), seen.used.get(resource, 0.0))
        return 0.0 if to is None else -self.put(name, resource, to, kind, cause)

    def can_take(self, name: str, other: str, resource: Resource) -> bool:
        """Whether a step down of the other lets this one have a step up: an NF without ways needs some at once."""
        seen, limits = self._seen[other], self._seen[name].limits[resource]
        has = self.has(other, resource)
        to = seen.limits[resource].freed(has, seen.used.get(resource, 0.0))
        if to is None:
            return False
        room = self._room(limits, resource, freed=has - to, by=seen.limits[resource])
        return limits.raised(self.has(name, resource), room) is not None

    def give_back(self, name: str, resource: Resource, to: float, cause: str) -> None:
        """What was taken from it, as far as it is still there: where it went to the room of all, others may have it."""
        limits = self._seen[name].limits.get(resource)
        if limits is not None:
            has = self.has(name, resource)
            to = limits.given_back(has, to, self._room(limits, resource))
        self.put(name, resource, to, ChangeKind.REVERTED, cause)

    def put(self, name: str, resource: Resource, to: float, kind: ChangeKind, cause: str) -> float:
        """Within its limits; by how much it has more now."""
        limits = self._seen[name].limits.get(resource)
        if limits is None:
            return 0.0
        before, to = self.has(name, resource), limits.within(to)
        if abs(to - before) > _ROUNDING:
            self._has[name, resource] = to
            self.changes.append(Change(name, resource, kind, before, to, cause))
        return to - before

    def _room(self, limits: Limits, resource: Resource, freed: float = 0.0, by: Limits | None = None) -> float:
        """What nobody has, in whichever of its pools has least; once `freed` is given back by one with limits `by`."""
        rooms = []
        for pool in limits.pools:
            taken = sum(
                self.has(name, resource)
                for name, seen in self._seen.items()
                if (own := seen.limits.get(resource)) is not None and pool in own.pools
            )
            back = freed if by is not None and pool in by.pools else 0.0
            rooms.append(self._rooms.get(pool, 0.0) - taken + back)
        return max(0.0, min(rooms))
