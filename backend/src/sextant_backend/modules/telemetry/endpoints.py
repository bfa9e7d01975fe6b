"""GET /telemetry."""

from typing import Annotated

from fastapi import APIRouter, Query
from sextant_domain.base import Name

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Viewer
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.telemetry import service
from sextant_backend.modules.telemetry.schemas import ChainHistory

router = APIRouter(prefix="/telemetry", tags=["telemetry"], route_class=LateRoute)


@router.get("/chains/{name}", operation_id="getChainHistory")
def get_chain_history(
    session: SessionDep,
    _viewer: Viewer,
    name: Name,
    seconds: Annotated[int, Query(ge=1, le=3600, description="How far back")] = 90,
) -> ChainHistory:
    """The rolling history of a chain; empty where nothing was measured."""
    return service.history(session, name, seconds)
