"""Start comparisons and read them."""

import hashlib
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.exceptions import RequestValidationError
from pydantic import ValidationError
from sextant_domain.base import digest_of
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.plans.comparison import Comparison

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.errors import MalformedBody
from sextant_backend.kit.etag import set_etag
from sextant_backend.kit.idempotency import IdempotentRoute, idempotent_by
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.comparisons import repository, service
from sextant_backend.modules.comparisons.schemas import ComparisonRequest

PATH = "/comparisons"
router = APIRouter(prefix=PATH, tags=["comparisons"], route_class=IdempotentRoute)
MayCompareAlgorithms = Annotated[Principal, may(Permission.ALGORITHMS_COMPARE)]

ComparisonId = Annotated[int, Path(ge=1, lt=2**63)]


async def _body(request: Request, session: SessionDep, _operator: MayCompareAlgorithms) -> bytes:
    """Not a byte of a stranger's 64 MiB is read; a slow upload holds no connection to the database, nor a turn."""
    await run_in_threadpool(session.rollback)
    request.state.turn.give_back()
    body = await request.body()
    await request.state.turn.take()
    return body


def _digest_of_request(body: Annotated[bytes, Depends(_body)]) -> str:
    return hashlib.sha256(body).hexdigest()


@router.post(
    "",
    operation_id="startComparison",
    status_code=202,
    dependencies=[idempotent_by(_digest_of_request)],
    openapi_extra={
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/ComparisonRequest"}}},
        }
    },
)
def start_comparison(
    session: SessionDep,
    operator: MayCompareAlgorithms,
    response: Response,
    body: Annotated[bytes, Depends(_body)],
) -> Comparison:
    """Plan one intent with several algorithms on one snapshot: of this fleet, or of another one from a file."""
    comparison = service.start(session, _read(body), operator)
    response.headers["Location"] = f"/api/v1{PATH}/{comparison.id}"
    return comparison


def _read(body: bytes) -> ComparisonRequest:
    """Here, in a thread and in one pass: FastAPI's own way would hold the event loop, and every stream, for seconds."""
    try:
        return ComparisonRequest.model_validate_json(body)
    except ValidationError as error:
        errors = error.errors(include_url=False, include_input=False)
        if errors[0]["type"] == "json_invalid":
            cause = errors[0]["ctx"]["error"]
            raise MalformedBody(f"The body is not JSON: {cause}. Nothing was changed.") from None
        located = [{**item, "loc": ("body", *item["loc"])} for item in errors]
        raise RequestValidationError(located) from None


@router.get("", operation_id="listComparisons")
def list_comparisons(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    source: Annotated[Literal["fleet", "file"] | None, Query(description="Only of the fleet, or of files")] = None,
    search: Annotated[
        str | None, Query(min_length=1, max_length=120, description="Only those with this in the label")
    ] = None,
) -> Page[Comparison]:
    """Comparisons, newest first."""
    return service.page(session, asked, source, search)


@router.get("/{comparison_id}", operation_id="getComparison")
def get_comparison(session: SessionDep, _viewer: Viewer, response: Response, comparison_id: ComparisonId) -> Comparison:
    """One comparison with the figures of its plans so far."""
    comparison = service.one(session, comparison_id)
    set_etag(response, digest_of(comparison))
    return comparison
