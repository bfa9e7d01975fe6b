"""Hosts as NUMASFP's law sees them, and its parameters."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.laws.numasfp import NUMASFP, NumasfpParameters
from sextant_domain.laws.numasfp_view import NumasfpHost, NumasfpHostRow, NumasfpParametersChange
from sextant_domain.laws.recommendation import PolicyMode

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.laws.numasfp import repository
from sextant_backend.modules.control import parameters
from sextant_backend.modules.numasfp import service

router = APIRouter(prefix="/control/numasfp", tags=["automation"], route_class=IdempotentRoute)
MayPolicyAutomation = Annotated[Principal, may(Permission.AUTOMATION_POLICY)]


@router.get("/hosts", operation_id="listNumasfpHosts")
def list_numasfp_hosts(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    mode: Annotated[PolicyMode | None, Query(description="Only hosts where this mode holds")] = None,
    violated: Annotated[
        bool | None,
        Query(description="Only hosts with a chain that has carried less than it is offered for seconds, or without"),
    ] = None,
) -> Page[NumasfpHostRow]:
    """Hosts that NUMASFP's law looks at: they run a chain, and levels are promoted for their model."""
    return service.page(session, asked, mode, violated)


@router.get("/hosts/{host_id}", operation_id="getNumasfpHost")
def get_numasfp_host(session: SessionDep, _viewer: Viewer, host_id: Name) -> NumasfpHost:
    """A host as NUMASFP's law sees it: nodes, chains, rates, what was given, and why chains stay where they are."""
    return service.host(session, host_id)


@router.get("/parameters", operation_id="getNumasfpParameters")
def get_numasfp_parameters(session: SessionDep, _viewer: Viewer, response: Response) -> NumasfpParameters:
    """What is chosen for NUMASFP's law in the whole fleet."""
    row = parameters.row_of(session, NUMASFP)
    set_etag(response, row.version)
    return parameters.of(row, NumasfpParameters)


@router.patch("/parameters", operation_id="changeNumasfpParameters")
def change_numasfp_parameters(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    admin: MayPolicyAutomation,
    wanted: NumasfpParametersChange,
    _if_match: IfMatch = None,
) -> NumasfpParameters:
    """Change some of it; what is left out stays as it is. The next second is evaluated with it."""
    row = parameters.row_of(session, NUMASFP, lock=True)
    require_if_match(request, row.version)
    changed = parameters.change(session, row, NumasfpParameters, wanted.changes, admin)
    set_etag(response, row.version)
    return changed
