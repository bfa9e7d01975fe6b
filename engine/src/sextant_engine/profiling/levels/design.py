"""A job for levels before it starts: its first points, and what it will take."""

from collections.abc import Collection, Mapping

from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.job import PointPurpose, ProfilingAsk, ProfilingDesign

from sextant_engine.profiling.cores import FreeCores
from sextant_engine.profiling.design import (
    SIMULATED_POINT_S,
    MeasuredPoint,
    not_known,
    refuse_unable,
    seconds_a_sample,
)
from sextant_engine.profiling.levels.points import first_points, grid_points

EXPECTED_SHARE = 0.4
"""Of the grid's points, that a search takes: about a third where rates lie between what the grid's ends carry."""


def levels_design(
    ask: ProfilingAsk,
    inventory: HostInventory,
    free: FreeCores,
    nf_types: Mapping[str, NfType],
    *,
    measured: Collection[MeasuredPoint] = (),
    usual_samples: Mapping[PointPurpose, float] | None = None,
) -> ProfilingDesign:
    """`measured`, `usual_samples`: as for `design`. Raises CannotProfile as it does, and where the host cannot give
    cache ways or memory bandwidth."""
    refuse_unable(ask, inventory, nf_types)
    points, left_out = first_points(ask, inventory, free)
    todo = not_known(points, ask, nf_types, measured)
    whole = grid_points(ask, inventory, points)
    usual = (usual_samples or {}).get(PointPurpose.LEVEL, ask.max_samples / 2)
    of_sample = seconds_a_sample(points[0], ask, inventory)
    usual_s, most_s = min(usual, ask.max_samples) * of_sample, ask.max_samples * of_sample
    if inventory.simulated:
        usual_s = most_s = SIMULATED_POINT_S
    return ProfilingDesign(
        ask=ask,
        host_model=inventory.host_model,
        points=tuple(todo),
        known=len(points) - len(todo),
        expected_s=EXPECTED_SHARE * whole * usual_s,
        most_s=whole * most_s,
        left_out=tuple(left_out),
        grid_points=whole,
    )
