"""What pressure curves, the other predictor, predict of the chains of a host: shown and evaluated, not planned with."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sextant_domain.hosts.desired import DesiredChain, HostContent
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.curves import CurveModel
from sextant_domain.profiling.job import StandingNf
from sextant_domain.profiling.model import PerformanceModel

from sextant_engine.modelling.settling import Capacity, FedChain, at_rest
from sextant_engine.planning.ports import ingress_node

PREDICTOR = "curves"


@dataclass(frozen=True, slots=True)
class CurvePrediction:
    """Of one chain, with all others at the rates that they get."""

    capacity_mpps: float
    mpps: tuple[float, ...]
    """Of each NF, in the chain's order, what it has room for."""
    low_mpps: float | None
    """Of its 95 % interval; None where a curve has none."""
    high_mpps: float | None
    bottleneck: int
    """Position of the slowest NF, the earliest of equals."""
    version: str


def curve_predictions(
    content: HostContent,
    inventory: HostInventory,
    models: Mapping[str, PerformanceModel],
    curves: Mapping[str, CurveModel],
) -> dict[str, CurvePrediction]:
    """By chain; empty where a curve that is needed is missing.

    `models` (whose ideal throughput counts) and `curves` by NF type. Empty where cores are shared, where an NF's
    pressure is not known, and where curves are of several fits: their pressures are of no one scale. Where rates do
    not settle, because chains depend on each other too steeply, the interval is widened to the bounds between which
    they lie.
    """
    node_of = {core.id: core.node for core in inventory.cores}
    nfs = [nf for chain in content.chains for nf in chain.nfs]
    known = {nf.nf_type: curves.get(nf.nf_type) for nf in nfs}
    versions = {curve.version for curve in known.values() if curve is not None}
    if inventory.shares_cores or None in known.values() or len(versions) != 1:
        return {}
    if any(nf.core not in node_of for nf in nfs):
        return {}
    fed = [_fed(chain, inventory, node_of) for chain in content.chains]
    rest = at_rest(fed, curves, {nf_type: model.ideal_mpps for nf_type, model in models.items()})
    if rest is None:
        return {}
    return {
        chain.chain: _of_chain(room, None if rest.settled else bounds, min(versions))
        for chain, room, bounds in zip(content.chains, rest.room, rest.bounds, strict=True)
    }


def _fed(chain: DesiredChain, inventory: HostInventory, node_of: Mapping[int, int]) -> FedChain:
    standing = tuple(StandingNf(nf_type=nf.nf_type, node=node_of[nf.core]) for nf in chain.nfs)
    return FedChain(standing, ingress_node(chain, inventory), chain.traffic.rate_mpps)


def _of_chain(room: Sequence[Capacity], bounds: tuple[float, float] | None, version: str) -> CurvePrediction:
    """`bounds`: where rates did not settle."""
    slowest = min(range(len(room)), key=lambda position: room[position].mpps)
    widths = [one.half_width for one in room if one.half_width is not None]
    low = high = None
    if len(widths) == len(room):
        ends = [(one.mpps, width * one.ideal_mpps) for one, width in zip(room, widths, strict=True)]
        low, high = min(max(0.0, mpps - off) for mpps, off in ends), min(mpps + off for mpps, off in ends)
        if bounds is not None:
            low, high = min(low, bounds[0]), max(high, bounds[1])
    return CurvePrediction(
        capacity_mpps=room[slowest].mpps,
        mpps=tuple(one.mpps for one in room),
        low_mpps=low,
        high_mpps=high,
        bottleneck=slowest,
        version=version,
    )
