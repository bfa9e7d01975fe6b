"""What the allocation law says of chains, for a person."""

from sextant_domain.hosts.telemetry import ControlState

from sextant_engine.control.numasfp import falling_short
from sextant_engine.control.numasfp.allocation_state import AllocationObservation, BoundedChain, Standing, Trial
from sextant_engine.control.numasfp.shares import NOTHING, Share
from sextant_engine.control.numasfp.state import IN_FULL

LARGEST_GBPS = 1e6
"""What telemetry can say."""


def held(one: BoundedChain, has: Share, seen: AllocationObservation, why: str) -> Standing:
    """Nothing is changed."""
    rate = seen.rates_gbps.get(one.chain)
    said = rate if rate is not None and 0 <= rate <= LARGEST_GBPS else None
    return Standing(has, said, one.ladder.level(has), ControlState.HELD, why)


def standing(one: BoundedChain, has: Share, rate: float, trial: Trial) -> Standing:
    """After it was given what it has."""
    ladder, level = one.ladder, one.ladder.level(has)
    top = ladder.rungs[-1] if ladder.rungs else None
    if rate > ladder.top_gbps and top is not None and top.gbps == ladder.top_gbps and has.covers(top.share):
        note = f"{rate:.2f} Gbps is above the table's highest level, {ladder.top_gbps:g} Gbps"
        return Standing(has, rate, level, ControlState.BEYOND_TABLE, note)
    if rate <= 0 or (level is not None and level >= rate):
        return Standing(has, rate, level, ControlState.IN_FULL, _beyond(trial))
    return Standing(has, rate, level, ControlState.SHORT, _short(one, has, rate))


def gets(one: BoundedChain, rate: float, before: Share, table: Share, trial: Trial) -> str:
    """Why a chain gets ways."""
    if trial.extra != NOTHING and before.ways >= table.ways:
        return f"{one.chain} {falling_short.text(trial)} with what its table says"
    return f"{one.chain} needs {table.text} for {rate:.2f} Gbps"


def gives(one: BoundedChain, rate: float, table: Share, trial: Trial, *, in_vain: bool) -> str:
    """Why a chain gives ways up. `in_vain`: it was given more, and that did not help."""
    need = one.ladder.need(rate)
    if table != need:
        return f"{one.chain} needs {need.text} and is offered less, {rate:.2f} Gbps"
    if in_vain:
        return f"more did not help {one.chain}: it {falling_short.text(trial)}"
    if trial.extra != NOTHING:
        return f"{one.chain} has more than its table says, and others need it by theirs"
    return f"{one.chain} needs no more than {need.text} for {rate:.2f} Gbps"


def _beyond(trial: Trial) -> str | None:
    if trial.extra != NOTHING:
        return f"{trial.extra.text} beyond its table: with what that says it carried less than it is offered"
    if trial.vain_gbps is not None and trial.recent and min(trial.recent) < IN_FULL:
        return f"{falling_short.text(trial)}; more than its table says did not help"
    return None


def _short(one: BoundedChain, has: Share, rate: float) -> str:
    ladder = one.ladder
    if not ladder.rungs or ladder.rungs[-1].gbps < min(rate, ladder.top_gbps):
        return f"{rate:.2f} Gbps need more than its bounds allow, {ladder.most.text}"
    need = ladder.need(rate)
    return f"{rate:.2f} Gbps need {need.text}; it has {has.text}, chains that are offered more have the rest"
