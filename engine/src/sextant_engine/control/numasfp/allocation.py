"""NUMASFP's allocation: LLC ways and memory bandwidth of chains where they stand, each second, within their bounds.

It raises at once. It reclaims where somebody needs it, and what a chain has not needed for 30 s. It holds still where
it does not believe what was measured. Total, deterministic, and whatever the order of chains.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sextant_domain.hosts.telemetry import MOST_TRANSFERS, WayTransfer
from sextant_domain.laws.numasfp import NumasfpObservation, NumasfpParameters

from sextant_engine.control.numasfp import falling_short, standings
from sextant_engine.control.numasfp.allocation_state import (
    AllocationAction,
    AllocationObservation,
    AllocationState,
    BoundedChain,
    ChainMemory,
    Standing,
    Trial,
)
from sextant_engine.control.numasfp.believing import unbelievable
from sextant_engine.control.numasfp.granting import by_table, keeping, ranked
from sextant_engine.control.numasfp.shares import Room, Share, total
from sextant_engine.control.numasfp.transfers import transfers_of

RECLAIM_S = 30.0
"""What a chain has not needed for so long is nobody's."""
BELIEVED = NumasfpParameters()
"""What the fleet's law believes, an agent believes."""
NO_ROOM = Room(0, 0, ())


def step(
    state: AllocationState, observation: AllocationObservation, now_s: float
) -> tuple[AllocationState, AllocationAction]:
    """What every chain shall have now."""
    chains = taken_over(state.chains, observation.chains, observation.rooms)
    measured = {one.chain for one in observation.chains if one.chain in observation.rates_gbps}
    doubt = _doubt(observation, measured, state.measured_s, now_s)
    if doubt is not None:
        held = {name: one._replace(idle_s=None, idle_peak=None) for name, one in chains.items()}
        found = {
            one.chain: standings.held(one, chains[one.chain].has, observation, doubt) for one in observation.chains
        }
        return replace(state, chains=held), AllocationAction(found, changed=False)
    transfers: list[WayTransfer] = []
    found = {}
    for node in sorted({one.node for one in observation.chains}):
        here = [one for one in observation.chains if one.node == node]
        of_node = _Node(here, chains, observation, now_s)
        of_node.decide()
        chains |= of_node.memory
        found |= of_node.standings
        transfers += of_node.transfers
    changed = any(one.has != state.chains[name].has for name, one in chains.items() if name in state.chains)
    kept = (*state.transfers, *transfers)[-MOST_TRANSFERS:]
    new = any(name not in state.chains for name in chains)
    return AllocationState(chains, observation.at_s, kept), AllocationAction(found, changed=changed or new)


def taken_over(
    before: Mapping[str, ChainMemory], chains: Sequence[BoundedChain], rooms: Mapping[int, Room]
) -> dict[str, ChainMemory]:
    """What chains have under a new order: what they were given where they still stand there, that is still within their
    bounds and all of it fits; else what was ordered."""
    found: dict[str, ChainMemory] = {}
    for node in sorted({one.node for one in chains}):
        here = sorted((one for one in chains if one.node == node), key=lambda one: one.chain)
        kept = {one.chain: _kept(before.get(one.chain), one) for one in here}
        if not rooms.get(node, NO_ROOM).whole.covers(total(one.has for one in kept.values())):
            kept = {one.chain: _kept(None, one) for one in here}
        found |= kept
    return found


def _kept(before: ChainMemory | None, one: BoundedChain) -> ChainMemory:
    if before is None or before.node != one.node or not one.ladder.allows(before.has):
        return ChainMemory(one.node, one.begins)
    return before


def _doubt(observation: AllocationObservation, measured: set[str], before_s: float | None, now_s: float) -> str | None:
    rates = {name: observation.rates_gbps[name] for name in measured}
    carried = {name: observation.carried_gbps.get(name, 0.0) for name in measured}
    seen = NumasfpObservation(at_s=observation.at_s, rates_gbps=rates, carried_gbps=carried)
    return unbelievable(seen, measured, before_s, now_s, BELIEVED)


class _Node:
    """One node in one interval."""

    def __init__(
        self,
        chains: Sequence[BoundedChain],
        memory: Mapping[str, ChainMemory],
        observation: AllocationObservation,
        now_s: float,
    ) -> None:
        self._seen = observation
        self._now_s = now_s
        self._rates = observation.rates_gbps
        self._unseen = [one for one in chains if one.chain not in self._rates]
        self._chains = sorted((one for one in chains if one.chain in self._rates), key=lambda one: one.chain)
        room = observation.rooms.get(chains[0].node, NO_ROOM)
        taken = total(memory[one.chain].has for one in self._unseen)
        self._room = Room(room.ways - taken.ways, room.percent - taken.percent, room.steps)
        self.memory = {one.chain: memory[one.chain] for one in chains}
        self.standings: dict[str, Standing] = {}
        self.transfers: tuple[WayTransfer, ...] = ()

    def decide(self) -> None:
        """Into `memory`, `standings` and `transfers`."""
        for one in self._unseen:
            why = f"{one.chain} was not measured"
            self.memory[one.chain] = self.memory[one.chain]._replace(idle_s=None, idle_peak=None)
            self.standings[one.chain] = standings.held(one, self.memory[one.chain].has, self._seen, why)
        least = total(one.ladder.floor for one in self._chains)
        if not self._room.whole.covers(least):
            why = f"the least of all bounds here is {least.text}, and {self._room.whole.text} can be given"
            for one in self._chains:
                self.standings[one.chain] = standings.held(one, self.memory[one.chain].has, self._seen, why)
            return
        before = {one.chain: self.memory[one.chain].has for one in self._chains}
        order = ranked(self._chains, self._rates, before)
        table = by_table(order, self._rates, self._room.whole)
        trials = self._trials()
        shall = falling_short.with_extras(order, table, trials, self._room.whole)
        if stepped := self._stepped(order, table, shall, trials):
            trials |= stepped
            shall = falling_short.with_extras(order, table, trials, self._room.whole)
        after = self._reclaimed(keeping(before, shall, self._givers(table), self._room), shall, trials)
        for one in self._chains:
            self._remember(one, before[one.chain], after[one.chain], shall[one.chain], trials[one.chain])
        if after != before:
            self._note_transfers(before, after, table, trials)

    def _note_transfers(
        self,
        before: Mapping[str, Share],
        after: Mapping[str, Share],
        table: Mapping[str, Share],
        trials: Mapping[str, Trial],
    ) -> None:
        gets, gives = {}, {}
        for one in self._chains:
            name, rate, trial = one.chain, self._rates[one.chain], trials[one.chain]
            gets[name] = standings.gets(one, rate, before[name], table[name], trial)
            gives[name] = standings.gives(one, rate, table[name], trial, in_vain=self._in_vain(trial))
        self.transfers = transfers_of(before, after, gets, gives, self._seen.taken_at)

    def _in_vain(self, trial: Trial) -> bool:
        """It was found just now that more does not help."""
        return trial.vain_gbps is not None and trial.vain_s == self._now_s

    def _trials(self) -> dict[str, Trial]:
        found = {}
        for one in self._chains:
            memory, offered = self.memory[one.chain], self._rates[one.chain]
            carried = self._seen.carried_gbps.get(one.chain, 0.0)
            for_s = None if memory.changed_s is None else self._seen.at_s - memory.changed_s
            trial = falling_short.measured(memory.trial, offered, carried, for_s)
            found[one.chain] = falling_short.judged(trial, offered, self._now_s)
        return found

    def _stepped(
        self,
        order: Sequence[BoundedChain],
        table: Mapping[str, Share],
        shall: Mapping[str, Share],
        trials: Mapping[str, Trial],
    ) -> dict[str, Trial]:
        """A chain that has what its table says, and carries less, is given a step."""
        left = self._room.whole.minus(total(shall.values()))
        found = {}
        for one in order:
            need = one.ladder.need(self._rates[one.chain])
            has = self.memory[one.chain].has
            if table[one.chain] != need or has != shall[one.chain]:
                continue
            trial = trials[one.chain]
            moment = falling_short.Moment(self._rates[one.chain], self._now_s)
            stepped = falling_short.next_step(one.ladder, has, trial, left, moment)
            if stepped is not None and stepped.step is not None:
                found[one.chain] = stepped
                left = left.minus(stepped.step)
        return found

    def _givers(self, table: Mapping[str, Share]) -> list[str]:
        """First those who do not need it, the longest first; then those who come after others."""

        def turn(one: BoundedChain) -> tuple[bool, float, str]:
            short = table[one.chain] != one.ladder.need(self._rates[one.chain])
            idle_s = self.memory[one.chain].idle_s
            since = self._now_s if idle_s is None else idle_s
            return short, self._rates[one.chain] if short else since, one.chain

        return [one.chain for one in sorted(self._chains, key=turn)]

    def _reclaimed(
        self, kept: Mapping[str, Share], shall: Mapping[str, Share], trials: Mapping[str, Trial]
    ) -> dict[str, Share]:
        """Without what was given in vain, and what was not needed for long."""
        found = {}
        for name, share in kept.items():
            memory = self.memory[name]
            over = memory.idle_s is not None and self._now_s - memory.idle_s >= RECLAIM_S
            peak = shall[name].at_least(memory.idle_peak or shall[name])
            if self._in_vain(trials[name]):
                found[name] = shall[name]
            else:
                found[name] = share.at_most(peak) if over else share
        return found

    def _remember(self, one: BoundedChain, before: Share, after: Share, shall: Share, trial: Trial) -> None:
        memory, rate = self.memory[one.chain], self._rates[one.chain]
        idle_s, peak = memory.idle_s, memory.idle_peak
        if after == shall:
            idle_s, peak = None, None
        elif idle_s is None or self._now_s - idle_s >= RECLAIM_S:
            idle_s, peak = self._now_s, shall
        else:
            peak = shall.at_least(peak or shall)
        if after != before:
            trial = trial._replace(recent=()) if trial.recent else trial
        changed_s = self._seen.at_s if after != before else memory.changed_s
        self.memory[one.chain] = ChainMemory(memory.node, after, changed_s, idle_s, peak, trial)
        self.standings[one.chain] = standings.standing(one, after, rate, trial)
