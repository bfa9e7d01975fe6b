"""What a host can promise a chain at most: an upper bound of its gain that costs no solve.

Hosts are solved best promise first, and the search ends as soon as no other host can promise more than was found:
the choice is the same as if all had been solved. Sound because alpha, beta and weights are never negative: whatever
stands on the host now competes with the newcomer, and the newcomer can only slow down what stands there.
"""

from sextant_domain.chain import ChainSpec
from sextant_domain.model import PerformanceModel

from sextant_engine.fleet import HostDraft

Weights = dict[int, float]


def promised_gain(host: HostDraft, spec: ChainSpec, local: int, room: dict[int, int]) -> float:
    """No placement of the chain on this host gains more score (value x Mpps)."""
    weights = competing_weights(host)
    models = [host.models[nf.type] for nf in spec.nfs]
    server = sum(weights.values()) + sum(1.0 / model.stalls for model in models)
    open_nodes = [node for node, free in room.items() if free > 0]
    capacity = min(
        max(_at_most(model, node, node == local, weights, server) for node in open_nodes) for model in models
    )
    return spec.value * min(spec.traffic.rate_mpps, capacity)


def _at_most(model: PerformanceModel, node: int, local: bool, weights: Weights, server: float) -> float:
    """Local: llc is 1 or at least what stands there now, memory holds the whole chain whatever its nodes.

    Remote: llc is at least 0 (a run alone), the interconnect carries at least what stands there now.
    """
    if local:
        drop = model.local.alpha * min(1.0, weights[node]) + model.local.beta * (server - 1.0 / model.stalls)
        return model.ideal_mpps.local * (1.0 - drop - model.local.c)
    return model.ideal_mpps.remote * (1.0 - model.remote.beta * weights[node] - model.remote.c)


def competing_weights(host: HostDraft) -> Weights:
    """M of every node, by what stands there now; the model must hold."""
    return host.remember("weights", lambda: _weights(host))


def _weights(host: HostDraft) -> Weights:
    weights = {node.id: 0.0 for node in host.inventory.nodes}
    for nf in host.nfs():
        weights[host.node_of(nf.core)] += 1.0 / host.models[nf.nf_type].stalls
    return weights
