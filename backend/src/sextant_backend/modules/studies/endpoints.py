"""Start studies, watch them, read what they found."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.studies.result import StudyResult
from sextant_domain.studies.study import Study, StudyRequest, StudyScenario, StudyState
from sextant_domain.studies.summary import StudySummary

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging, Search
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.studies import repository, service

PATH = "/studies"
router = APIRouter(prefix=PATH, tags=["studies"], route_class=IdempotentRoute)
MayRunStudies = Annotated[Principal, may(Permission.STUDIES_RUN)]

StudyId = Annotated[int, Path(ge=1, lt=2**63)]


@router.post("", operation_id="startStudy", status_code=202, dependencies=[Idempotent])
def start_study(
    session: SessionDep,
    operator: MayRunStudies,
    response: Response,
    asked: StudyRequest,
) -> Study:
    """Run a study on simulated servers; a scenario that cannot be is refused with its field."""
    return _started(response, service.start(session, asked, operator))


def _started(response: Response, study: Study) -> Study:
    response.headers["Location"] = f"/api/v1{PATH}/{study.id}"
    set_etag(response, study.version)
    return study


@router.get("", operation_id="listStudies")
def list_studies(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    state: Annotated[StudyState | None, Query(description="Only those in this state")] = None,
    search: Search = None,
) -> Page[Study]:
    """Studies, newest first."""
    return service.page(session, asked, state, search)


@router.get("/{study_id}", operation_id="getStudy")
def get_study(session: SessionDep, _viewer: Viewer, response: Response, study_id: StudyId) -> Study:
    """One study: how far it is, and how long it will take."""
    study = service.one(session, study_id)
    set_etag(response, study.version)
    return study


@router.get("/{study_id}/scenario", operation_id="getStudyScenario")
def get_scenario(session: SessionDep, _viewer: Viewer, study_id: StudyId) -> StudyScenario:
    """What was asked for, as the file says it and as it was read. It never changes."""
    return service.scenario(session, study_id)


@router.get("/{study_id}/summary", operation_id="getStudySummary")
def get_summary(session: SessionDep, _viewer: Viewer, study_id: StudyId) -> StudySummary:
    """What it found altogether, with 95 % confidence intervals over its runs: small, whatever its size. 409 while
    there is nothing."""
    return service.summary(session, study_id)


@router.get("/{study_id}/result", operation_id="getStudyResult", response_model=StudyResult)
def get_result(session: SessionDep, _viewer: Viewer, study_id: StudyId) -> Response:
    """Every figure it found, and what it came from, to be drawn or kept; up to 64 MiB. 409 while there is none."""
    return Response(service.result(session, study_id), media_type="application/json")


@router.post("/{study_id}/cancellation", operation_id="cancelStudy", status_code=202, dependencies=[Idempotent])
def cancel_study(session: SessionDep, operator: MayRunStudies, study_id: StudyId) -> Study:
    """End it; nothing of what it found is kept."""
    return service.cancel(session, study_id, operator)


@router.post("/{study_id}/repetition", operation_id="repeatStudy", status_code=202, dependencies=[Idempotent])
def repeat_study(
    session: SessionDep,
    operator: MayRunStudies,
    response: Response,
    study_id: StudyId,
) -> Study:
    """Run it once more as a new study, which says at its end whether every figure is the same."""
    return _started(response, service.repeat(session, study_id, operator))


@router.delete("/{study_id}", operation_id="removeStudy", status_code=204)
def remove_study(
    request: Request,
    session: SessionDep,
    operator: MayRunStudies,
    study_id: StudyId,
    _if_match: IfMatch = None,
) -> None:
    """Forget a study that has ended, and what it found."""
    row = service.found(session, study_id, lock=True)
    require_if_match(request, row.version)
    service.remove(session, row, operator)
