"""Plan, list and end maintenance windows."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.laws.maintenance import MaintenanceWindow, WindowRequest

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.maintenance import repository, service

router = APIRouter(prefix="/maintenance-windows", tags=["automation"], route_class=IdempotentRoute)
MayMaintain = Annotated[Principal, may(Permission.HOSTS_MAINTAIN)]


@router.get("", operation_id="listMaintenanceWindows")
def list_maintenance_windows(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    host: Annotated[Name | None, Query(description="Only those of this host, and of the fleet")] = None,
) -> Page[MaintenanceWindow]:
    """Windows, newest first: those to come, those that are on, and those of the last year."""
    return service.page(session, asked, host)


@router.post("", operation_id="planMaintenanceWindow", status_code=201, dependencies=[Idempotent])
def plan_maintenance_window(session: SessionDep, operator: MayMaintain, asked: WindowRequest) -> MaintenanceWindow:
    """Let all control laws rest from a moment until another, in the fleet or on one host. Open recommendations are
    withdrawn once it has begun; operators may act as ever."""
    return service.plan(session, asked, operator.username)


@router.post("/{window_id}/end", operation_id="endMaintenanceWindow", dependencies=[Idempotent])
def end_maintenance_window(
    session: SessionDep, operator: MayMaintain, window_id: Annotated[int, Path(ge=1, lt=2**63)]
) -> MaintenanceWindow:
    """End a window now, or one that has not begun."""
    return service.end(session, window_id, operator.username)
