"""What was measured of chains, in the form that control laws take."""

from collections.abc import Sequence

from sextant_domain.laws.octans import MeasuredChain
from sqlalchemy.orm import Session

from sextant_backend.modules.predictions.repository import LEAST_SAMPLES, WINDOW
from sextant_backend.modules.telemetry import repository as telemetry


def measured(session: Session, names: Sequence[str]) -> dict[str, MeasuredChain]:
    """Means over the last window of those of the chains that have enough samples in it."""
    return {
        name: MeasuredChain(offered_mpps=mean.offered_mpps, mpps=mean.carried_mpps)
        for name, mean in telemetry.means(session, names, WINDOW).items()
        if mean.samples >= LEAST_SAMPLES
    }
