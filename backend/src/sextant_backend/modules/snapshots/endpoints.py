"""GET /fleet/snapshot."""

from typing import Annotated

from fastapi import APIRouter
from sextant_domain.console.access import Permission
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Principal, may
from sextant_backend.modules.snapshots import service

router = APIRouter(prefix="/fleet", tags=["fleet"])
MayExportFleet = Annotated[Principal, may(Permission.FLEET_EXPORT)]


@router.get("/snapshot", operation_id="getFleetSnapshot")
def get_fleet_snapshot(session: SessionDep, _operator: MayExportFleet) -> FleetSnapshot:
    """All that planning is given, as a file: to compare algorithms on it elsewhere, or later."""
    return service.take(session)
