"""Reads what is known of a host's shared cores."""

from collections.abc import Sequence

from sextant_domain.console.views import Page
from sextant_domain.laws.shared_cores_view import OfferedAssigner, SharingHost
from sextant_domain.profiling.fit import FitState
from sextant_domain.profiling.host_cost import HostCostFit
from sextant_domain.studies.networks import NetworkPromotion, TrainedNetwork
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.laws import host_reading
from sextant_backend.laws.coco.observe import read_busy
from sextant_backend.modules.control import law_on_host
from sextant_backend.modules.host_costs import repository
from sextant_backend.modules.host_costs import views as cost_views
from sextant_backend.modules.host_costs.models import HostCostFitRow
from sextant_backend.modules.hosts import repository as hosts
from sextant_backend.modules.models import in_use
from sextant_backend.modules.networks import repository as stored
from sextant_backend.modules.networks import views as network_views
from sextant_backend.modules.nfs import types
from sextant_backend.modules.sfc2cpu import policy, views
from sextant_backend.modules.sfc2cpu.policy import InForce
from sextant_backend.modules.telemetry import repository as telemetry


def host(session: Session, name: str) -> SharingHost:
    """Raises NotFound."""
    read = host_reading.read_hosts(session, [name]).get(name)
    if read is None:
        raise NotFound(f"No host {name} has registered; `sextant hosts` lists those that have.")
    rates = host_reading.read_rates(session, [name]).get(name)
    fresh = rates is not None and db_now(session) - rates.at <= law_on_host.FRESH
    here = {nf.nf_type for chain in read.content.chains for nf in chain.nfs}
    cost, fit_row = repository.newest(session, name), repository.newest_fit(session, name)
    return views.host(
        views.Known(
            read=read,
            rates=rates if fresh else None,
            busy=read_busy(session, [name]).get(name) if fresh else None,
            divided={one.core: one for one in telemetry.shared_cores(session, name)},
            models=in_use.promoted(session, read.inventory.host_model),
            types=types.named(session, here),
            stopped=law_on_host.stopped(session, name),
            cost=None if cost is None else cost_views.host_cost(cost),
            fitted=None if cost is None else cost_views.model(cost),
            fit=None if fit_row is None else _fit(session, fit_row),
            network=_networks(session, [name]).get(name),
        )
    )


def assigner(session: Session) -> OfferedAssigner:
    """For chains that wait for a place."""
    sharing = hosts.open_with_shared_cores(session)
    found = {row.host_id: cost_views.host_cost(row) for row in repository.newest_of_each(session, sharing)}
    costs = {name: found.get(name) for name in sharing}
    return policy.offered_for_newcomers(costs, _networks(session, sharing))


def fits(session: Session, asked: Paging, host_id: str | None, state: FitState | None) -> Page[HostCostFit]:
    """A page of requests to fit costs: of one host, in one state."""
    found = repository.fit_page(session, asked, host_id, state)
    came_to = repository.came_to(session, found.rows)
    return found.page(cost_views.fit(row, came_to) for row in found.rows)


def fit(session: Session, fit_id: int) -> HostCostFit:
    """One request; raises NotFound."""
    row = repository.fit(session, fit_id)
    if row is None:
        raise NotFound(f"There is no fit {fit_id} of a host's costs; `sextant sfc2cpu fits` lists those that are kept.")
    return _fit(session, row)


def _fit(session: Session, row: HostCostFitRow) -> HostCostFit:
    return cost_views.fit(row, repository.came_to(session, [row]))


def networks(session: Session, asked: Paging, cores: int | None) -> Page[TrainedNetwork]:
    """A page of networks that were trained."""
    in_force = {row.weights for row in stored.in_force(session)}
    found = stored.page(session, asked, cores)
    return found.page(network_views.network(row, in_force=row.weights in in_force) for row in found.rows)


def promotions(session: Session, asked: Paging, cores: int | None) -> Page[NetworkPromotion]:
    """A page of promotions."""
    found = stored.promotion_page(session, asked, cores)
    return found.page(network_views.promotion(row) for row in found.rows)


def _networks(session: Session, names: Sequence[str]) -> dict[str, InForce]:
    """By host, where one is in force for its number of cores."""
    by_cores = {row.cores: InForce(row.weights, row.cores, row.promoted_by) for row in stored.in_force(session)}
    counts = hosts.shared_cores(session, names) if by_cores else {}
    return {name: by_cores[cores] for name, cores in counts.items() if cores in by_cores}
