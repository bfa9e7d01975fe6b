"""How a plan was found, and what it rests on."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal, get_args

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId, Provenance
from sextant_domain.plans.algorithms import Algorithm as Algorithm  # noqa: PLC0414 - evidence names it
from sextant_domain.plans.assigned import AssignedEvidence
from sextant_domain.plans.compact import CompactEvidence
from sextant_domain.plans.trust import TrustVerdict

MAX_TIME_LIMIT_S = 600.0


class Solving(Frozen):
    """How a plan shall be found."""

    algorithm: Algorithm | None = None
    """None: `exact` for every host small enough for it, `anytime` for the others."""
    time_limit_s: float = Field(default=10.0, ge=0, le=MAX_TIME_LIMIT_S, allow_inf_nan=False)
    """Wall time of the search; the best that was found by then is proposed, with its bound."""
    seed: int = Field(default=0, ge=0, lt=2**31)
    max_moves: int | None = Field(default=None, ge=0, le=1_000_000)
    """Most NFs that run and may change nodes, or cores that they share; None: as many as pay, and under sfc2cpu's
    assigners none."""


class ModelUse(Frozen):
    """A model version this plan rests on."""

    nf_type: Name
    host_model: str
    version: str
    provenance: Provenance
    ideal_provenance: Provenance | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of its throughput alone, where it is another: measured beside assumed drops."""
    trust: TrustVerdict | None = Field(default=None, exclude_if=lambda trust: trust is None)
    """How far the predictor of this plan was trusted with it when the plan was made; None where it was never tested."""
    trust_why: str | None = Field(default=None, exclude_if=lambda why: why is None)
    """'5 of 6 outcomes inside their intervals, mean error 2.1 %'."""


PlanStatus = Literal["optimal", "feasible", "infeasible", "as_ordered"]
"""How good a plan is by its own figures; `verdict_text` has the words."""


class Doubt(StrEnum):
    """Why what is best by models is not called optimal: it is proved of figures that were never compared with packets,
    or that did not hold when they were."""

    UNTESTED = "untested"
    DISTRUSTED = "distrusted"


def doubt_of(models: Iterable[ModelUse]) -> Doubt | None:
    """One that is distrusted suffices; untested are all of them, or one that was tested bears the others out."""
    verdicts = {use.trust or TrustVerdict.UNTESTED for use in models}
    if TrustVerdict.DISTRUSTED in verdicts:
        return Doubt.DISTRUSTED
    return Doubt.UNTESTED if verdicts == {TrustVerdict.UNTESTED} else None


class Cause(Frozen):
    """A part of what an NF loses."""

    kind: Literal["neighbour", "background", "chaining", "remote", "fixed"]
    """`chaining`: its upstream NF stands on another node (Octans, Eq. 10); `remote`: packets are not in a remote
    node's cache (Eq. 9); `fixed`: the model's constant."""
    nf_id: NfId | None
    """The neighbour; None for other kinds."""
    llc_drop: float
    """Share of the ideal throughput lost to the last-level cache."""
    mem_drop: float
    """Share of the ideal throughput lost to the memory controller or the interconnect."""
    lost_mpps: float
    share: float
    """Part of the NF's whole drop; 0 where it loses nothing."""


class NfPrediction(Frozen):
    """What one NF will do, and what it loses to what."""

    nf_id: NfId
    mpps: float
    """Clamped to [0, ideal]."""
    ideal_mpps: float
    """Alone on this kind of node."""
    llc_drop: float
    mem_drop: float
    fixed_drop: float
    worst: tuple[Cause, ...] = ()
    """The three greatest parts of what it loses, greatest first; `Interference` has all."""


PlanPredictor = Literal["octans", "curves", "gaussian-process"]
"""By whose figures placements are compared: Octans' equations, pressure curves or a Gaussian process."""

PREDICTORS_AT_REST: tuple[PlanPredictor, ...] = ("curves", "gaussian-process")
"""Those that know what chains do to each other at the rates that they have. Plans are tested by them beside what they
show, which is of Octans' equations or time sharing; they choose where they are trusted (decision 58)."""


class CandidateScore(Frozen):
    """What an algorithm's placement is worth by the predictor that chose among several."""

    algorithm: Algorithm
    score: float
    proved: bool
    """Optimal under Octans' equations, whatever it is worth by the predictor that chose."""


class HostEvidence(Frozen):
    """How one host was solved."""

    host: Name
    algorithm: Algorithm | None
    """None where no model holds: cores were filled by occupancy."""
    predictor: PlanPredictor = Field(default="octans", exclude_if=lambda predictor: predictor == "octans")
    """By whose figures it is the best that was found, or proved: status, score and bound are of that predictor. Absent:
    Octans' equations."""
    candidates: tuple[CandidateScore, ...] = Field(default=(), exclude_if=lambda candidates: not candidates)
    """Placements that the predictor compared, best first; none where one algorithm chose alone."""
    improved: bool = Field(default=False, exclude_if=lambda improved: not improved)
    """True: moves and swaps made `algorithm`'s placement better by the predictor."""
    status: Literal["optimal", "feasible", "infeasible"]
    score: float
    bound: float | None
    """No placement of the same chains on this host scores more, by the same predictor. Under a Gaussian process, by
    which chains may carry more beside others than alone, that is all that they are offered."""
    evaluations: int
    trusted: bool = True
    """False on shared cores: the algorithm chose, but Octans' model does not apply, so its figures are not shown."""
    doubt: Doubt | None = Field(default=None, exclude_if=lambda doubt: doubt is None)
    """Of the models of its NFs; absent in plans of an earlier version, too."""
    unproven: str | None = Field(default=None, exclude_if=lambda why: why is None)
    """Why it is not proved best, where the algorithm proves optima: 'the time limit of 2 s ended the search'."""
    compact: CompactEvidence | None = Field(default=None, exclude_if=lambda compact: compact is None)
    """Where CoCo chose cores that NFs share: score and bound are its cost and bound, below 0."""
    assigned: AssignedEvidence | None = Field(default=None, exclude_if=lambda assigned: assigned is None)
    """Where an assigner of sfc2cpu did: score and bound are the fullest core's and its bound, below 0, or what an ideal
    host serves and its bound."""

    @property
    def chose_cores(self) -> bool:
        """An algorithm chose cores that NFs share."""
        return self.compact is not None or self.assigned is not None


class FrontierPoint(Frozen):
    """The best plan with at most so many moves."""

    moves: int
    gain_mpps: float
    """Value x Mpps above what runs now, before the price of moves: the weighted gains of its moves together."""
    net_mpps: float
    """The same after the price."""
    proven: bool
    """True if no plan with so many moves gains more."""


class Evidence(Frozen):
    """How the plan was found."""

    algorithm: Algorithm | None
    """The one that chose, `anytime` where both it and `exact` did. None where no algorithm chose: a migration or a
    removal."""
    status: PlanStatus
    objective_mpps: float | None
    score: float | None
    bound: float | None
    """No placement of these chains on these hosts scores more."""
    evaluations: int
    seconds: float
    seed: int
    models: tuple[ModelUse, ...]
    solving: Solving | None = None
    """What was asked for; None on plans of an earlier version."""
    stopped: bool = False
    """True if the time limit ended the search."""
    hosts: tuple[HostEvidence, ...] = ()
    exchanges: int = 0
    """Chains exchanged between hosts because that paid."""
    frontier: tuple[FrontierPoint, ...] = ()
    """By rising moves, from 0; empty where nothing that runs may move."""

    @property
    def predictors(self) -> tuple[PlanPredictor, ...]:
        """By whose figures it was placed; none where nothing was predicted."""
        found: set[PlanPredictor] = {host.predictor for host in self.hosts if host.trusted and host.algorithm}
        return tuple(one for one in get_args(PlanPredictor) if one in found)

    @property
    def wholly_untested(self) -> bool:
        """No model of it was ever tested, or none predicts anything: what is proved, is proved of figures that were
        never compared with packets."""
        if not any(host.trusted for host in self.hosts) and (self.hosts or not self.models):
            return True
        return doubt_of(self.models) is Doubt.UNTESTED

    @property
    def doubt(self) -> Doubt | None:
        """Of the whole plan."""
        return Doubt.DISTRUSTED if self.distrusted else Doubt.UNTESTED if self.wholly_untested else None

    @property
    def distrusted(self) -> tuple[ModelUse, ...]:
        """Models whose predictions did not hold."""
        return tuple(use for use in self.models if use.trust is TrustVerdict.DISTRUSTED)

    @property
    def gap(self) -> float | None:
        """How far the score may be from the best, relative to the bound; None without a bound."""
        if self.score is None or self.bound is None:
            return None
        return max(0.0, self.bound - self.score) / max(abs(self.bound), 1e-12)


class PlanProgress(Frozen):
    """Progress of a plan that is being made."""

    stage: Literal["reading", "choosing", "exchanging", "solving", "explaining", "checking"]
    done: int = 0
    total: int = 0
    """Chains or hosts of this stage; 0 where it has no count."""
    best: float | None = None
    """Best score so far: value x Mpps, less the price of moves."""
    bound: float | None = None
    evaluations: int = 0
    seconds: float = 0.0
