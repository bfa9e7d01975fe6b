"""What laws that divide a core among its NFs have in common: what was counted of it, and what is to be applied. Pure.

Packets are counted: what arrives is what was served, what the ring grew by, and what was dropped for want of room in
front of it.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass

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
"""Weight of the last period, in what arrives."""


@dataclass(frozen=True, slots=True)
class Bounded:
    """An element that may be given more or less of the core."""

    least: float
    """Share of the core."""
    most: float


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
class SharesAction:
    """What to do now."""

    shares: Mapping[str, float] | None = None
    """To be applied, of all elements; None: nothing is changed."""
    cause: str = ""
    """For a person: whose share changes most, and why."""
    held: str | None = None
    """Why nothing may be changed; None: it may."""


ANEW = SharesAction(held="its rings are measured anew")
STAYS = SharesAction()


def too_old(reading: CoreReading, now_ns: int) -> SharesAction | None:
    """Held, where nobody knows what happened since."""
    if now_ns - reading.taken_ns <= LATE_S * 1e9:
        return None
    return SharesAction(held=f"figures of its rings are {(now_ns - reading.taken_ns) / 1e9:.1f} s old")


def continues(before: CoreReading, reading: CoreReading) -> bool:
    """Whether counters of both may be subtracted: of one life each, and not too far apart."""
    then = before.elements
    return (
        0 < reading.taken_ns - before.taken_ns <= LATE_S * 1e9
        and then.keys() == reading.elements.keys()
        and all(
            now.life == then[name].life and now.served >= then[name].served and now.cpu_ns >= then[name].cpu_ns
            for name, now in reading.elements.items()
        )
    )


@dataclass(frozen=True, slots=True)
class Period:
    """Of one element, between two readings."""

    rate: float
    """Packets a second that arrived."""
    served: float
    """Packets a second."""
    cost: float | None
    """Seconds of the core that a packet took; None: none was served."""


def periods(before: CoreReading, reading: CoreReading) -> Iterator[tuple[str, Period]]:
    """By element; `continues`."""
    seconds = (reading.taken_ns - before.taken_ns) / 1e9
    for name, now in reading.elements.items():
        then = before.elements[name]
        packets = now.served - then.served
        cost = (now.cpu_ns - then.cpu_ns) / 1e9 / packets if packets else None
        yield name, Period(max(0, now.arrived - then.arrived) / seconds, packets / seconds, cost)


def recent_rate(before: float | None, now: float) -> float:
    """An average would say for periods to come that something arrives, where nothing does."""
    return now if now == 0 else average(before, now)


def average(before: float | None, now: float) -> float:
    """Of about two periods."""
    return now if not before else _NEWEST * now + (1 - _NEWEST) * before


def unfit_bounds(elements: Mapping[str, Bounded]) -> str | None:
    """Why no shares within them add up to a core; None where some do."""
    least, most = (sum(getattr(one, end) for one in elements.values()) for end in ("least", "most"))
    if least > 1 + _ROUNDING:
        return f"the least shares of its NFs add up to {100 * least:.0f} % of the core"
    if most < 1 - _ROUNDING:
        return f"the most shares of its NFs add up to {100 * most:.0f} % of the core"
    return None


def most_changed(wanted: Mapping[str, float], reading: CoreReading) -> str | None:
    """Whose share is furthest from what it should be; None where all are near enough."""
    off = {name: abs(share - reading.elements[name].share) for name, share in wanted.items()}
    most = max(sorted(off), key=lambda name: off[name])
    return most if off[most] >= LEAST_CHANGE else None
