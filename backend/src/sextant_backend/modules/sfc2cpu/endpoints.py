"""Cores that several NFs of a host share."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from sextant_domain.base import Digest, Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.laws.shared_cores_view import OfferedAssigner, SharingHost
from sextant_domain.profiling.host_cost import HostCost
from sextant_domain.studies.networks import NetworkPromotion, TrainedNetwork

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.networks import repository
from sextant_backend.modules.sfc2cpu import costs, promotion, service

router = APIRouter(prefix="/control/sfc2cpu", tags=["automation"], route_class=LateRoute)
Weights = Annotated[Digest, Path()]
Cores = Annotated[int | None, Query(ge=1, description="Only those for so many cores")]
MayPromoteModels = Annotated[Principal, may(Permission.MODELS_PROMOTE)]


@router.get("/assigner", operation_id="getAssigner")
def get_assigner(session: SessionDep, _viewer: Viewer) -> OfferedAssigner:
    """By which of sfc2cpu's assigners chains that wait are best placed: `network` where every host in
    service that shares cores has one in force for as many, `calibrated` where all have fitted costs that hold, else
    `min_max`; and why."""
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


@router.get("/networks", operation_id="listNetworks")
def list_networks(
    session: SessionDep, _viewer: Viewer, asked: Annotated[Paging, repository.ORDER.asked], cores: Cores = None
) -> Page[TrainedNetwork]:
    """Networks that studies of kind `school` trained, with their school reports, newest first."""
    return service.networks(session, asked, cores)


@router.get("/promotions", operation_id="listNetworkPromotions")
def list_promotions(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.PROMOTION_ORDER.asked],
    cores: Cores = None,
) -> Page[NetworkPromotion]:
    """Networks that were put in force, how each does on the hosts whose cores it assigned, and why it ended; newest
    first."""
    return service.promotions(session, asked, cores)


@router.put("/networks/{weights}/promotion", operation_id="promoteNetwork")
def promote_network(session: SessionDep, operator: MayPromoteModels, weights: Weights) -> NetworkPromotion:
    """Put a network in force for hosts of as many cores that NFs may share; a repeat changes nothing. 409 while one for
    as many cores was found worse less than an hour ago."""
    return promotion.promote(session, weights, operator)


@router.delete("/networks/{weights}/promotion", operation_id="revertNetwork")
def revert_network(session: SessionDep, operator: MayPromoteModels, weights: Weights) -> NetworkPromotion:
    """End its promotion: what was in force before is again. 409 where it is not in force."""
    return promotion.revert(session, weights, operator)
