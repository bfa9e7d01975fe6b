"""What the platform of the paper does below an assignment, for the verbs `shares` and `backpressure`. The agent's law
divides by the same shares; of hosts, simulated ones have watermarks where they are set to."""

from sextant_engine.control.rate_cost.backpressure import over
from sextant_engine.control.rate_cost.shares import rate_cost_shares
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu.problem import Backpressure, BackpressureAnswer, Shares, SharesAnswer


def shared(question: Shares) -> SharesAnswer:
    """Rate-cost proportional shares of a core."""
    return SharesAnswer(shares=rate_cost_shares(question.vnfs))


def pressed(question: Backpressure) -> BackpressureAnswer:
    """Raises BadEngineInput where a ring holds more than it can."""
    for index, fill in enumerate(question.fills):
        if fill > question.ring:
            raise BadEngineInput(f"fills.{index}", f"{fill:g} packets are more than the ring holds")
    return BackpressureAnswer(on=over(question.fills, question.ring))
