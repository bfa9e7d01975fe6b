"""Plans: immutable proposals for the fleet, with their evidence."""

from datetime import datetime
from enum import StrEnum
from typing import Literal

from pydantic import Field

from sextant_domain.base import Digest, Frozen, Name, NfId, Provenance
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.plans.assumptions import Relaxation
from sextant_domain.plans.evidence import Evidence, NfPrediction, PlanPredictor, PlanProgress, Solving
from sextant_domain.plans.handover import Handover
from sextant_domain.plans.intents import (
    Intent,
)
from sextant_domain.plans.loss import LossPreview
from sextant_domain.plans.placement import PlacedNf, Seat
from sextant_domain.problem import Problem
from sextant_domain.profiling.model import IntervalSource


class PlanKind(StrEnum):
    """What a plan is asked for: one an intent."""

    PLACE = "place"
    REMOVE = "remove"
    MIGRATE = "migrate"
    RELOCATE = "relocate"
    DRAIN = "drain"
    REPLACE = "replace"
    RESTORE = "restore"
    ADJUST = "adjust"
    RESOURCES = "resources"
    LANES = "lanes"


class PlanState(StrEnum):
    """Life of a plan. Only its state changes; its body never does."""

    PLANNING = "planning"
    PROPOSED = "proposed"
    APPLYING = "applying"
    APPLIED = "applied"
    SUPERSEDED = "superseded"
    """A host it touches has moved on since it was made."""
    REJECTED = "rejected"
    FAILED = "failed"
    """It could not be made (`error`), or its operation failed or was undone."""


class HostBase(Frozen):
    """The state of a host that the plan was made for: apply is refused unless it still holds."""

    host: Name
    generation: int
    digest: Digest


class ChangeKind(StrEnum):
    """What a plan does to one NF."""

    START = "start"
    MOVE = "move"
    STOP = "stop"
    RESOURCES = "resources"
    """It keeps its seat and has other LLC ways, memory bandwidth, CPU share or quota there."""


class Change(Frozen):
    """One NF that starts, moves, stops, or gets other resources where it runs."""

    kind: ChangeKind
    nf_id: NfId
    chain: Name
    nf_type: Name
    source: Seat | None
    target: Seat | None
    gain_mpps: float | None = None
    """What this move adds to what all chains of its host carry together, Mpps, moves taken in the order of chains and
    NFs: against the engine's own prediction of where they run now. None where no model holds (`no_gain`)."""
    weighted_gain: float | None = Field(default=None, exclude_if=lambda gain: gain is None)
    """The same with each chain's Mpps times its value: value x Mpps, as the plan's score and its frontier count.
    Absent on plans of an earlier version, whose `gain_mpps` is in value x Mpps."""
    no_gain: str | None = Field(default=None, exclude_if=lambda why: why is None)
    """Of a move without `gain_mpps`: why nothing is predicted of it. Absent on plans of an earlier version."""
    reason: str
    """Why this NF stands there, for a person."""


class Adjustment(Frozen):
    """One setting of a chain that changes while the chain runs."""

    host: Name
    chain: Name
    field: str
    """`traffic.rate_mpps`, `paused`, `nfs.balancer.config.backends`; `bounds`, a `ResourceBounds` as a whole."""
    before: str
    """As JSON: `0.2`, `null`, `false`."""
    after: str


PlanSource = Literal["fleet", "file", "preview"]
"""What a plan was made on."""


class Shortfall(Frozen):
    """What is missing, where, by how much."""

    host: Name | None
    node: int | None
    cores: int = Field(ge=0)
    """Cores (slots on a shared host) missing."""


class Rejection(Frozen):
    """A chain that does not fit, and what would help."""

    chain: Name
    reason: str
    short: Shortfall | None
    relax: str | None
    """The cheapest relaxation known, as an instruction."""
    relaxations: tuple[Relaxation, ...] = Field(default=(), exclude_if=lambda ways: not ways)
    """Each thing that would help, the cheapest first. Absent on plans of an earlier version."""
    conflict: tuple[str, ...] = Field(default=(), exclude_if=lambda reasons: not reasons)
    """The smallest set of reasons that together exclude every host."""


class SloVerdict(StrEnum):
    """What every plan says of each SLO."""

    MET = "met"
    MISSED = "missed"
    NOT_PREDICTABLE = "not_predictable"


class ChooserFigures(Frozen):
    """What the predictor that chose a chain's place predicts of it, where that is not the one of the plan's figures."""

    throughput_mpps: float
    """What it will carry of what it is offered."""
    before_mpps: float | None = None
    """Where it runs now, with all that is new beside it; None where it does not run."""
    low_mpps: float | None = None
    """Of the 95 % interval; None where an NF on its way has none."""
    high_mpps: float | None = None
    bottleneck: NfId


class ChainPrediction(Frozen):
    """What a chain will do under this plan."""

    chain: Name
    throughput_mpps: float | None
    """What it will carry of what it is offered."""
    before_mpps: float | None = Field(default=None, exclude_if=lambda before: before is None)
    """What the same models predict of it where it runs now, with all that is new beside it; of a plan that only
    changes what runs: with its present settings. Absent where it does not run, where no model holds, and on plans of
    an earlier version."""
    low_mpps: float | None = None
    """Of the interval of `throughput_mpps`; None where a model that may hold it up has none."""
    high_mpps: float | None = None
    interval_source: IntervalSource | None = Field(default=None, exclude_if=lambda source: source is None)
    """Where the interval comes from; None without one, and on plans of an earlier version."""
    interval_note: str | None = Field(default=None, exclude_if=lambda note: note is None)
    """Whose it is, where an NF with room to spare has none: 'of nids; router, 3.1 times as quick as the slowest, has
    none'; how much room there is to spare, where it comes from that."""
    capacity_mpps: float | None = Field(default=None, exclude_if=lambda capacity: capacity is None)
    """What it could carry if it were offered as much; `throughput_mpps` is no more than it is offered."""
    line_mpps: float | None = Field(default=None, exclude_if=lambda line: line is None)
    """What the line of its ingress port carries of it beside the others there; None where that has no known speed."""
    predictor: str | None = Field(default=None, exclude_if=lambda predictor: predictor is None)
    """`octans`, or `time-sharing` on shared cores; None where nothing is predicted."""
    by_curves: ChooserFigures | None = Field(default=None, exclude_if=lambda figures: figures is None)
    """Figures of pressure curves, where these chose its place."""
    by_process: ChooserFigures | None = Field(default=None, exclude_if=lambda figures: figures is None)
    """Figures of a Gaussian process, where that chose its place."""
    bottleneck: NfId | None
    provenance: Provenance
    assumes: tuple[str, ...] = Field(default=(), exclude_if=lambda assumes: not assumes)
    """What it rests on that was not measured on this host model, beside its models: 'source and sink'."""
    throughput_slo: SloVerdict | None
    """None where the chain has no such SLO."""
    latency_slo: SloVerdict | None
    note: str | None = None
    """'shared cores: Octans' model does not apply'."""
    host: Name | None = None
    ingress_node: int | None = None
    """The node its packets arrive on."""
    nfs: tuple[NfPrediction, ...] = ()
    """In the order of the chain; empty where nothing is predicted."""

    @property
    def by_chooser(self) -> tuple[PlanPredictor, ChooserFigures] | None:
        """The predictor that chose its place and its figures; None where that is the one of `throughput_mpps`."""
        if self.by_process is not None:
            return "gaussian-process", self.by_process
        return None if self.by_curves is None else ("curves", self.by_curves)


class Worse(Frozen):
    """What a plan is predicted to do worse to a chain that runs."""

    chain: Name
    what: Literal["throughput", "latency"]
    before_mpps: float | None = None
    """Of the throughput; latency is not predicted, only what lengthens it is seen."""
    after_mpps: float | None = None
    breaks_slo: bool = False
    """Its objective is met now, by prediction, and would be missed."""
    detail: str
    """'6.60 -> 6.20 Mpps', 'its NFs share cores with 2 more NFs'."""


class CheckFinding(Frozen):
    """One thing that the independent checker examined."""

    check: str
    ok: bool
    detail: str


class BusyCore(Frozen):
    """A core with other work, as the plan knew it."""

    host: Name
    core: int
    percent: float
    """Of the core's time that work uses which is none of the host's NFs."""


class PlanBody(Frozen):
    """What is approved is what runs: this, byte for byte."""

    intent: Intent
    base: tuple[HostBase, ...]
    target: tuple[DesiredHostConfig, ...]
    """One for each host in `base`, generation one above it; two where `handover` orders something in between."""
    changes: tuple[Change, ...]
    adjustments: tuple[Adjustment, ...] = ()
    before: tuple[PlacedNf, ...]
    """Every NF on the hosts it touches, now."""
    after: tuple[PlacedNf, ...]
    rejected: tuple[Rejection, ...]
    predictions: tuple[ChainPrediction, ...]
    worse: tuple[Worse, ...] = Field(default=(), exclude_if=lambda worse: not worse)
    """Chains that run and would do worse, what breaks an objective first."""
    loss: LossPreview | None = Field(default=None, exclude_if=lambda loss: loss is None)
    """What the moves that were ordered by core are expected to cost; absent where there are none, and on plans of an
    earlier version."""
    handover: Handover | None = Field(default=None, exclude_if=lambda handover: handover is None)
    """Absent where no hosts wait for each other, and on plans of an earlier version."""
    other_work: tuple[BusyCore, ...] = Field(default=(), exclude_if=lambda cores: not cores)
    """On the hosts that it touches."""
    evidence: Evidence
    checks: tuple[CheckFinding, ...]
    warnings: tuple[str, ...]

    @property
    def does_something(self) -> bool:
        """True where there is something to carry out."""
        return bool(self.changes or self.adjustments or (self.target and self.intent.kind == "align"))

    @property
    def changed_chains(self) -> set[str]:
        """Chains that it starts, moves, stops or adjusts."""
        return {change.chain for change in self.changes} | {one.chain for one in self.adjustments}


class PlanWait(Frozen):
    """What a plan waits for before it is made."""

    reason: str
    """'edge-firewall has no model for this fleet's hosts; it is profiled on sim-1'."""
    nf_types: tuple[Name, ...]
    """Those without a model."""
    job_ids: tuple[int, ...]
    """The profiling jobs that it waits for."""


class Plan(Frozen):
    """A plan as the API shows it."""

    id: int
    state: PlanState
    intent: Intent
    solving: Solving
    source: PlanSource = "fleet"
    """`file`: a study on an uploaded snapshot; `preview`: on the fleet as it would be under the intent's assumptions.
    Neither can be applied."""
    comparison_id: int | None = None
    progress: PlanProgress | None = None
    """While planning; None before a worker has begun."""
    waits_for: PlanWait | None = None
    """While planning: why no worker has begun."""
    digest: Digest | None
    """`digest_of(body)`; None while planning."""
    body: PlanBody | None
    error: Problem | None
    operation_id: int | None
    created_at: datetime
    created_by: str
    decided_at: datetime | None
    version: int

    @property
    def applicable(self) -> bool:
        """True where there is something to apply."""
        proposed = self.state is PlanState.PROPOSED and self.source == "fleet"
        return proposed and self.body is not None and self.body.does_something
