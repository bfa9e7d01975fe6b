"""What the allocation law says of chains, for a person."""

from sextant_domain.hosts.telemetry import ControlState

from sextant_engine.control.numasfp import falling_short
from sextant_engine.control.numasfp.allocation_state import AllocationObservation, BoundedChain, Standing, Trial
from sextant_engine.control.numasfp.seat import Seat
from sextant_engine.control.numasfp.shares import NOTHING, Ladder, Share
from sextant_engine.control.numasfp.state import IN_FULL

LARGEST_GBPS = 1e6
"""What telemetry can say."""


def held(one: BoundedChain, has: Share, seen: AllocationObservation, why: str) -> Standing:
    """Nothing is changed."""
    rate = seen.rates_gbps.get(one.chain)
    said = rate if rate is not None and 0 <= rate <= LARGEST_GBPS else None
    return Standing(has, said, one.ladder.level(has), ControlState.HELD, why)


def standing(seat: Seat, trial: Trial) -> Standing:
    """After it was given what it has. `trial`: as it is remembered."""
    has, rate, ladder = seat.after, seat.rate, seat.chain.ladder
    level = ladder.level(has)
    top = ladder.rungs[-1] if ladder.rungs else None
    if rate > ladder.top_gbps and top is not None and top.gbps == ladder.top_gbps and has.covers(top.share):
        note = f"{rate:.2f} Gbps is above the table's highest level, {ladder.top_gbps:g} Gbps"
        return Standing(has, rate, level, ControlState.BEYOND_TABLE, note)
    if rate <= 0 or (level is not None and level >= rate):
        return Standing(has, rate, level, ControlState.IN_FULL, _beyond(trial))
    return Standing(has, rate, level, ControlState.SHORT, _short(ladder, has, rate))


def gets(seat: Seat) -> str:
    """Why a chain gets ways."""
    if seat.trial.extra != NOTHING and seat.before.ways >= seat.table.ways:
        return f"{seat.name} {falling_short.text(seat.trial)} with what its table says"
    return f"{seat.name} needs {seat.table.text} for {seat.rate:.2f} Gbps"


def gives(seat: Seat, *, in_vain: bool) -> str:
    """Why a chain gives ways up. `in_vain`: it was given more, and that did not help."""
    if seat.table != seat.need:
        return f"{seat.name} needs {seat.need.text} and is offered less, {seat.rate:.2f} Gbps"
    if in_vain:
        return f"more did not help {seat.name}: it {falling_short.text(seat.trial)}"
    if seat.trial.extra != NOTHING:
        return f"{seat.name} has more than its table says, and others need it by theirs"
    return f"{seat.name} needs no more than {seat.need.text} for {seat.rate:.2f} Gbps"


def _beyond(trial: Trial) -> str | None:
    if trial.extra != NOTHING:
        return f"{trial.extra.text} beyond its table: with what that says it carried less than it is offered"
    if trial.vain_gbps is not None and trial.recent and min(trial.recent) < IN_FULL:
        return f"{falling_short.text(trial)}; more than its table says did not help"
    return None


def _short(ladder: Ladder, has: Share, rate: float) -> str:
    if not ladder.rungs or ladder.rungs[-1].gbps < min(rate, ladder.top_gbps):
        return f"{rate:.2f} Gbps need more than its bounds allow, {ladder.most.text}"
    need = ladder.need(rate)
    return f"{rate:.2f} Gbps need {need.text}; it has {has.text}, chains that are offered more have the rest"
