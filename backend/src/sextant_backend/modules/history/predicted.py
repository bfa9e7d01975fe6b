"""What plans predicted of a chain, beside its history."""

from datetime import datetime

from sextant_domain.console.history import HistoryPrediction
from sextant_domain.plans.evidence import PREDICTORS_AT_REST
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.modules.outcomes.models import OutcomeRow

_MOST = 200


def predicted(session: Session, chain: str, before: datetime) -> tuple[HistoryPrediction, ...]:
    """What each plan showed, from when its outcome was measured, oldest first; of the newest outcomes."""
    row = OutcomeRow
    query = (
        select(row)
        .where(row.chain == chain, row.at < before, row.predictor.not_in(PREDICTORS_AT_REST))
        .order_by(row.id.desc())
        .limit(_MOST)
    )
    found: dict[int, HistoryPrediction] = {}
    for one in session.scalars(query):
        found[one.plan_id] = HistoryPrediction(
            at=one.at,
            plan_id=one.plan_id,
            predictor=one.predictor,
            predicted_mpps=one.predicted_mpps,
            low_mpps=one.low_mpps,
            high_mpps=one.high_mpps,
        )
    return tuple(reversed(found.values()))
