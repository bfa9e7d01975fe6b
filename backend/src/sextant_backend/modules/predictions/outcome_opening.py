"""What is tested from now on: predictions of an applied plan, and of all that stands once models are promoted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import DesiredChain, DesiredNf
from sextant_domain.plans.evidence import PlanPredictor
from sextant_domain.plans.plan import ChainPrediction
from sextant_domain.plans.snapshot import FleetSnapshot, HostSnapshot
from sextant_engine.fleet_view import FleetView
from sqlalchemy.orm import Session

from sextant_backend.kit.db import db_now
from sextant_backend.modules.models import in_use
from sextant_backend.modules.operations import repository as operations
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.predictions import repository
from sextant_backend.modules.predictions.models import TestedRow
from sextant_backend.modules.predictions.repository import SETTLING
from sextant_backend.modules.snapshots import service as snapshots

if TYPE_CHECKING:
    from sextant_engine.planning.rest_prediction import RestPrediction


@dataclass(frozen=True, slots=True)
class PredictionMade:
    """What is predicted of hosts as they were ordered to be."""

    predictions: Sequence[ChainPrediction]
    versions: Mapping[tuple[str, str], str]
    """(NF type, host model) -> of the model that the predictions rest on."""
    beside: Mapping[str, Mapping[PlanPredictor, Mapping[str, "RestPrediction"]]]
    """By host, predictor and chain: of those that plans do not show."""


def with_plan(session: Session, plan_id: int) -> None:
    """The predictions of an applied plan take the place of those made before of the same hosts and chains; of hosts
    that have been ordered anew since, the plan of that order says more. Where its models were replaced before it was
    applied, those in use predict."""
    row = plans.get(session, plan_id, lock=True, body=True)
    if row is None or row.operation_id is None:
        return
    row.tested = True
    body = plan_views.body_of(row)
    ended = operations.finished_at(session, row.operation_id) or db_now(session)
    snapshot = snapshots.narrow(session, [order.content.host_id for order in body.target])
    orders = {(order.content.host_id, order.generation) for order in body.target}
    in_force = [host for host in snapshot.hosts if (host.inventory.host_id, host.generation) in orders]
    if in_use.replaced(session, body.evidence.models):
        made = _standing(snapshot, in_force)
    else:
        used = {(use.nf_type, use.host_model): use.version for use in body.evidence.models}
        made = PredictionMade(body.predictions, used, _beside_of(FleetView.of(snapshot), in_force))
    rows = [tested for host in in_force for tested in _of_host(plan_id, host, made)]
    for tested in rows:
        tested.window_from = ended + SETTLING
    repository.begin(session, [host.inventory.host_id for host in in_force], rows)


def with_models(session: Session, host_model: str) -> None:
    """Models of a host model were promoted: what they predict of all that stands there is tested, without a move."""
    found = repository.plans_in_force(session, host_model)
    snapshot = snapshots.narrow(session, list(found))
    made = _standing(snapshot, snapshot.hosts)
    rows = [tested for host in snapshot.hosts for tested in _of_host(found[host.inventory.host_id], host, made)]
    begins = db_now(session) + SETTLING
    for tested in rows:
        tested.window_from = begins
    repository.begin(session, list(found), rows)


def _standing(snapshot: FleetSnapshot, hosts: Sequence[HostSnapshot]) -> PredictionMade:
    from sextant_engine.planning.standing import predicted_as_placed  # the Rust core, which only this needs

    fleet = FleetView.of(snapshot)
    versions = {(one.nf_type, one.host_model): one.version for one in snapshot.models}
    names = [host.inventory.host_id for host in hosts]
    return PredictionMade(predicted_as_placed(fleet, names), versions, _beside_of(fleet, hosts))


def _beside_of(
    fleet: FleetView, hosts: Sequence[HostSnapshot]
) -> dict[str, dict[PlanPredictor, dict[str, "RestPrediction"]]]:
    from sextant_engine.planning.standing import predicted_at_rest

    return predicted_at_rest(fleet, [host.inventory.host_id for host in hosts])


def _of_host(plan_id: int, host: HostSnapshot, made: PredictionMade) -> Iterator[TestedRow]:
    """A chain that is paused is planned with as though it ran: while one is, predictions of its host cannot be
    tested."""
    if any(chain.paused for chain in host.content.chains):
        return
    inventory = host.inventory
    common = {
        "plan_id": plan_id,
        "host_id": inventory.host_id,
        "generation": host.generation,
        "host_model": inventory.host_model,
    }
    predictions = [one for one in made.predictions if one.host == inventory.host_id]
    yield from _planned(host, predictions, made.versions, common)
    for predictor, by_chain in made.beside.get(inventory.host_id, {}).items():
        yield from _beside(host, predictions, by_chain, {**common, "predictor": predictor})


def _planned(
    host: HostSnapshot,
    predictions: Sequence[ChainPrediction],
    versions: Mapping[tuple[str, str], str],
    common: Mapping[str, Any],
) -> Iterator[TestedRow]:
    types = {nf.nf_id: nf.nf_type for chain in host.content.chains for nf in chain.nfs}
    chains = {chain.chain: chain for chain in host.content.chains}
    for prediction in predictions:
        nf_type = types.get(prediction.bottleneck or "")
        version = versions.get((nf_type or "", host.inventory.host_model))
        chain = chains.get(prediction.chain)
        if chain is not None and _is_predicted(prediction) and chain.traffic.rate_mpps and version is not None:
            yield TestedRow(
                **common,
                chain=prediction.chain,
                predictor=prediction.predictor,
                nf_id=prediction.bottleneck,
                nf_type=nf_type,
                version=version,
                predicted_mpps=prediction.throughput_mpps,
                low_mpps=prediction.low_mpps,
                high_mpps=prediction.high_mpps,
                interval_source=prediction.interval_source,
                provenance=prediction.provenance.value,
                capacity_mpps=prediction.capacity_mpps,
                line_mpps=prediction.line_mpps,
                nfs=_nfs(chain, prediction, versions, host.inventory.host_model),
            )


def _nfs(
    chain: DesiredChain, prediction: ChainPrediction, versions: Mapping[tuple[str, str], str], host_model: str
) -> list[dict[str, Any]]:
    """Of each NF, in the chain's order: whose model says how much it carries of what the chain is offered."""
    arriving = _arriving(chain, prediction.line_mpps)
    alone = {one.nf_id: min(one.mpps, arriving) for one in prediction.nfs}
    return [_nf(nf, versions.get((nf.nf_type, host_model)), alone.get(nf.nf_id)) for nf in chain.nfs]


def _nf(nf: DesiredNf, version: str | None, predicted_mpps: float | None) -> dict[str, Any]:
    return {"nf_id": nf.nf_id, "nf_type": nf.nf_type, "version": version, "predicted_mpps": predicted_mpps}


def _arriving(chain: DesiredChain, line_mpps: float | None) -> float:
    rate = chain.traffic.rate_mpps
    return rate if line_mpps is None else min(rate, line_mpps)


def _is_predicted(prediction: ChainPrediction) -> bool:
    """Plans of an earlier version name no predictor. A chain that is predicted to carry nothing is tested as any."""
    named = prediction.predictor is not None and prediction.capacity_mpps is not None
    return named and prediction.throughput_mpps is not None


def _beside(
    host: HostSnapshot,
    predictions: Sequence[ChainPrediction],
    by_chain: Mapping[str, "RestPrediction"],
    common: Mapping[str, Any],
) -> Iterator[TestedRow]:
    """By one of the predictors that a plan does not show."""
    lines = {one.chain: one.line_mpps for one in predictions}
    for chain in host.content.chains:
        rest, line = by_chain.get(chain.chain), lines.get(chain.chain)
        offered = _arriving(chain, line)
        if rest is not None and offered > 0:
            slowest = chain.nfs[rest.bottleneck]
            yield TestedRow(
                **common,
                chain=chain.chain,
                nf_id=slowest.nf_id,
                nf_type=slowest.nf_type,
                version=rest.version,
                predicted_mpps=min(rest.capacity_mpps, offered),
                low_mpps=None if rest.low_mpps is None else min(rest.low_mpps, offered),
                high_mpps=None if rest.high_mpps is None else min(rest.high_mpps, offered),
                interval_source=None if rest.low_mpps is None else "held-out",
                provenance=Provenance.PREDICTED.value,
                capacity_mpps=rest.capacity_mpps,
                line_mpps=line,
                nfs=[_nf(nf, rest.version, min(mpps, offered)) for nf, mpps in zip(chain.nfs, rest.mpps, strict=True)],
            )
