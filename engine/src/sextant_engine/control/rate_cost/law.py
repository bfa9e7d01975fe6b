"""Rate-cost proportional shares as a host's agent runs them: one core, every 100 ms, within bounds. Pure.

A window is a period of 100 ms. What a packet costs is the median over the last windows, those left out in which the NF
was held up (a pre-empted burst reads 2 to 4 times what it took); so one disturbed window moves nothing, and a cost that
has really changed is followed once it fills half of the windows.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from sextant_engine.control.rate_cost.bounded import within
from sextant_engine.control.rate_cost.shares import rate_cost_shares
from sextant_engine.control.shared_core import (
    ANEW,
    LEAST_NEED,
    STAYS,
    Bounded,
    CoreReading,
    SharesAction,
    continues,
    most_changed,
    periods,
    recent_rate,
    too_old,
    unfit_bounds,
)

WINDOWS = 10
"""Whose costs are kept: a second."""
LEAST_WINDOWS = 3
"""Before a median means anything."""
OUTLIER = 2.0
"""Times the median: windows that cost more are left out."""
_MEGA = 1e6


@dataclass(frozen=True, slots=True)
class RateCostState:
    """From one period to the next."""

    before: CoreReading | None = None
    rates: Mapping[str, float] = field(default_factory=dict[str, float])
    """Packets a second that arrive."""
    windows: Mapping[str, tuple[float, ...]] = field(default_factory=dict[str, tuple[float, ...]])
    """Seconds of the core that a packet took, oldest window first; one in which nothing was served is none."""


def step(
    state: RateCostState, elements: Mapping[str, Bounded], reading: CoreReading, now_ns: int
) -> tuple[RateCostState, SharesAction]:
    """The next state, and what to apply. `reading` names the elements that are bounded, and no others."""
    before, late = state.before, too_old(reading, now_ns)
    if late is not None:
        return state, late
    if before is not None and reading.taken_ns == before.taken_ns:
        return state, STAYS  # nothing was counted since
    if before is None or not continues(before, reading):
        return RateCostState(before=reading), ANEW
    state = _counted(state, before, reading)
    if not any(state.rates.values()):
        return state, STAYS  # in proportion to nothing
    return state, _shared_out(state, elements, reading)


def cost_of(windows: Sequence[float]) -> float:
    """Seconds a packet: the median of the windows, once those far above the median of all are left out."""
    middle = median(windows)
    return median(window for window in windows if window <= OUTLIER * middle)


def _counted(state: RateCostState, before: CoreReading, reading: CoreReading) -> RateCostState:
    rates, windows = dict(state.rates), dict(state.windows)
    for name, period in periods(before, reading):
        rates[name] = recent_rate(rates.get(name), period.rate)
        if period.cost is not None:
            windows[name] = (*windows.get(name, ()), period.cost)[-WINDOWS:]
    return replace(state, before=reading, rates=rates, windows=windows)


def _shared_out(state: RateCostState, elements: Mapping[str, Bounded], reading: CoreReading) -> SharesAction:
    why_not = unfit_bounds(elements) or _costs_unknown(state)
    if why_not is not None:
        return SharesAction(held=why_not)
    names = sorted(elements)
    costs = {name: cost_of(state.windows[name]) if state.windows.get(name) else 0.0 for name in names}
    needs = {name: costs[name] * state.rates[name] for name in names}
    if sum(needs.values()) < LEAST_NEED:
        return STAYS
    # In seconds instead of cycles: of one core, whose clock is that of all its NFs.
    weights = rate_cost_shares([(costs[name], state.rates[name]) for name in names])
    shares = within(weights, [(elements[name].least, elements[name].most) for name in names])
    wanted = dict(zip(names, shares, strict=True))
    most = most_changed(wanted, reading)
    if most is None:
        return STAYS
    offered = f"{most} is offered {state.rates[most] / _MEGA:.3g} Mpps at {costs[most] * _MEGA:.3g} us a packet"
    part = 100 * needs[most] / sum(needs.values())
    return SharesAction(wanted, f"{offered}, {part:.0f} % of what is asked of the core")


def _costs_unknown(state: RateCostState) -> str | None:
    for name, rate in sorted(state.rates.items()):
        known = len(state.windows.get(name, ()))
        if rate > 0 and known < LEAST_WINDOWS:
            return f"what a packet of {name} costs was measured in {known} of {LEAST_WINDOWS} windows"
    return None
