"""What a fleet does as it stands, and as it would stand under a plan."""

from collections.abc import Iterable

from sextant_domain.plans.evidence import PREDICTORS_AT_REST, PlanPredictor
from sextant_domain.plans.plan import ChainPrediction, PlanBody
from sextant_domain.plans.snapshot import FleetSnapshot

from sextant_engine.fleet_view import FleetView
from sextant_engine.planning.predict import ASKED, predictions_of
from sextant_engine.planning.reports import report_of
from sextant_engine.planning.rest_judge import predictor_at_rest
from sextant_engine.planning.rest_prediction import RestPrediction, rest_predictions, types_of


def standing(snapshot: FleetSnapshot, names: Iterable[str]) -> list[ChainPrediction]:
    """What the chains of these hosts do as they are placed; raises KeyError for an unknown host."""
    return predicted_as_placed(FleetView.of(snapshot), names)


def predicted_as_placed(fleet: FleetView, names: Iterable[str]) -> list[ChainPrediction]:
    """The same of a view that is at hand."""
    hosts = [fleet.hosts[name] for name in names]
    return [one for host in hosts for one in predictions_of(fleet, host, report_of(fleet, host, most_causes=ASKED))]


def predicted_at_rest(
    fleet: FleetView, names: Iterable[str]
) -> dict[str, dict[PlanPredictor, dict[str, RestPrediction]]]:
    """What predictors that know rates say of the same chains: by host, predictor and chain; nothing where their models
    are missing."""
    hosts = {name: fleet.hosts[name] for name in names}
    return {
        name: {
            predictor: rest_predictions(content, host.inventory, predictor_at_rest(host, predictor, types_of(content)))
            for predictor in PREDICTORS_AT_REST
        }
        for name, host in hosts.items()
        for content in [host.content()]
    }


def under(snapshot: FleetSnapshot, body: PlanBody) -> FleetSnapshot:
    """The fleet once the plan, which must have been made of it, is applied."""
    target = {order.content.host_id: order for order in body.target}
    hosts = tuple(
        host.model_copy(update={"content": order.content, "generation": order.generation, "digest": order.digest})
        if (order := target.get(host.inventory.host_id))
        else host
        for host in snapshot.hosts
    )
    return snapshot.model_copy(update={"hosts": hosts})


def nodes(snapshot: FleetSnapshot, names: Iterable[str]) -> dict[str, int]:
    """The NUMA node of every NF on these hosts."""
    wanted = set(names)
    return {
        nf.nf_id: node_of[nf.core]
        for host in snapshot.hosts
        if host.inventory.host_id in wanted
        for node_of in [{core.id: core.node for core in host.inventory.cores}]
        for chain in host.content.chains
        for nf in chain.nfs
        if nf.core in node_of
    }
