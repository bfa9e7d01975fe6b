"""What a host runs against what it was ordered, and plans to end the difference."""

from typing import Annotated

from fastapi import APIRouter, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.hosts.drift import DriftAction, DriftReport
from sextant_domain.plans.plan import Plan

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.drift import service
from sextant_backend.modules.plans import views

router = APIRouter(prefix="/hosts/{host_id}/drift", tags=["hosts"], route_class=IdempotentRoute)
MayApplyPlans = Annotated[Principal, may(Permission.PLANS_APPLY)]


@router.get("", operation_id="getDrift")
def get_drift(session: SessionDep, _viewer: Viewer, host_id: Name) -> DriftReport:
    """What the host runs at this moment against what it was ordered, NF by NF; its agent is asked now."""
    return service.report(session, host_id)


@router.post("/repair", operation_id="repairDrift", status_code=202, dependencies=[Idempotent])
def repair_drift(session: SessionDep, operator: MayApplyPlans, response: Response, host_id: Name) -> Plan:
    """Plan to order the host again what it was ordered.

    What runs as ordered goes on; nothing is sent before the plan is applied."""
    return _planned(session, operator, response, host_id, DriftAction.REPAIR)


@router.post("/accept", operation_id="acceptDrift", status_code=202, dependencies=[Idempotent])
def accept_drift(session: SessionDep, operator: MayApplyPlans, response: Response, host_id: Name) -> Plan:
    """Plan to make what the host runs its order.

    409 with the reasons where that cannot be said as an order, or would have two hosts run one chain."""
    return _planned(session, operator, response, host_id, DriftAction.ACCEPT)


def _planned(session: SessionDep, operator: Principal, response: Response, host_id: str, action: DriftAction) -> Plan:
    row = service.ask(session, host_id, action, operator)
    response.headers["Location"] = f"/api/v1/plans/{row.id}"
    return views.view(row)
