"""CoCo's law: once a core has been overloaded for the hold time, its neighbours are pushed aside, or its chain gets
another lane where nobody can go aside (CoCo, Sec. III). Where a lane less has done for long, one goes."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from math import inf

from sextant_domain.laws.coco import COCO, CocoObservation, CocoParameters
from sextant_domain.laws.frame import LawName

from sextant_engine.control.coco.loads import core_loads, needs, told_others
from sextant_engine.control.coco.observed import unbelievable
from sextant_engine.control.coco.scale_in import lane_less
from sextant_engine.control.coco.scale_out import LaneQuestion, more_lanes
from sextant_engine.control.coco.scheduler import Curve
from sextant_engine.control.coco.state import (
    CocoAction,
    CocoState,
    FewerLanes,
    OtherHosts,
    Push,
    Pusher,
    PushQuestion,
    SharedCores,
    no_other_hosts,
)
from sextant_engine.control.coco.tied import TiedPusher
from sextant_engine.control.frame import rests_s
from sextant_engine.control.measured_time import passed

_ROUNDING = 1e-9
_BETWEEN_LOOKS_S = 0.05
"""Half of the time between two looks at rings: what has stood for a hold time is not known better."""
LANES_HOLD = 3
"""So many hold times a core is overloaded before a lane is proposed: what NFs need that get few packets at a time is
overestimated, and one second in which a neighbour has room to go is enough for a push, which costs less."""

ROOM_HOLD = 20
"""So many hold times, of a second at least, one lane less would have done before that is proposed: lanes cost seats,
and a lane that comes back costs its new flows' state; waves that are shorter change nothing."""


@dataclass(frozen=True, slots=True)
class CocoLaw:
    """Pure: the clock, the host and the rule for what goes aside are handed in."""

    parameters: CocoParameters
    host: SharedCores
    pusher: Pusher
    curves: Mapping[str, Curve] = field(default_factory=dict[str, Curve])
    """CoCo's f of elements, where it was measured; of others the slope of the same second."""
    others: OtherHosts = no_other_hosts
    """Asked where this host has no room for another lane."""
    name: LawName = COCO

    def initial(self) -> CocoState:
        """Nothing has been overloaded, and nothing pushed."""
        return CocoState()

    def step(self, state: CocoState, observation: CocoObservation, now_s: float) -> tuple[CocoState, CocoAction]:
        """What to push aside now. What is proposed does not count as done: whoever does it sets `pushed_s`."""
        why = unbelievable(observation, self.host, state.measured_s, now_s, self.parameters.late_s)
        if why is not None:
            return replace(state, stood={}, room={}), CocoAction(f"held still: {why}")
        need = needs(observation, self.host, self.parameters.lost_percent, self.curves)
        loads = core_loads(need, observation.others, self.host)
        over = {core: load for core, load in loads.items() if load > self._full + _ROUNDING}
        short, caught_up = self._short(observation), dict[int, float]()
        if not short:  # a core may be busier than `full_percent` as long as nothing is lost
            caught_up = self._caught_up(state, observation, over)
            over = {}
        fewer = {} if short or caught_up else self._fewer(observation, need)
        passed_s = passed(state.measured_s, observation.at_s, state.early_s, early=observation.early)
        stood = {core: self._stood_s(state, observation, core, passed_s) for core in over} or caught_up
        room = {chain: min(state.room.get(chain, 0.0) + passed_s, self._since(state, now_s)) for chain in fewer}
        early_s = state.early_s + passed_s if observation.early else 0.0
        state = replace(state, measured_s=observation.at_s, passed_s=passed_s, early_s=early_s, stood=stood, room=room)
        if caught_up:
            core = max(caught_up, key=lambda one: (loads[one], -one))
            return state, CocoAction(f"core {core} carries what has waited for it, and needs {100 * loads[core]:.0f} %")
        if not over:
            return state, self._on_room(state, fewer, now_s)
        core = max(over, key=lambda one: (over[one], -one))  # of two the heavier comes first
        action = self._on_overload(state, observation, need, core, now_s)
        others = {one: observation.others.get(one, 0.0) for one in self.host.cores}
        return state, replace(action, reason=f"{action.reason}{told_others(others)}")

    def _stood_s(self, state: CocoState, observation: CocoObservation, core: int, passed_s: float) -> float:
        """For how long the core has been overloaded: as its host says, of whatever its packets pass, or by what has
        been measured since."""
        passing = (names for names in self.host.chains.values() if {*names} & {*self.host.cores[core]})
        said = max((observation.stood_s.get(name, 0.0) for names in passing for name in names), default=0.0)
        before = state.stood.get(core)
        if before is None:
            return said or passed_s
        return max(said, before + passed_s)

    def _caught_up(self, state: CocoState, observation: CocoObservation, full: Collection[int]) -> dict[int, float]:
        """By core that was overloaded and now carries what has waited for it: how long it stood, which neither goes on
        nor ends. Where little more is offered than can be carried, such seconds come between those that lose some."""
        waited = {name for chain in observation.waited & self.host.chains.keys() for name in self.host.chains[chain]}
        return {core: state.stood[core] for core in full if core in state.stood and waited & {*self.host.cores[core]}}

    @staticmethod
    def _since(state: CocoState, now_s: float) -> float:
        """Seconds that can have stood since the last change: with a lane more or less, what lanes need is another
        question."""
        return inf if state.pushed_s is None else max(1.0, now_s - state.pushed_s)

    @property
    def _full(self) -> float:
        return self.parameters.full_percent / 100

    def _short(self, observation: CocoObservation) -> bool:
        """Some chain loses more than noise."""
        least = 1 - self.parameters.lost_percent / 100
        return any(
            observation.carried_mpps[chain] < least * observation.offered_mpps[chain] for chain in self.host.chains
        )

    def _fewer(self, observation: CocoObservation, need: Mapping[str, float]) -> dict[str, FewerLanes]:
        """By chain in lanes: one lane less, where that would do."""
        asked = self._question(observation, need)
        found = {lanes.of: lane_less(asked, lanes) for lanes in self.host.lanes.values()}
        return {chain: fewer for chain, fewer in found.items() if fewer is not None}

    def _question(self, observation: CocoObservation, need: Mapping[str, float]) -> LaneQuestion:
        return LaneQuestion(self.host, need, observation.others, observation.offered_mpps, self._full, self.curves)

    def _on_room(self, state: CocoState, fewer: Mapping[str, FewerLanes], now_s: float) -> CocoAction:
        """Of several the lane that frees most goes first."""
        calm, hold = "no core needs more time than it has", ROOM_HOLD * max(1.0, self.parameters.hold_intervals)
        if not fewer:
            return CocoAction(calm)
        chain = max(fewer, key=lambda name: (_has_stood(state.room[name], hold), fewer[name].freed, name))
        stood = f"{calm}, and {chain} would do with one lane less: {_for(min(state.room[chain], hold), hold)}"
        if not _has_stood(state.room[chain], hold):
            return CocoAction(stood)
        rests = rests_s(state.pushed_s, self.parameters.rest_s, now_s)
        if rests > 0:
            return CocoAction(f"{stood}; after a push nothing is changed for {rests:.0f} s more")
        return CocoAction(stood, fewer=fewer[chain])

    def _on_overload(
        self, state: CocoState, observation: CocoObservation, need: Mapping[str, float], core: int, now_s: float
    ) -> CocoAction:
        here = self.host.cores[core]
        grown = sorted(here, key=lambda name: (observation.use[name] - need[name], name))
        element = grown[0]
        load = core_loads(need, observation.others, self.host)[core]
        needed = f"core {core} needs {100 * load:.0f} % of its time and can give {100 * self._full:.0f}"
        text = f"{needed}, most of what is lacking for {element}{self._by(element)}"
        stood, hold = state.stood[core], self.parameters.hold_intervals
        if not _has_stood(stood, hold):
            return CocoAction(f"{text}: {_for(stood, hold)}", element, core)
        rests = rests_s(state.pushed_s, self.parameters.rest_s, now_s)
        if rests > 0:
            return CocoAction(f"{text}; after a push nothing is pushed for {rests:.0f} s more", element, core)
        # Where a chain has grown all its elements here have, and what is lacking is the same whichever stays: the one
        # that grew most, unless no neighbour can make room for it.
        pushes = {name: self._push(observation, need, name) for name in grown if need[name] > observation.use[name]}
        helped = next((name for name, push in pushes.items() if push.action == "push_aside"), None)
        found = helped or element
        push = pushes[found] if found in pushes else self._push(observation, need, found)
        if push.action != "scale_out":
            return CocoAction(f"{text}: {push.why}", found, core, push)
        if not _has_stood(stood, LANES_HOLD * hold):
            return CocoAction(f"{text}: {push.why}; {_for(stood, LANES_HOLD * hold)}", found, core, push)
        lanes = more_lanes(self._question(observation, need), found, self.others)
        if isinstance(lanes, str):
            return CocoAction(f"{text}: {push.why}; {lanes}", found, core, push)
        return CocoAction(f"{text}: {push.why}", found, core, push, lanes)

    def _by(self, element: str) -> str:
        return ", by its measured share" if element in self.curves else ""

    def _push(self, observation: CocoObservation, need: Mapping[str, float], element: str) -> Push:
        """With this element, and all that is tied with it, as the one that stays."""
        return TiedPusher(self.pusher)(
            PushQuestion(
                host=self.host,
                use={**need, element: observation.use[element]},
                others=observation.others,
                overloaded=element,
                needs=need[element],
                rates_mpps=observation.offered_mpps,
                full=self._full,
            )
        )


def _has_stood(stood_s: float, hold_s: float) -> bool:
    return stood_s >= hold_s - _BETWEEN_LOOKS_S


def _for(stood_s: float, hold_s: float) -> str:
    """'for 2 of 3 s'."""
    return f"for {round(stood_s, 1):g} of {round(hold_s, 1):g} s"
