"""Ask for plans, read them, apply or reject them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.live import PlanBrief
from sextant_domain.console.views import Page
from sextant_domain.plans.operation import Operation
from sextant_domain.plans.plan import Plan, PlanKind, PlanState

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.plans import repository, service, views
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.plans.schemas import ApplyRequest, PlanRequest

router = APIRouter(prefix="/plans", tags=["plans"], route_class=IdempotentRoute)
MayApplyPlans = Annotated[Principal, may(Permission.PLANS_APPLY)]

PlanId = Annotated[int, Path(ge=1, lt=2**63)]


@router.post("", operation_id="askForPlan", status_code=202, dependencies=[Idempotent])
def ask_for_plan(
    session: SessionDep,
    operator: MayApplyPlans,
    response: Response,
    asked: PlanRequest,
) -> Plan:
    """Ask for a plan: place a chain, move an NF to another core or a chain to another host, drain a host, re-place the
    chains of the fleet or of a host, give NFs other cache ways, memory bandwidth, CPU shares or quotas, or undo an
    operation.

    It is made in the background.
    """
    row = service.ask(session, asked.intent, operator, asked.solving())
    response.headers["Location"] = f"/api/v1/plans/{row.id}"
    return views.view(row)


@router.get("", operation_id="listPlans")
def list_plans(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    state: PlanState | None = None,
    kind: Annotated[PlanKind | None, Query(description="Only those of this kind")] = None,
    chain: Annotated[Name | None, Query(description="Only those that name this chain")] = None,
    host: Annotated[Name | None, Query(description="Only those that touch this host")] = None,
) -> Page[PlanBrief]:
    """Plans, newest first."""
    return service.page(session, asked, state=state, kind=kind, chain=chain, host=host)


@router.get("/{plan_id}", operation_id="getPlan", response_model=Plan)
def get_plan(session: SessionDep, _viewer: Viewer, plan_id: PlanId) -> Response:
    """One plan with its evidence. Its ETag is its digest: what is approved is what runs."""
    row = service.found(session, plan_id, body=True)
    response = _whole(row)
    set_etag(response, row.digest or f"planning-{row.version}")
    return response


def _whole(row: PlanRow) -> Response:
    return Response(views.json_of(row), media_type="application/json")


@router.post("/{plan_id}/apply", operation_id="applyPlan", status_code=202, dependencies=[Idempotent])
def apply_plan(
    request: Request,
    response: Response,
    *,
    session: SessionDep,
    operator: MayApplyPlans,
    plan_id: PlanId,
    how: ApplyRequest | None = None,
    _if_match: IfMatch = None,
) -> Operation:
    """Carry a plan out. 409 with the difference where a host has moved on; the plan is superseded then."""
    row = service.found(session, plan_id, lock=True, body=True)
    if row.digest is not None:  # without one it was never made: why says more than a missing header
        require_if_match(request, row.digest)
    how = how or ApplyRequest()
    operation = service.apply(session, row, operator, how.hosts_at_once, how.loss_budget)
    response.headers["Location"] = f"/api/v1/operations/{operation.id}"
    return operations.one(session, operation.id)


@router.post("/{plan_id}/reject", operation_id="rejectPlan", response_model=Plan, dependencies=[Idempotent])
def reject_plan(session: SessionDep, operator: MayApplyPlans, plan_id: PlanId) -> Response:
    """Reject a plan; one that is being made is cancelled. Nothing is changed on any host."""
    return _whole(service.reject(session, plan_id, operator))


@router.post("/{plan_id}/proceed", operation_id="proceedWithPlan", response_model=Plan, dependencies=[Idempotent])
def proceed_with_plan(session: SessionDep, operator: MayApplyPlans, plan_id: PlanId) -> Response:
    """Make a plan that waits for a model now, with assumed figures. Its profiling goes on."""
    return _whole(service.proceed(session, plan_id, operator))
