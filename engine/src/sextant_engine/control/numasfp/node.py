"""One node in one interval of the allocation law."""

from collections.abc import Mapping, Sequence

from sextant_domain.hosts.telemetry import WayTransfer

from sextant_engine.control.numasfp import falling_short, standings
from sextant_engine.control.numasfp.allocation_state import (
    AllocationObservation,
    BoundedChain,
    ChainMemory,
    Standing,
    Trial,
)
from sextant_engine.control.numasfp.granting import by_table, keeping, ranked
from sextant_engine.control.numasfp.seat import Seat
from sextant_engine.control.numasfp.shares import Room, total
from sextant_engine.control.numasfp.transfers import transfers_of

RECLAIM_S = 30.0
"""What a chain has not needed for so long is nobody's."""
NO_ROOM = Room(0, 0, ())


class NodeStep:
    """First `decide`; then `standings` and `transfers` say what it decided, and why."""

    def __init__(
        self,
        chains: Sequence[BoundedChain],
        memory: Mapping[str, ChainMemory],
        observation: AllocationObservation,
        now_s: float,
    ) -> None:
        """`chains`: of one node, by name."""
        self._seen = observation
        self._now_s = now_s
        self._chains = chains
        self.memory = {one.chain: memory[one.chain] for one in chains}
        room = observation.rooms.get(chains[0].node, NO_ROOM)
        unseen = [one.chain for one in chains if one.chain not in observation.rates_gbps]
        for name in unseen:
            self.memory[name] = self.memory[name]._replace(idle_s=None, idle_peak=None)
            taken = self.memory[name].has
            room = Room(room.ways - taken.ways, room.percent - taken.percent, room.steps)
        self._room, self._whole = room, room.whole
        self._least = total([one.ladder.floor for one in chains if one.chain in observation.rates_gbps])
        self._seats: list[Seat] = []
        """Of those that were measured, unless not even the least of their bounds fits."""

    def decide(self) -> None:
        """Into `memory`."""
        if not self._whole.covers(self._least):
            return
        self._seats = seats = [self._seat(one) for one in self._chains if one.chain in self._seen.rates_gbps]
        order = ranked(seats)
        by_table(order, self._whole)
        falling_short.with_extras(order, self._whole)
        if self._stepped(order):
            falling_short.with_extras(order, self._whole)
        keeping(seats, self._room, self._givers)
        for seat in seats:
            self._reclaim(seat)
            self.memory[seat.name] = self._remembered(seat)

    def standings(self) -> dict[str, Standing]:
        """Of each chain."""
        held = f"the least of all bounds here is {self._least.text}, and {self._whole.text} can be given"
        found = {}
        for one in self._chains:
            why = held if one.chain in self._seen.rates_gbps else f"{one.chain} was not measured"
            found[one.chain] = standings.held(one, self.memory[one.chain].has, self._seen, why)
        for seat in self._seats:
            found[seat.name] = standings.standing(seat, self.memory[seat.name].trial)
        return found

    def transfers(self) -> tuple[WayTransfer, ...]:
        """Who gave up which ways to whom."""
        if all(seat.after == seat.before for seat in self._seats):
            return ()
        return transfers_of(
            {seat.name: seat.before for seat in self._seats},
            {seat.name: seat.after for seat in self._seats},
            {seat.name: standings.gets(seat) for seat in self._seats},
            {seat.name: standings.gives(seat, in_vain=self._in_vain(seat.trial)) for seat in self._seats},
            self._seen.taken_at,
        )

    def _seat(self, one: BoundedChain) -> Seat:
        memory, rate = self.memory[one.chain], self._seen.rates_gbps[one.chain]
        carried = self._seen.carried_gbps.get(one.chain, 0.0)
        for_s = None if memory.changed_s is None else self._seen.at_s - memory.changed_s
        trial = falling_short.judged(falling_short.measured(memory.trial, rate, carried, for_s), rate, self._now_s)
        need = one.ladder.need(rate)
        return Seat(one, memory, rate, trial, need, table=need, shall=need, after=memory.has)

    def _in_vain(self, trial: Trial) -> bool:
        """It was found just now that more does not help."""
        return trial.vain_gbps is not None and trial.vain_s == self._now_s

    def _stepped(self, order: Sequence[Seat]) -> bool:
        """A chain that has what its table says, and carries less, is given a step; whether one was."""
        short = [seat for seat in order if falling_short.falls_short(seat.trial)]
        if not short:
            return False
        left = self._whole.minus(total([seat.shall for seat in order]))
        any_was = False
        for seat in short:
            if seat.table != seat.need or seat.before != seat.shall:
                continue
            stepped = falling_short.next_step(seat, left, self._now_s)
            if stepped is not None and stepped.step is not None:
                seat.trial, any_was = stepped, True
                left = left.minus(stepped.step)
        return any_was

    def _givers(self) -> list[Seat]:
        """First those who do not need it, the longest first; then those who come after others."""

        def turn(seat: Seat) -> tuple[bool, float]:
            short = seat.table != seat.need
            since = self._now_s if seat.memory.idle_s is None else seat.memory.idle_s
            return short, seat.rate if short else since

        return sorted(self._seats, key=turn)

    def _reclaim(self, seat: Seat) -> None:
        """What was given in vain, and what was not needed for long."""
        memory = seat.memory
        if self._in_vain(seat.trial):
            seat.after = seat.shall
        elif memory.idle_s is not None and self._now_s - memory.idle_s >= RECLAIM_S:
            seat.after = seat.after.at_most(seat.shall.at_least(memory.idle_peak or seat.shall))

    def _remembered(self, seat: Seat) -> ChainMemory:
        memory, trial, shall = seat.memory, seat.trial, seat.shall
        idle_s, peak = memory.idle_s, memory.idle_peak
        if seat.after == shall:
            idle_s, peak = None, None
        elif idle_s is None or self._now_s - idle_s >= RECLAIM_S:
            idle_s, peak = self._now_s, shall
        else:
            peak = shall.at_least(peak or shall)
        changed_s = memory.changed_s
        if seat.after != seat.before:
            trial = trial.with_recent(()) if trial.recent else trial
            changed_s = self._seen.at_s
        return ChainMemory(memory.node, seat.after, changed_s, idle_s, peak, trial)
