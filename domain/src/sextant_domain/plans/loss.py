"""What moving NFs is expected to cost the chains that they are of, said before anybody approves it."""

from pydantic import Field

from sextant_domain.base import Frozen, Name
from sextant_domain.plans.intents import LossBudget

PAUSE_MS = 2.6
"""In which a chain forwards nothing while one NF of it moves: 99 of 100 moves on the testbed took no longer (table
'Moves' of docs/dataplane.md, the longer of its two kinds of execution)."""


EXCHANGE_PAUSE_MS = 5500.0
"""In which a chain forwards nothing where two hosts exchange chains and neither has room for both: assumed. An order
that comes no nearer to its end for so long counts as failed."""


class ChainLoss(Frozen):
    """One chain, some of whose NFs move."""

    chain: Name
    moves: int = Field(ge=1)
    """NFs of it that move, each of which holds the chain up once; 1 of a chain that changes hosts as a whole."""
    rate_mpps: float
    """What its order offers; 0 while it is paused."""
    packets: int
    """Lost at most, if nothing keeps them meanwhile: rate x pause x moves."""


class LossPreview(Frozen):
    """All moves of a plan together."""

    packets: int
    pause_ms: float
    """The longest time in which a chain forwards nothing."""
    assumed: bool
    """True where moves were not measured on hosts of this kind."""
    basis: str
    """Where the pause comes from, as a sentence."""
    chains: tuple[ChainLoss, ...]
    """By name."""

    def beyond(self, budget: LossBudget) -> str | None:
        """What of it exceeds the budget: '41600 packets lost, 1000 are allowed'; None where nothing does."""
        if budget.most_packets is not None and self.packets > budget.most_packets:
            return f"{self.packets} packets lost, {budget.most_packets} are allowed"
        if budget.most_pause_ms is not None and self.pause_ms > budget.most_pause_ms:
            return f"{self.pause_ms:g} ms without a packet, {budget.most_pause_ms:g} ms are allowed"
        return None
