"""What NUMASFP's law remembers of a host beyond this process: moves that still count, and what operators said."""

from typing import Literal

from pydantic.dataclasses import dataclass
from sextant_domain.plans.intents import LossBudget
from sextant_engine.control.numasfp.state import Move

from sextant_backend.laws.paced.memory import KeptOfHost, PendingChange


@dataclass(frozen=True)
class Pending(PendingChange):
    """What was recommended last."""

    kind: Literal["hand_over", "move"]
    key: str
    """Of a hand-over: the chains and the table. Of a move: where its chains would go."""
    target: dict[str, str]
    """The node of each chain that it would move."""
    sources: dict[str, str]
    """The node that each of them stood on."""
    budget: LossBudget | None = None
    """Of a move: what it may cost, by the parameters of then."""


@dataclass(frozen=True)
class Kept(KeptOfHost):
    """Of one host."""

    moves: tuple[Move, ...] = ()
    """Carried out, within the time that counts in the budget, or could be reversed."""
    doubled_until_s: float | None = None
    """Until then the margin is twice as wide: a chain went back to where it came from."""
    pending: Pending | None = None
    refused: str | None = None
    """Key of a hand-over that an operator dismissed: it comes again once it would be another one."""
