"""From the lines of one run to a sample. Pure."""

from collections.abc import Sequence
from datetime import datetime
from statistics import fmean

from sextant_domain.profiling.calibration import Counters
from sextant_domain.profiling.profile import NfFigures, ProfileMode, ProfileRequest, ProfileSample

from sextant_agent.measuring.lines import ProgramLine, SampleLine
from sextant_agent.measuring.statistics import Slice, abba_drops, median_cycles, median_mpps, sum_of

LEAST_SLICES = 20
"""Clean slices behind a median, of a run."""
LEAST_SLICES_OF_PHASE = 5
"""Clean slices behind the median of a phase; a phase with fewer drops its ABBA block."""


class TooBusy(Exception):
    """Too few slices in which the NFs had their cores: other work uses them."""


def read_sample(
    lines: Sequence[ProgramLine], request: ProfileRequest, counters: Counters, taken_at: datetime, void_tries: int
) -> ProfileSample:
    """Raises TooBusy."""
    phases = [line.sample for line in lines if line.sample is not None]
    mine = [phase for phase in phases if phase.nf == 0]
    shared = request.mode is ProfileMode.SHARED_CORE
    competing = request.mode is ProfileMode.COLOCATION
    drops, rises = _blocks(mine) if competing else ([], [])
    if competing and not drops:
        raise TooBusy(f"not one swap of four phases had {LEAST_SLICES_OF_PHASE} clean slices in each of them")
    return ProfileSample(
        taken_at=taken_at,
        counter_source=counters.source,
        nf=figures([phase for phase in mine if phase.against != "competitor"], shared),
        beside=figures([phase for phase in mine if phase.against == "competitor"], shared) if competing else None,
        others=tuple(
            figures(
                [phase for phase in phases if phase.nf == number], shared, paced=other.traffic.rate_mpps is not None
            )
            for number, other in enumerate(request.others, start=1)
        ),
        clean_slices=sum(len(phase.slices) for phase in mine),
        starved_slices=sum(phase.starved for phase in mine),
        settling_slices=sum(phase.settling for phase in mine),
        throughput_drops_percent=tuple(drops),
        cycles_rises_percent=tuple(rises),
        void_tries=void_tries,
    )


def _blocks(phases: Sequence[SampleLine]) -> tuple[list[float], list[float]]:
    """Throughput lost and cycles gained, percent, of every whole ABBA block. Phases come in order."""
    slices = [_slices([phase]) for phase in phases]
    enough = [each if len(each) >= LEAST_SLICES_OF_PHASE else None for each in slices]
    drops = abba_drops([None if each is None else median_mpps(each) for each in enough])
    falls = abba_drops([None if each is None else median_cycles(each) for each in enough])
    return drops, [-fall for fall in falls]


def figures(phases: Sequence[SampleLine], shared_core: bool = False, *, paced: bool = False) -> NfFigures:
    """Of one NF, from its phases. `paced`: bursts come at a rate, and few in a slice: their mean is reported, as a
    median would jump by a burst. Raises TooBusy."""
    slices = _slices(phases, empty=paced)
    if len(slices) < LEAST_SLICES:
        raise TooBusy(f"only {len(slices)} clean slices of {sum(phase.starved for phase in phases) + len(slices)}")
    wall_ns, packets = sum(phase.wall_ns for phase in phases), sum(phase.packets for phase in phases)
    whole = sum_of(slices) if paced else None
    if whole is not None and not whole.packets:
        raise TooBusy(f"no packet came in {len(slices)} clean slices")
    return NfFigures(
        mpps=whole.mpps if whole else packets * 1e3 / wall_ns if shared_core else median_mpps(slices),
        cycles_per_packet=whole.cycles_per_packet if whole else median_cycles(slices),
        cpu_percent=100 * sum(phase.cpu_ns for phase in phases) / wall_ns,
        counts=_counts(phases),
    )


def _counts(phases: Sequence[SampleLine]) -> dict[str, float]:
    """Mean over phases that counted anything."""
    names = {name for phase in phases for name in phase.counts}
    return {name: fmean(phase.counts[name] for phase in phases if name in phase.counts) for name in sorted(names)}


def _slices(phases: Sequence[SampleLine], *, empty: bool = False) -> list[Slice]:
    return [Slice(*each) for phase in phases for each in phase.slices if each[0] or empty]
