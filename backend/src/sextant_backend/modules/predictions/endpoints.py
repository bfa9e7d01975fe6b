"""GET /predictions; GET /nfs/{nf_id}/targets."""

from typing import Annotated

from fastapi import APIRouter, Query
from sextant_domain.base import Name, NfId
from sextant_domain.plans.predictions import FleetPredictions
from sextant_domain.plans.targets import MoveTargets

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Viewer
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.predictions import service, targets

router = APIRouter(route_class=LateRoute)


@router.get("/predictions", operation_id="listPredictions", tags=["predictions"])
def list_predictions(
    session: SessionDep,
    _viewer: Viewer,
    host: Annotated[Name | None, Query(description="Only of chains on this host")] = None,
) -> FleetPredictions:
    """Predicted and measured throughput of every chain that runs as an applied plan predicted; the whole fleet in one
    answer.

    A host that got another order since (an undo, a rollback), or on which a chain is paused, is left out."""
    return service.standing(session, host)


@router.get("/nfs/{nf_id}/targets", operation_id="listMoveTargets", tags=["nfs"])
def list_move_targets(session: SessionDep, _viewer: Viewer, nf_id: NfId) -> MoveTargets:
    """Every core of the NF's host, with what moving it there is predicted to do, ranked, or why it cannot go there."""
    return targets.of(session, nf_id)
