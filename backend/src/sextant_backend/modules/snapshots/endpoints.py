"""GET /fleet/snapshot."""

from typing import Annotated

from fastapi import APIRouter, Request, Response
from sextant_domain.console.access import Permission
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_backend.kit.db import SessionDep, allow_idle, read_snapshot
from sextant_backend.kit.gzip_parts import gzipped
from sextant_backend.kit.principal import Principal, may
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.snapshots.current_fleet import CurrentFleet
from sextant_backend.modules.snapshots.fleet_file import FleetFile

router = APIRouter(prefix="/fleet", tags=["fleet"], route_class=LateRoute)
MayExportFleet = Annotated[Principal, may(Permission.FLEET_EXPORT)]


@router.get("/snapshot", operation_id="getFleetSnapshot", response_model=FleetSnapshot)
def get_fleet_snapshot(request: Request, session: SessionDep, _operator: MayExportFleet) -> Response:
    """All that planning is given, as a file: to compare algorithms on it elsewhere, or later."""
    held: CurrentFleet = request.app.state.current_fleet
    with read_snapshot(session):
        allow_idle(session)  # the first time it turns the rows of the whole fleet into objects
        fleet = held.read(session)
    # Its values were checked when they were made: to judge those of a thousand hosts again takes a second.
    file: FleetFile = request.app.state.fleet_file
    parts = file.parts(fleet.snapshot)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(b"".join(part.plain for part in parts), media_type="application/json")
    headers = {"content-encoding": "gzip", "vary": "Accept-Encoding"}
    return Response(gzipped(parts), headers=headers, media_type="application/json")
