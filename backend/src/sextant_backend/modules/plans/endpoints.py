"""Ask for plans, read them, apply or reject them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from sextant_domain.base import Name
from sextant_domain.live import PlanBrief
from sextant_domain.operation import Operation
from sextant_domain.plan import Plan, PlanState
from sextant_domain.views import Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import PagingDep
from sextant_backend.kit.principal import Operator, Viewer
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.plans import service
from sextant_backend.modules.plans.schemas import PlanRequest

router = APIRouter(prefix="/plans", tags=["plans"], route_class=IdempotentRoute)

PlanId = Annotated[int, Path(ge=1, lt=2**63)]


@router.post("", operation_id="askForPlan", status_code=202, dependencies=[Idempotent])
def ask_for_plan(session: SessionDep, operator: Operator, response: Response, asked: PlanRequest) -> Plan:
    """Ask for a plan: place a submitted chain, move one NF, or place all chains anew. It is made in the background."""
    row = service.ask(session, asked.intent, operator, asked.algorithm, asked.seed)
    response.headers["Location"] = f"/api/v1/plans/{row.id}"
    return service.one(session, row.id)


@router.get("", operation_id="listPlans")
def list_plans(
    session: SessionDep,
    _viewer: Viewer,
    asked: PagingDep,
    state: PlanState | None = None,
    chain: Annotated[Name | None, Query()] = None,
) -> Page[PlanBrief]:
    """Plans, newest first."""
    return service.page(session, asked, state, chain)


@router.get("/{plan_id}", operation_id="getPlan")
def get_plan(session: SessionDep, _viewer: Viewer, response: Response, plan_id: PlanId) -> Plan:
    """One plan with its evidence. Its ETag is its digest: what is approved is what runs."""
    plan = service.one(session, plan_id)
    set_etag(response, plan.digest or f"planning-{plan.version}")
    return plan


@router.post("/{plan_id}/apply", operation_id="applyPlan", status_code=202, dependencies=[Idempotent])
def apply_plan(
    request: Request,
    response: Response,
    session: SessionDep,
    operator: Operator,
    plan_id: PlanId,
    _if_match: IfMatch = None,
) -> Operation:
    """Carry a plan out. 409 with the difference where a host has moved on; the plan is superseded then."""
    row = service.found(session, plan_id, lock=True)
    require_if_match(request, row.digest or f"planning-{row.version}")
    operation = service.apply(session, row, operator)
    response.headers["Location"] = f"/api/v1/operations/{operation.id}"
    return operations.one(session, operation.id)


@router.post("/{plan_id}/reject", operation_id="rejectPlan", dependencies=[Idempotent])
def reject_plan(session: SessionDep, operator: Operator, plan_id: PlanId) -> Plan:
    """Say no to a plan; nothing is changed on any host."""
    return service.reject(session, plan_id, operator)
