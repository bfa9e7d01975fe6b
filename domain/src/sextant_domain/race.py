"""Shadow races: other algorithms on the snapshot of a recommendation, scored by what was measured later."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name, Provenance
from sextant_domain.evidence import Algorithm


class RaceChain(Frozen):
    """One chain under one algorithm."""

    chain: Name
    same: bool
    """Whether every NF of its host stands on the node where it stands under the recommended plan."""
    predicted_mpps: float | None
    """By this algorithm's own plan."""
    mpps: float | None
    """What came of it: see `basis`. None where nothing is known yet."""
    basis: Literal["measured", "predicted"] | None
    """`measured`: the placement is the one that ran. `predicted`: this prediction, corrected by how far predictions of
    the same NF type as the bottleneck were off on the plan that ran."""


class RaceEntry(Frozen):
    """One algorithm's plan on the same snapshot."""

    algorithm: Algorithm
    error: str | None = None
    """Why it has no plan."""
    predicted_mpps: float | None
    """Value x Mpps of the chains on the hosts of the recommended plan; None where nothing is predicted."""
    later_mpps: float | None
    """The same by `RaceChain.mpps`; None until it is known of every chain."""
    provenance: Provenance
    """Of `predicted_mpps`: `predicted`, or `assumed` where a model is."""
    later_provenance: Provenance | None
    """Of `later_mpps`: `measured` or `simulated` where every chain stands as it ran, else `predicted`."""
    moves: int
    differs: int
    """NFs that stand on another node than under the recommended plan."""
    seconds: float
    chains: tuple[RaceChain, ...]


class Race(Frozen):
    """One recommendation's snapshot, planned by other algorithms while nothing else was to be done."""

    id: int
    plan_id: int
    """The recommended plan."""
    plan_state: str
    hosts: tuple[Name, ...]
    """Those that the recommended plan changes."""
    predicted_mpps: float | None
    """Of the recommended plan itself."""
    provenance: Provenance
    """Of `predicted_mpps`."""
    measured_mpps: float | None
    """Value x Mpps measured once it was applied; None until then."""
    measured_provenance: Provenance | None
    """`measured` or `simulated`."""
    entries: tuple[RaceEntry, ...]
    waiting: tuple[Algorithm, ...] = Field(description="Algorithms that have not planned yet.")
    created_at: datetime
