"""Design, start, watch and steer profiling jobs; read what was measured."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.profiling.job import (
    JobState,
    PointState,
    ProfileRecord,
    ProfilingAsk,
    ProfilingDesign,
    ProfilingJob,
    ProfilingPoint,
)

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.profiling import repository, service
from sextant_backend.modules.profiling.schemas import JobActionRequest

router = APIRouter(prefix="/profiling", tags=["profiling"], route_class=IdempotentRoute)
MayRunProfiling = Annotated[Principal, may(Permission.PROFILING_RUN)]

JobId = Annotated[int, Path(ge=1, lt=2**63)]
OfType = Annotated[Name | None, Query(description="Only of this NF type")]


@router.post("/designs", operation_id="designProfiling", dependencies=[Idempotent])
def design(session: SessionDep, _operator: MayRunProfiling, ask: ProfilingAsk) -> ProfilingDesign:
    """The points that a job would measure, and what they would take. Nothing is stored or started."""
    return service.design(session, ask)


@router.post("/jobs", operation_id="startProfiling", status_code=202, dependencies=[Idempotent])
def start(
    session: SessionDep,
    operator: MayRunProfiling,
    response: Response,
    ask: ProfilingAsk,
) -> ProfilingJob:
    """Profile an NF type on a host. Points that were measured before are not repeated, unless `fresh` is asked for."""
    job = service.start(session, ask, operator)
    response.headers["Location"] = f"/api/v1/profiling/jobs/{job.id}"
    set_etag(response, job.version)
    return job


@router.get("/jobs", operation_id="listProfilingJobs")
def list_jobs(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    nf_type: OfType = None,
    state: JobState | None = None,
    host: Annotated[Name | None, Query(description="Only those on this host")] = None,
) -> Page[ProfilingJob]:
    """Jobs, newest first."""
    return service.page(session, asked, nf_type, state, host)


@router.get("/jobs/{job_id}", operation_id="getProfilingJob")
def get_job(session: SessionDep, _viewer: Viewer, response: Response, job_id: JobId) -> ProfilingJob:
    """One job: how far it is, what it waits for, what may be done."""
    job = service.one(session, job_id)
    set_etag(response, job.version)
    return job


@router.post("/jobs/{job_id}/actions", operation_id="steerProfilingJob", status_code=202, dependencies=[Idempotent])
def steer(
    session: SessionDep,
    operator: MayRunProfiling,
    job_id: JobId,
    asked: JobActionRequest,
) -> ProfilingJob:
    """Pause (the point that runs ends and counts), resume, cancel (what was measured stays), retry (points that failed,
    or that were not measurable, once more)."""
    return service.ask(session, job_id, asked.action, operator)


@router.get("/jobs/{job_id}/points", operation_id="listProfilingPoints")
def list_points(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.POINT_ORDER.asked],
    job_id: JobId,
    state: PointState | None = None,
) -> Page[ProfilingPoint]:
    """A job's points in the order in which they are measured."""
    return service.points(session, job_id, asked, state)


@router.get("/records", operation_id="listProfileRecords")
def list_records(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.RECORD_ORDER.asked],
    nf_type: OfType = None,
    host_model: Annotated[str | None, Query(max_length=200, description="Only of this host model")] = None,
    job_id: Annotated[
        int | None, Query(ge=1, lt=2**63, description="Only those of this job's points, reused ones included")
    ] = None,
) -> Page[ProfileRecord]:
    """Stored measurements, oldest first, with everything that is needed to repeat them."""
    return service.records(session, asked, nf_type, host_model, job_id)
