"""How long to leave alone what failed: doubling, bounded, forgotten after it held for a while."""

from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from sextant_agent.control.differences import Difference

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 30.0
PERMANENT_DELAY_S = 15.0
"""An error that a repeat does not fix is still tried now and then: room may come free."""
STABLE_AFTER_S = 30.0
"""A crash is forgotten when nothing happened for this long after it was repaired."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Failures of one chain, NF or the data plane."""

    failures: int
    next_at: float
    """Monotonic seconds before which it is left alone."""
    message: str
    permanent: bool = False
    crash: bool = False
    """Something that ran ended, as against something that could not be done."""


Troubles = Mapping[str, Trouble]


def delay_s(failures: int, *, permanent: bool = False, crash: bool = False) -> float:
    """0.5, 1, 2 ... 30 s; a first crash is repaired at once, a permanent error tried every 15 s at the most."""
    if crash and failures == 1:
        return 0.0
    doubled = FIRST_DELAY_S * 2.0 ** min(failures - 1, 10)
    return min(max(doubled, PERMANENT_DELAY_S) if permanent else doubled, LONGEST_DELAY_S)


def worsen(
    troubles: Troubles, key: str, now: float, message: str, *, permanent: bool = False, crash: bool = False
) -> Troubles:
    """One more failure of `key`."""
    old = troubles.get(key)
    failures = old.failures + 1 if old else 1
    crash = crash or (old is not None and old.crash)
    next_at = now + delay_s(failures, permanent=permanent, crash=crash)
    return {**troubles, key: Trouble(failures, next_at, message, permanent, crash)}


def settle(troubles: Troubles, open_keys: Set[str], now: float) -> Troubles:
    """Drop what is over: a failure when its difference is gone, a crash when it also held for a while."""
    return {
        key: replace(trouble, permanent=trouble.permanent and key in open_keys)
        for key, trouble in troubles.items()
        if key in open_keys or (trouble.crash and now < trouble.next_at + STABLE_AFTER_S)
    }


def ready_at(troubles: Troubles, gap: Difference) -> float:
    """When every key the difference depends on may be touched again; monotonic seconds, 0 where none ever failed."""
    return max((troubles[key].next_at for key in gap.keys if key in troubles), default=0.0)


def is_waiting(troubles: Troubles, gap: Difference, now: float) -> bool:
    """True while something the difference depends on is to be left alone."""
    return ready_at(troubles, gap) > now
