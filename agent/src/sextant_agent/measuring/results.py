"""A point that this host cannot measure. Pure."""

from collections.abc import Sequence

from sextant_domain.base import Provenance
from sextant_domain.profiling.calibration import Calibration
from sextant_domain.profiling.profile import ProfileRequest, ProfileResult, ProfileSample

from sextant_agent import __version__


def not_begun(request: ProfileRequest, reason: str) -> ProfileResult:
    """The driver knows that it cannot measure it, before anything is started or calibrated."""
    return ProfileResult(
        request=request,
        provenance=Provenance.MEASURED,
        ended="not-measurable",
        not_measurable=reason,
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
