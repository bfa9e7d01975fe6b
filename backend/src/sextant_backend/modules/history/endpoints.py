"""What was measured earlier: of chains, hosts, cores and NFs."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Response
from sextant_domain.base import Name, NfId
from sextant_domain.console.history import (
    CompliancePage,
    FleetDifference,
    History,
    HistoryMarks,
    HistorySize,
    PastFleet,
)
from sextant_domain.hosts.telemetry import MAX_CPU
from sqlalchemy.orm import Session

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.paging import Paging, Search
from sextant_backend.kit.principal import Viewer
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.history import compliance, marks, service, views
from sextant_backend.modules.history.policy import CHAIN, CORE, HOST, NF
from sextant_backend.modules.history.repository import Subject
from sextant_backend.modules.history.schemas import CSV, Asked, AskedDep, At, RangeDep, moment_of

router = APIRouter(tags=["history"], route_class=LateRoute)

HostId = Annotated[Name, Path()]
OnlyHost = Annotated[Name | None, Query(description="Only this host")]
OnlyChain = Annotated[Name | None, Query(description="Of chains only this one, of hosts only those that reported it")]
_AS_CSV: dict[int | str, dict[str, Any]] = {200: {"content": {CSV: {"schema": {"type": "string"}}}}}


def _answer(session: Session, subject: Subject, asked: Asked) -> History | Response:
    found = service.history(session, subject, asked.range, asked.points)
    if not asked.csv:
        return found
    name = f"{found.kind.value}-{found.name.replace('/', '-')}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(views.as_csv(found), media_type=CSV, headers=headers)


@router.get("/chains/{name}/history", operation_id="getChainFigures", response_model=History, responses=_AS_CSV)
def get_chain_figures(
    session: SessionDep, _viewer: Viewer, name: Annotated[Name, Path()], asked: AskedDep
) -> History | Response:
    """What a chain carried over a range of time, deleted or not; points without a sample are absent."""
    return _answer(session, Subject(CHAIN, name=name), asked)


@router.get("/hosts/{host_id}/history", operation_id="getHostFigures", response_model=History, responses=_AS_CSV)
def get_host_figures(session: SessionDep, _viewer: Viewer, host_id: HostId, asked: AskedDep) -> History | Response:
    """What all chains of a host carried together, second by second."""
    return _answer(session, Subject(HOST, host=host_id), asked)


@router.get(
    "/hosts/{host_id}/cores/{core}/history", operation_id="getCoreFigures", response_model=History, responses=_AS_CSV
)
def get_core_figures(
    session: SessionDep,
    _viewer: Viewer,
    host_id: HostId,
    core: Annotated[int, Path(ge=0, le=MAX_CPU)],
    asked: AskedDep,
) -> History | Response:
    """How busy a core was."""
    return _answer(session, Subject(CORE, host=host_id, core=core), asked)


@router.get("/nfs/{nf_id}/history", operation_id="getNfFigures", response_model=History, responses=_AS_CSV)
def get_nf_figures(
    session: SessionDep, _viewer: Viewer, nf_id: Annotated[NfId, Path()], asked: AskedDep
) -> History | Response:
    """What an NF received and dropped, on whichever host and core it stood."""
    return _answer(session, Subject(NF, name=nf_id), asked)


@router.get("/history/fleet", operation_id="getPastFleet")
def get_past_fleet(
    session: SessionDep, _viewer: Viewer, at: At, host: OnlyHost = None, chain: OnlyChain = None
) -> PastFleet:
    """The fleet in the interval that holds a moment: 10 s within a week, 5 min within a year. Hosts that did not report
    in it are absent."""
    return service.fleet_at(session, moment_of(at, "query.at"), host, chain)


@router.get("/history/differences", operation_id="getFleetDifference")
def get_fleet_difference(session: SessionDep, _viewer: Viewer, before: At, after: At) -> FleetDifference:
    """The fleet at two moments: what each chain carried, and NFs that stood elsewhere."""
    return service.difference(session, moment_of(before, "query.before"), moment_of(after, "query.after"))


@router.get("/history/marks", operation_id="listHistoryMarks")
def list_history_marks(
    session: SessionDep,
    _viewer: Viewer,
    asked: RangeDep,
    host: Annotated[Name | None, Query(description="Only what touched this host")] = None,
    chain: Annotated[Name | None, Query(description="Only what touched this chain")] = None,
) -> HistoryMarks:
    """What happened in a range of time: operations, plans that were not applied, recommendations and alerts."""
    return marks.marks(session, asked, host, chain)


@router.get("/history/size", operation_id="getHistorySize")
def get_history_size(session: SessionDep, _viewer: Viewer) -> HistorySize:
    """What samples and each level of history take on disk, and how long they are kept."""
    return service.size(session)


@router.get("/history/compliance", operation_id="listCompliance")
def list_compliance(
    session: SessionDep,
    _viewer: Viewer,
    asked: RangeDep,
    paging: Annotated[Paging, compliance.ORDER.asked],
    search: Search = None,
) -> CompliancePage:
    """How much of a time each chain with objectives met them, by name."""
    return service.chains_compliance(session, asked, paging, search)


@router.get("/chains/{name}/compliance", operation_id="getChainCompliance")
def get_chain_compliance(
    session: SessionDep, _viewer: Viewer, name: Annotated[Name, Path()], asked: RangeDep
) -> CompliancePage:
    """How much of a time one chain met its objectives."""
    return service.chain_compliance(session, name, asked)
