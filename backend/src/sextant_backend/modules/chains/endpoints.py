"""List and show chains."""

from typing import Annotated

from fastapi import APIRouter, Path, Response
from sextant_domain.base import Name
from sextant_domain.console.views import ChainView, Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import set_etag
from sextant_backend.kit.paging import PagingDep
from sextant_backend.kit.principal import Viewer
from sextant_backend.modules.chains import service

router = APIRouter(prefix="/chains", tags=["chains"])

ChainName = Annotated[Name, Path()]


@router.get("", operation_id="listChains")
def list_chains(session: SessionDep, _viewer: Viewer, asked: PagingDep) -> Page[ChainView]:
    """Chains by name, with their newest figures."""
    return service.page(session, asked)


@router.get("/{name}", operation_id="getChain")
def get_chain(session: SessionDep, _viewer: Viewer, response: Response, name: ChainName) -> ChainView:
    """One chain."""
    chain = service.one(session, name)
    set_etag(response, chain.version)
    return chain
