"""Read levels of NF types, and say which of them control laws go by. Jobs that measure them are profiling's."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.hosts.measured_levels import LevelsState, LevelsVersion

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.levels import repository, service

router = APIRouter(prefix="/levels", tags=["levels"], route_class=IdempotentRoute)
MayPromoteModels = Annotated[Principal, may(Permission.MODELS_PROMOTE)]

LevelsId = Annotated[int, Path(ge=1, lt=2**63)]


@router.get("", operation_id="listLevels")
def list_levels(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.VERSIONS.order.asked],
    nf_type: Annotated[Name | None, Query(description="Only of this NF type")] = None,
    host_model: Annotated[str | None, Query(max_length=200, description="Only of this host model")] = None,
    state: LevelsState | None = None,
) -> Page[LevelsVersion]:
    """Versions, newest first."""
    return service.page(session, asked, nf_type, host_model, state)


@router.get("/{levels_id}", operation_id="getLevels")
def get_levels(session: SessionDep, _viewer: Viewer, response: Response, levels_id: LevelsId) -> LevelsVersion:
    """One version with the fronts that its levels were chosen from."""
    found = service.one(session, levels_id)
    set_etag(response, f"{found.state}-{found.table_version}-{found.stale is not None}")
    return found


@router.post("/{levels_id}/promotion", operation_id="promoteLevels", dependencies=[Idempotent])
def promote_levels(session: SessionDep, operator: MayPromoteModels, levels_id: LevelsId) -> LevelsVersion:
    """Let control laws go by this version; what they went by of its NF type and host model retires. 409 with the
    reason: in use already, stale, or without a level."""
    return service.promote(session, levels_id, operator)


@router.post("/{levels_id}/retirement", operation_id="retireLevels", dependencies=[Idempotent])
def retire_levels(session: SessionDep, operator: MayPromoteModels, levels_id: LevelsId) -> LevelsVersion:
    """Let no control law go by this version any more. 409 where it is not in use."""
    return service.retire(session, levels_id, operator)
