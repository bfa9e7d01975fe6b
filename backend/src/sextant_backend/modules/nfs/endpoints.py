"""The catalogue of NF types, to which operators add; GET /nfs."""

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from sextant_domain.base import Name, NfId, digest_of
from sextant_domain.chains.nf import NfType
from sextant_domain.console.access import Permission
from sextant_domain.console.views import NfView, Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging, Search
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.nfs import registration, repository, service, types
from sextant_backend.modules.nfs.schemas import NfTypeChange, NfTypeNew

router = APIRouter(tags=["nfs"], route_class=IdempotentRoute)
MayWriteNfTypes = Annotated[Principal, may(Permission.NF_TYPES_WRITE)]


@router.get("/nf-types", operation_id="listNfTypes")
def list_nf_types(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, types.ORDER.asked],
    implementation: Annotated[
        Name | None, Query(description="Only this built-in type, and those that its program runs for")
    ] = None,
    search: Search = None,
) -> Page[NfType]:
    """The catalogue: built-in types and registered ones, by name."""
    return service.nf_types(session, asked, implementation, search)


@router.post("/nf-types", operation_id="registerNfType", status_code=201, dependencies=[Idempotent])
def register_nf_type(
    session: SessionDep,
    operator: MayWriteNfTypes,
    response: Response,
    asked: NfTypeNew,
) -> NfType:
    """Register a type: a built-in type's program with defaults of its own."""
    nf_type = registration.register(session, asked, operator)
    response.headers["Location"] = f"/api/v1/nf-types/{nf_type.name}"
    set_etag(response, digest_of(nf_type))
    return nf_type


@router.get("/nf-types/{name}", operation_id="getNfType")
def get_nf_type(session: SessionDep, response: Response, _viewer: Viewer, name: Name) -> NfType:
    """One NF type with the schema of its configuration. Its ETag is its digest."""
    nf_type = service.nf_type(session, name)
    set_etag(response, digest_of(nf_type))
    return nf_type


@router.put("/nf-types/{name}", operation_id="updateNfType")
def update_nf_type(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    operator: MayWriteNfTypes,
    name: Name,
    asked: NfTypeChange,
    _if_match: IfMatch = None,
) -> NfType:
    """Replace the settings of a registered type: what is left out returns to its default. Another configuration is a
    new version, for chains that are planned from now on; NFs that run keep theirs."""
    row = registration.found(session, name)
    require_if_match(request, digest_of(types.of_row(row)))
    nf_type = registration.update(session, row, asked, operator)
    set_etag(response, digest_of(nf_type))
    return nf_type


@router.delete("/nf-types/{name}", operation_id="removeNfType", status_code=204)
def remove_nf_type(
    request: Request,
    session: SessionDep,
    operator: MayWriteNfTypes,
    name: Name,
    _if_match: IfMatch = None,
) -> None:
    """Remove a registered type that no chain names."""
    row = registration.found(session, name)
    require_if_match(request, digest_of(types.of_row(row)))
    registration.remove(session, row, operator)


@router.get("/nfs", operation_id="listNfs")
def list_nfs(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    host: Annotated[Name | None, Query(description="Only NFs on this host")] = None,
    chain: Annotated[Name | None, Query(description="Only NFs of this chain")] = None,
    nf_type: Annotated[Name | None, Query(description="Only NFs of this type")] = None,
) -> Page[NfView]:
    """Placed NFs with their latest figures."""
    return service.page(session, asked, host, chain, nf_type)


@router.get("/nfs/{nf_id}", operation_id="getNf")
def get_nf(response: Response, session: SessionDep, _viewer: Viewer, nf_id: NfId) -> NfView:
    """One placed NF."""
    view = service.one(session, nf_id)
    set_etag(response, view.plan_id)
    return view
