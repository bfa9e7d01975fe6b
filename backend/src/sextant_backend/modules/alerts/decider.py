"""When an alert begins and ends: a pure decision on what was observed of one object, with the clock passed in.

    absent --bad--> pending --bad for fire_after--> firing --good for resolve_after--> resolved
                    pending --good--> absent        firing --bad--> firing, from the start

Both holds keep a condition that comes and goes from telling anybody twice within fire_after + resolve_after. Time in
which nothing is known (`UNKNOWN`) counts neither for nor against: no telemetry is not health. An object that is gone
ends its alert at once.
"""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum


class Observed(StrEnum):
    """What one look at an object says of the condition."""

    BAD = "bad"
    GOOD = "good"
    UNKNOWN = "unknown"
    GONE = "gone"
    """The object is no more, or its rule was switched off."""


class Phase(StrEnum):
    """Where an alert stands; absent ones have no memory."""

    PENDING = "pending"
    FIRING = "firing"


class Transition(StrEnum):
    """What somebody may have to hear."""

    FIRED = "fired"
    RESOLVED = "resolved"
    DROPPED = "dropped"
    """A pending one went away: nobody heard of it, nobody need."""


@dataclass(frozen=True, slots=True)
class Holds:
    """Of a rule."""

    fire_after: timedelta
    resolve_after: timedelta


@dataclass(frozen=True, slots=True)
class AlertMemory:
    """Of one object, between two looks."""

    phase: Phase
    bad_since: datetime
    """Begin of the condition, moved on by time in which nothing was known."""
    seen_at: datetime
    """Of the last look."""
    good_since: datetime | None = None
    """While it fires: since when the condition is absent, moved on likewise."""
    unknown_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What to remember (None: nothing), and what happened."""

    memory: AlertMemory | None
    transition: Transition | None = None


def decide(memory: AlertMemory | None, observed: Observed, now: datetime, holds: Holds) -> Decision:
    """The next step of one alert. `now` never runs backwards: an earlier one counts as the last look's."""
    if memory is None:
        return _first(observed, now, holds)
    now = max(now, memory.seen_at)
    if observed is Observed.GONE:
        ended = Transition.RESOLVED if memory.phase is Phase.FIRING else Transition.DROPPED
        return Decision(None, ended)
    if observed is Observed.UNKNOWN:
        return Decision(_not_counted(memory, now))
    known = replace(memory, seen_at=now, unknown_since=None)
    if memory.phase is Phase.PENDING:
        return _pending(known, observed, now, holds)
    return _firing(known, observed, now, holds)


def is_due_again(told_at: datetime, now: datetime, repeat_after: timedelta) -> bool:
    """Whether an alert that fires, and that nobody has acknowledged, is to be sent again; zero: never."""
    return timedelta(0) < repeat_after <= now - told_at


def _first(observed: Observed, now: datetime, holds: Holds) -> Decision:
    if observed is not Observed.BAD:
        return Decision(None)
    return _pending(AlertMemory(Phase.PENDING, now, now), observed, now, holds)


def _pending(memory: AlertMemory, observed: Observed, now: datetime, holds: Holds) -> Decision:
    if observed is Observed.GOOD:
        return Decision(None, Transition.DROPPED)
    if now - memory.bad_since < holds.fire_after:
        return Decision(memory)
    return Decision(replace(memory, phase=Phase.FIRING), Transition.FIRED)


def _firing(memory: AlertMemory, observed: Observed, now: datetime, holds: Holds) -> Decision:
    if observed is Observed.BAD:
        return Decision(replace(memory, good_since=None))
    good_since = memory.good_since or now
    if now - good_since < holds.resolve_after:
        return Decision(replace(memory, good_since=good_since))
    return Decision(None, Transition.RESOLVED)


def _not_counted(memory: AlertMemory, now: datetime) -> AlertMemory:
    gap = now - memory.seen_at
    return replace(
        memory,
        seen_at=now,
        bad_since=memory.bad_since + gap if memory.phase is Phase.PENDING else memory.bad_since,
        good_since=None if memory.good_since is None else memory.good_since + gap,
        unknown_since=memory.unknown_since or now,
    )
