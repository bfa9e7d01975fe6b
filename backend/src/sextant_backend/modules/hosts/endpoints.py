"""GET /hosts."""

from fastapi import APIRouter, Response
from sextant_domain.base import Name
from sextant_domain.views import HostView, Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import set_etag
from sextant_backend.kit.paging import PagingDep
from sextant_backend.kit.principal import Viewer
from sextant_backend.modules.hosts import service

router = APIRouter(tags=["hosts"])


@router.get("/hosts", operation_id="listHosts")
def list_hosts(session: SessionDep, _viewer: Viewer, asked: PagingDep) -> Page[HostView]:
    """Hosts with their latest figures."""
    return service.page(session, asked)


@router.get("/hosts/{host_id}", operation_id="getHost")
def get_host(response: Response, session: SessionDep, _viewer: Viewer, host_id: Name) -> HostView:
    """One host."""
    host = service.one(session, host_id)
    set_etag(response, host.version)
    return host
