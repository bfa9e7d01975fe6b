"""GET /fleet/snapshot."""

from fastapi import APIRouter
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Operator
from sextant_backend.modules.snapshots import service

router = APIRouter(prefix="/fleet", tags=["fleet"])


@router.get("/snapshot", operation_id="getFleetSnapshot")
def get_fleet_snapshot(session: SessionDep, _operator: Operator) -> FleetSnapshot:
    """All that planning is given, as a file: to compare algorithms on it elsewhere, or later."""
    return service.take(session)
