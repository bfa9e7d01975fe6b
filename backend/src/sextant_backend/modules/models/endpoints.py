"""Ask for fits, read them and their models, promote."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.profiling.fit import FitBrief, FitState, FitView, ModelState, ModelVersion, PromotionPreview

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.models import repository, service
from sextant_backend.modules.models.schemas import MAX_HOST_MODEL, FitRequest, PromotionRequest

router = APIRouter(tags=["models"], route_class=IdempotentRoute)
MayPromoteModels = Annotated[Principal, may(Permission.MODELS_PROMOTE)]

FitId = Annotated[int, Path(ge=1, lt=2**63)]
HostModel = Annotated[str | None, Query(max_length=MAX_HOST_MODEL, description="Only of this host model")]


@router.post("/fits", operation_id="askForFit", status_code=202, dependencies=[Idempotent])
def ask_for_fit(
    session: SessionDep,
    operator: MayPromoteModels,
    response: Response,
    asked: FitRequest,
) -> FitBrief:
    """Ask for a fit of all profiles of one host model. It is made in the background."""
    fit = service.ask(session, asked.host_model, operator)
    response.headers["Location"] = f"/api/v1/fits/{fit.id}"
    return fit


@router.get("/fits", operation_id="listFits")
def list_fits(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    host_model: HostModel = None,
    state: FitState | None = None,
) -> Page[FitBrief]:
    """Fits, newest first."""
    return service.page(session, asked, host_model, state)


@router.get("/fits/{fit_id}", operation_id="getFit")
def get_fit(session: SessionDep, _viewer: Viewer, response: Response, fit_id: FitId) -> FitView:
    """One fit with its metric, models and errors."""
    row = service.found(session, fit_id)
    set_etag(response, row.version)
    return service.view(session, row)


@router.get("/fits/{fit_id}/promotion", operation_id="previewPromotion")
def preview_promotion(
    *,
    session: SessionDep,
    _viewer: Viewer,
    response: Response,
    fit_id: FitId,
    nf_type: Annotated[list[Name] | None, Query(max_length=200, description="Only these; default: the fit")] = None,
) -> PromotionPreview:
    """What promoting the fit would do: promoted, back to assumed figures, left out. 409 as the promotion itself."""
    row = service.found(session, fit_id)
    set_etag(response, row.version)
    return service.preview(session, row, nf_type or None)


@router.post("/fits/{fit_id}/promotion", operation_id="promoteFit", dependencies=[Idempotent])
def promote_fit(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    operator: MayPromoteModels,
    fit_id: FitId,
    asked: PromotionRequest,
    _if_match: IfMatch = None,
) -> FitView:
    """Let plans use models of a fit: all that can be used, or those named. 409 with the reason by NF type."""
    row = service.found(session, fit_id, lock=True)
    require_if_match(request, row.version)
    view = service.promote(session, row, asked, operator)
    set_etag(response, view.version)
    return view


@router.get("/models", operation_id="listModels")
def list_models(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.VERSION_ORDER.asked],
    nf_type: Annotated[Name | None, Query(description="Only of this NF type")] = None,
    host_model: HostModel = None,
    state: ModelState | None = None,
) -> Page[ModelVersion]:
    """Model versions without their held-out samples, newest first."""
    return service.version_page(session, asked, nf_type, host_model, state)


@router.get("/models/{model_id}", operation_id="getModel")
def get_model(session: SessionDep, _viewer: Viewer, response: Response, model_id: FitId) -> ModelVersion:
    """One model version with its held-out samples."""
    model = service.version(session, model_id)
    set_etag(response, f"{model.state}-{model.decided_at}-{model.stale is not None}")
    return model
