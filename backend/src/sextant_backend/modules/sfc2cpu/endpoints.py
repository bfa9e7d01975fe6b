"""Cores that several NFs of a host share."""

from fastapi import APIRouter
from sextant_domain.base import Name
from sextant_domain.laws.shared_cores_view import SharingHost

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Viewer
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.sfc2cpu import service

router = APIRouter(prefix="/control/sfc2cpu", tags=["automation"], route_class=LateRoute)


@router.get("/hosts/{host_id}", operation_id="getSharedCores")
def get_shared_cores(session: SessionDep, _viewer: Viewer, host_id: Name) -> SharingHost:
    """The cores of a host that hold more than one NF: measured load, what packets cost beside others and alone, and how
    the core is divided."""
    return service.host(session, host_id)
