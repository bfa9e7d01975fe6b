"""What was measured earlier: of chains, hosts, cores and NFs."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Response
from sextant_domain.base import Name, NfId
from sextant_domain.console.history import History
from sextant_domain.hosts.telemetry import MAX_CPU
from sqlalchemy.orm import Session

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Viewer
from sextant_backend.modules.history import service, views
from sextant_backend.modules.history.policy import CHAIN, CORE, HOST, NF
from sextant_backend.modules.history.repository import Subject
from sextant_backend.modules.history.schemas import CSV, Asked, AskedDep

router = APIRouter(tags=["history"])

HostId = Annotated[Name, Path()]
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
