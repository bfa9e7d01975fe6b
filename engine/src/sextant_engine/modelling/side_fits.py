"""What samples of an NF type say on each kind of node: coefficients by both methods, and which can be separated."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray
from sextant_domain.profiling.fit import Coefficients, Side, SideFit

from sextant_engine.modelling.constrained import constrained_least_squares, rank_of
from sextant_engine.modelling.lms import least_mean_squares
from sextant_engine.modelling.octans import Method, Octans

Floats = NDArray[np.float64]


def side_fits(by_method: Mapping[Method, Octans], nf_type: str, *, remote: bool = True) -> tuple[SideFit, ...]:
    """On all samples; sides without samples are included. `by_method`: both, of the same equations and weights.
    `remote`: False where nothing acts on remote coefficients."""
    one_node = by_method["constrained"].equations.one_node
    sides: Sequence[Side] = ("local",) if one_node or not remote else ("local", "remote")
    return tuple(_side_fit(by_method, nf_type, side) for side in sides)


def _side_fit(by_method: Mapping[Method, Octans], nf_type: str, side: Side) -> SideFit:
    equations = by_method["constrained"].equations
    levels, drops, errors = by_method["constrained"].of_side(nf_type, side)
    rank = rank_of(levels, side, one_node=equations.one_node)
    rows = equations.slices.get((nf_type, side), slice(0, 0))
    if len(drops) and len(drops) == rows.stop - rows.start:
        constrained, lms = (_known(by_method[method], nf_type, side) for method in ("constrained", "lms"))
    else:  # least mean squares shuffle the samples that count, and no others
        constrained = constrained_least_squares(levels, drops, errors, one_node=equations.one_node)
        lms = least_mean_squares(levels, drops, one_node=equations.one_node)
    left = drops - levels @ [constrained.alpha, constrained.beta] - constrained.c
    return SideFit(
        side=side,
        samples=len(drops),
        rank=rank.rank,
        columns=rank.columns,
        condition=rank.condition,
        collinear=rank.collinear,
        lms=lms,
        constrained=constrained,
        rmse_points=100 * float(np.sqrt(np.mean(left**2))) if len(left) else 0.0,
    )


def _known(octans: Octans, nf_type: str, side: Side) -> Coefficients:
    """Of the fit on all samples."""
    found = octans.fit(octans.equations.profiles).coefficients[nf_type, side]
    return Coefficients(alpha=found.alpha, beta=found.beta, c=found.c)
