"""List and show chains."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from sextant_domain.base import Name
from sextant_domain.console.views import ChainState, ChainView, Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import set_etag
from sextant_backend.kit.paging import Paging, Search
from sextant_backend.kit.principal import Viewer
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.chains import repository, service

router = APIRouter(prefix="/chains", tags=["chains"], route_class=LateRoute)

ChainName = Annotated[Name, Path()]


@router.get("", operation_id="listChains")
def list_chains(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    state: Annotated[ChainState | None, Query(description="Only those in this state")] = None,
    host: Annotated[Name | None, Query(description="Only those with an NF on this host")] = None,
    nf_type: Annotated[Name | None, Query(description="Only those with an NF of this type")] = None,
    anti_affinity: Annotated[Name | None, Query(description="Only those of this anti-affinity group")] = None,
    lane_of: Annotated[Name | None, Query(description="Only the lanes of this chain")] = None,
    part_of: Annotated[Name | None, Query(description="Only the parts of this chain over several hosts")] = None,
    tie: Annotated[Name | None, Query(description="Only those with an NF that this ties")] = None,
    search: Search = None,
) -> Page[ChainView]:
    """Chains by name, with their newest figures."""
    return service.page(
        session,
        asked,
        state=state,
        host=host,
        nf_type=nf_type,
        anti_affinity=anti_affinity,
        lane_of=lane_of,
        part_of=part_of,
        tie=tie,
        search=search,
    )


@router.get("/{name}", operation_id="getChain")
def get_chain(session: SessionDep, _viewer: Viewer, response: Response, name: ChainName) -> ChainView:
    """One chain."""
    chain = service.one(session, name)
    set_etag(response, chain.version)
    return chain
