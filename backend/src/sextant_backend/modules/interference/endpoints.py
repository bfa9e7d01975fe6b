"""GET /hosts/{host_id}/interference, /plans/{plan_id}/interference and /plans/{plan_id}/consolidation."""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query
from sextant_domain.base import Name
from sextant_domain.plans.consolidation import Consolidation
from sextant_domain.plans.interference import Interference

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Viewer
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.interference import service

router = APIRouter(tags=["interference"], route_class=LateRoute)

PlanId = Annotated[int, Path(ge=1, lt=2**63)]


@router.get("/hosts/{host_id}/interference", operation_id="getHostInterference")
def get_host_interference(session: SessionDep, _viewer: Viewer, host_id: Name) -> Interference:
    """Interference on a host for its newest order: what NFs lose to each other, by the engine's model."""
    return service.now(session, host_id)


@router.get("/plans/{plan_id}/interference", operation_id="getPlanInterference")
def get_plan_interference(
    session: SessionDep,
    _viewer: Viewer,
    plan_id: PlanId,
    host: Annotated[Name, Query(description="A host that the plan touches")],
    when: Annotated[Literal["before", "after"], Query(description="Without the plan, or with it")] = "after",
) -> Interference:
    """Interference on a host that a plan touches."""
    return service.under(session, plan_id, host, when)


@router.get("/plans/{plan_id}/consolidation", operation_id="getPlanConsolidation")
def get_plan_consolidation(
    session: SessionDep,
    _viewer: Viewer,
    plan_id: PlanId,
    host: Annotated[Name, Query(description="A host that the plan touches")],
    when: Annotated[Literal["before", "after"], Query(description="Without the plan, or with it")] = "after",
) -> Consolidation:
    """What could share a core on a host that a plan touches: cores that it would free, and what chains are predicted to
    carry then. A preview: nothing is planned."""
    return service.consolidated(session, plan_id, host, when)
