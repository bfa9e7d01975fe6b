"""Networks that were promoted, for sfc2cpu's assigner `network`.

A network knows one number of cores: those of a host that NFs may share, full ones among them. Its costs are those of
the paper's games: cycles of a core of 2.2 GHz, so that a microsecond is as long as it was there.
"""

import json
from collections.abc import Mapping
from typing import Any

from sextant_domain.plans.assigned import NetworkUsed
from sextant_domain.profiling.assigner import PromotedNetwork

from sextant_engine.host_state import HostState
from sextant_engine.planning.compact_elements import Impossible
from sextant_engine.seats import shared_cores

CLOCK_HZ = 2.2e9
"""Of its games."""
_LEAST_PPS = 1e-2


def network_of(host: HostState) -> PromotedNetwork | None:
    """For the host's number of cores; None where none is promoted."""
    return host.networks.get(shared_cores(host.cores.layout))


def refused(host: HostState) -> Impossible | None:
    """Why nothing is assigned there by a network; None where it can be."""
    if network_of(host) is not None:
        return None
    cores = shared_cores(host.cores.layout)
    train = f"train one and promote it (sextant sfc2cpu train --cores {cores}), or " if cores > 1 else ""
    return Impossible(
        f"no network is promoted for {cores} cores, as many as NFs of {host.name} may share, and network goes by one",
        f"{train}ask for min_max",
    )


def unsuited(network: PromotedNetwork, vnfs: int, cores: int, host: str) -> Impossible | None:
    """A network was trained with so many VNFs; what a core does beside NFs is one, too. Cores that NFs stand on and may
    not any more count as well."""
    most = weights_of(network).get("most_vnfs")
    if cores != network.cores:
        why = (
            f"NFs of {host} stand on cores that NFs may have no more, {cores} with the others, and the promoted network"
        )
        return Impossible(f"{why} knows {network.cores}", "move them, or ask for min_max")
    if most is None or vnfs <= most:
        return None
    return Impossible(
        f"{host} would have {vnfs} NFs and cores with other work, and the promoted network knows {most} at most",
        "ask for min_max",
    )


def weights_of(network: PromotedNetwork) -> dict[str, Any]:
    """As the core reads them."""
    found: dict[str, Any] = json.loads(network.document)
    return found


def network_used(host: HostState) -> NetworkUsed | None:
    """What a plan says of it."""
    network = network_of(host)
    if network is None:
        return None
    return NetworkUsed(
        weights=network.weights, cores=network.cores, steps=network.steps, promoted_at=network.promoted_at
    )


def question_of(network: PromotedNetwork, question: Mapping[str, Any], clock_hz: float) -> dict[str, Any]:
    """With the weights, and costs as the network knows them; loads stay. `clock_hz`: of the question. What has next to
    no packets gets some more of them, as no cost may be larger than 10^12."""
    vnfs = []
    for vnf in question["vnfs"]:
        rate = max(vnf["rate_pps"], _LEAST_PPS)
        load = vnf["cycles"] * vnf["rate_pps"] / clock_hz
        vnfs.append({**vnf, "rate_pps": rate, "cycles": load * CLOCK_HZ / rate})
    return {**question, "vnfs": vnfs, "clock_hz": CLOCK_HZ, "weights": weights_of(network)}
