"""Read and say how many simulated hosts there are to be."""

from typing import Annotated

from fastapi import APIRouter
from sextant_domain.console.access import Permission
from sextant_domain.hosts.demo import DemoFleet

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.demo import service

router = APIRouter(prefix="/demo", tags=["demo"], route_class=LateRoute)
MayManageDemo = Annotated[Principal, may(Permission.DEMO_MANAGE)]


@router.get("", operation_id="getDemo")
def get_demo(session: SessionDep, _viewer: Viewer) -> DemoFleet:
    """The demonstration fleet as it was asked for; /hosts says which of its hosts are up."""
    return service.present(session)


@router.put("", operation_id="setDemo")
def set_demo(session: SessionDep, operator: MayManageDemo, wanted: DemoFleet) -> DemoFleet:
    """Set the number of simulated hosts; new ones join within seconds. 0: all end, and can then be removed."""
    return service.ask(session, wanted, operator.username)
