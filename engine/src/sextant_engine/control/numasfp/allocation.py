"""NUMASFP's allocation: LLC ways and memory bandwidth of chains where they stand, each second, within their bounds.

`step` is the law. An agent calls its two parts by themselves: what chains shall have goes to the host before it is
worked out what is to be said of it.

It raises at once. It reclaims where somebody needs it, and what a chain has not needed for 30 s. It holds still where
it does not believe what was measured. Total, deterministic, and whatever the order of chains.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from sextant_domain.hosts.telemetry import MOST_TRANSFERS, WayTransfer
from sextant_domain.laws.numasfp import NumasfpParameters

from sextant_engine.control.measured_time import unbelievable_time
from sextant_engine.control.numasfp import standings
from sextant_engine.control.numasfp.allocation_state import (
    AllocationAction,
    AllocationObservation,
    AllocationState,
    BoundedChain,
    ChainMemory,
    Settled,
    Standing,
)
from sextant_engine.control.numasfp.believing import absurd
from sextant_engine.control.numasfp.node import NO_ROOM, NodeStep
from sextant_engine.control.numasfp.shares import Room, total

BELIEVED = NumasfpParameters()
"""What the fleet's law believes, an agent believes."""
_by_name = attrgetter("chain")


@dataclass(frozen=True, slots=True)
class Decided:
    """What every chain shall have, before a word is said about it."""

    state: AllocationState
    """As it is then, but for the transfers of this interval."""
    before: AllocationState
    observation: AllocationObservation
    nodes: tuple[NodeStep, ...]
    """Empty where nothing was believed."""
    doubt: str | None
    """Why it was not."""


def step(
    state: AllocationState, observation: AllocationObservation, now_s: float
) -> tuple[AllocationState, AllocationAction]:
    """What every chain shall have now, and why."""
    return explained(decide(state, observation, now_s))


def decide(state: AllocationState, observation: AllocationObservation, now_s: float) -> Decided:
    """What every chain shall have now."""
    settled = state.settled
    if settled is not None and settled.chains is observation.chains and settled.rooms is observation.rooms:
        chains = dict(state.chains)
    else:
        by_node = _by_node(observation.chains)
        chains = _taken_over(state.chains, by_node, observation.rooms)
        settled = Settled(observation.chains, observation.rooms, by_node)
    doubt = _doubt(observation, state.measured_s, now_s)
    if doubt is not None:
        held = {name: one._replace(idle_s=None, idle_peak=None) for name, one in chains.items()}
        return Decided(replace(state, chains=held, settled=settled), state, observation, (), doubt)
    nodes = []
    for here in settled.by_node.values():
        of_node = NodeStep(here, chains, observation, now_s)
        of_node.decide()
        chains |= of_node.memory
        nodes.append(of_node)
    then = AllocationState(chains, observation.at_s, state.transfers, settled)
    return Decided(then, state, observation, tuple(nodes), None)


def explained(decided: Decided) -> tuple[AllocationState, AllocationAction]:
    """With who gave up ways to whom, and how it stands with every chain."""
    seen, chains, before = decided.observation, decided.state.chains, decided.before.chains
    found: dict[str, Standing] = {}
    if decided.doubt is not None:
        for one in seen.chains:
            found[one.chain] = standings.held(one, chains[one.chain].has, seen, decided.doubt)
        return decided.state, AllocationAction(found, changed=False)
    transfers: list[WayTransfer] = []
    for node in decided.nodes:
        found |= node.standings()
        transfers += node.transfers()
    changed = any(name not in before or one.has != before[name].has for name, one in chains.items())
    kept = (*decided.state.transfers, *transfers)[-MOST_TRANSFERS:]
    return replace(decided.state, transfers=kept), AllocationAction(found, changed=changed)


def taken_over(
    before: Mapping[str, ChainMemory], chains: Sequence[BoundedChain], rooms: Mapping[int, Room]
) -> dict[str, ChainMemory]:
    """What chains have under a new order: what they were given where they still stand there, that is still within their
    bounds and all of it fits; else what was ordered."""
    return _taken_over(before, _by_node(chains), rooms)


def _by_node(chains: Iterable[BoundedChain]) -> dict[int, list[BoundedChain]]:
    """By name, so that their order in the observation decides nothing."""
    found: dict[int, list[BoundedChain]] = {}
    for one in sorted(chains, key=_by_name):
        found.setdefault(one.node, []).append(one)
    return dict(sorted(found.items()))


def _taken_over(
    before: Mapping[str, ChainMemory], by_node: Mapping[int, Sequence[BoundedChain]], rooms: Mapping[int, Room]
) -> dict[str, ChainMemory]:
    found: dict[str, ChainMemory] = {}
    for node, here in by_node.items():
        kept = {one.chain: _kept(before.get(one.chain), one) for one in here}
        if not rooms.get(node, NO_ROOM).whole.covers(total([one.has for one in kept.values()])):
            kept = {one.chain: _kept(None, one) for one in here}
        found |= kept
    return found


def _kept(before: ChainMemory | None, one: BoundedChain) -> ChainMemory:
    if before is None or before.node != one.node or not one.ladder.allows(before.has):
        return ChainMemory(one.node, one.begins)
    return before


def _doubt(seen: AllocationObservation, before_s: float | None, now_s: float) -> str | None:
    rates = {one.chain: seen.rates_gbps[one.chain] for one in seen.chains if one.chain in seen.rates_gbps}
    carried = {name: seen.carried_gbps.get(name, 0.0) for name in rates}
    late = unbelievable_time(seen.at_s, before_s, now_s, BELIEVED.late_s)
    return late or absurd(rates, carried, BELIEVED.most_gbps)
