"""What becomes of open recommendations: accepted, dismissed, withdrawn, or overtaken by what became of their plans.

Rows are locked in one order: switch, policy, memory, recommendation, plan, hosts.
"""

from collections.abc import Hashable
from functools import lru_cache
from types import GenericAlias
from typing import Any, cast

from pydantic import TypeAdapter
from sextant_domain.laws.recommendation import RecommendationState
from sextant_domain.plans.plan import PlanState
from sextant_engine.control import frame
from sextant_engine.control.frame import LawMemory
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.laws import registry
from sextant_backend.laws.frame import AnyLaw
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.control import policy_table, repository, views
from sextant_backend.modules.control.models import LawRow, RecommendationRow
from sextant_backend.modules.models import in_use
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import service as planning
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.plans.models import PlanRow

SYSTEM = "system"


@lru_cache(maxsize=16)
def _adapter_of(state: Hashable) -> TypeAdapter[LawMemory[Any]]:
    return TypeAdapter(cast("type[LawMemory[Any]]", GenericAlias(LawMemory, (state,))))


def memory_of(law: AnyLaw, row: LawRow) -> LawMemory[Any]:
    """What is remembered of the law."""
    if not row.memory:
        return LawMemory(law.initial())
    return _adapter_of(cast("Hashable", law.state)).validate_python(row.memory)


def remember(law: AnyLaw, row: LawRow, memory: LawMemory[Any]) -> None:
    """For the next evaluation."""
    row.memory = _adapter_of(cast("Hashable", law.state)).dump_python(memory, mode="json")


def follow_plans(session: Session) -> None:
    """Decide open recommendations by what became of their plans: applied or rejected on the plan's page, superseded
    by another order of their hosts, or made with models that have been replaced since."""
    resting = [law.name for law in registry.every() if not law.rests_on_models]
    for one in repository.to_follow(session, resting):
        law = registry.law_named(one.law)
        memory = policy_table.law_row(session, one.law, one.host, lock=True)
        row = repository.get(session, one.id, lock=True)
        plan = plans.get(session, one.plan_id, body=True)
        if row is not None and row.state == RecommendationState.OPEN and plan is not None:
            _follow(session, law, memory, row, plan)


def _follow(session: Session, law: AnyLaw, remembered: LawRow, row: RecommendationRow, plan: PlanRow) -> None:
    memory = memory_of(law, remembered)
    if plan.state == PlanState.PROPOSED:
        reason = outdated(session, law, plan) or _barred(session, plan)
        if reason is None:
            return
        withdraw(session, row, reason)
        remembered.status, memory = reason, frame.lapsed(memory)
    elif plan.state in (PlanState.APPLYING, PlanState.APPLIED) or plan.operation_id is not None:
        row.operation_id = plan.operation_id
        decide(session, row, RecommendationState.ACCEPTED, SYSTEM, "its plan was applied")
        memory = accepted(session, law, memory)
    elif plan.state == PlanState.REJECTED:
        decide(session, row, RecommendationState.DISMISSED, SYSTEM, "its plan was rejected")
        memory = frame.dismissed(memory)
    else:
        row.reason = "a host has been ordered otherwise since"
        decide(session, row, RecommendationState.WITHDRAWN, SYSTEM, row.reason)
        memory = frame.lapsed(memory)
    remember(law, remembered, memory)


def accepted(session: Session, law: AnyLaw, memory: LawMemory[Any]) -> LawMemory[Any]:
    """What is remembered once a recommendation's plan is applied."""
    policy = policy_table.policy_of(policy_table.of_fleet(session, law.name))
    return frame.accepted(policy, memory, db_now(session).timestamp())


def outdated(session: Session, law: AnyLaw, plan: PlanRow) -> str | None:
    """Why a plan, whose body must have been read, predicts by models that are not in use any more."""
    if plan.body is None or not law.rests_on_models:
        return None
    found = in_use.replaced(session, plan_views.body_of(plan).evidence.models)
    return f"models that it rests on have been replaced: {', '.join(found)}" if found else None


def _barred(session: Session, plan: PlanRow) -> str | None:
    """Why a plan cannot be applied any more although its gain may be there still: an operator closed a host or core."""
    return None if plan.body is None else planning.why_barred(session, plan_views.body_of(plan))


_ACTIONS = {
    RecommendationState.ACCEPTED: "recommendation.accept",
    RecommendationState.DISMISSED: "recommendation.dismiss",
    RecommendationState.WITHDRAWN: "recommendation.withdraw",
}


def decide(session: Session, row: RecommendationRow, state: RecommendationState, who: str, reason: str = "") -> None:
    """Close a (locked) recommendation, publish and audit it."""
    row.state, row.decided_at, row.decided_by = state.value, db_now(session), who
    views.changed(session, row)
    detail: dict[str, object] = {"law": row.law, "plan": row.plan_id}
    detail |= {"operation": row.operation_id} if row.operation_id is not None else {}
    detail |= {"automatic": row.automatic} if state is RecommendationState.ACCEPTED else {}
    detail |= {"reason": reason} if reason else {}
    audit.record(session, who, _ACTIONS[state], f"recommendation/{row.id}", detail)


def withdraw(session: Session, row: RecommendationRow, reason: str) -> None:
    """Take a (locked) recommendation back, and its plan with it."""
    row.reason = reason
    decide(session, row, RecommendationState.WITHDRAWN, SYSTEM, reason)
    plan = plans.get(session, row.plan_id, lock=True)
    if plan is not None and plan.state == PlanState.PROPOSED:
        plan.state, plan.decided_at = PlanState.SUPERSEDED.value, db_now(session)
        plan_views.changed(session, plan)
