"""What becomes of the open recommendation: accepted, dismissed, withdrawn, or overtaken by what became of its plan.

Rows are locked in one order: policy, recommendation, plan, hosts.
"""

from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter
from sextant_domain.laws.recommendation import RecommendationPolicy, RecommendationState
from sextant_domain.plans.plan import PlanState
from sextant_engine.control import frame
from sextant_engine.control.frame import Memory
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.models import in_use
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.recommendations import repository, views
from sextant_backend.modules.recommendations.models import PolicyRow, RecommendationRow

SYSTEM = "system"
_memories: TypeAdapter[Memory[None]] = TypeAdapter(Memory[None])


def memory_of(row: PolicyRow) -> Memory[None]:
    """What is remembered of the law."""
    return _memories.validate_python({"law": None, **row.law})


def remember(row: PolicyRow, memory: Memory[None]) -> None:
    """For the next evaluation."""
    row.law = _json(memory)


def _json(memory: Memory[None]) -> dict[str, Any]:
    return {name: value for name, value in asdict(memory).items() if value is not None}


def follow_plan(session: Session) -> None:
    """Decide the open recommendation by what became of its plan without us: applied or rejected on the plan's page,
    superseded by another order of its hosts, or made with models that have been replaced since."""
    policy = repository.policy(session, lock=True)
    row = repository.open_one(session, lock=True)
    plan = plans.get(session, row.plan_id, body=True) if row else None
    if row is None or plan is None:
        return
    memory = memory_of(policy)
    if plan.state == PlanState.PROPOSED:
        reason = outdated(session, plan)
        if reason is None:
            return
        withdraw(session, row, reason)
        policy.says, memory = reason, frame.lapsed(memory)
    elif plan.state in (PlanState.APPLYING, PlanState.APPLIED) or plan.operation_id is not None:
        row.operation_id = plan.operation_id
        decide(session, row, RecommendationState.ACCEPTED, SYSTEM)
        memory = frame.accepted(_policy(policy), memory, db_now(session).timestamp())
    elif plan.state == PlanState.REJECTED:
        decide(session, row, RecommendationState.DISMISSED, SYSTEM)
        memory = frame.dismissed(memory)
    else:
        row.reason = "a host has been ordered anew since"
        decide(session, row, RecommendationState.WITHDRAWN, SYSTEM)
        memory = frame.lapsed(memory)
    remember(policy, memory)


def outdated(session: Session, plan: PlanRow) -> str | None:
    """Why a plan, whose body must have been read, foretells by models that are not in use any more."""
    if plan.body is None:
        return None
    found = in_use.replaced(session, plan_views.body_of(plan).evidence.models)
    return f"models that it rests on have been replaced: {', '.join(found)}" if found else None


def _policy(row: PolicyRow) -> RecommendationPolicy:
    return RecommendationPolicy.model_validate(row.policy)


def decide(session: Session, row: RecommendationRow, state: RecommendationState, who: str) -> None:
    """Close a (locked) recommendation, and tell."""
    row.state, row.decided_at, row.decided_by = state.value, db_now(session), who
    views.changed(session, row)


def withdraw(session: Session, row: RecommendationRow, reason: str) -> None:
    """Take a (locked) recommendation back, and its plan with it."""
    row.reason = reason
    decide(session, row, RecommendationState.WITHDRAWN, SYSTEM)
    plan = plans.get(session, row.plan_id, lock=True)
    if plan is not None and plan.state == PlanState.PROPOSED:
        plan.state, plan.decided_at = PlanState.SUPERSEDED.value, db_now(session)
        plan_views.changed(session, plan)
    audit.record(session, SYSTEM, "recommendation.withdraw", f"recommendation/{row.id}", {"reason": reason})
