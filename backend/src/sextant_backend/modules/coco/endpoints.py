"""Hosts as CoCo's law sees them, and its parameters."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.laws.coco import COCO, CocoParameters
from sextant_domain.laws.coco_view import CocoHost, CocoHostRow, CocoParametersChange
from sextant_domain.laws.recommendation import PolicyMode

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.laws.coco import repository
from sextant_backend.modules.coco import service
from sextant_backend.modules.control import parameters

router = APIRouter(prefix="/control/coco", tags=["automation"], route_class=IdempotentRoute)
MayPolicyAutomation = Annotated[Principal, may(Permission.AUTOMATION_POLICY)]


@router.get("/hosts", operation_id="listCocoHosts")
def list_coco_hosts(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    mode: Annotated[PolicyMode | None, Query(description="Only hosts where this mode holds")] = None,
    overloaded: Annotated[
        bool | None, Query(description="Only hosts with a core that needs more time than it has, or without")
    ] = None,
) -> Page[CocoHostRow]:
    """Hosts that CoCo's law looks at: more than one NF stands on some core of them."""
    return service.page(session, asked, mode, overloaded)


@router.get("/hosts/{host_id}", operation_id="getCocoHost")
def get_coco_host(session: SessionDep, _viewer: Viewer, host_id: Name) -> CocoHost:
    """A host as CoCo's law sees it: what NFs use and need of their cores, and what would be pushed aside."""
    return service.host(session, host_id)


@router.get("/parameters", operation_id="getCocoParameters")
def get_coco_parameters(session: SessionDep, _viewer: Viewer, response: Response) -> CocoParameters:
    """What is chosen for CoCo's law in the whole fleet."""
    row = parameters.row_of(session, COCO)
    set_etag(response, row.version)
    return parameters.of(row, CocoParameters)


@router.patch("/parameters", operation_id="changeCocoParameters")
def change_coco_parameters(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    admin: MayPolicyAutomation,
    wanted: CocoParametersChange,
    _if_match: IfMatch = None,
) -> CocoParameters:
    """Change some of it; what is left out stays as it is. The next second is evaluated with it."""
    row = parameters.row_of(session, COCO, lock=True)
    require_if_match(request, row.version)
    changed = parameters.change(session, row, CocoParameters, wanted.model_dump(exclude_none=True), admin)
    set_etag(response, row.version)
    return changed
