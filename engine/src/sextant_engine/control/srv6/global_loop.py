"""SRv6-INT's global loop (Algorithm 4) for the chains of one host: once an NF has been above what is tolerated for long
enough, and its host has no more to give it, its chain is carried in more lanes. Pure.

Mended where the paper cannot work, and stated where it says nothing:

- Lines 5 to 9 divide packets in flight by the most that there ever were (R L by the maxima of R and of L): that is at
  most 1, so n is 1 and nothing is ever scaled. Here n = ceil(rate / (rho mu)), with mu the highest rate at which a lane
  was well, or the most that a full one carried, and at least one lane more than there are. A chain that steps from
  little to much was never well at more than little: what its full lane carries is what one can.
- The paper scales one NF; here a lane is a whole chain, whose flows stay together. So mu is a lane's: that of the NF
  which its host has no more for first, be it in the kernel, where nobody measures its CPU time. How long it has its
  packets is measured as of any.
- What it says of migrating has no rule: see `migrate`. A chain that has moved stays, at least as long as lanes do
  before they go; one that moved again soon after stays twice as long the next time.
- It has no way back. Here a lane goes once the others could have carried all for a time; one that had to come back soon
  waits twice as long the next time, so waves of load end in lanes that stay.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, isfinite

from sextant_domain.chains.lane import MAX_LANES, lane_name
from sextant_domain.laws.frame import LawName
from sextant_domain.laws.srv6 import SRV6, Srv6Parameters

from sextant_engine.control.frame import rests_s
from sextant_engine.control.measured_time import unbelievable_time
from sextant_engine.control.srv6.chains import (
    ChainMemory,
    ChainSeen,
    GlobalAction,
    GlobalObservation,
    GlobalState,
    LanesAsked,
    LaneSeen,
    MoveAsked,
)
from sextant_engine.control.srv6.lane_places import lane_places
from sextant_engine.control.srv6.migrate import in_order, lacking, one_lane_does, place, why_nowhere

LOW = 0.5
"""Part of what is tolerated below which an NF has more than it needs, as in the local loop."""
WELL_CARRIED = 0.99
"""Of what is offered: a lane that loses more says nothing of what it can carry."""
SOON = 10
"""Times the surplus: a lane that comes back within that should have stayed."""
LONGEST_PATIENCE = 7
"""Doublings."""
SETTLES_S = 5.0
"""After a change what waits in lanes' queues is carried first, so that NFs are above for some time yet: until then only
whole seconds count, and no hold time goes on between two."""
MOST_MPPS = 1e6
MOST_PARTS = 1e9
MOST_S = 1e9
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class GlobalLoop:
    """The clock is handed in."""

    parameters: Srv6Parameters
    name: LawName = SRV6

    def initial(self) -> GlobalState:
        """Nothing seen, and nothing changed."""
        return GlobalState()

    def step(
        self, state: GlobalState, observation: GlobalObservation, now_s: float
    ) -> tuple[GlobalState, GlobalAction]:
        """What to change now: of chains that need more the one that has for longest, else one that needs less."""
        why = unbelievable_time(observation.at_s, state.measured_s, now_s, self.parameters.late_s)
        why = why or _absurd(observation.chains)
        if why is not None:
            chains = {name: memory.begun_anew() for name, memory in state.chains.items()}
            return replace(state, chains=chains), GlobalAction(f"held still: {why}")
        at_s = observation.at_s
        chains = {
            name: self._seen(self._arrived(state.chains.get(name), name, observation), seen, at_s)
            for name, seen in sorted(observation.chains.items())
        }
        state = replace(state, measured_s=at_s, chains=chains)
        return state, self._act(state, observation, now_s)

    def again(self, state: GlobalState, observation: GlobalObservation, now_s: float) -> GlobalAction | None:
        """What to do by the last measurement, of which the hold time may be over by now; None: what it says has not
        gone on, or nobody would have said that it has not. Nothing is learnt from it twice.

        The host of one lane, or of one part, may have said since that an NF is saturated: that belongs to the time in
        which it was so, and not to the next measurement of all others. Nothing else is new of that measurement."""
        if _settles(state, now_s):
            return None
        state = replace(
            state,
            chains={
                name: _begun(memory, observation.chains.get(name), observation.at_s)
                for name, memory in state.chains.items()
            },
        )
        standing = {name: memory for name, memory in state.chains.items() if memory.above_since_s is not None}
        if not standing or state.chains.keys() != observation.chains.keys():
            return None
        seen = {name: observation.chains[name] for name in standing}
        if any(len(one.lanes) != standing[name].lanes or _saturated(one) is None for name, one in seen.items()):
            return None
        if all(one.goes_on_s is None for one in seen.values()) or _absurd(observation.chains) is not None:
            return None
        late = unbelievable_time(observation.at_s, None, now_s, self.parameters.late_s)
        return None if late is not None else self._act(state, observation, now_s)

    def _arrived(self, before: ChainMemory | None, name: str, observation: GlobalObservation) -> ChainMemory:
        """What is remembered of it, and that it has moved where it was seen elsewhere last."""
        memory, home, at_s = before or observation.known.get(name), observation.home, observation.at_s
        if memory is None:
            return ChainMemory(len(observation.chains[name].lanes), home=home)
        if memory.home == home:
            return memory
        soon = memory.moved_s is not None and at_s - memory.moved_s < SOON * self._stays_s(memory)
        more = min(LONGEST_PATIENCE, memory.moved_too_soon + 1) if soon else 0
        return replace(memory.begun_anew(), home=home, moved_s=at_s, moved_too_soon=more)

    def _stays_s(self, memory: ChainMemory) -> float:
        return self.parameters.surplus_s * (1 << memory.moved_too_soon)

    def _seen(self, memory: ChainMemory, seen: ChainSeen, at_s: float) -> ChainMemory:
        """Algorithm 4, lines 3 to 6, of all lanes."""
        stood_s = max((lane.stood_s for lane in seen.lanes if lane.saturated is not None), default=0.0)
        if memory.moved_s == at_s:  # what its host says is of the time in which it came
            stood_s = 0.0
        if memory.lanes != len(seen.lanes):
            memory, stood_s = self._divided_anew(memory, len(seen.lanes), at_s), 0.0
        well = [lane.carried_mpps for lane in seen.lanes if _is_well(lane) and not seen.brief]
        above = any(lane.saturated is not None for lane in seen.lanes)
        memory = replace(memory, best_mpps=_most(well, memory.best_mpps))
        memory = memory if seen.brief else _with_full(memory, seen.lanes)
        return replace(
            memory,
            above_since_s=(at_s - stood_s if memory.above_since_s is None else memory.above_since_s) if above else None,
            surplus_since_s=(at_s if memory.surplus_since_s is None else memory.surplus_since_s)
            if not above and self._one_less_does(memory, seen)
            else None,
        )

    def _divided_anew(self, memory: ChainMemory, lanes: int, at_s: float) -> ChainMemory:
        """Whoever did it."""
        memory = memory.begun_anew()
        if lanes < memory.lanes:
            return replace(memory, lanes=lanes, fewer_s=at_s)
        soon = memory.fewer_s is not None and at_s - memory.fewer_s < SOON * self._patience_s(memory)
        return replace(
            memory, lanes=lanes, waited_too_short=min(LONGEST_PATIENCE, memory.waited_too_short + 1) if soon else 0
        )

    def _patience_s(self, memory: ChainMemory) -> float:
        return self.parameters.surplus_s * (1 << memory.waited_too_short)

    def _one_less_does(self, memory: ChainMemory, seen: ChainSeen) -> bool:
        """All lanes have much to spare, and one less would stay below what a lane is known to carry well."""
        if len(seen.lanes) < 2 or memory.best_mpps is None:
            return False
        if any(lane.worst is not None and lane.worst >= LOW for lane in seen.lanes):
            return False
        return _rate(seen) <= self._planned(memory.best_mpps) * (len(seen.lanes) - 1) + _ROUNDING

    def _planned(self, lane_mpps: float) -> float:
        return lane_mpps * self.parameters.load_percent / 100

    def lanes_for(self, seen: ChainSeen, lane_mpps: float | None) -> int:
        """Algorithm 4, line 9, as mended above. Where nobody knows what a lane carries: one more than there are."""
        least = len(seen.lanes) + 1
        if not lane_mpps:
            return least
        return max(least, ceil(_rate(seen) / self._planned(lane_mpps) - _ROUNDING))

    def _act(self, state: GlobalState, observation: GlobalObservation, now_s: float) -> GlobalAction:
        above = [(memory.above_since_s, name) for name, memory in state.chains.items()]
        standing = sorted((since_s, name) for since_s, name in above if since_s is not None)
        if standing:
            return self._more(state, observation, standing[0][1], now_s)
        return self._fewer(state, observation, now_s)

    def _more(self, state: GlobalState, observation: GlobalObservation, chain: str, now_s: float) -> GlobalAction:
        """Lines 7 to 11."""
        seen, memory = observation.chains[chain], state.chains[chain]
        nf = _saturated(seen) or ""
        settles = _settles(state, now_s)
        if settles:
            seen = replace(seen, goes_on_s=None)
        stood = max(0.0, _stood_s(memory, seen, observation.at_s) or 0.0)
        text = _needs_more(nf)
        if stood < self.parameters.hold_s - _ROUNDING:
            again_s = None if seen.goes_on_s is None else self.parameters.hold_s - stood
            return GlobalAction(f"{text}: for {stood:.1f} of {self.parameters.hold_s:g} s", again_s=again_s)
        if seen.brief and settles:
            return GlobalAction(f"{text}; after a change it takes a whole second that says so")
        moved = self._moved(state, observation, now_s)
        if isinstance(moved, MoveAsked):
            return GlobalAction(f"{_needs_more(moved.nf)}, though its bounds grant more", moved)
        text += "".join(f"; {why}" for why in moved[:3])
        why = self._why_not(state, seen, now_s)
        if why is None and len(seen.lanes) >= MAX_LANES:
            why = f"{chain} runs in {MAX_LANES} lanes, and no chain has more"
        if why is not None:
            return GlobalAction(f"{text}; {why}")
        rooms = {host: room for host, room in observation.rooms.items() if host not in seen.barred}
        closed = {**observation.closed, **dict.fromkeys(seen.barred, f"{chain} cannot be ordered there")}
        # Rates of a few tenths of a second, with quotas that have just been raised, say that a lane more is needed, and
        # not how many.
        known = None if seen.brief and memory.full_mpps is None else memory.lane_mpps
        wanted = min(MAX_LANES, self.lanes_for(seen, known))
        for lanes in range(wanted, len(seen.lanes), -1):  # as many as there is room for
            new = [lane_name(chain, number) for number in range(len(seen.lanes) + 1, lanes + 1)]
            need = seen.need * len(seen.lanes) / lanes
            hosts = lane_places(new, seen.nfs, need, rooms, closed)
            if not isinstance(hosts, str):
                return GlobalAction(text, LanesAsked(chain, lanes, hosts, nf))
            why = hosts
        return GlobalAction(f"{text}; {why}")

    def _moved(self, state: GlobalState, observation: GlobalObservation, now_s: float) -> MoveAsked | list[str]:
        """Which chain is to leave a contended host; or why those that might do not, nothing where none is to."""
        lacks, told = lacking(observation), list[str]()
        for name in in_order(observation, lacks):
            seen, memory = observation.chains[name], state.chains[name]
            stood_s = _stood_s(memory, seen, observation.at_s)
            nf = seen.lanes[0].saturated
            has_stood = stood_s is not None and stood_s >= self.parameters.hold_s - _ROUNDING
            if nf is None or not has_stood or not (len(lacks) > 1 or one_lane_does(seen, memory)):
                continue
            host = place(observation, name)
            stays_s = rests_s(memory.moved_s, self._stays_s(memory), now_s)
            why = self._why_not(state, seen, now_s) or seen.stays
            if why is None and stays_s > 0:
                why = f"it has moved, and does not again for {stays_s:.0f} s"
            if why is None and host is None:
                why = why_nowhere(seen)
            if why is None and host is not None:
                return MoveAsked(name, host, nf)
            told.append(f"{name} stays on {observation.home}: {why}")
        return told

    def _fewer(self, state: GlobalState, observation: GlobalObservation, now_s: float) -> GlobalAction:
        calm = "no NF needs more than its host has"
        since = [(memory.surplus_since_s, name) for name, memory in state.chains.items()]
        standing = sorted((since_s, name) for since_s, name in since if since_s is not None)
        if not standing:
            return GlobalAction(calm)
        since_s, chain = standing[0]
        seen, patience_s = observation.chains[chain], self._patience_s(state.chains[chain])
        stood = observation.at_s - since_s
        text = f"{calm}, and {chain} would do with one lane less"
        if stood < patience_s:
            return GlobalAction(f"{text}: for {stood:.0f} of {patience_s:.0f} s")
        why = self._why_not(state, seen, now_s)
        return (
            GlobalAction(text, LanesAsked(chain, len(seen.lanes) - 1))
            if why is None
            else GlobalAction(f"{text}; {why}")
        )

    def _why_not(self, state: GlobalState, seen: ChainSeen, now_s: float) -> str | None:
        if seen.why_not is not None:
            return seen.why_not
        rests = rests_s(state.changed_s, self.parameters.rest_s, now_s)
        return f"after a change nothing is changed for {rests:.0f} s more" if rests > 0 else None


def _begun(memory: ChainMemory, seen: ChainSeen | None, at_s: float) -> ChainMemory:
    """With since when an NF has been saturated, where its host has said so between two measurements. It may be later
    than the one that the rest is of. What is said of the second in which the chain moved is of before, too."""
    if seen is None or seen.goes_on_s is None or memory.above_since_s is not None or memory.moved_s == at_s:
        return memory
    stood_s = max((lane.stood_s for lane in seen.lanes if lane.saturated is not None), default=None)
    return memory if stood_s is None else replace(memory, above_since_s=at_s - stood_s)


def _settles(state: GlobalState, now_s: float) -> bool:
    return rests_s(state.changed_s, SETTLES_S, now_s) > 0


def _needs_more(nf: str) -> str:
    return f"{nf} has its packets longer than tolerated, and its host has no more for it"


def _saturated(seen: ChainSeen) -> str | None:
    """An NF for which its host has no more."""
    return next((lane.saturated for lane in seen.lanes if lane.saturated is not None), None)


def _stood_s(memory: ChainMemory, seen: ChainSeen, at_s: float) -> float | None:
    """For how long an NF has needed more than its host has; None: none does."""
    return None if memory.above_since_s is None else at_s - memory.above_since_s + (seen.goes_on_s or 0.0)


def _is_well(lane: LaneSeen) -> bool:
    """Its NFs have packets no longer than tolerated, and it carries what it is offered."""
    if lane.worst is None or lane.worst > 1 or lane.saturated is not None:
        return False
    return lane.carried_mpps > 0 and lane.carried_mpps >= WELL_CARRIED * lane.offered_mpps


def _is_full(lane: LaneSeen) -> bool:
    """Its host has no more for an NF of it, and it loses some of what it is offered."""
    return lane.saturated is not None and 0 < lane.carried_mpps < WELL_CARRIED * lane.offered_mpps


def _with_full(memory: ChainMemory, lanes: tuple[LaneSeen, ...]) -> ChainMemory:
    """With the most that a full one carried, and the NF that its host had no more for then."""
    full = max((lane for lane in lanes if _is_full(lane)), key=lambda lane: lane.carried_mpps, default=None)
    if full is None or full.carried_mpps <= (memory.full_mpps or 0.0):
        return memory
    return replace(memory, full_mpps=full.carried_mpps, full_nf=full.saturated)


def _most(now: list[float], before: float | None) -> float | None:
    return max(now if before is None else [*now, before], default=None)


def _rate(seen: ChainSeen) -> float:
    return sum(lane.offered_mpps for lane in seen.lanes)


def _absurd(chains: Mapping[str, ChainSeen]) -> str | None:
    """The first figure that is none."""
    for name, seen in sorted(chains.items()):
        for what, figure, most in _figures(seen):
            if not (isfinite(figure) and 0 <= figure <= most):
                return f"of {name} {what} is said to be {figure:g}; 0 to {most:g} is believed"
    return None


def _figures(seen: ChainSeen) -> Iterator[tuple[str, float, float]]:
    yield "what a lane uses of cores", seen.need, MOST_MPPS
    yield "for how long it has gone on", abs(seen.goes_on_s or 0.0), MOST_S
    for lane in seen.lanes:
        yield "what is offered", lane.offered_mpps, MOST_MPPS
        yield "what is carried", lane.carried_mpps, MOST_MPPS
        yield "what is filtered", lane.filtered_mpps, MOST_MPPS
        yield "latency as a part of what is tolerated", lane.worst or 0.0, MOST_PARTS
        yield "for how long a host has had no more", abs(lane.stood_s), MOST_S
        yield "what a host lacks for a lane", lane.lacks, MOST_MPPS
