"""The policy, recommendations, and what an operator does with them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from sextant_domain.console.views import Page
from sextant_domain.laws.recommendation import (
    PolicyView,
    Recommendation,
    RecommendationAction,
    RecommendationPolicy,
    RecommendationState,
)

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import PagingDep
from sextant_backend.kit.principal import Operator, Viewer
from sextant_backend.modules.recommendations import service, views

router = APIRouter(tags=["recommendations"], route_class=IdempotentRoute)

RecommendationId = Annotated[int, Path(ge=1, lt=2**63)]


@router.get("/policy", operation_id="getPolicy")
def get_policy(session: SessionDep, _viewer: Viewer, response: Response) -> PolicyView:
    """How far re-placement may act by itself, and what the control law says at present."""
    row = service.policy(session)
    set_etag(response, row.version)
    return views.policy(row)


@router.put("/policy", operation_id="setPolicy")
def set_policy(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    operator: Operator,
    wanted: RecommendationPolicy,
    _if_match: IfMatch = None,
) -> PolicyView:
    """Put another policy in force. 409 for an automatic one while a predictor in use is distrusted."""
    row = service.policy(session, lock=True)
    require_if_match(request, row.version)
    service.set_policy(session, row, wanted, operator)
    set_etag(response, row.version)
    return views.policy(row)


@router.get("/recommendations", operation_id="listRecommendations")
def list_recommendations(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: PagingDep,
    state: RecommendationState | None = None,
    plan: Annotated[int | None, Query(ge=1, lt=2**63, description="Only the one of this plan")] = None,
) -> Page[Recommendation]:
    """Recommendations, newest first; at most one is open."""
    return service.page(session, asked, state, plan)


@router.get("/recommendations/{recommendation_id}", operation_id="getRecommendation")
def get_recommendation(
    session: SessionDep, _viewer: Viewer, response: Response, recommendation_id: RecommendationId
) -> Recommendation:
    """One recommendation."""
    row = service.found(session, recommendation_id)
    set_etag(response, row.state)
    return views.recommendation(row)


@router.post(
    "/recommendations/{recommendation_id}/actions", operation_id="decideRecommendation", dependencies=[Idempotent]
)
def decide_recommendation(
    session: SessionDep, operator: Operator, recommendation_id: RecommendationId, asked: RecommendationAction
) -> Recommendation:
    """Accept it: its plan is applied, as any. Or dismiss it: it comes again only if the gain grows by half."""
    decide = service.accept if asked.action == "accept" else service.dismiss
    return decide(session, recommendation_id, operator)
