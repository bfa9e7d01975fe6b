"""CoCo's scheduler as a host's agent runs it (Sec. IV): one core, every 100 ms, within bounds. Pure.

The paper works out what arrives from how a ring grows and from the rate that the element's share allows (Eq. 7). Here
packets are counted, so that an element which has more time than it needs, or whose ring is full, is not misjudged: what
arrives is what was served, what the ring grew by, and what was dropped for want of room in front of it. f is a line
that was measured, raised or lowered to what the element takes now, or else the CPU time that a packet took lately.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from sextant_engine.control.coco.scheduler import Curve, Line, within_bounds

PERIOD_S = 0.1
LATE_S = 0.35
"""Figures that are older, or further apart, say nothing of the present."""
LEAST_CHANGE = 0.01
"""Of a core. Shares that are nearer than this to what they should be stay: on constant traffic nothing changes."""
LEAST_NEED = 0.5
"""Of a core. Where less is needed, each element gets the time that it asks for whatever its share, which stays: packets
that come one by one move nothing."""
_ROUNDING = 1e-9
_NEWEST = 0.5
"""Weight of the last period, in what arrives and in what a packet takes."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """An element that may be given more or less of the core."""

    least: float
    """Share of the core."""
    most: float
    line: Line | None = None
    """CoCo's f as it was measured, seconds by packets a second: of packets, and a configuration, that need not be those
    of the element. None: goes by what packets took lately."""


@dataclass(frozen=True, slots=True)
class Counted:
    """One element as found. Packets and time are cumulative."""

    arrived: int
    """Served, waiting in front of it, or dropped there."""
    served: int
    cpu_ns: int
    share: float
    """Of the core, whenever all want it, as the host applies it."""
    life: Hashable
    """Counters of two lives are not compared."""


@dataclass(frozen=True, slots=True)
class CoreReading:
    """All elements of a core at one moment."""

    taken_ns: int
    """Monotonic."""
    elements: Mapping[str, Counted]


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


@dataclass(frozen=True, slots=True)
class MatchingAction:
    """What to do now."""

    shares: Mapping[str, float] | None = None
    """To be applied, of all elements; None: nothing is changed."""
    element: str = ""
    """Whose share changes most."""
    needs: float = 0.0
    """Share of the core that what arrives for it needs; above 1 where it needs more than a core."""
    held: str | None = None
    """Why nothing may be changed; None: it may."""


def step(
    state: MatchingState, elements: Mapping[str, Bounded], reading: CoreReading, now_ns: int
) -> tuple[MatchingState, MatchingAction]:
    """The next state, and what to apply. `reading` names the elements that are bounded, and no others."""
    before = state.before
    if now_ns - reading.taken_ns > LATE_S * 1e9:
        return state, MatchingAction(held=f"figures of its rings are {(now_ns - reading.taken_ns) / 1e9:.1f} s old")
    if before is not None and reading.taken_ns == before.taken_ns:
        return state, MatchingAction()  # nothing was counted since
    if before is None or not _continues(before, reading):
        return MatchingState(before=reading), MatchingAction(held="its rings are measured anew")
    state = _counted(state, before, reading)
    if not any(state.rates.values()):
        return state, MatchingAction()  # CoCo, Sec. IV: nothing arrives, so there is no c, and shares stay
    return state, _shared_out(state, elements, reading)


def _continues(before: CoreReading, reading: CoreReading) -> bool:
    then = before.elements
    return (
        0 < reading.taken_ns - before.taken_ns <= LATE_S * 1e9
        and then.keys() == reading.elements.keys()
        and all(
            now.life == then[name].life and now.served >= then[name].served and now.cpu_ns >= then[name].cpu_ns
            for name, now in reading.elements.items()
        )
    )


def _counted(state: MatchingState, before: CoreReading, reading: CoreReading) -> MatchingState:
    seconds = (reading.taken_ns - before.taken_ns) / 1e9
    rates, costs, served = dict(state.rates), dict(state.costs), dict(state.served)
    for name, now in reading.elements.items():
        then = before.elements[name]
        rate = max(0, now.arrived - then.arrived) / seconds
        # an average would say for periods to come that something arrives, where nothing does
        rates[name] = rate if rate == 0 else _average(rates.get(name), rate)
        if now.served > then.served:
            costs[name] = _average(costs.get(name), (now.cpu_ns - then.cpu_ns) / 1e9 / (now.served - then.served))
            served[name] = _average(served.get(name), (now.served - then.served) / seconds)
    return replace(state, before=reading, rates=rates, costs=costs, served=served)


def _average(before: float | None, now: float) -> float:
    return now if not before else _NEWEST * now + (1 - _NEWEST) * before


def _shared_out(state: MatchingState, elements: Mapping[str, Bounded], reading: CoreReading) -> MatchingAction:
    names = sorted(elements)
    lines = {name: _line(state, name, elements[name]) for name in names}
    why_not = _impossible(elements, lines)
    if why_not is not None:
        return MatchingAction(held=why_not)
    has = {name: reading.elements[name].share for name in names}
    curves: list[Curve] = [lines[name] for name in names]
    needs = {name: curve.share(state.rates[name]) for name, curve in zip(names, curves, strict=True)}
    if any(_costs_unknown(state, name, elements[name]) for name in names):
        return MatchingAction(held="what a packet takes is not known of each of its NFs yet")
    if sum(needs.values()) < LEAST_NEED:
        return MatchingAction()
    bounds = [(elements[name].least, elements[name].most) for name in names]
    shares = within_bounds([state.rates[name] for name in names], curves, bounds)
    wanted = dict(zip(names, shares, strict=True))
    most = max(names, key=lambda name: abs(wanted[name] - has[name]))
    if abs(wanted[most] - has[most]) < LEAST_CHANGE:
        return MatchingAction()
    return MatchingAction(wanted, most, needs[most])


def _costs_unknown(state: MatchingState, name: str, element: Bounded) -> bool:
    return element.line is None and state.rates[name] > 0 and name not in state.costs


def _line(state: MatchingState, name: str, element: Bounded) -> Line:
    """CoCo's f. A line that was measured shows how the share rises; what is used now shows how high it lies, since
    packets and configuration are the element's own. Until it has served anything, the line as it was measured."""
    measured, cost, served = element.line, state.costs.get(name, 0.0), state.served.get(name, 0.0)
    if measured is None:
        return Line(cost, 0.0)
    if not cost or not served:
        return measured
    scale = cost * served / measured.share(served)
    return Line(scale * measured.slope, scale * measured.intercept)


def _impossible(elements: Mapping[str, Bounded], lines: Mapping[str, Line]) -> str | None:
    intercepts = sum(line.intercept for line in lines.values())
    if intercepts >= 1:
        return f"its NFs need {100 * intercepts:.0f} % of the core before any packet comes"
    least, most = (sum(getattr(one, end) for one in elements.values()) for end in ("least", "most"))
    if least > 1 + _ROUNDING:
        return f"the least shares of its NFs add up to {100 * least:.0f} % of the core"
    if most < 1 - _ROUNDING:
        return f"the most shares of its NFs add up to {100 * most:.0f} % of the core"
    return None
