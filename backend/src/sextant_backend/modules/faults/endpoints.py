"""What goes wrong on simulated hosts because somebody ordered it."""

from typing import Annotated

from fastapi import APIRouter
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.hosts.fault import ActiveFaults, FaultOrder

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.faults import service

router = APIRouter(prefix="/hosts/{host_id}/faults", tags=["faults"], route_class=IdempotentRoute)
MayInjectFaults = Annotated[Principal, may(Permission.FAULTS_INJECT)]


@router.get("", operation_id="listFaults")
def list_faults(session: SessionDep, _viewer: Viewer, host_id: Name) -> ActiveFaults:
    """Those that are not over, oldest first; none on a real host."""
    return service.active(session, host_id)


@router.post("", operation_id="injectFault", status_code=202, dependencies=[Idempotent])
def inject_fault(session: SessionDep, operator: MayInjectFaults, host_id: Name, order: FaultOrder) -> ActiveFaults:
    """Crash an NF, flap a NIC, take the host down, start a noisy neighbour. A real host refuses."""
    return service.inject(session, host_id, order, operator.username)
