"""A sample of an NF beside competitors: in turn without and with them (ABBA), in periods between two writings.

OpenNetVM writes once a second, so a phase takes seconds where the testbed's takes tens of milliseconds: blocks are few.
A drift that is linear in time cancels within a block, as there.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from sextant_domain.profiling.calibration import CounterSource
from sextant_domain.profiling.profile import NfFigures, ProfileRequest, ProfileSample

from sextant_agent.drivers.opennetvm.profiling.competitors import Competitors
from sextant_agent.drivers.opennetvm.profiling.giving_up import TRIES, give_up
from sextant_agent.drivers.opennetvm.profiling.periods import Period, PeriodFault, figures_of
from sextant_agent.drivers.opennetvm.profiling.rig import ProfilingRig
from sextant_agent.measuring.statistics import abba_drops

BLOCK = (False, True, True, False)
"""Whether competitors run."""
BLOCKS = 2
"""Of a sample at most, fewer where fewer pairs are asked for."""
PERIODS = 2
"""Of a phase, of those that count."""


class _Phase:
    """What one phase has shown."""

    def __init__(self) -> None:
        self.kept: list[Period] = []
        self.dropped: dict[PeriodFault, list[Period]] = {fault: [] for fault in PeriodFault}
        self.others: tuple[Period, ...] = ()


def sample_beside(
    rig: ProfilingRig,
    others: Competitors,
    request: ProfileRequest,
    tsc_hz: float,
    check: Callable[[], object],
) -> tuple[ProfileSample, tuple[str, ...]]:
    """Of the processes that run now, and what is to be said of competitors. `tsc_hz`: of the time-stamp counter.
    Raises CoreBusy, NeverFull, DriverError, and what `check` raises."""
    taken_at = datetime.now(UTC)
    order = BLOCK * min(BLOCKS, request.pairs // 2)
    phases = [_phase(rig, others, request, check, beside=beside) for beside in order]
    figures = [figures_of(phase.kept, tsc_hz) for phase in phases]
    without, beside = (
        figures_of(
            [period for phase, on in zip(phases, order, strict=True) if on is which for period in phase.kept], tsc_hz
        )
        for which in (False, True)
    )
    competing = [phase.others for phase, on in zip(phases, order, strict=True) if on]
    faults = {fault: sum(len(phase.dropped[fault]) for phase in phases) for fault in PeriodFault}
    notes = dict.fromkeys(note for periods in competing for note in others.notes(periods))
    sample = ProfileSample(
        taken_at=taken_at,
        counter_source=CounterSource.TSC,
        nf=without,
        beside=beside,
        others=tuple(_competitor([periods[n] for periods in competing], tsc_hz) for n in range(len(request.others))),
        clean_slices=sum(len(phase.kept) for phase in phases),
        starved_slices=faults[PeriodFault.STARVED],
        settling_slices=len(phases) + faults[PeriodFault.NOT_FULL],
        throughput_drops_percent=tuple(abba_drops([each.mpps for each in figures])),
        cycles_rises_percent=tuple(-fall for fall in abba_drops([each.cycles_per_packet for each in figures])),
    )
    return sample, tuple(notes)


def _phase(
    rig: ProfilingRig,
    others: Competitors,
    request: ProfileRequest,
    check: Callable[[], object],
    *,
    beside: bool,
) -> _Phase:
    """Until so many periods count. The first is dropped: competitors were let go on, or paused, within it."""

    def look() -> None:
        check()
        if beside:
            others.look()

    others.run(beside)
    others.begin()
    writings = rig.writings(look)
    next(writings)  # from before
    then = next(writings)
    others.begin()
    phase = _Phase()
    for now in writings:
        period, then = Period(then, now), now
        fault = period.fault(others.own_share)
        (phase.kept if fault is None else phase.dropped[fault]).append(period)
        if len(phase.kept) >= PERIODS:
            if not beside:
                return phase
            found = others.periods()
            if found is not None:
                phase.others = found
                return phase
            phase.dropped[PeriodFault.STARVED] += phase.kept
            phase.kept = []
            others.begin()
        if sum(map(len, phase.dropped.values())) > TRIES * PERIODS:
            give_up(request.nf, phase.dropped, others.own_share)
    raise AssertionError("writings never end")


def _competitor(periods: Sequence[Period], tsc_hz: float) -> NfFigures:
    """Over all the time that it ran: it need not have been full, so that what it took is what it was given."""
    packets, wall_ns = sum(period.packets for period in periods), sum(period.wall_ns for period in periods)
    cpu_ns = sum(period.cpu_ns for period in periods)
    return NfFigures(
        mpps=packets / (wall_ns / 1e3),
        cycles_per_packet=tsc_hz * (cpu_ns / 1e9) / packets,
        cpu_percent=min(100.0, 100 * cpu_ns / wall_ns),
    )
