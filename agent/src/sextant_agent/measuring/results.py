"""From samples to a result. Pure."""

from collections.abc import Callable, Sequence
from typing import Literal

from sextant_domain.base import Provenance
from sextant_domain.calibration import Calibration, Counters
from sextant_domain.profile import (
    Estimate,
    NfEstimates,
    NfFigures,
    ProfileMode,
    ProfileRequest,
    ProfileResult,
    ProfileSample,
)

from sextant_agent import __version__
from sextant_agent.measuring.statistics import estimate, relative_half_width

PHASES_OF_BLOCK = 4


def half_width_percent(request: ProfileRequest, samples: Sequence[ProfileSample]) -> float:
    """What is to become narrow: of the drop where there are competitors (in points), else of the cycles a packet."""
    if request.mode is ProfileMode.COLOCATION:
        drop = estimate(_drops(samples))
        return float("inf") if drop.half_width is None else drop.half_width
    return relative_half_width(_over(samples, lambda sample: sample.nf.cycles_per_packet))


def measured(
    request: ProfileRequest,
    samples: Sequence[ProfileSample],
    calibration: Calibration,
    counters: Counters,
    ended: Literal["narrow", "limit"],
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
        agent_version=__version__,
    )


def not_measurable(
    request: ProfileRequest, reason: str, calibration: Calibration, samples: Sequence[ProfileSample], void_tries: int
) -> ProfileResult:
    """That is a result, too; samples that were taken before it came to light are kept for whoever looks into it."""
    return ProfileResult(
        request=request,
        provenance=Provenance.MEASURED,
        ended="not-measurable",
        not_measurable=reason,
        samples=tuple(samples),
        void_tries=void_tries,
        counters=calibration.counters,
        fingerprint=calibration.fingerprint,
        calibrated_at=calibration.taken_at,
        program_version=calibration.version,
        agent_version=__version__,
    )


def _drops(samples: Sequence[ProfileSample]) -> list[float]:
    return [drop for sample in samples for drop in sample.throughput_drops_percent]


def _over(samples: Sequence[ProfileSample], figure: Callable[[ProfileSample], float]) -> Estimate:
    return estimate([figure(sample) for sample in samples])


def _estimates(figures: Sequence[NfFigures]) -> NfEstimates:
    names = sorted({name for each in figures for name in each.counts})
    return NfEstimates(
        mpps=estimate([each.mpps for each in figures]),
        cycles_per_packet=estimate([each.cycles_per_packet for each in figures]),
        cpu_percent=estimate([each.cpu_percent for each in figures]),
        counts={name: estimate([each.counts[name] for each in figures if name in each.counts]) for name in names},
    )
