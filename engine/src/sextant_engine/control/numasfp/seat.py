"""One chain of a node in one interval, as the allocation law's rules hand it on from one to the next."""

from dataclasses import dataclass

from sextant_engine.control.numasfp.allocation_state import BoundedChain, ChainMemory, Trial
from sextant_engine.control.numasfp.shares import Share


@dataclass(slots=True)
class Seat:
    """Of a chain that was measured."""

    chain: BoundedChain
    memory: ChainMemory
    """As it was before."""
    rate: float
    """What it is offered, in Gbps."""
    trial: Trial
    need: Share
    """What its table says for its rate."""
    table: Share
    """What it can have of that."""
    shall: Share
    """With what it has beyond its table."""
    after: Share
    """What it has then: with what nobody else needs."""

    @property
    def name(self) -> str:
        """Of the chain."""
        return self.chain.chain

    @property
    def before(self) -> Share:
        """What it had."""
        return self.memory.has
