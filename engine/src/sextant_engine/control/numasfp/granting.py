"""Who gets what of a node: NUMASFP's resource_adjustment, and who gives way where there is not enough for all.

Source: NUMASFP, resource_adjustment: by falling rate, each chain gets the smallest level that covers its rate, else the
largest that fits. Beside it, two rules of ours: nobody gets less than the least of its bounds, and of two chains with
nearly equal rates the one that has its level keeps it, so that they do not take it from each other every second.
"""

from collections.abc import Mapping, Sequence

from sextant_engine.control.numasfp.allocation_state import BoundedChain
from sextant_engine.control.numasfp.shares import Room, Share, total

KEEPS = 1.05
"""A chain that has its level counts as if it were offered so much more."""


def ranked(chains: Sequence[BoundedChain], rates: Mapping[str, float], has: Mapping[str, Share]) -> list[BoundedChain]:
    """By falling rate."""

    def weight(one: BoundedChain) -> float:
        rate = rates[one.chain]
        return rate * KEEPS if has[one.chain].covers(one.ladder.need(rate)) else rate

    return sorted(chains, key=lambda one: (-weight(one), one.chain))


def by_table(order: Sequence[BoundedChain], rates: Mapping[str, float], room: Share) -> dict[str, Share]:
    """What each chain shall have by its table. The least of all of them fits."""
    left = room.minus(total(one.ladder.floor for one in order))
    given: dict[str, Share] = {}
    for one in order:
        free = left.plus(one.ladder.floor)
        given[one.chain] = one.ladder.largest(rates[one.chain], free)
        left = free.minus(given[one.chain])
    return given


def keeping(
    has: Mapping[str, Share], shall: Mapping[str, Share], givers: Sequence[str], room: Room
) -> dict[str, Share]:
    """What each chain has then: at least what it shall, and of what it has beyond that as much as nobody else needs.
    `givers`: who gives first. What they shall have fits."""
    kept = {chain: share.at_least(shall[chain]) for chain, share in has.items()}
    for chain in givers:
        over = total(kept.values()).minus(room.whole)
        if over.ways <= 0 and over.percent <= 0:
            break
        kept[chain] = _less(kept[chain], shall[chain], over, room.steps)
    return kept


def _less(has: Share, shall: Share, over: Share, steps: Sequence[int]) -> Share:
    ways = max(shall.ways, has.ways - max(0, over.ways))
    enough = has.percent - max(0, over.percent)
    if has.percent == enough or has.percent <= shall.percent:
        return Share(ways, has.percent)
    percent = max((step for step in steps if shall.percent <= step <= enough), default=shall.percent)
    return Share(ways, percent)
