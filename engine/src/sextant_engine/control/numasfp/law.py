"""NUMASFP's law: exact steps, held back by what they cost.

In every interval chains are granted the best where they stand; when they may move is decided in `moving`. Beside it
the published algorithm goes along as a shadow; where that would have carried more for long, it is followed, within the
same budget.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sextant_domain.laws.frame import LawName
from sextant_domain.laws.numasfp import NUMASFP, NumasfpObservation, NumasfpParameters

from sextant_engine.control.numasfp.believing import unbelievable
from sextant_engine.control.numasfp.forecast import forecast
from sextant_engine.control.numasfp.moving import CLOSE_GBPS, Gain, Moving, beyond_table, changed, reset
from sextant_engine.control.numasfp.state import (
    NumasfpAction,
    NumasfpState,
    Placement,
    Solver,
    Step,
)


@dataclass(frozen=True, slots=True)
class _Wish:
    """Where chains should go, or why they stay."""

    target: Placement | None
    reason: str
    gain_gbps: float | None = None
    margin_gbps: float | None = None


class NumasfpLaw:
    """A host's law. `loss`: share that a chain loses in the second in which it moves, as `solver` counts it, too;
    `losses`: of chains of which that is known by themselves, by which moves are weighed."""

    name: LawName = NUMASFP

    def __init__(
        self, parameters: NumasfpParameters, solver: Solver, loss: float, losses: Mapping[str, float] | None = None
    ) -> None:
        self._parameters = parameters
        self._solver = solver
        self._loss = loss
        self._moving = Moving(parameters, loss, losses or {})

    def initial(self) -> NumasfpState:
        """Before its first step."""
        return NumasfpState()

    def step(
        self, state: NumasfpState, observation: NumasfpObservation, now_s: float
    ) -> tuple[NumasfpState, NumasfpAction]:
        """What to do now. What is not believed changes nothing, and the action says why."""
        current = state.placement if observation.placement is None else observation.placement
        state = replace(state, waits_for_answer=observation.waits_for_answer, placement=current)
        if current is None:
            return state, NumasfpAction(None, None, (), "where the chains stand is not known")
        doubt = unbelievable(observation, current, state.measured_s, now_s, self._parameters)
        if doubt is not None:
            return replace(state, stood=0), NumasfpAction(current, state.allocation, (), doubt)
        return self._decide(self._remembered(state, observation, now_s), current, observation, now_s)

    def _remembered(self, state: NumasfpState, observation: NumasfpObservation, now_s: float) -> NumasfpState:
        kept_s = max(self._parameters.budget_s, self._parameters.reversal_s)
        return replace(
            state,
            measured_s=observation.at_s,
            forecast=forecast(state.forecast, observation.rates_gbps, self._parameters.forecast_weight),
            moves=tuple(move for move in state.moves if now_s - move.at_s < kept_s),
        )

    def _decide(
        self, state: NumasfpState, current: Placement, seen: NumasfpObservation, now_s: float
    ) -> tuple[NumasfpState, NumasfpAction]:
        rates = seen.rates_gbps
        before = state.shadow if state.shadow and set(state.shadow.placement) == set(rates) else None
        shadow, shadow_gbps = self._solver.published(before, rates)
        stay = self._best_at(current, rates)
        state, wish = self._wish(replace(state, shadow=shadow), current, seen, stay, now_s)
        moved = () if wish.target is None else changed(current, wish.target)
        then = stay if wish.target is None else self._best_at(wish.target, rates)
        state = self._moving.moved(state, current, then.placement, now_s)
        lost = sum(min(then.allocation[chain].gbps, rates[chain]) * self._loss for chain in moved)
        state = self._compared(state, shadow_gbps, then.objective_gbps - lost)
        state = replace(state, placement=then.placement, allocation=then.allocation)
        action = NumasfpAction(then.placement, then.allocation, moved, wish.reason, wish.gain_gbps, wish.margin_gbps)
        return state, action

    def _best_at(self, placement: Placement, rates: Mapping[str, float]) -> Step:
        return self._solver.optimum(placement, rates, 0.0, 0)

    def _wish(
        self, state: NumasfpState, current: Placement, seen: NumasfpObservation, stay: Step, now_s: float
    ) -> tuple[NumasfpState, _Wish]:
        """`state` with the hold time counted on, and what is wished."""
        rates, carried = seen.rates_gbps, seen.carried_gbps
        left = self._moving.left(state, now_s)
        waits = self._moving.waits(state, left, now_s)
        if state.following and state.shadow is not None:
            return reset(state), self._followed(state.shadow.placement, current, left, waits)
        stays_gbps = stay.objective_gbps + beyond_table(current, rates, stay.allocation, carried)
        if stays_gbps >= sum(rates.values()) - CLOSE_GBPS:
            return reset(state), _Wish(None, "every chain is carried in full")
        expected = state.forecast or rates
        best = self._solver.optimum(current, expected, self._moving.price(expected), left)
        gain = self._gain(current, expected, best, carried)
        margin = self._moving.margin_gbps(state, sum(expected.values()), now_s)
        state, stays = self._moving.weighed(state, gain, margin, now_s)
        gbps = 0.0 if gain is None else gain.gbps
        if waits is not None or stays is not None:
            return state, _Wish(None, waits or stays or "", gbps, margin)
        return state, _Wish(best.placement, f"a gain of {gbps:.2f} Gbps has stood", gbps, margin)

    def _gain(
        self, current: Placement, expected: Mapping[str, float], best: Step, carried: Mapping[str, float] | None
    ) -> Gain | None:
        """None: the best is to stay."""
        if best.moves == 0:
            return None
        moved, stay = changed(current, best.placement), self._best_at(current, expected)
        lost = sum(min(best.allocation[chain].gbps, expected[chain]) * self._moving.loss(chain) for chain in moved)
        gain = best.objective_gbps - stay.objective_gbps - beyond_table(moved, expected, stay.allocation, carried)
        return Gain(gain, gain + lost / self._parameters.horizon, lost)

    def _followed(self, target: Placement, current: Placement, left: int, waits: str | None) -> _Wish:
        moves = len(changed(current, target))
        if moves == 0 or waits is not None:
            return _Wish(None, waits or "the published algorithm is followed")
        if moves > left:
            return _Wish(None, f"following the published algorithm takes {moves} moves, {left} are left")
        return _Wish(target, "the published algorithm is followed: it would have carried more")

    def _compared(self, state: NumasfpState, shadow_gbps: float, own_gbps: float) -> NumasfpState:
        """Count who carries more, and change who is in charge. Where the shadow is followed, its placement is
        granted the best, so that by ourselves we soon carry more, and go on from there. A recommendation that waits
        for an answer proves nothing: nobody has done what was advised."""
        if state.waits_for_answer:
            return state
        better = state.shadow_better + 1 if shadow_gbps > own_gbps + CLOSE_GBPS else 0
        own = state.own_better + 1 if state.following and own_gbps > shadow_gbps + CLOSE_GBPS else 0
        following = (state.following or better >= self._parameters.shadow_intervals) and (
            own < self._parameters.shadow_intervals
        )
        if (better, own, following) == (state.shadow_better, state.own_better, state.following):
            return state
        return replace(state, shadow_better=better, own_better=own, following=following)
