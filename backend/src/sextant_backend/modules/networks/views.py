"""Networks and promotions as others read them. Pure."""

from datetime import timedelta

from sextant_domain.profiling.assigner import PromotedNetwork
from sextant_domain.studies.networks import NetworkPromotion, PromotionEnd, TrainedNetwork

from sextant_backend.modules.networks.models import NetworkRow, PromotionRow

REST = timedelta(hours=1)
"""After one was found worse none is promoted for as many cores."""


def network(row: NetworkRow, *, in_force: bool) -> TrainedNetwork:
    """For people."""
    return TrainedNetwork.model_validate(
        {
            "weights": row.weights,
            "report": row.report,
            "study": row.study_id,
            "trained_at": row.trained_at,
            "trained_by": row.trained_by,
            "in_force": in_force,
        }
    )


def promotion(row: PromotionRow) -> NetworkPromotion:
    """Likewise."""
    rests = row.ended_at + REST if row.ended == PromotionEnd.WORSE and row.ended_at is not None else None
    names = set(NetworkPromotion.model_fields) - {"hosts", "rests_until"}
    given = {name: getattr(row, name) for name in names}
    return NetworkPromotion.model_validate({**given, "hosts": row.watched, "rests_until": rests})


def promoted(row: PromotionRow, steps: int, weights: str) -> PromotedNetwork:
    """For plans. `weights`: as JSON."""
    return PromotedNetwork(
        cores=row.cores, weights=row.weights, steps=steps, promoted_at=row.promoted_at, document=weights
    )
