"""Read an OpenNetVM group file as chains; write a placement as OpenNetVM's start commands."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.opennetvm.views import ChainImport, StartCommands

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.opennetvm import service
from sextant_backend.modules.opennetvm.schemas import ImportRequest

router = APIRouter(tags=["opennetvm"], route_class=IdempotentRoute)
MayWriteChains = Annotated[Principal, may(Permission.CHAINS_WRITE)]


@router.post("/chains/imports", operation_id="importChains", dependencies=[Idempotent])
def import_chains(session: SessionDep, _operator: MayWriteChains, asked: ImportRequest) -> ChainImport:
    """The chains that a group file describes, to be looked at and submitted one by one; nothing is stored."""
    return service.read_chains(session, asked)


@router.get("/hosts/{host_id}/start-commands", operation_id="getHostStartCommands")
def get_host_start_commands(session: SessionDep, _viewer: Viewer, host_id: Name) -> StartCommands:
    """What the host was last ordered to run, as commands that start it on OpenNetVM by hand."""
    return service.of_host(session, host_id)


@router.get("/plans/{plan_id}/start-commands", operation_id="getPlanStartCommands")
def get_plan_start_commands(
    session: SessionDep,
    _viewer: Viewer,
    plan_id: Annotated[int, Path(ge=1, lt=2**63)],
    host: Annotated[Name | None, Query()] = None,
) -> StartCommands:
    """What a plan orders of a host (of several: `host` says which), as commands that start it on OpenNetVM by hand."""
    return service.of_plan(session, plan_id, host)
