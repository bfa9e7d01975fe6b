"""Chains that carry less than they are offered although they have what their table says.

Tables are of single NFs: four in a chain share its ways, and need more. Such a chain is given one way and 10 % more of
what nobody needs by table, again every few seconds as long as that helps; what does not help is taken back, and not
tried again until the chain is offered another rate.
"""

from collections.abc import Sequence

from sextant_engine.control.numasfp.allocation_state import Trial
from sextant_engine.control.numasfp.seat import Seat
from sextant_engine.control.numasfp.shares import NOTHING, Ladder, Share, total
from sextant_engine.control.numasfp.state import IN_FULL

STEP = Share(1, 10)
INTERVALS = 3
"""Over which what it carries is averaged, before and after a step."""
SETTLES_S = 1.5
"""An interval that began before the chain was given its share says nothing of it."""
HELPED = 0.005
"""Least rise, of what the chain is offered."""
OTHER_RATE = 0.05
"""Rates that differ by less are the same."""
RESTS_S = 60.0
"""After a step in vain, at whatever rate."""


def measured(trial: Trial, offered: float, carried: float, has_it_for_s: float | None) -> Trial:
    """With one interval more. `has_it_for_s`: since the chain's share last changed; None: it never did."""
    if has_it_for_s is not None and has_it_for_s < SETTLES_S:
        return trial.with_recent(()) if trial.recent else trial
    ratio = min(1.0, carried / offered) if offered > 0 else 1.0
    recent = (*trial.recent, ratio)[-INTERVALS:]
    return trial if recent == trial.recent else trial.with_recent(recent)


def judged(trial: Trial, offered: float, now_s: float) -> Trial:
    """A step that helped is kept, another is taken back. What was given at a higher rate goes with that rate."""
    if trial.extra != NOTHING and offered < trial.at_gbps * (1 - OTHER_RATE):
        return Trial(recent=trial.recent)
    if trial.step is None or len(trial.recent) < INTERVALS:
        return trial
    carries = _mean(trial.recent)
    if carries >= trial.before + HELPED or carries >= IN_FULL > trial.before:
        return trial._replace(step=None)
    return trial._replace(extra=trial.extra.minus(trial.step), step=None, vain_gbps=offered, vain_s=now_s)


def beyond(ladder: Ladder, share: Share, extra: Share) -> Share:
    """A share with so much more, as far as the bounds and the steps of the bandwidth allow."""
    ways = min(max(ladder.most_ways, share.ways), share.ways + extra.ways)
    percent = max((one for one in ladder.steps if one <= share.percent + extra.percent), default=share.percent)
    return Share(ways, max(percent, share.percent))


def with_extras(order: Sequence[Seat], room: Share) -> None:
    """What chains shall have: beside what they can have by their tables, what they have beyond, as far as it fits
    beside what all need by table."""
    for seat in order:
        seat.shall = seat.table
    beyond_theirs = [seat for seat in order if seat.trial.extra != NOTHING]
    if not beyond_theirs:
        return
    left = room.minus(total([seat.shall for seat in order]))
    for seat in beyond_theirs:
        seat.shall = beyond(seat.chain.ladder, seat.table, seat.trial.extra.at_most(left))
        left = left.minus(seat.shall.minus(seat.table))


def falls_short(trial: Trial) -> bool:
    """It carries less than it is offered, and nothing is being tried about it."""
    return trial.step is None and len(trial.recent) == INTERVALS and _mean(trial.recent) < IN_FULL


def next_step(seat: Seat, left: Share, now_s: float) -> Trial | None:
    """With one step more than it has, of a chain that falls short; None where there is nothing to try. `left`: of the
    node, beside what all shall have."""
    trial, ladder, has = seat.trial, seat.chain.ladder, seat.memory.has
    if trial.vain_gbps is not None:
        same = abs(seat.rate - trial.vain_gbps) <= OTHER_RATE * trial.vain_gbps
        if same or now_s - trial.vain_s < RESTS_S:
            return None
    more = beyond(ladder, has, _step_of(ladder, has).at_most(left)).minus(has)
    if more == NOTHING:
        return None
    given = trial.extra.plus(more)
    return trial._replace(extra=given, at_gbps=seat.rate, step=more, before=_mean(trial.recent), recent=())


def text(trial: Trial) -> str:
    """'carries 92 % of what it is offered'."""
    ratio = _mean(trial.recent) if trial.recent else trial.before
    return f"carries {100 * ratio:.0f} % of what it is offered"


def _step_of(ladder: Ladder, has: Share) -> Share:
    """At least one step of the bandwidth, however coarse these are."""
    higher = next((step for step in ladder.steps if step >= has.percent + STEP.percent), ladder.steps[-1])
    return Share(STEP.ways, max(0, higher - has.percent))


def _mean(ratios: Sequence[float]) -> float:
    return sum(ratios) / len(ratios)
