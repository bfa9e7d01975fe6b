"""GET /trust and /outcomes."""

from typing import Annotated

from fastapi import APIRouter, Query
from sextant_domain.base import Name
from sextant_domain.console.views import Page
from sextant_domain.plans.trust import Outcome, Trust

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Viewer
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.outcomes import repository, service

router = APIRouter(tags=["outcomes"], route_class=LateRoute)


@router.get("/outcomes", operation_id="listOutcomes")
def list_outcomes(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    chain: Annotated[Name | None, Query(description="Only of this chain")] = None,
    plan: Annotated[int | None, Query(ge=1, lt=2**63, description="Only of predictions of this plan")] = None,
    nf_type: Annotated[
        Name | None, Query(description="Only where this NF type was the predicted or the measured bottleneck")
    ] = None,
) -> Page[Outcome]:
    """Predicted and measured throughput after applied plans, newest first."""
    return service.page(session, asked, chain, plan, nf_type)


@router.get("/trust", operation_id="listTrust")
def list_trust(
    session: SessionDep,
    _viewer: Viewer,
    nf_type: Annotated[Name | None, Query(description="Only of this NF type")] = None,
    host_model: Annotated[str | None, Query(max_length=200, description="Only of this host model")] = None,
) -> tuple[Trust, ...]:
    """How far each predictor is trusted with each model in use. One for an NF type, host model and predictor: all."""
    return service.trust(session, nf_type, host_model)
