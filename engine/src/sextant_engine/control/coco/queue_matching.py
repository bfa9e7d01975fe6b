"""CoCo's scheduler as a host's agent runs it (Sec. IV): one core, every 100 ms, within bounds. Pure.

The paper works out what arrives from how a ring grows and from the rate that the element's share allows (Eq. 7). Here
packets are counted (`shared_core`), so that an element which has more time than it needs, or whose ring is full, is not
misjudged. f is a line that was measured, raised or lowered to what the element takes now, or else the CPU time that a
packet took lately.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from sextant_engine.control.coco.scheduler import Curve, Line, within_bounds
from sextant_engine.control.shared_core import (
    ANEW,
    LEAST_NEED,
    STAYS,
    Bounded,
    CoreReading,
    SharesAction,
    average,
    continues,
    most_changed,
    periods,
    recent_rate,
    too_old,
    unfit_bounds,
)

_MEGA = 1e6


@dataclass(frozen=True, slots=True)
class BoundedByLine(Bounded):
    """An element of which CoCo's f may be known."""

    line: Line | None = None
    """As it was measured, seconds by packets a second: of packets, and a configuration, that need not be those of the
    element. None: goes by what packets took lately."""


@dataclass(frozen=True, slots=True)
class MatchingState:
    """From one period to the next."""

    before: CoreReading | None = None
    rates: Mapping[str, float] = field(default_factory=dict[str, float])
    """Packets a second that arrive."""
    costs: Mapping[str, float] = field(default_factory=dict[str, float])
    """Seconds of the core that a packet takes."""
    served: Mapping[str, float] = field(default_factory=dict[str, float])
    """Packets a second, in the periods of `costs`."""


def step(
    state: MatchingState, elements: Mapping[str, BoundedByLine], reading: CoreReading, now_ns: int
) -> tuple[MatchingState, SharesAction]:
    """The next state, and what to apply. `reading` names the elements that are bounded, and no others."""
    before, late = state.before, too_old(reading, now_ns)
    if late is not None:
        return state, late
    if before is not None and reading.taken_ns == before.taken_ns:
        return state, STAYS  # nothing was counted since
    if before is None or not continues(before, reading):
        return MatchingState(before=reading), ANEW
    state = _counted(state, before, reading)
    if not any(state.rates.values()):
        return state, STAYS  # CoCo, Sec. IV: nothing arrives, so there is no c, and shares stay
    return state, _shared_out(state, elements, reading)


def _counted(state: MatchingState, before: CoreReading, reading: CoreReading) -> MatchingState:
    rates, costs, served = dict(state.rates), dict(state.costs), dict(state.served)
    for name, period in periods(before, reading):
        rates[name] = recent_rate(rates.get(name), period.rate)
        if period.cost is not None:
            costs[name] = average(costs.get(name), period.cost)
            served[name] = average(served.get(name), period.served)
    return replace(state, before=reading, rates=rates, costs=costs, served=served)


def _shared_out(state: MatchingState, elements: Mapping[str, BoundedByLine], reading: CoreReading) -> SharesAction:
    names = sorted(elements)
    lines = {name: _line(state, name, elements[name]) for name in names}
    why_not = _impossible(elements, lines)
    if why_not is not None:
        return SharesAction(held=why_not)
    curves: list[Curve] = [lines[name] for name in names]
    needs = {name: curve.share(state.rates[name]) for name, curve in zip(names, curves, strict=True)}
    if any(_costs_unknown(state, name, elements[name]) for name in names):
        return SharesAction(held="what a packet takes is not known of each of its NFs yet")
    if sum(needs.values()) < LEAST_NEED:
        return STAYS
    bounds = [(elements[name].least, elements[name].most) for name in names]
    shares = within_bounds([state.rates[name] for name in names], curves, bounds)
    wanted = dict(zip(names, shares, strict=True))
    most = most_changed(wanted, reading)
    if most is None:
        return STAYS
    offered = f"{most} is offered {state.rates[most] / _MEGA:.3g} Mpps"
    return SharesAction(wanted, f"{offered}, which needs {100 * needs[most]:.0f} % of the core")


def _costs_unknown(state: MatchingState, name: str, element: BoundedByLine) -> bool:
    return element.line is None and state.rates[name] > 0 and name not in state.costs


def _line(state: MatchingState, name: str, element: BoundedByLine) -> Line:
    """CoCo's f. A line that was measured shows how the share rises; what is used now shows how high it lies, since
    packets and configuration are the element's own. Until it has served anything, the line as it was measured."""
    measured, cost, served = element.line, state.costs.get(name, 0.0), state.served.get(name, 0.0)
    if measured is None:
        return Line(cost, 0.0)
    if not cost or not served:
        return measured
    scale = cost * served / measured.share(served)
    return Line(scale * measured.slope, scale * measured.intercept)


def _impossible(elements: Mapping[str, BoundedByLine], lines: Mapping[str, Line]) -> str | None:
    intercepts = sum(line.intercept for line in lines.values())
    if intercepts >= 1:
        return f"its NFs need {100 * intercepts:.0f} % of the core before any packet comes"
    return unfit_bounds(elements)
