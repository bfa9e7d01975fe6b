"""What the other predictor, pressure curves, says of the chains of a host: shown and judged, never planned with."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from sextant_domain.curves import CurveModel, PressureCurve, Role
from sextant_domain.desired import DesiredChain, HostContent
from sextant_domain.host import HostInventory
from sextant_domain.model import PerformanceModel

from sextant_engine.modelling.pressures import drop_at
from sextant_engine.planning.ports import ingress_node

PREDICTOR = "curves"


@dataclass(frozen=True, slots=True)
class Opinion:
    """Of one chain."""

    capacity_mpps: float
    low_mpps: float | None
    """Of its 95 % interval; None where a curve has none."""
    high_mpps: float | None
    bottleneck: int
    """Position of the slowest NF, the earliest of equals."""
    version: str


def opinions(
    content: HostContent,
    inventory: HostInventory,
    models: Mapping[str, PerformanceModel],
    curves: Mapping[str, CurveModel],
) -> dict[str, Opinion]:
    """By chain; without those of which a curve is missing.

    `models` (whose ideal throughput counts) and `curves` by NF type. Empty where cores are shared, where an NF's
    pressure is not known, and where curves are of several fits: their pressures are of no one scale.
    """
    node_of = {core.id: core.node for core in inventory.cores}
    nfs = [nf for chain in content.chains for nf in chain.nfs]
    known = {nf.nf_type: curves.get(nf.nf_type) for nf in nfs}
    versions = {curve.version for curve in known.values() if curve is not None}
    if inventory.shares_cores or None in known.values() or len(versions) != 1:
        return {}
    if any(nf.core not in node_of or nf.nf_type not in models for nf in nfs):
        return {}
    near, far = _pressures(content, node_of, curves)
    found: dict[str, Opinion] = {}
    for chain in content.chains:
        ends: list[_End] = []
        for nf, role in zip(chain.nfs, _roles(chain, node_of, ingress_node(chain, inventory)), strict=True):
            node, own = node_of[nf.core], curves[nf.nf_type]
            beside, elsewhere = near[node] - own.near, sum(far.values()) - far[node]
            ideal = models[nf.nf_type].ideal_mpps
            alone = ideal.local if role in (Role.LOCAL, Role.CROSSING) else ideal.remote
            end = _end(own, role, beside, elsewhere, alone)
            ends += [] if end is None else [end]
        if len(ends) == len(chain.nfs):
            found[chain.chain] = _of_chain(ends, min(versions))
    return found


def _pressures(
    content: HostContent, node_of: Mapping[int, int], curves: Mapping[str, CurveModel]
) -> tuple[dict[int, float], dict[int, float]]:
    """What all NFs of a node press together, on NFs of their own node and of others."""
    near, far = defaultdict[int, float](float), defaultdict[int, float](float)
    for chain in content.chains:
        for nf in chain.nfs:
            near[node_of[nf.core]] += curves[nf.nf_type].near
            far[node_of[nf.core]] += curves[nf.nf_type].far
    return near, far


@dataclass(frozen=True, slots=True)
class _End:
    mpps: float
    low: float | None
    high: float | None


def _roles(chain: DesiredChain, node_of: Mapping[int, int], local: int) -> list[Role]:
    """Only the NF right in front of it counts."""
    nodes = [node_of[nf.core] for nf in chain.nfs]
    roles: list[Role] = []
    for position, node in enumerate(nodes):
        together = position > 0 and nodes[position - 1] == node
        if node == local:
            roles.append(Role.LOCAL if position == 0 or together else Role.CROSSING)
        else:
            roles.append(Role.BEHIND if together else Role.HEAD)
    return roles


def _end(model: CurveModel, role: Role, near: float, far: float, ideal: float) -> _End | None:
    curve: PressureCurve | None = next((one for one in model.curves if one.role is role), None)
    if curve is None:
        return None
    kept, width = 1 - drop_at(curve, near + curve.far_share * far), curve.half_width
    if width is None:
        return _End(_within(ideal * kept, ideal), None, None)
    return _End(
        _within(ideal * kept, ideal), _within(ideal * (kept - width), ideal), _within(ideal * (kept + width), ideal)
    )


def _within(mpps: float, ideal: float) -> float:
    return min(max(mpps, 0.0), ideal)


def _of_chain(ends: list[_End], version: str) -> Opinion:
    slowest = min(range(len(ends)), key=lambda position: ends[position].mpps)
    lows = [end.low for end in ends if end.low is not None]
    highs = [end.high for end in ends if end.high is not None]
    whole = len(lows) == len(ends) == len(highs)
    return Opinion(
        capacity_mpps=ends[slowest].mpps,
        low_mpps=min(lows) if whole else None,
        high_mpps=min(highs) if whole else None,
        bottleneck=slowest,
        version=version,
    )
