"""What a predictor that knows rates predicts of the chains of a host: shown beside a plan's figures, and tested."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.hosts.desired import DesiredChain, HostContent
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import StandingNf

from sextant_engine.modelling.settling import Capacity, FedChain
from sextant_engine.planning.ports import ingress_node
from sextant_engine.planning.rest_predictor import RestPredictor


@dataclass(frozen=True, slots=True)
class RestPrediction:
    """Of one chain, with all others at the rates that they get."""

    capacity_mpps: float
    mpps: tuple[float, ...]
    """Of each NF, in the chain's order, what it has room for."""
    low_mpps: float | None
    """Of its 95 % interval; None where an NF of it has none."""
    high_mpps: float | None
    bottleneck: int
    """Position of the slowest NF, the earliest of equals."""
    version: str


def types_of(content: HostContent) -> set[str]:
    """NF types of all chains: a predictor has to know every one."""
    return {nf.nf_type for chain in content.chains for nf in chain.nfs}


def rest_predictions(
    content: HostContent, inventory: HostInventory, predictor: RestPredictor | None
) -> dict[str, RestPrediction]:
    """By chain; empty without a predictor, where it does not know all NFs, and where cores are shared.

    Where rates do not settle, because chains depend on each other too steeply, the interval is widened to the bounds
    between which they lie.
    """
    node_of = {core.id: core.node for core in inventory.cores}
    if predictor is None or inventory.shares_cores:
        return {}
    if any(nf.core not in node_of for chain in content.chains for nf in chain.nfs):
        return {}
    rest = predictor.at_rest([_fed(chain, inventory, node_of) for chain in content.chains])
    if rest is None:
        return {}
    return {
        chain.chain: _of_chain(room, None if rest.settled else bounds, predictor.version)
        for chain, room, bounds in zip(content.chains, rest.room, rest.bounds, strict=True)
    }


def _fed(chain: DesiredChain, inventory: HostInventory, node_of: Mapping[int, int]) -> FedChain:
    standing = tuple(StandingNf(nf_type=nf.nf_type, node=node_of[nf.core]) for nf in chain.nfs)
    return FedChain(standing, ingress_node(chain, inventory), chain.traffic.rate_mpps)


def _of_chain(room: Sequence[Capacity], bounds: tuple[float, float] | None, version: str) -> RestPrediction:
    """`bounds`: where rates did not settle."""
    slowest = min(range(len(room)), key=lambda position: room[position].mpps)
    widths = [one.half_width for one in room if one.half_width is not None]
    low = high = None
    if len(widths) == len(room):
        ends = [(one.mpps, width * one.ideal_mpps) for one, width in zip(room, widths, strict=True)]
        low, high = min(max(0.0, mpps - off) for mpps, off in ends), min(mpps + off for mpps, off in ends)
        if bounds is not None:
            low, high = min(low, bounds[0]), max(high, bounds[1])
    return RestPrediction(
        capacity_mpps=room[slowest].mpps,
        mpps=tuple(one.mpps for one in room),
        low_mpps=low,
        high_mpps=high,
        bottleneck=slowest,
        version=version,
    )
