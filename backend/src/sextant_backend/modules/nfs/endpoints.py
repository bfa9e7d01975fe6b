"""GET /nf-types and /nfs."""

from typing import Annotated

from fastapi import APIRouter, Query, Response
from sextant_domain.base import Name, NfId
from sextant_domain.nf import NfType
from sextant_domain.views import NfView, Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import set_etag
from sextant_backend.kit.paging import PagingDep
from sextant_backend.kit.principal import Viewer
from sextant_backend.modules.nfs import service

router = APIRouter(tags=["nfs"])


@router.get("/nf-types", operation_id="listNfTypes")
def list_nf_types(_viewer: Viewer, asked: PagingDep) -> Page[NfType]:
    """The catalogue."""
    return service.nf_types(asked)


@router.get("/nf-types/{name}", operation_id="getNfType")
def get_nf_type(response: Response, _viewer: Viewer, name: Name) -> NfType:
    """One NF type with the schema of its configuration."""
    nf_type = service.nf_type(name)
    set_etag(response, nf_type.version)
    return nf_type


@router.get("/nfs", operation_id="listNfs")
def list_nfs(
    session: SessionDep,
    _viewer: Viewer,
    asked: PagingDep,
    host: Annotated[Name | None, Query(description="Only NFs on this host")] = None,
    chain: Annotated[Name | None, Query(description="Only NFs of this chain")] = None,
) -> Page[NfView]:
    """Placed NFs with their latest figures."""
    return service.page(session, asked, host, chain)


@router.get("/nfs/{nf_id}", operation_id="getNf")
def get_nf(response: Response, session: SessionDep, _viewer: Viewer, nf_id: NfId) -> NfView:
    """One placed NF."""
    view = service.one(session, nf_id)
    set_etag(response, view.plan_id)
    return view
