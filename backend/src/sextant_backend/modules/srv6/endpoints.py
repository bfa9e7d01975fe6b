"""Hosts as SRv6-INT's global loop sees them, and its parameters."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.laws.recommendation import PolicyMode
from sextant_domain.laws.srv6 import SRV6, Srv6Parameters
from sextant_domain.laws.srv6_view import Srv6Host, Srv6HostRow, Srv6ParametersChange

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.laws.srv6 import repository
from sextant_backend.modules.control import parameters
from sextant_backend.modules.srv6 import service

router = APIRouter(prefix="/control/srv6", tags=["automation"], route_class=IdempotentRoute)
MayPolicyAutomation = Annotated[Principal, may(Permission.AUTOMATION_POLICY)]


@router.get("/hosts", operation_id="listSrv6Hosts")
def list_srv6_hosts(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    mode: Annotated[PolicyMode | None, Query(description="Only hosts where this mode holds")] = None,
    saturated: Annotated[
        bool | None, Query(description="Only hosts with a chain that needs more than hosts have, or without")
    ] = None,
) -> Page[Srv6HostRow]:
    """Hosts that SRv6-INT's global loop looks at: they run chains with quota bounds."""
    return service.page(session, asked, mode, saturated)


@router.get("/hosts/{host_id}", operation_id="getSrv6Host")
def get_srv6_host(session: SessionDep, _viewer: Viewer, host_id: Name) -> Srv6Host:
    """A host as SRv6-INT's global loop sees it: chains with quota bounds, their lanes, and what would change."""
    return service.host(session, host_id)


@router.get("/parameters", operation_id="getSrv6Parameters")
def get_srv6_parameters(session: SessionDep, _viewer: Viewer, response: Response) -> Srv6Parameters:
    """What is chosen for SRv6-INT's global loop in the whole fleet."""
    row = parameters.row_of(session, SRV6)
    set_etag(response, row.version)
    return parameters.of(row, Srv6Parameters)


@router.patch("/parameters", operation_id="changeSrv6Parameters")
def change_srv6_parameters(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    admin: MayPolicyAutomation,
    wanted: Srv6ParametersChange,
    _if_match: IfMatch = None,
) -> Srv6Parameters:
    """Change some of it; what is left out stays as it is. The next second is evaluated with it."""
    row = parameters.row_of(session, SRV6, lock=True)
    require_if_match(request, row.version)
    changed = parameters.change(session, row, Srv6Parameters, wanted.model_dump(exclude_none=True), admin)
    set_etag(response, row.version)
    return changed
