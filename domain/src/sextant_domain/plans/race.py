"""Shadow races: other algorithms on the snapshot that a plan was made from, scored later by what was measured.

Only what was applied has a measurement. Of any other placement there is the algorithm's own prediction, corrected by
how far off that predictor was where it was tested.
"""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name, Provenance
from sextant_domain.plans.evidence import Algorithm


class RaceState(StrEnum):
    """Life of a race."""

    PLANNING = "planning"
    """Algorithms have their turns, while nobody waits for a plan."""
    MEASURING = "measuring"
    """All have planned; it waits until the plan was applied and all its chains were measured."""
    SCORED = "scored"
    """It was; these figures do not change any more."""
    ENDED = "ended"
    """It cannot be scored (`why`): nothing of the plan was measured."""


class RaceBegin(StrEnum):
    """What a race began with."""

    RECOMMENDATION = "recommendation"
    APPLY = "apply"


class RaceChain(Frozen):
    """One chain under one algorithm."""

    chain: Name
    same: bool
    """Whether every NF of its host stands on the node where it stands under the plan that ran."""
    predicted_mpps: float | None
    """By this algorithm's own plan."""
    mpps: float | None
    """Its throughput, from where `basis` says. None where nothing is known yet."""
    low_mpps: float | None = None
    """Of the 95 % interval of a corrected prediction; None where it was measured, or tested less than three times."""
    high_mpps: float | None = None
    basis: Literal["measured", "predicted"] | None
    """`measured`: the placement is the one that ran. `predicted`: this prediction, times measured over predicted of the
    predictor's informative outcomes with the same NF type as the bottleneck."""


class RaceEntry(Frozen):
    """One algorithm's plan on the same snapshot."""

    algorithm: Algorithm
    error: str | None = None
    """Why it has no plan: the engine stopped, its workers died, or time ran out."""
    left_out: tuple[Name, ...] = ()
    """Chains that the plan runs and this one has no room for."""
    predicted_mpps: float | None
    """Value x Mpps of the chains on the hosts of the plan; None where nothing is predicted."""
    later_mpps: float | None
    """Value x Mpps by `RaceChain.mpps`; None until that is known for every chain."""
    low_mpps: float | None = None
    """Of the 95 % interval of `later_mpps`: the root of the sum of squares of its chains' half widths, as though their
    errors were independent. None where one has none, and where all was measured."""
    high_mpps: float | None = None
    provenance: Provenance
    """Of `predicted_mpps`: `predicted`, or `assumed` where a model is."""
    later_provenance: Provenance | None
    """Of `later_mpps`: `measured` or `simulated` where every chain stands as it ran, else `predicted`."""
    margin_percent: float | None = None
    """`later_mpps` less what the plan carried, of that."""
    moves: int
    differs: int
    """NFs that stand on another node than under the plan that ran."""
    seconds: float
    chains: tuple[RaceChain, ...]


class Race(Frozen):
    """One plan's snapshot, planned by other algorithms while no other plan was waiting."""

    id: int
    state: RaceState
    why: str | None
    """Why it has ended without a score."""
    begun_by: RaceBegin
    plan_id: int
    plan_state: str
    hosts: tuple[Name, ...]
    """Those that the plan changes."""
    host_models: tuple[str, ...]
    """Theirs."""
    predicted_mpps: float | None
    """Of the plan itself."""
    provenance: Provenance
    """Of `predicted_mpps`."""
    measured_mpps: float | None
    """Value x Mpps measured once it was applied; None until then."""
    measured_provenance: Provenance | None
    """`measured` or `simulated`."""
    entries: tuple[RaceEntry, ...]
    waiting: tuple[Algorithm, ...] = Field(description="Algorithms that have not planned yet.")
    deadline_at: datetime
    """An algorithm without a plan by then has failed."""
    created_at: datetime


class AlgorithmRank(Frozen):
    """One algorithm over all races that are scored."""

    algorithm: Algorithm
    races: int = Field(ge=0)
    """Scored ones that it has a margin in."""
    predicted: int = Field(ge=0)
    """Of these, in which a chain is judged by its prediction: in the others it planned just what ran."""
    wins: int = Field(ge=0)
    """Of these, in which no other algorithm scored more; equal ones win together."""
    failed: int = Field(ge=0)
    """Scored races in which it has no plan."""
    margin_percent: float | None
    """Mean of `RaceEntry.margin_percent`: above 0 where it would have carried more than what ran."""
    low_percent: float | None
    """Of the 95 % interval of that mean: of how races differ, and of how far each prediction may be off. None for a
    single race without an interval of its own."""
    high_percent: float | None
    seconds: float | None
    """Mean wall time of its plans."""


class RaceRanking(Frozen):
    """Algorithms by their mean margin over races, best first; those without a scored race last."""

    host_model: str | None
    """Only races with hosts of this model; None: all."""
    host_models: tuple[str, ...]
    """Of all races that are kept."""
    scored: int = Field(ge=0)
    open: int = Field(ge=0)
    """Races that are planned or wait to be measured."""
    ended: int = Field(ge=0)
    """Races that nothing was measured of."""
    wanted: bool
    """Whether the policy lets races begin."""
    provenance: Provenance | None
    """Of what ran: `simulated` where one race is; None without a scored race."""
    ranks: tuple[AlgorithmRank, ...]
