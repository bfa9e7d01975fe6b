"""What NUMASFP's law remembers, what it answers, and what it asks of whoever runs it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from sextant_domain.laws.numasfp import NumasfpParameters

Placement = Mapping[str, str]
"""The node of each chain."""


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
        self, current: Placement, rates_gbps: Mapping[str, float], horizon: float, most_moves: int | None
    ) -> Step:
        """The exact step, within so many moves."""

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


@dataclass(frozen=True, slots=True)
class NumasfpAction:
    """Where chains shall stand and what they are granted."""

    placement: Placement | None
    """None: nothing is known yet."""
    allocation: Mapping[str, Grant] | None
    moved: tuple[str, ...]
    reason: str
    """Why this, or why nothing."""


def unbelievable(
    state: NumasfpState, at_s: float, rates: Mapping[str, float], now_s: float, parameters: NumasfpParameters
) -> str | None:
    """Why measurements are not acted on; None where they are."""
    if not -1e12 < at_s < 1e12:
        return "the measurement has no time"
    if now_s - at_s > parameters.late_s:
        return f"the measurement is {now_s - at_s:.1f} s old; at most {parameters.late_s:g} s are acted on"
    if at_s > now_s + parameters.late_s:
        return f"the measurement is from {at_s - now_s:.1f} s ahead; the host's clock is wrong"
    if state.measured_s is not None and at_s == state.measured_s:
        return "the measurement came twice"
    if state.measured_s is not None and at_s < state.measured_s:
        return f"the measurement is {state.measured_s - at_s:.1f} s older than the one before"
    if state.placement is not None and set(rates) != set(state.placement):
        odd = sorted(set(rates) ^ set(state.placement))
        return f"the measurement lacks chains, or has others: {', '.join(odd)}"
    for chain, rate in sorted(rates.items()):
        if not 0 <= rate <= parameters.most_gbps:  # NaN is neither
            return f"{chain} is said to be offered {rate:g} Gbps; 0 to {parameters.most_gbps:g} are believed"
    return None
