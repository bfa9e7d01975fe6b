"""Read what part of a core NF types take, and say which versions laws go by. Jobs that measure are profiling's."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.hosts.measured_shares import SharesState, SharesVersion

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.shares import repository, service

router = APIRouter(prefix="/shares", tags=["shares"], route_class=IdempotentRoute)
MayPromoteModels = Annotated[Principal, may(Permission.MODELS_PROMOTE)]

SharesId = Annotated[int, Path(ge=1, lt=2**63)]


@router.get("", operation_id="listShares")
def list_shares(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.VERSIONS.order.asked],
    nf_type: Annotated[Name | None, Query(description="Only of this NF type")] = None,
    host_model: Annotated[str | None, Query(max_length=200, description="Only of this host model")] = None,
    state: SharesState | None = None,
) -> Page[SharesVersion]:
    """Versions, newest first."""
    return service.page(session, asked, nf_type, host_model, state)


@router.get("/{shares_id}", operation_id="getShares")
def get_shares(session: SessionDep, _viewer: Viewer, response: Response, shares_id: SharesId) -> SharesVersion:
    """One version with the points that its line was drawn through."""
    found = service.one(session, shares_id)
    set_etag(response, f"{found.state}-{found.decided_at}-{found.stale is not None}")
    return found


@router.post("/{shares_id}/promotion", operation_id="promoteShares", dependencies=[Idempotent])
def promote_shares(session: SessionDep, operator: MayPromoteModels, shares_id: SharesId) -> SharesVersion:
    """Let control laws go by this version; what they went by of its NF type and host model retires. 409 with the
    reason: in use already, stale, or on no line."""
    return service.promote(session, shares_id, operator)


@router.post("/{shares_id}/retirement", operation_id="retireShares", dependencies=[Idempotent])
def retire_shares(session: SessionDep, operator: MayPromoteModels, shares_id: SharesId) -> SharesVersion:
    """Let no control law go by this version any more: they go by what they see in each second. 409 where it is not in
    use."""
    return service.retire(session, shares_id, operator)
