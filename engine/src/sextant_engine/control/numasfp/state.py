"""What NUMASFP's law remembers, what it answers, and what it asks of whoever runs it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

Placement = Mapping[str, str]
"""The node of each chain."""
Price = float | Mapping[str, float]
"""Share of what a chain carries, by which it counts less where it moves: of all chains, or of each."""


IN_FULL = 0.99
"""Of what it is offered: a chain that carries less falls short (NUMASFP, Algorithm 1)."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What a chain is given."""

    gbps: float
    """The level of the table that this reaches."""
    ways: int
    mb_percent: int


@dataclass(frozen=True, slots=True)
class Step:
    """An optimum of one interval."""

    objective_gbps: float
    moves: int
    placement: Placement
    allocation: Mapping[str, Grant]


@dataclass(frozen=True, slots=True)
class Shadow:
    """What the published algorithm would have come to, had it been in charge."""

    placement: Placement
    violations: Mapping[str, int]
    rates_gbps: Mapping[str, float] | None


class Solver(Protocol):
    """The searches that the law needs: pure functions of a host's table, nodes and chains. The engine's core has them;
    whoever runs the law hands them in, since no law imports the core."""

    def optimum(
        self, current: Placement, rates_gbps: Mapping[str, float], price: Price, most_moves: int | None
    ) -> Step:
        """The exact step, within so many moves; of what a chain carries that changes its node, a share counts less:
        its `price`."""

    def published(self, shadow: Shadow | None, rates_gbps: Mapping[str, float]) -> tuple[Shadow, float]:
        """One interval of Algorithms 1 and 2, and what all chains carry in it; None: they begin."""


@dataclass(frozen=True, slots=True)
class Move:
    """A chain that changed its node."""

    at_s: float
    chain: str
    left: str


@dataclass(frozen=True, slots=True)
class NumasfpState:
    """From one step to the next."""

    placement: Placement | None = None
    """None: before the first step."""
    allocation: Mapping[str, Grant] | None = None
    measured_s: float | None = None
    """When what was last acted on was measured."""
    forecast: Mapping[str, float] | None = None
    stood: int = 0
    """Intervals for which a gain has stood."""
    forgone_gbit: float = 0.0
    """Carried less since then than the best placement would have carried."""
    moves: tuple[Move, ...] = ()
    """Those that still count in the budget, or could be reversed."""
    doubled_until_s: float | None = None
    """Until then the margin is twice as wide; None: it never was."""
    shadow: Shadow | None = None
    shadow_better: int = 0
    """Intervals running in which the shadow would have carried more."""
    own_better: int = 0
    """Intervals running in which the shadow, while it is followed, would have carried no more than the optimum."""
    following: bool = False
    """The shadow is in charge."""
    waits_for_answer: bool = False
    """As last observed: a recommendation waits for an operator, so nothing is counted against staying."""


@dataclass(frozen=True, slots=True)
class NumasfpAction:
    """Where chains shall stand and what they are granted."""

    placement: Placement | None
    """None: nothing is known yet."""
    allocation: Mapping[str, Grant] | None
    moved: tuple[str, ...]
    reason: str
    """Why this, or why nothing."""
    gain_gbps: float | None = None
    """Of the best placement beside the present one, what its moves lose spread over the horizon; None: none was
    sought."""
    margin_gbps: float | None = None
    """Least gain that moves chains without waiting for what staying forgoes."""
