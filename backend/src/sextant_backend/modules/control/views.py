"""Policies and recommendations as the API shows them, and the event of their changes."""

from sextant_domain.console.live import RecommendationEvent
from sextant_domain.laws.automation import PolicyScope, ScopedPolicy
from sextant_domain.laws.recommendation import PolicyMode, PolicyView, Recommendation
from sqlalchemy.orm import Session

from sextant_backend.kit.outbox import publish
from sextant_backend.modules.control import policy_table
from sextant_backend.modules.control.models import FLEET, PolicyRow, RecommendationRow

OF_THE_ROW = {
    "id",
    "law",
    "plan_id",
    "state",
    "automatic",
    "reason",
    "operation_id",
    "measured_gain_mpps",
    "measured_gain_gbps",
    "created_at",
    "decided_at",
    "decided_by",
}
"""Fields of a Recommendation that stand in columns as they are."""


def fleet_policy(session: Session, row: PolicyRow) -> PolicyView:
    """A law's policy of the fleet, and what the law does at present."""
    memory = policy_table.law_row(session, row.law)
    return PolicyView(
        policy=policy_table.policy_of(row),
        status=memory.status,
        evaluated_at=memory.evaluated_at,
        changed_at=row.changed_at,
        changed_by=row.changed_by,
        version=row.version,
    )


def scoped_policy(row: PolicyRow) -> ScopedPolicy:
    """How far a law may act within a scope."""
    return ScopedPolicy(
        id=row.id,
        law=row.law,
        scope=PolicyScope(row.scope),
        name=None if row.name == FLEET else row.name,
        mode=PolicyMode(row.mode),
        changed_at=row.changed_at,
        changed_by=row.changed_by,
    )


def recommendation(row: RecommendationRow) -> Recommendation:
    """One recommendation."""
    host = None if row.host == FLEET else row.host
    of_row = {name: getattr(row, name) for name in OF_THE_ROW}
    return Recommendation.model_validate({**row.body, **of_row, "host": host})


def changed(session: Session, row: RecommendationRow) -> None:
    """Publish it to every console."""
    session.flush()
    publish(session, RecommendationEvent(recommendation=recommendation(row)))
