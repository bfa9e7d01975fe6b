"""GET /races and their ranking."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from sextant_domain.console.views import Page
from sextant_domain.plans.race import Race, RaceRanking, RaceState

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Viewer
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.races import repository, service

router = APIRouter(prefix="/races", tags=["races"], route_class=LateRoute)

HostModel = Annotated[str | None, Query(max_length=200, description="Only races with hosts of this model")]


@router.get("", operation_id="listRaces")
def list_races(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    plan: Annotated[int | None, Query(ge=1, lt=2**63, description="Only the race of this plan")] = None,
    host_model: HostModel = None,
    state: Annotated[RaceState | None, Query(description="Only those in this state")] = None,
) -> Page[Race]:
    """What other algorithms would have made of plans, newest first, scored as far as outcomes are there."""
    return service.page(session, asked, plan, host_model, state)


@router.get("/ranking", operation_id="rankAlgorithms")
def rank_algorithms(session: SessionDep, _viewer: Viewer, host_model: HostModel = None) -> RaceRanking:
    """Algorithms by their mean margin over what ran, over all races that are scored."""
    return service.rank(session, host_model)


@router.get("/{race_id}", operation_id="getRace")
def get_race(session: SessionDep, _viewer: Viewer, race_id: Annotated[int, Path(ge=1, lt=2**63)]) -> Race:
    """One race."""
    return service.one(session, race_id)
