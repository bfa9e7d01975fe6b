"""What packets cost on a host's shared cores beside others, as it was fitted on what ran there (sfc2cpu): versions."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId, Provenance
from sextant_domain.problem import Problem
from sextant_domain.profiling.fit import FitState
from sextant_domain.profiling.inflation import InflationModel

ACCEPTED_ERROR = 0.12
"""Of `left_out_error`: up to it assigners are advised to go by a fit."""
LEAST_PLACEMENTS = 2
"""Likewise: of one placement no fit can tell what is on the same core from what is not."""


class HostCost(Frozen):
    """A version: what it was fitted on, and how far off it is."""

    version: int = Field(ge=1)
    """Counted from 1 for each host; the newest is the one that counts."""
    fitted_at: datetime
    fitted_by: str
    since: datetime
    """Of the samples that it was fitted on, by the host's clock; likewise `until`."""
    until: datetime
    windows: int = Field(ge=1)
    """Spans of ten seconds of which the means were fitted on."""
    placements: int = Field(ge=1)
    """How differently the NFs stood in them: with one, what is on the same core cannot be told from what is not."""
    nf_types: tuple[Name, ...]
    """By name, those whose cost beside others it knows."""
    weight: Literal["load", "presence"]
    """Whether others count by their load, or each the same."""
    median_error: float = Field(ge=0)
    """Of the cost of a packet, relative, where it was fitted: .02 is 2 %."""
    left_out_error: float = Field(ge=0)
    """The 90th percentile in fifths of the windows that a fit did not use."""
    held_out_error: float | None = Field(default=None, ge=0)
    """The 90th percentile where each type in its turn is judged by the upper quartile of the others, as a type is that
    was not fitted. None: of fewer than three types, or of a version from before this was kept."""
    provenance: Provenance
    """`measured`, or `simulated` on the twin."""
    drifted_at: datetime | None = None
    """When what was measured had left `left_out_error` for long: no plan goes by the version since. None: it holds."""
    drift_nf: NfId | None = None
    """The NF that was furthest off then."""
    drift_error: float | None = Field(default=None, ge=0)
    """How far, in the middle of the last minutes."""


class HostCostFit(Frozen):
    """A request to fit a host's costs, which a worker carries out: how far it is, and what came of it."""

    id: int
    host: Name
    state: FitState
    asked_at: datetime
    asked_by: str
    began_at: datetime | None
    """When a worker began to read what the NFs measured; None: it waits for one."""
    windows: int | None = Field(ge=0)
    """Spans of ten seconds that it found; None: not read yet."""
    ended_at: datetime | None
    cost: HostCost | None
    """The version that it came to: a new one, or the one before where that says the same."""
    error: Problem | None
    """Why there is none."""


def fit_progress(fit: HostCostFit) -> str:
    """'waits for a worker', 'reads what its NFs measured', 'is made of 2140 spans of ten seconds'."""
    if fit.began_at is None:
        return "waits for a worker"
    if fit.windows is None:
        return "reads what its NFs measured"
    return f"is made of {fit.windows} spans of ten seconds"


class FittedCost(Frozen):
    """The newest version of a host, as plans go by it."""

    host: Name
    version: int = Field(ge=1)
    fitted_at: datetime
    placements: int = Field(ge=1)
    left_out_error: float = Field(ge=0)
    drifted_at: datetime | None = Field(default=None, exclude_if=lambda at: at is None)
    model: InflationModel
    """Costs in microseconds; without `errors`."""


def doubts(cost: HostCost | FittedCost) -> list[str]:
    """What speaks against going by a fit, though it can be done."""
    found = []
    if cost.left_out_error > ACCEPTED_ERROR:
        found.append(
            f"they are up to {100 * cost.left_out_error:.0f} % off in nine of ten of what a fit did not use, and up to "
            f"{100 * ACCEPTED_ERROR:.0f} % is good enough"
        )
    if cost.placements < LEAST_PLACEMENTS:
        found.append("they were fitted on one placement, which says nothing of others")
    return found
