"""Cores that several NFs of a host share."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from sextant_domain.base import Digest, Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.laws.shared_cores_view import OfferedAssigner, SharingHost
from sextant_domain.profiling.fit import FitState
from sextant_domain.profiling.host_cost import HostCostFit
from sextant_domain.studies.networks import NetworkPromotion, TrainedNetwork

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.host_costs.repository import FIT_ORDER
from sextant_backend.modules.networks import repository
from sextant_backend.modules.sfc2cpu import fitting, promotion, service
from sextant_backend.modules.sfc2cpu.schemas import HostCostFitRequest

PATH = "/control/sfc2cpu"
router = APIRouter(prefix=PATH, tags=["automation"], route_class=IdempotentRoute)
FitId = Annotated[int, Path(ge=1, lt=2**63)]
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


@router.post("/fits", operation_id="fitHostCost", status_code=202, dependencies=[Idempotent])
def fit_host_cost(
    session: SessionDep, operator: MayPromoteModels, response: Response, asked: HostCostFitRequest
) -> HostCostFit:
    """Ask for a fit of what packets cost on a host beside others, of what its NFs measured in the last six hours. It is
    made in the background, and whoever asks while one of the host is under way gets that one; a new version counts from
    then on, and none is made where the one before says the same. 409 where a type's cost alone is not known; where too
    little was measured, the fit fails with that reason."""
    fit = fitting.ask(session, asked.host, operator)
    response.headers["Location"] = f"/api/v1{PATH}/fits/{fit.id}"
    return fit


@router.get("/fits", operation_id="listHostCostFits")
def list_host_cost_fits(
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, FIT_ORDER.asked],
    host: Annotated[Name | None, Query(description="Only of this host")] = None,
    state: FitState | None = None,
) -> Page[HostCostFit]:
    """Requests to fit hosts' costs, newest first: of each host the last 20."""
    return service.fits(session, asked, host, state)


@router.get("/fits/{fit_id}", operation_id="getHostCostFit")
def get_host_cost_fit(session: SessionDep, _viewer: Viewer, fit_id: FitId) -> HostCostFit:
    """How far one is, and what came of it."""
    return service.fit(session, fit_id)


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
