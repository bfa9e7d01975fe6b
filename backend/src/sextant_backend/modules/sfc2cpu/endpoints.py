"""Cores that several NFs of a host share."""

from typing import Annotated

from fastapi import APIRouter
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.laws.shared_cores_view import OfferedAssigner, SharingHost
from sextant_domain.profiling.host_cost import HostCost

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.sfc2cpu import costs, service

router = APIRouter(prefix="/control/sfc2cpu", tags=["automation"], route_class=LateRoute)
MayPromoteModels = Annotated[Principal, may(Permission.MODELS_PROMOTE)]


@router.get("/assigner", operation_id="getAssigner")
def get_assigner(session: SessionDep, _viewer: Viewer) -> OfferedAssigner:
    """By which of sfc2cpu's assigners chains that wait are best placed: `calibrated` where every host in service that
    shares cores has fitted costs that hold, else `min_max`; and why."""
    return service.assigner(session)


@router.get("/hosts/{host_id}", operation_id="getSharedCores")
def get_shared_cores(session: SessionDep, _viewer: Viewer, host_id: Name) -> SharingHost:
    """The cores of a host that hold more than one NF: measured load, what packets cost beside others and alone, and how
    the core is divided."""
    return service.host(session, host_id)


@router.put("/hosts/{host_id}/cost", operation_id="fitHostCost")
def fit_host_cost(session: SessionDep, operator: MayPromoteModels, host_id: Name) -> HostCost:
    """Fit what packets cost on the host beside others, on what its NFs measured in the last six hours; a new version
    counts from then on, and a repeat makes none. 409 with the reason where too little was measured, or a type's cost
    alone is not known."""
    return costs.fit(session, host_id, operator)
