"""NUMASFP's law: exact steps, held back by what they cost.

In every interval chains are granted the best where they stand. A move must gain the margin, on forecast rates and with
its loss spread over the horizon, for the hold time, within the budget and after the cool-down. Beside it the published
algorithm goes along as a shadow; where that would have carried more for long, it is followed, within the same budget.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from sextant_domain.laws.frame import LawName
from sextant_domain.laws.numasfp import NUMASFP, NumasfpObservation, NumasfpParameters

from sextant_engine.control.numasfp.believing import unbelievable
from sextant_engine.control.numasfp.forecast import forecast
from sextant_engine.control.numasfp.state import (
    Move,
    NumasfpAction,
    NumasfpState,
    Placement,
    Solver,
    Step,
)

CLOSE_GBPS = 1e-9
"""Less is no difference."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """Where chains should go, or why they stay."""

    target: Placement | None
    reason: str


class NumasfpLaw:
    """A host's law. `loss`: share that a chain loses in the second in which it moves, as `solver` counts it, too."""

    name: LawName = NUMASFP

    def __init__(self, parameters: NumasfpParameters, solver: Solver, loss: float) -> None:
        self._parameters = parameters
        self._solver = solver
        self._loss = loss
        self._price = max(loss, parameters.least_loss) / parameters.horizon

    def initial(self) -> NumasfpState:
        """Before its first step."""
        return NumasfpState()

    def step(
        self, state: NumasfpState, observation: NumasfpObservation, now_s: float
    ) -> tuple[NumasfpState, NumasfpAction]:
        """What to do now. What is not believed changes nothing, and the action says why."""
        rates = observation.rates_gbps
        if observation.placement is not None:
            state = replace(state, placement=observation.placement)
        current = state.placement
        if current is None:
            return state, NumasfpAction(None, None, (), "where the chains stand is not known")
        doubt = unbelievable(observation, current, state.measured_s, now_s, self._parameters)
        if doubt is not None:
            return replace(state, stood=0), NumasfpAction(current, state.allocation, (), doubt)
        return self._decide(self._remembered(state, observation, now_s), current, rates, now_s)

    def _remembered(self, state: NumasfpState, observation: NumasfpObservation, now_s: float) -> NumasfpState:
        kept_s = max(self._parameters.budget_s, self._parameters.reversal_s)
        return replace(
            state,
            measured_s=observation.at_s,
            forecast=forecast(state.forecast, observation.rates_gbps, self._parameters.forecast_weight),
            moves=tuple(move for move in state.moves if now_s - move.at_s < kept_s),
        )

    def _decide(
        self, state: NumasfpState, current: Placement, rates: Mapping[str, float], now_s: float
    ) -> tuple[NumasfpState, NumasfpAction]:
        before = state.shadow if state.shadow and set(state.shadow.placement) == set(rates) else None
        shadow, shadow_gbps = self._solver.published(before, rates)
        stay = self._best_at(current, rates)
        state, wish = self._wish(replace(state, shadow=shadow), current, rates, stay, now_s)
        moved = () if wish.target is None else _changed(current, wish.target)
        then = stay if wish.target is None else self._best_at(wish.target, rates)
        state = self._moved(state, current, then.placement, now_s)
        lost = sum(min(then.allocation[chain].gbps, rates[chain]) * self._loss for chain in moved)
        state = self._compared(state, shadow_gbps, then.objective_gbps - lost)
        state = replace(state, placement=then.placement, allocation=then.allocation)
        return state, NumasfpAction(then.placement, then.allocation, moved, wish.reason)

    def _best_at(self, placement: Placement, rates: Mapping[str, float]) -> Step:
        return self._solver.optimum(placement, rates, 0.0, 0)

    def _wish(
        self, state: NumasfpState, current: Placement, rates: Mapping[str, float], stay: Step, now_s: float
    ) -> tuple[NumasfpState, _Wish]:
        """`state` with the hold time counted on, and what is wished."""
        left = self._moves_left(state, now_s)
        waits = self._waits(state, left, now_s)
        if state.following and state.shadow is not None:
            return replace(state, stood=0), self._followed(state.shadow.placement, current, left, waits)
        if stay.objective_gbps >= sum(rates.values()) - CLOSE_GBPS:
            return replace(state, stood=0), _Wish(None, "every chain is carried in full")
        expected = state.forecast or rates
        best = self._solver.optimum(current, expected, self._price, left)
        gain = best.objective_gbps - self._best_at(current, expected).objective_gbps
        margin = self._margin(state, now_s) * sum(expected.values()) / 100
        if best.moves == 0 or gain < max(margin, CLOSE_GBPS):
            reason = f"a gain of {gain:.2f} Gbps is below the margin of {margin:.2f} Gbps"
            return replace(state, stood=0), _Wish(None, waits or reason)
        state = replace(state, stood=state.stood + 1)
        if waits is not None:
            return state, _Wish(None, waits)
        if state.stood < self._parameters.hold_intervals:
            reason = f"a gain of {gain:.2f} Gbps stands for {state.stood} of {self._parameters.hold_intervals} s"
            return state, _Wish(None, reason)
        return replace(state, stood=0), _Wish(best.placement, f"a gain of {gain:.2f} Gbps has stood")

    def _followed(self, target: Placement, current: Placement, left: int, waits: str | None) -> _Wish:
        moves = len(_changed(current, target))
        if moves == 0 or waits is not None:
            return _Wish(None, waits or "the published algorithm is followed")
        if moves > left:
            return _Wish(None, f"following the published algorithm takes {moves} moves, {left} are left")
        return _Wish(target, "the published algorithm is followed: it would have carried more")

    def _margin(self, state: NumasfpState, now_s: float) -> float:
        doubled = state.doubled_until_s is not None and now_s < state.doubled_until_s
        return self._parameters.margin_percent * (2 if doubled else 1)

    def _moves_left(self, state: NumasfpState, now_s: float) -> int:
        spent = sum(now_s - move.at_s < self._parameters.budget_s for move in state.moves)
        return max(0, self._parameters.budget_moves - spent)

    def _waits(self, state: NumasfpState, left: int, now_s: float) -> str | None:
        """Why nothing may move now; None where something may."""
        if left == 0:
            return f"the budget of {self._parameters.budget_moves} moves in {self._parameters.budget_s:g} s is used up"
        last = max((move.at_s for move in state.moves), default=None)
        if last is not None and now_s - last < self._parameters.cool_down_s:
            return f"nothing moves for {self._parameters.cool_down_s - (now_s - last):.0f} s more after a move"
        return None

    def _moved(self, state: NumasfpState, current: Placement, target: Placement, now_s: float) -> NumasfpState:
        """With the moves remembered; the margin is doubled where one of them goes back."""
        moved = _changed(current, target)
        recent = {(one.chain, one.left) for one in state.moves if now_s - one.at_s < self._parameters.reversal_s}
        goes_back = any((chain, target[chain]) in recent for chain in moved)
        doubled = now_s + self._parameters.budget_s if goes_back else state.doubled_until_s
        moves = (*state.moves, *(Move(now_s, chain, current[chain]) for chain in moved))
        return replace(state, moves=moves, doubled_until_s=doubled)

    def _compared(self, state: NumasfpState, shadow_gbps: float, own_gbps: float) -> NumasfpState:
        """Count who carries more, and change who is in charge. Where the shadow is followed, its placement is
        granted the best, so that by ourselves we soon carry more, and go on from there."""
        better = state.shadow_better + 1 if shadow_gbps > own_gbps + CLOSE_GBPS else 0
        own = state.own_better + 1 if state.following and own_gbps > shadow_gbps + CLOSE_GBPS else 0
        following = (state.following or better >= self._parameters.shadow_intervals) and (
            own < self._parameters.shadow_intervals
        )
        return replace(state, shadow_better=better, own_better=own, following=following)


def _changed(before: Placement, after: Placement) -> tuple[str, ...]:
    return tuple(chain for chain in before if before[chain] != after[chain])
