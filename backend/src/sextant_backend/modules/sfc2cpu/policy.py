"""By which assigner a plan is best asked for: by the network that was promoted for hosts of as many cores, else by the
costs that were fitted on a host where they hold, else by loads alone. Pure."""

from collections.abc import Mapping
from typing import NamedTuple

from sextant_domain.laws.shared_cores_view import OfferedAssigner
from sextant_domain.plans.algorithms import Algorithm
from sextant_domain.profiling.host_cost import ACCEPTED_ERROR, HostCost, doubts


class InForce(NamedTuple):
    """A network that is promoted."""

    weights: str
    cores: int
    promoted_by: str


def offered(host: str, cost: HostCost | None, network: InForce | None = None) -> OfferedAssigner:
    """For what runs on a host. `cost`: its newest; None: it has none; `network`: of its number of cores."""
    if network is not None:
        return _by_network(network)
    if cost is None:
        return _by_load(f"costs beside others were never fitted on {host}")
    if cost.drifted_at is not None:
        return _by_load(f"what was measured on {host} has left its fitted costs")
    doubt = doubts(cost)
    if doubt:
        return _by_load(f"fitted costs of {host}: {'; '.join(doubt)}")
    return OfferedAssigner(
        algorithm=Algorithm.CALIBRATED,
        why=f"fitted costs of {host} are up to {100 * cost.left_out_error:.0f} % off in nine of ten of what a fit did "
        f"not use, and up to {100 * ACCEPTED_ERROR:.0f} % is good enough",
    )


def offered_for_newcomers(costs: Mapping[str, HostCost | None], networks: Mapping[str, InForce]) -> OfferedAssigner:
    """For chains that wait, which may go to any of these hosts: by networks only where all have one, by costs only
    where all have some that hold, or the others would be passed over. `networks`: by host, in force for it."""
    if costs and costs.keys() <= networks.keys():
        return _by_network(networks[min(costs)])
    found = [offered(host, cost) for host, cost in sorted(costs.items())]
    by_load = next((one for one in found if one.algorithm is Algorithm.MIN_MAX), None)
    if by_load is not None or len(found) == 1:
        return by_load or found[0]
    if not found:
        return _by_load("no host in service shares its cores")
    return OfferedAssigner(
        algorithm=Algorithm.CALIBRATED, why=f"all {len(found)} hosts that share cores have fitted costs that hold"
    )


def _by_network(network: InForce) -> OfferedAssigner:
    return OfferedAssigner(
        algorithm=Algorithm.NETWORK,
        network=network.weights,
        why=f"{network.promoted_by} promoted a network for {network.cores} cores; it is reverted once it is worse than "
        "round robin",
    )


def _by_load(why: str) -> OfferedAssigner:
    return OfferedAssigner(algorithm=Algorithm.MIN_MAX, why=why)
