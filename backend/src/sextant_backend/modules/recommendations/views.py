"""Policy and recommendations as the API shows them, and the event of their changes."""

from sextant_domain.console.live import RecommendationEvent
from sextant_domain.laws.recommendation import PolicyView, Recommendation, RecommendationPolicy
from sqlalchemy.orm import Session

from sextant_backend.kit.outbox import publish
from sextant_backend.modules.recommendations.models import PolicyRow, RecommendationRow

OF_THE_ROW = {
    "id",
    "plan_id",
    "state",
    "automatic",
    "reason",
    "operation_id",
    "measured_gain_mpps",
    "created_at",
    "decided_at",
    "decided_by",
}
"""Fields of a Recommendation that stand in columns."""


def policy(row: PolicyRow) -> PolicyView:
    """The policy in force."""
    return PolicyView(
        policy=RecommendationPolicy.model_validate(row.policy),
        says=row.says,
        looked_at=row.looked_at,
        changed_at=row.changed_at,
        changed_by=row.changed_by,
        version=row.version,
    )


def recommendation(row: RecommendationRow) -> Recommendation:
    """One recommendation."""
    return Recommendation.model_validate({**row.body, **{name: getattr(row, name) for name in OF_THE_ROW}})


def changed(session: Session, row: RecommendationRow) -> None:
    """Tell every console."""
    session.flush()
    publish(session, RecommendationEvent(recommendation=recommendation(row)))
