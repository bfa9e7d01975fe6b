"""Plans as the API shows them, and the event of their changes."""

import json

from pydantic import TypeAdapter
from sextant_domain.base import BUILT_LATE
from sextant_domain.console.live import PlanBrief, PlanEvent
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.plans.intents import Intent
from sextant_domain.plans.plan import Plan, PlanBody
from sqlalchemy.orm import Session

from sextant_backend.kit.outbox import publish
from sextant_backend.modules.plans.models import PlanRow

_NEWEST = '{"adjustments":'
"""How a body begins that this version wrote: its keys are sorted, and earlier ones had no adjustments."""
_intents: TypeAdapter[Intent] = TypeAdapter(Intent, config=BUILT_LATE)


def brief(row: PlanRow) -> PlanBrief:
    """Without its body."""
    return PlanBrief.model_validate(
        {
            "id": row.id,
            "state": row.state,
            "kind": row.kind,
            "subject": row.subject,
            "changes": row.changes,
            "rejected": row.rejected,
            "operation_id": row.operation_id,
            "algorithm": row.solving["algorithm"],
            "status": row.status,
            "doubt": row.doubt,
            "gap": row.gap,
            "source": row.source,
            "comparison_id": row.comparison_id,
            "progress": row.progress,
            "waits_for": row.waits_for,
            "created_at": row.created_at,
            "created_by": row.created_by,
        }
    )


def intent_of(row: PlanRow) -> Intent:
    """What the plan is for."""
    return _intents.validate_python(row.intent)


def view(row: PlanRow, body: PlanBody | None = None) -> Plan:
    """The plan around `body`."""
    return Plan.model_validate(
        {
            "id": row.id,
            "state": row.state,
            "intent": row.intent,
            "solving": row.solving,
            "source": row.source,
            "comparison_id": row.comparison_id,
            "progress": row.progress,
            "waits_for": row.waits_for,
            "digest": row.digest,
            "body": body,
            "error": row.error,
            "operation_id": row.operation_id,
            "created_at": row.created_at,
            "created_by": row.created_by,
            "decided_at": row.decided_at,
            "version": row.version,
        }
    )


def json_of(row: PlanRow) -> bytes:
    """The whole plan as JSON. A body that was stored as this version writes it is passed on as it stands: reading and
    writing a fleet's again takes a second."""
    if row.body is not None and (row.status is None or not row.body.startswith(_NEWEST)):
        return view(row, body_of(row)).model_dump_json().encode()
    around = view(row).model_dump_json(exclude={"body"})
    return f'{around[:-1]},"body":{row.body or "null"}}}'.encode()


def body_of(row: PlanRow) -> PlanBody:
    """The stored body; the plan must have one."""
    if row.body is None:
        raise ValueError(f"plan {row.id} has no body")
    return PlanBody.model_validate_json(row.body)


def target_of(row: PlanRow, host: str) -> DesiredHostConfig | None:
    """What the plan would order one host to run, without reading the rest of a large body as types."""
    orders = json.loads(row.body or "{}").get("target", ())
    found = next((order for order in orders if order["content"]["host_id"] == host), None)
    return None if found is None else DesiredHostConfig.model_validate(found)


def changed(session: Session, row: PlanRow) -> None:
    """Count a change of state and publish it to every console."""
    row.version += 1
    session.flush()
    publish(session, PlanEvent(plan=brief(row)))
