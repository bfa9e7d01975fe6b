"""A job for shares before it starts: its first point, and what it will take."""

from collections.abc import Collection, Mapping

from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import PointPurpose, ProfilingAsk, ProfilingDesign
from sextant_domain.profiling.shares_ask import HOP_DISTANCES, HopDistance

from sextant_engine.profiling.cores import FreeCores
from sextant_engine.profiling.design import (
    SIMULATED_POINT_S,
    MeasuredPoint,
    not_known,
    refuse_unable,
    seconds_a_sample,
)
from sextant_engine.profiling.shares.points import first_point, hop_nodes, wanted

HOP_LEFT_OUT: dict[HopDistance, str] = {
    "same_node": "hop to another core of the node: where packets arrive, NFs may have one core only",
    "other_node": "hop to another node: the host has none whose cores NFs may have",
}


def shares_design(
    ask: ProfilingAsk,
    inventory: HostInventory,
    free: FreeCores,
    nf_types: Mapping[str, NfType],
    *,
    measured: Collection[MeasuredPoint] = (),
    usual_samples: Mapping[PointPurpose, float] | None = None,
) -> ProfilingDesign:
    """`measured`, `usual_samples`: as for `design`. Raises CannotProfile as it does, and where the host cannot offer an
    NF a rate."""
    refuse_unable(ask, inventory, nf_types)
    first = first_point(ask, inventory, free)
    todo = not_known([first], ask, nf_types, measured)
    hops = hop_nodes(ask, inventory)
    whole = 1 + wanted(ask).points + len(hops)
    usual = (usual_samples or {}).get(PointPurpose.SHARE, ask.max_samples / 2)
    of_sample = seconds_a_sample(first, ask, inventory)
    usual_s, most_s = min(usual, ask.max_samples) * of_sample, ask.max_samples * of_sample
    if inventory.simulated:
        usual_s = most_s = SIMULATED_POINT_S
    return ProfilingDesign(
        ask=ask,
        host_model=inventory.host_model,
        points=tuple(todo),
        known=1 - len(todo),
        expected_s=whole * usual_s,
        most_s=whole * most_s,
        left_out=tuple(HOP_LEFT_OUT[one] for one in HOP_DISTANCES if wanted(ask).hops and one not in hops),
        grid_points=whole,
    )
