"""Plans as the API shows them, and the event of their changes."""

import json

from sextant_domain.live import PlanBrief, PlanEvent
from sextant_domain.plan import Plan, PlanBody, PlanState
from sqlalchemy.orm import Session

from sextant_backend.kit.outbox import publish
from sextant_backend.modules.plans.models import PlanRow


def brief(row: PlanRow) -> PlanBrief:
    """Without its body."""
    return PlanBrief(
        id=row.id,
        state=PlanState(row.state),
        kind=row.kind,
        subject=row.subject,
        changes=row.changes,
        rejected=row.rejected,
        operation_id=row.operation_id,
        created_at=row.created_at,
        created_by=row.created_by,
    )


def view(row: PlanRow) -> Plan:
    """Whole."""
    return Plan.model_validate(
        {
            "id": row.id,
            "state": row.state,
            "intent": row.intent,
            "digest": row.digest,
            "body": json.loads(row.body) if row.body is not None else None,
            "error": row.error,
            "operation_id": row.operation_id,
            "created_at": row.created_at,
            "created_by": row.created_by,
            "decided_at": row.decided_at,
            "version": row.version,
        }
    )


def body_of(row: PlanRow) -> PlanBody:
    """The stored body; the plan must have one."""
    if row.body is None:
        raise ValueError(f"plan {row.id} has no body")
    return PlanBody.model_validate_json(row.body)


def changed(session: Session, row: PlanRow) -> None:
    """Count a change of state and tell every console."""
    row.version += 1
    session.flush()
    publish(session, PlanEvent(plan=brief(row)))
