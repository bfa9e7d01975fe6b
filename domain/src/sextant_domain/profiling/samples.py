"""From samples of a point to its result. Pure."""

from collections.abc import Callable, Sequence
from typing import Literal

from sextant_domain.base import Provenance
from sextant_domain.profiling.calibration import Calibration, Counters
from sextant_domain.profiling.estimates import estimate, relative_half_width
from sextant_domain.profiling.profile import (
    Estimate,
    NfEstimates,
    NfFigures,
    ProfileMode,
    ProfileRequest,
    ProfileResult,
    ProfileSample,
)

PHASES_OF_BLOCK = 4


def half_width_percent(request: ProfileRequest, samples: Sequence[ProfileSample]) -> float:
    """What is to become narrow: of the drop where there are competitors (in points), of the delay of a hop, of the
    share of its core where the NF is offered a rate (both relative), else of the cycles a packet."""
    if request.mode is ProfileMode.COLOCATION:
        drop = estimate(_drops(samples))
        return float("inf") if drop.half_width is None else drop.half_width
    if request.hop is not None:
        return relative_half_width(estimate([sample.nf.delay_us or 0.0 for sample in samples]))
    if request.offered_mpps is not None:
        return relative_half_width(_over(samples, lambda sample: sample.nf.cpu_percent))
    return relative_half_width(_over(samples, lambda sample: sample.nf.cycles_per_packet))


def measured(
    request: ProfileRequest,
    samples: Sequence[ProfileSample],
    calibration: Calibration,
    counters: Counters,
    ended: Literal["narrow", "limit"],
    *,
    agent_version: str,
) -> ProfileResult:
    """All figures over all samples; there is at least one."""
    competing = request.mode is ProfileMode.COLOCATION
    return ProfileResult(
        request=request,
        provenance=Provenance.MEASURED,
        ended=ended,
        nf=_estimates([sample.nf for sample in samples]),
        beside=_estimates([sample.beside for sample in samples if sample.beside]) if competing else None,
        others=tuple(
            _estimates([sample.others[number] for sample in samples]) for number in range(len(request.others))
        ),
        throughput_drop_percent=estimate(_drops(samples)) if competing else None,
        cycles_rise_percent=estimate([rise for sample in samples for rise in sample.cycles_rises_percent])
        if competing
        else None,
        pairs=len(_drops(samples)) * PHASES_OF_BLOCK // 2,
        samples=tuple(samples),
        void_tries=sum(sample.void_tries for sample in samples),
        counters=counters,
        fingerprint=calibration.fingerprint,
        calibrated_at=calibration.taken_at,
        program_version=calibration.version,
        agent_version=agent_version,
    )


def _drops(samples: Sequence[ProfileSample]) -> list[float]:
    return [drop for sample in samples for drop in sample.throughput_drops_percent]


def _over(samples: Sequence[ProfileSample], figure: Callable[[ProfileSample], float]) -> Estimate:
    return estimate([figure(sample) for sample in samples])


def _estimates(figures: Sequence[NfFigures]) -> NfEstimates:
    names = sorted({name for each in figures for name in each.counts})
    delays = [each.delay_us for each in figures if each.delay_us is not None]
    return NfEstimates(
        mpps=estimate([each.mpps for each in figures]),
        cycles_per_packet=estimate([each.cycles_per_packet for each in figures]),
        cpu_percent=estimate([each.cpu_percent for each in figures]),
        delay_us=estimate(delays) if delays else None,
        counts={name: estimate([each.counts[name] for each in figures if name in each.counts]) for name in names},
    )
