"""Chains that carry less than they are offered although they have what their table says.

Tables are of single NFs: four in a chain share its ways, and need more. Such a chain is given one way and 10 % more of
what nobody needs by table, again every few seconds as long as that helps; what does not help is taken back, and not
tried again until the chain is offered another rate.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sextant_engine.control.numasfp.allocation_state import BoundedChain, Trial
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


class Moment(NamedTuple):
    """Of one interval."""

    offered_gbps: float
    now_s: float


def measured(trial: Trial, offered: float, carried: float, has_it_for_s: float | None) -> Trial:
    """With one interval more. `has_it_for_s`: since the chain's share last changed; None: it never did."""
    if has_it_for_s is not None and has_it_for_s < SETTLES_S:
        return trial._replace(recent=())
    ratio = min(1.0, carried / offered) if offered > 0 else 1.0
    recent = (*trial.recent, ratio)[-INTERVALS:]
    return trial if recent == trial.recent else trial._replace(recent=recent)


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


def with_extras(
    order: Sequence[BoundedChain], shall: Mapping[str, Share], trials: Mapping[str, Trial], room: Share
) -> dict[str, Share]:
    """What chains have beyond their tables, as far as it fits beside what all need by table."""
    given = dict(shall)
    beyond_theirs = [one for one in order if trials[one.chain].extra != NOTHING]
    if not beyond_theirs:
        return given
    left = room.minus(total(shall.values()))
    for one in beyond_theirs:
        more = beyond(one.ladder, given[one.chain], trials[one.chain].extra.at_most(left))
        left = left.minus(more.minus(given[one.chain]))
        given[one.chain] = more
    return given


def next_step(ladder: Ladder, has: Share, trial: Trial, left: Share, at: Moment) -> Trial | None:
    """With one step more than it has; None where the chain does not fall short, or there is nothing to try. `left`: of
    the node, beside what all shall have."""
    if trial.step is not None or len(trial.recent) < INTERVALS or _mean(trial.recent) >= IN_FULL:
        return None
    if trial.vain_gbps is not None:
        same = abs(at.offered_gbps - trial.vain_gbps) <= OTHER_RATE * trial.vain_gbps
        if same or at.now_s - trial.vain_s < RESTS_S:
            return None
    more = beyond(ladder, has, _step_of(ladder, has).at_most(left)).minus(has)
    if more == NOTHING:
        return None
    given = trial.extra.plus(more)
    return trial._replace(extra=given, at_gbps=at.offered_gbps, step=more, before=_mean(trial.recent), recent=())


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
