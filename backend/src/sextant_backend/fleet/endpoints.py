"""Register and report: docs/contracts/agent.md."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import StringConstraints
from sextant_domain.base import Frozen
from sextant_domain.host import HostInventory
from sextant_domain.telemetry import TelemetryBatch

from sextant_backend.fleet.guard import PeerHost, host_id_of, require_own
from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.errors import NotFound
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.telemetry import service as telemetry

router = APIRouter(tags=["fleet"], dependencies=[Depends(host_id_of)])
AgentUrl = Annotated[str, StringConstraints(pattern=r"^https://[A-Za-z0-9.\-\[\]:]{1,250}$", max_length=260)]


class Registration(Frozen):
    """Body of POST /fleet/v1/register."""

    inventory: HostInventory
    agent_url: AgentUrl


@router.post("/fleet/v1/register", operation_id="registerAgent", status_code=204)
def register(request: Request, session: SessionDep, host_id: PeerHost, body: Registration) -> None:
    """What an agent found on its machine, and where it listens."""
    require_own(request, host_id, body.inventory.host_id)
    hosts.register(session, body.inventory, body.agent_url)


@router.post("/fleet/v1/telemetry", operation_id="reportTelemetry", status_code=204)
def report(request: Request, session: SessionDep, host_id: PeerHost, batch: TelemetryBatch) -> None:
    """What an agent measured; a repeat is harmless."""
    require_own(request, host_id, batch.host_id)
    telemetry.ingest(session, batch)


@router.api_route("/{path:path}", methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], include_in_schema=False)
def nothing(path: str) -> None:
    """Every other path, behind the same guard."""
    raise NotFound(f"There is no /{path}.")
