"""When chains may move: hold time, margin, what staying has forgone, budget and cool-down. Pure.

A gain of the margin moves chains once it has stood for the hold time. A smaller one waits until staying has forgone as
much as the move would lose, times a factor: a gain that lasts is taken, however small, and one that comes and goes is
not. This is renting until the rent has reached the price (Karlin, Manasse, Rudolph, Sleator: Competitive Snoopy
Caching, Algorithmica 3, 1988).

Once half of the budget is spent, margin and price rise exponentially with what is spent, as those of an online knapsack
do (Zhou, Chakrabarty, Lukose: Budget Constrained Bidding in Keyword Auctions and Online Knapsack Problems, WINE 2008):
the last moves are for large gains, and a host is not stuck for what remains of the time because of many small ones.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sextant_domain.laws.numasfp import NumasfpParameters

from sextant_engine.control.frame import rests_s
from sextant_engine.control.numasfp.state import IN_FULL, Grant, Move, NumasfpState, Placement, Price

CLOSE_GBPS = 1e-9
"""Less is no difference."""
DEAREST = 8.0
"""By so much margin and price have risen where the budget is all but spent."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What another placement would carry more than the present one, on forecast rates."""

    gbps: float
    """With what the move loses taken off, spread over the horizon."""
    once_there_gbps: float
    """In an interval after the move."""
    lost_gbit: float
    """By the chains that would change their node, in the second in which they do."""


class Moving:
    """Of a host. `loss`: share that a chain loses in the second in which it moves; `losses`: of chains of which that is
    known."""

    def __init__(self, parameters: NumasfpParameters, loss: float, losses: Mapping[str, float]) -> None:
        self._parameters = parameters
        self._loss = loss
        self._losses = losses

    def loss(self, chain: str) -> float:
        """What its move is weighed as."""
        return max(self._losses.get(chain, self._loss), self._parameters.least_loss)

    def price(self, chains: Iterable[str]) -> Price:
        """The loss spread over the horizon; one figure where all chains have the same."""
        prices = {chain: self.loss(chain) / self._parameters.horizon for chain in chains}
        return prices if len(set(prices.values())) > 1 else next(iter(prices.values()), 0.0)

    def weighed(
        self, state: NumasfpState, gain: Gain | None, margin_gbps: float, now_s: float
    ) -> tuple[NumasfpState, str | None]:
        """With the hold time counted on, and why chains stay; None: they go. `gain` None: no move gains anything."""
        if gain is None or gain.once_there_gbps < CLOSE_GBPS:
            return reset(state), "no other placement carries more"
        forgone = state.forgone_gbit + (0.0 if state.waits_for_answer else gain.once_there_gbps)
        state = replace(state, stood=state.stood + 1, forgone_gbit=forgone)
        price = self._parameters.forgone_factor * gain.lost_gbit * self._dearer(state, now_s)
        if gain.gbps < max(margin_gbps, CLOSE_GBPS) and forgone < price:
            least = f"is below the margin of {margin_gbps:.2f} Gbps"
            return state, f"a gain of {gain.gbps:.2f} Gbps {least}; {forgone:.2f} of {price:.2f} Gbit are forgone"
        if state.stood < self._parameters.hold_intervals:
            stands = f"stands for {state.stood} of {self._parameters.hold_intervals} s"
            return state, f"a gain of {gain.once_there_gbps:.2f} Gbps {stands}"
        return state, None

    def margin_gbps(self, state: NumasfpState, offered_gbps: float, now_s: float) -> float:
        """Least gain that moves chains without waiting for what is forgone."""
        return self._parameters.margin_percent * self._dearer(state, now_s) * offered_gbps / 100

    def _dearer(self, state: NumasfpState, now_s: float) -> float:
        goes_back = state.doubled_until_s is not None and now_s < state.doubled_until_s
        spent = 1 - self.left(state, now_s) / max(1, self._parameters.budget_moves)
        rise: float = DEAREST ** max(0.0, 2 * spent - 1)
        return 2 * rise if goes_back else rise

    def left(self, state: NumasfpState, now_s: float) -> int:
        """Chain moves that the budget still allows."""
        spent = sum(now_s - move.at_s < self._parameters.budget_s for move in state.moves)
        return max(0, self._parameters.budget_moves - spent)

    def waits(self, state: NumasfpState, left: int, now_s: float) -> str | None:
        """Why nothing may move now; None where something may."""
        if left == 0:
            return f"the budget of {self._parameters.budget_moves} moves in {self._parameters.budget_s:g} s is used up"
        last = max((move.at_s for move in state.moves), default=None)
        rests = rests_s(last, self._parameters.cool_down_s, now_s)
        return f"nothing moves for {rests:.0f} s more after a move" if rests > 0 else None

    def moved(self, state: NumasfpState, current: Placement, target: Placement, now_s: float) -> NumasfpState:
        """With the moves remembered; the margin is doubled where one of them goes back."""
        chains = changed(current, target)
        if not chains:
            return state
        recent = {(one.chain, one.left) for one in state.moves if now_s - one.at_s < self._parameters.reversal_s}
        goes_back = any((chain, target[chain]) in recent for chain in chains)
        doubled = now_s + self._parameters.budget_s if goes_back else state.doubled_until_s
        moves = (*state.moves, *(Move(now_s, chain, current[chain]) for chain in chains))
        return replace(reset(state), moves=moves, doubled_until_s=doubled)


def reset(state: NumasfpState) -> NumasfpState:
    """No gain stands, and nothing is forgone."""
    return replace(state, stood=0, forgone_gbit=0.0) if state.stood or state.forgone_gbit else state


def changed(before: Placement, after: Placement) -> tuple[str, ...]:
    """Chains whose node is another one."""
    return tuple(chain for chain in before if before[chain] != after[chain])


def beyond_table(
    chains: Iterable[str],
    rates: Mapping[str, float],
    grants: Mapping[str, Grant],
    carried: Mapping[str, float] | None,
) -> float:
    """Gbps that these chains carry where they stand, by measurement, beyond what their table says they do with what
    they are granted there. One that carries 99 % of what it is offered carries all."""
    if carried is None:
        return 0.0
    found = 0.0
    for chain in chains:
        rate, has = rates[chain], carried.get(chain, 0.0)
        real = rate if has >= IN_FULL * rate else has
        found += max(0.0, real - min(grants[chain].gbps, rate))
    return found
