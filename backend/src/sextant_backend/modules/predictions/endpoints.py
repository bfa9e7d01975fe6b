"""GET /predictions."""

from typing import Annotated

from fastapi import APIRouter, Query
from sextant_domain.base import Name
from sextant_domain.standing import FleetPredictions

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Viewer
from sextant_backend.modules.predictions import service

router = APIRouter(tags=["predictions"])


@router.get("/predictions", operation_id="listPredictions")
def list_predictions(
    session: SessionDep,
    _viewer: Viewer,
    host: Annotated[Name | None, Query(description="Only of chains on this host")] = None,
) -> FleetPredictions:
    """Of every chain that stands as an applied plan predicted, beside what it carries; the whole fleet in one answer.

    A host that was ordered otherwise since (undone, rolled back), or on which a chain is paused, is not in it.
    """
    return service.standing(session, host)
