"""Who gets what of a node: NUMASFP's resource_adjustment, and who gives way where there is not enough for all.

Source: NUMASFP, resource_adjustment: by falling rate, each chain gets the smallest level that covers its rate, else the
largest that fits. Beside it, two rules of ours: nobody gets less than the least of its bounds, and of two chains with
nearly equal rates the one that has its level keeps it, so that they do not take it from each other every second.
"""

from collections.abc import Callable, Sequence

from sextant_engine.control.numasfp.seat import Seat
from sextant_engine.control.numasfp.shares import Room, Share, total

KEEPS = 1.05
"""A chain that has its level counts as if it were offered so much more."""


def ranked(seats: Sequence[Seat]) -> list[Seat]:
    """By falling rate; equal ones stay in their order."""
    return sorted(seats, key=_weight, reverse=True)


def _weight(seat: Seat) -> float:
    return seat.rate * KEEPS if seat.memory.has.covers(seat.need) else seat.rate


def by_table(order: Sequence[Seat], room: Share) -> None:
    """What each chain can have of what its table says. The least of all of them fits."""
    left = room.minus(total([seat.chain.ladder.floor for seat in order]))
    for seat in order:
        ladder = seat.chain.ladder
        free = left.plus(ladder.floor)
        seat.table = seat.need if free.covers(seat.need) else ladder.largest(seat.rate, free)
        left = free.minus(seat.table)


def keeping(seats: Sequence[Seat], room: Room, givers: Callable[[], Sequence[Seat]]) -> None:
    """What each chain has then: at least what it shall, and of what it has beyond that as much as nobody else needs.
    `givers`: who gives first, asked where somebody must. What they shall have fits."""
    for seat in seats:
        seat.after = seat.memory.has.at_least(seat.shall)
    over = total([seat.after for seat in seats]).minus(room.whole)
    if over.ways <= 0 and over.percent <= 0:
        return
    for seat in givers():
        kept = seat.after
        seat.after = _less(kept, seat.shall, over, room.steps)
        over = over.minus(kept.minus(seat.after))
        if over.ways <= 0 and over.percent <= 0:
            break


def _less(has: Share, shall: Share, over: Share, steps: Sequence[int]) -> Share:
    ways = max(shall.ways, has.ways - max(0, over.ways))
    enough = has.percent - max(0, over.percent)
    if has.percent == enough or has.percent <= shall.percent:
        return Share(ways, has.percent)
    percent = max((step for step in steps if shall.percent <= step <= enough), default=shall.percent)
    return Share(ways, percent)
