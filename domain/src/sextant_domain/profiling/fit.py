"""What the model generator made of profiles: metrics, coefficients, how they held on held-out samples, versions."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name, Provenance
from sextant_domain.problem import Problem
from sextant_domain.profiling.curves import CurveModel
from sextant_domain.profiling.model import PerformanceModel
from sextant_domain.profiling.process import ProcessModel

Side = Literal["local", "remote"]


class MetricScore(Frozen):
    """One candidate metric against the requirements of Octans, Sec. IV-A."""

    metric: str
    """`stalled-cycles`: a count a packet."""
    variance: float | None
    """R1: the worst NF type's variance under competition, of values over the metric's maximum (Eq. 5)."""
    correlation: float | None
    """R2: Pearson's r with ideal throughput over NF types (Eq. 6)."""
    aggressiveness: float | None
    """Property 1 tested: Spearman's rank correlation of the metric with what a fixed reporter loses; it must be
    negative. None where no reporter was measured."""
    qualifies: bool
    why_not: str | None


class MetricStability(Frozen):
    """Figure 4a: a metric of one NF type beside a rising number of competitors."""

    nf_type: Name
    competitors: tuple[int, ...]
    values: tuple[float, ...]


class MetricAlone(Frozen):
    """Figure 4b: a metric of one NF type alone, and its ideal throughput."""

    nf_type: Name
    value: float
    ideal_mpps: float


class MetricSelection(Frozen):
    """Which metric weighs NF types on a host model, and why."""

    host_model: str
    chosen: str | None
    """None: no metric qualifies, and models made with `used` are marked unvalidated."""
    used: str
    """The chosen one, or the one whose models err least on what was held out."""
    scores: tuple[MetricScore, ...]
    stability: tuple[MetricStability, ...]
    alone: tuple[MetricAlone, ...]
    note: str | None = None


class Coefficients(Frozen):
    """Coefficients as a method fitted them. They may be negative here; promotion refuses such a model."""

    alpha: float
    beta: float
    c: float


class SideFit(Frozen):
    """One NF type on local or remote nodes."""

    side: Side
    samples: int
    rank: int
    """Of the samples' design matrix; below `columns` some coefficients cannot be separated."""
    columns: int
    condition: float | None
    """Condition number of the scaled matrix; None where it has no full rank."""
    collinear: tuple[str, ...] = ()
    """In words: 'alpha and c: every remote sample is the head of its run'."""
    lms: Coefficients
    """Least mean squares, as in the paper."""
    constrained: Coefficients
    """Least squares with alpha, beta >= 0."""
    rmse_points: float
    """Of the constrained fit on its own samples."""


class ValidationScore(Frozen):
    """How one predictor did on samples that were held out of its fit."""

    predictor: str
    """`octans`, `octans-lms`, `curves`, `gaussian-process`, and the null models `zero-drop`, `mean-drop`,
    `linear-references`."""
    split: Literal["nf", "mix"]
    """Held out by NF type, or by mix of competitors; never by sample."""
    nf_type: Name | None
    """None: over all NF types of the fit."""
    samples: int
    """Scored: those that every predictor of the fit predicted."""
    unpredicted: int | None = None
    """Held-out samples that this one did not predict. None on a fit of an earlier version, which scored each predictor
    on all that it predicted."""
    error_points: float | None
    """Mean absolute error of the drop, in points."""
    error_p95_points: float | None
    relative_percent: float | None
    """Mean of |measured - predicted| / measured of the drop, where that is 5 points or more."""
    throughput_percent: float | None
    """Mean absolute percentage error of throughput."""
    coverage_percent: float | None = None
    """Of the 95 % intervals; None for a predictor without."""
    median_width_points: float | None = None


class FittedPoint(Frozen):
    """One sample beside what was predicted of it when it was held out."""

    point_id: int
    measured_drop: float
    standard_error: float | None
    predicted_drop: float
    half_width: float | None


class ModelState(StrEnum):
    """Life of a version."""

    CANDIDATE = "candidate"
    PROMOTED = "promoted"
    """Plans use it."""
    RETIRED = "retired"
    """It was promoted once."""
    REFUSED = "refused"
    """It cannot be promoted: `refusals` says why."""


class ModelVersion(Frozen):
    """The model of one NF type out of one fit."""

    id: int
    fit_id: int
    nf_type: Name
    nf_version: int
    host_model: str
    state: ModelState
    method: Literal["constrained", "lms", "one-node", "solo"]
    """`one-node`: gamma f + c, where local and remote are one; `solo`: measured throughput, assumed drops."""
    model: PerformanceModel | None
    """None where it is refused."""
    curves: CurveModel | None
    """The other predictor; None where there are too few samples."""
    process: ProcessModel | None = Field(default=None, exclude_if=lambda process: process is None)
    """The third predictor, which plans do not use yet; absent where there are too few samples, in lists, and on
    versions of an earlier Sextant."""
    sides: tuple[SideFit, ...]
    scores: tuple[ValidationScore, ...]
    held_out: tuple[FittedPoint, ...]
    """Of the constrained fit, by mix."""
    samples: int
    basis: Provenance
    """Of the samples: `measured` or `simulated`."""
    refusals: tuple[str, ...] = ()
    """Cause, then next step."""
    notes: tuple[str, ...] = ()
    """Notes that do not prevent its use: 'alpha is -0.012 by least mean squares'."""
    stale: str | None = None
    """'profiled at version 2, the NF type is at version 3: profile it again'."""
    validated: bool
    """False where no metric qualifies."""
    created_at: datetime
    decided_at: datetime | None
    decided_by: str | None


class Fit(Frozen):
    """All models of one host model, fitted together: they share metric and scale."""

    id: int
    host_model: str
    job_id: int | None
    """The job whose end asked for it; None where an operator did."""
    metric: MetricSelection
    scale: float = Field(gt=0)
    """x = metric / scale, so that f <= 1 on a full node; chosen by cross-validation (Octans, Eq. 7, corrected)."""
    models: tuple[ModelVersion, ...]
    scores: tuple[ValidationScore, ...]
    """Over all NF types."""
    samples: int
    seconds: float
    """CPU time of the fit."""
    basis: Provenance
    created_at: datetime


class FitState(StrEnum):
    """Life of a fit."""

    FITTING = "fitting"
    """A worker makes it, or will."""
    DONE = "done"
    FAILED = "failed"
    """`error` says why."""


class FitBrief(Frozen):
    """A fit as lists show it, also while it is made."""

    id: int
    host_model: str
    state: FitState
    job_id: int | None
    """The profiling job whose end asked for it; None where an operator did."""
    nf_types: tuple[Name, ...]
    """Of its models, those that are refused included."""
    promoted: tuple[Name, ...]
    """Those of them that plans use."""
    metric: str | None
    """That its models are made with; None before it is made."""
    samples: int | None
    basis: Provenance | None
    error: Problem | None
    created_at: datetime
    created_by: str
    version: int


class FitView(FitBrief):
    """A fit with all that was found."""

    fit: Fit | None
    """None where it is not made, or failed."""


class PromotionChange(Frozen):
    """An NF type of which plans would use another model."""

    nf_type: Name
    fit_id: int | None
    """The fit whose model they use now; None: assumed figures."""


class PromotionSkip(Frozen):
    """A model of the fit that stays out of use."""

    nf_type: Name
    why: str


class PromotionPreview(Frozen):
    """What promoting would do, before it is done."""

    promotes: tuple[PromotionChange, ...]
    retires: tuple[PromotionChange, ...]
    """Models in use of another metric or scale, which would go back to assumed figures."""
    skips: tuple[PromotionSkip, ...]
    """Models of the fit that cannot be promoted: refused, or stale."""

    def takes_back(self, fit_id: int) -> bool:
        """Whether plans would use an older model of an NF type than now, or none."""
        return bool(self.retires) or any(one.fit_id is not None and one.fit_id > fit_id for one in self.promotes)
