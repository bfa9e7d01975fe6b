"""One node whose chains NUMASFP's allocation looks after, second by second."""

from datetime import UTC, datetime

from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import ResourceBounds
from sextant_domain.hosts.levels import Level, LevelTable, TypeLevels
from sextant_engine.control.numasfp.allocation import step
from sextant_engine.control.numasfp.allocation_state import AllocationObservation, AllocationState, BoundedChain
from sextant_engine.control.numasfp.shares import Ladder, Room, Share, ladder_of

ROUTER = [(4, 2, 10), (5, 2, 20), (7, 3, 30), (8, 4, 40), (9, 5, 50), (10, 6, 60)]
NAT = [(4, 1, 20), (6, 3, 20), (10, 3, 40)]
STEPS = tuple(range(10, 101, 10))
NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def levels(rows):
    return tuple(Level(gbps=float(gbps), ways=ways, mb_percent=percent) for gbps, ways, percent in rows)


TABLE = LevelTable(
    host_model="m", types={"router": TypeLevels(local=levels(ROUTER)), "nat": TypeLevels(local=levels(NAT))}
)


def bounds(ways=(1, 10), percent=(10, 100)):
    return ResourceBounds(
        law="numasfp", law_version=1, table=digest_of(TABLE), least_ways=ways[0], most_ways=ways[1],
        least_percent=percent[0], most_percent=percent[1],
    )  # fmt: skip


def ladder(*types, within=None, steps=STEPS):
    found = ladder_of(TABLE, types or ("router",), "local", within or bounds(), steps)
    assert isinstance(found, Ladder), found
    return found


LEAST = Share(1, 10)
ROOM = Room(10, 100, STEPS)


def chain(name, begins=LEAST, within=None, node=0):
    return BoundedChain(name, node, ladder(within=within), begins)


class Host:
    """One node of 10 ways that can be given, unless said otherwise; a second passes with every `second`."""

    def __init__(self, *chains, room=ROOM):
        self.chains, self.rooms = chains, {0: room}
        self.state, self.at_s = AllocationState(), 0.0
        self.said = []

    def second(self, carried=None, **rates):
        """What chains have then. `carried`: by default all that is offered."""
        self.at_s += 1
        seen = AllocationObservation(self.at_s, NOON, self.chains, self.rooms, rates, {**rates, **(carried or {})})
        before = len(self.state.transfers)
        self.state, action = step(self.state, seen, self.at_s)
        self.said.append(action)
        self.new = self.state.transfers[before:]
        return {name: tuple(memory.has) for name, memory in self.state.chains.items()}

    def of(self, name):
        standing = self.said[-1].standings[name]
        return standing.state, standing.note
