"""Backpressure (sfc2cpu, Sec. II-B; NFVnice): while an NF's ring is full, packets for it are dropped where they enter
the host, so that no time is spent on what would be lost.

Two watermarks, so that it does not flap: on when the ring is filled to the high one, off when it is below the low one.
Here for the engine's verb `backpressure`. The twin has the same rule in Rust (twin/core/src/watermarks.rs; a test of
the agent feeds both); the testbed lets no NF work on what a later ring has no room for (decision 132).
"""

from collections.abc import Iterable

HIGH_PERCENT = 80
LOW_PERCENT = 60


def backpressure(on: bool, fill: float, ring: int) -> bool:
    """Whether packets are dropped at the entry now; `on`: whether they were."""
    watermark = LOW_PERCENT if on else HIGH_PERCENT
    return 100 * fill >= watermark * ring


def over(fills: Iterable[float], ring: int) -> tuple[bool, ...]:
    """Fill after fill, from a ring that was empty."""
    states: list[bool] = []
    for fill in fills:
        states.append(backpressure(bool(states) and states[-1], fill, ring))
    return tuple(states)
