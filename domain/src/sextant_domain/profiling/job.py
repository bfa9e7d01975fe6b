"""Profiling jobs: a designed set of points that are measured on one host, one after the other."""

from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from sextant_domain.base import Frozen, Name, Provenance, StrictFloat, StrictInt
from sextant_domain.chains.traffic import MAX_RATE_MPPS
from sextant_domain.problem import Problem
from sextant_domain.profiling.profile import (
    MAX_OTHERS,
    MAX_SAMPLES,
    MAX_WAYS,
    Estimate,
    ProfileProgress,
    ProfileRequest,
    ProfileResult,
)
from sextant_domain.profiling.shares_ask import HopDistance, SharesAsk

MAX_POINTS = 500
"""Of one job."""
MOST_LEVELS = 64
"""Of one NF type on one kind of node."""
NodeKind = Literal["local", "remote"]
"""`local`: the node that the chain's packets arrive on (`HostInventory.arrival_node`); `remote`: any other."""

LINE_BPS, FRAME_OVERHEAD_BYTES = 10e9, 20
"""Octans' links (Sec. VI-A); preamble, start of frame and the gap between frames (IEEE 802.3)."""


def line_rate_mpps(packet_bytes: int) -> float:
    """Packets that fill such a link, to four digits: 14.88 of 64 bytes, 0.8127 of 1518."""
    return float(f"{LINE_BPS / (8 * (packet_bytes + FRAME_OVERHEAD_BYTES)) / 1e6:.4g}")


class PointPurpose(StrEnum):
    """What a point contributes to the model."""

    IDEAL = "ideal"
    """Throughput and counters alone, on a kind of node (Octans, Sec. V: P)."""
    LOCAL = "local"
    """Competitors on its own, local node (Eq. 9)."""
    ACROSS = "across"
    """Competitors on other nodes only: separates memory from the cache (Eq. 9)."""
    REMOTE = "remote"
    """On a remote node, with competitors there (Eq. 9)."""
    CROSSING = "crossing"
    """On the local node, its upstream NF on a remote one (Eq. 10)."""
    BEHIND = "behind"
    """On a remote node behind an NF of its chain on the same node, which fetches packets for it (Eq. 11)."""
    RATES = "rates"
    """Beside competitors that take less than they could, or that stand in chains: what a rate does."""
    HANDING = "handing"
    """Beside the next NF of its own chain, here or on another node: what handing packets on costs."""
    SENSITIVITY = "sensitivity"
    """Beside bubbles of a rising size."""
    CONTENTIOUSNESS = "contentiousness"
    """A fixed reporter beside the NF: what it loses is what the NF presses."""
    LEVEL = "level"
    """Alone, with so many cache ways and so much memory bandwidth: what rate they carry (NUMASFP, Table I)."""
    SHARE = "share"
    """Alone, offered a rate: what part of its core it takes (CoCo, Sec. V-A)."""
    HOP = "hop"
    """Twice in a chain, offered a rate: what handing a packet on to another process costs (CoCo's t_d, Sec. III-A)."""


class StandingNf(Frozen):
    """An NF of a type on a NUMA node."""

    nf_type: Name
    node: StrictInt = Field(ge=0)


class PointSetting(Frozen):
    """Which NFs run in a point and on which nodes, without core numbers."""

    purpose: PointPurpose
    ingress_node: StrictInt = Field(ge=0)
    """The node that packets arrive on: the local one."""
    chain: tuple[StandingNf, ...] = Field(min_length=1)
    """The chain of the NF whose figures are asked for, that NF last."""
    downstream: tuple[StandingNf, ...] = Field(default=(), max_length=MAX_OTHERS)
    """NFs of its chain behind it, in order."""
    others: tuple[StandingNf, ...] = Field(default=(), max_length=MAX_OTHERS)
    """Competitors, each a chain of its own unless `others_a_chain` says otherwise."""
    others_a_chain: StrictInt = Field(default=1, ge=1, le=MAX_OTHERS)
    """Competitors stand in chains of so many, in their order; the last one may be shorter."""
    rate_mpps: StrictFloat | None = Field(default=None, gt=0, le=MAX_RATE_MPPS)
    """What each chain of competitors is offered; None: what the ask says. Where `purpose` is `share` or `hop`, what the
    NF is offered itself."""
    hop: HopDistance | None = Field(default=None, exclude_if=lambda distance: distance is None)
    """How far it hands its packets on, where `purpose` is `hop`; to `downstream`, but on its own core to itself."""
    bubble_kib: StrictInt | None = Field(default=None, ge=1)
    """Size of the competing bubbles, where `purpose` is `sensitivity`."""
    llc_ways: StrictInt | None = Field(default=None, ge=1, le=MAX_WAYS, exclude_if=lambda ways: ways is None)
    """That the NF has for itself, where `purpose` is `level`."""
    memory_bandwidth_percent: StrictInt | None = Field(
        default=None, ge=1, le=100, exclude_if=lambda percent: percent is None
    )
    """That it has, where `purpose` is `level`."""

    @property
    def subject(self) -> StandingNf:
        """The NF whose figures are asked for."""
        return self.chain[-1]

    @property
    def local(self) -> bool:
        """True where that NF stands on the node its packets arrive on."""
        return self.subject.node == self.ingress_node


class LevelsAsk(Frozen):
    """Levels instead of a performance model: the least cache ways and memory bandwidth that carry each rate."""

    rates_gbps: Annotated[
        tuple[Annotated[StrictFloat, Field(gt=0, le=1e6)], ...], Field(min_length=1, max_length=MOST_LEVELS)
    ] = tuple(float(rate) for rate in range(1, 11))
    """On the wire: frames with FCS, preamble and gap."""
    nodes: Annotated[tuple[NodeKind, ...], Field(min_length=1, max_length=2)] = ("local", "remote")
    """Kinds of nodes; one that the host does not have is left out."""

    @field_validator("rates_gbps", "nodes")
    @classmethod
    def _differ(cls, asked: tuple[Any, ...]) -> tuple[Any, ...]:
        if len(set(asked)) != len(asked):
            raise ValueError("each is named once")
        return tuple(sorted(asked))


class ProfilingAsk(Frozen):
    """What shall be profiled, where, and how exactly."""

    nf_type: Name
    host: Name
    packet_bytes: StrictInt = Field(default=64, ge=64, le=1518)
    flows: StrictInt = Field(default=100_000, ge=1, le=1_000_000)
    """Where it is not said 100,000, or as many as the host can play if those are fewer. With a thousand, tables stay in
    the cores' own caches, and NFs take nothing from each other that is seen."""
    rate_mpps: StrictFloat | None = Field(default=14.88, gt=0, le=MAX_RATE_MPPS)
    """What each competitor is offered; where it is not said 10 Gbps of packets of that size: 14.88 of 64 bytes (Octans,
    Sec. V), 0.8127 of 1518. None: as fast as it can."""
    competitors: tuple[Name, ...] = Field(default=(), max_length=MAX_OTHERS)
    """NF types it is put beside; empty: chosen so that they span what is known of aggressiveness."""
    most_competitors: StrictInt | None = Field(default=None, ge=0, le=MAX_OTHERS)
    """At once; None: as many as there are cores for."""
    seconds: StrictFloat = Field(default=1.0, ge=0.05, le=60)
    """Of one sample."""
    half_width_percent: StrictFloat = Field(default=1.0, ge=0.05, le=50)
    """Of the 95 % confidence interval that ends a point: relative, or points of the drop."""
    max_samples: StrictInt = Field(default=10, ge=3, le=MAX_SAMPLES)
    seed: StrictInt = Field(default=0, ge=0, lt=2**31)
    """Of the order of the points, which is shuffled so that a drift of the machine is in no one purpose."""
    fresh: bool = False
    """Measure again what was measured before at the same versions."""
    levels: LevelsAsk | None = Field(default=None, exclude_if=lambda levels: levels is None)
    """Find levels, on points that are chosen one after another; None: measure a designed set for a performance
    model."""

    shares: SharesAsk | None = Field(default=None, exclude_if=lambda shares: shares is None)
    """Find what part of a core the NF takes by its rate, on points whose rates follow from what it carries."""

    @model_validator(mode="before")
    @classmethod
    def _at_line_rate(cls, asked: Any) -> Any:
        size = asked.get("packet_bytes") if isinstance(asked, dict) else None
        if isinstance(size, int) and size > 0 and "rate_mpps" not in asked:
            return {**asked, "rate_mpps": line_rate_mpps(size)}
        return asked

    @field_validator("levels")
    @classmethod
    def _are_measured_alone(cls, levels: LevelsAsk | None, info: ValidationInfo) -> LevelsAsk | None:
        if levels is not None and (info.data.get("competitors") or info.data.get("most_competitors")):
            raise ValueError("levels are measured without competitors; leave out these, or levels")
        return levels

    @field_validator("shares")
    @classmethod
    def _are_measured_apart(cls, shares: SharesAsk | None, info: ValidationInfo) -> SharesAsk | None:
        if shares is not None and (info.data.get("competitors") or info.data.get("most_competitors")):
            raise ValueError("shares are measured without competitors; leave out these, or shares")
        if shares is not None and info.data.get("levels") is not None:
            raise ValueError("a job finds levels or shares: start one for each")
        return shares

    def playable(self, most_flows: int | None, *, at_rates: bool = True) -> "ProfilingAsk":
        """For a host that plays so many flows at most (None: any number): no more of them, unless it names a number.
        `at_rates`: it can feed competitors less than they take; where it cannot, line rate is as fast as they can."""
        changes: dict[str, int | None] = {}
        if "flows" not in self.model_fields_set and most_flows is not None and self.flows > most_flows:
            changes["flows"] = most_flows
        if not at_rates and self.rate_mpps == line_rate_mpps(self.packet_bytes):
            changes["rate_mpps"] = None
        return self.model_copy(update=changes) if changes else self


class ProfilingDesign(Frozen):
    """The points of a job before it starts, and what they will take."""

    ask: ProfilingAsk
    host_model: str
    points: tuple[PointSetting, ...] = Field(max_length=MAX_POINTS)
    known: int = Field(default=0, ge=0)
    """Further points of the design that were measured before, on this host model, at these versions: not repeated."""
    expected_s: float = Field(ge=0)
    """If every point needs as many samples as such points did before, or half of `max_samples`."""
    most_s: float = Field(ge=0)
    """If every point needs all its samples."""
    left_out: tuple[str, ...] = ()
    """What this host cannot measure, each with the reason: 'crossing: the host has one NUMA node'."""
    no_model: str | None = None
    """Why no model that plans could use comes of it even if every point is measured, and the next step."""
    grid_points: int | None = Field(default=None, ge=1, exclude_if=lambda count: count is None)
    """Of a design for levels: combinations of ways and bandwidth on all its kinds of nodes. `points` holds the first of
    each kind; the others are chosen by what is measured, and far from all are. Of one for shares: all its points, of
    which `points` holds the first, from which the rates of the others follow."""
    roomier_host: Name | None = None
    """A host of the same model with more free cores where packets arrive, where this one leaves something out."""


class JobState(StrEnum):
    """Life of a profiling job; the words of operations."""

    QUEUED = "QUEUED"
    PROCESSING = "PROCESSING"
    PAUSED = "PAUSED"
    """No further point is sent; the one that runs ends."""
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"


FINAL_JOB_STATES = frozenset({JobState.COMPLETED, JobState.FAILED, JobState.CANCELLED})
STANDING_JOB_STATES = FINAL_JOB_STATES | {JobState.PAUSED}
"""Waiting for such a job is of no use: it has ended, or is paused, by itself or by a person."""


class JobAction(StrEnum):
    """What an operator may ask of a job."""

    PAUSE = "pause"
    RESUME = "resume"
    CANCEL = "cancel"
    RETRY = "retry"
    """Its failed points once more, and those that the host could not measure."""


class JobOffer(Frozen):
    """A button: disabled with a reason rather than hidden."""

    action: JobAction
    allowed: bool
    reason: str
    """Effect if allowed ('sends no further point'), cause if not."""


class PointState(StrEnum):
    """Life of a point."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    NOT_MEASURABLE = "not_measurable"
    """A result: why this host cannot measure it."""
    FAILED = "failed"
    SKIPPED = "skipped"
    """The job was cancelled before it was measured."""


class ProfilingPoint(Frozen):
    """One point of a job."""

    id: int
    job_id: int
    number: int = Field(ge=0)
    """In the order in which points are measured."""
    setting: PointSetting
    state: PointState
    tries: int = Field(default=0, ge=0)
    progress: ProfileProgress | None = None
    """While it runs."""
    mpps: Estimate | None = None
    """Of the NF whose figures are asked for: with its competitors, where there are any."""
    cpu_percent: Estimate | None = None
    """Of a core that the NF takes; only of `share`."""
    delay_us: Estimate | None = Field(default=None, exclude_if=lambda delay: delay is None)
    """What a packet takes longer than in one process; only of `hop`."""
    drop_percent: Estimate | None = None
    """Throughput that the competitors take, or the chain; None for `ideal`."""
    samples: int = Field(default=0, ge=0)
    void_tries: int = Field(default=0, ge=0)
    """Runs whose gates did not hold, beside its samples; 0 of points that were measured by an earlier version."""
    reused: bool = False
    """Measured by an earlier job at the same versions, and not repeated."""
    record_id: int | None = None
    """Of the stored measurement."""
    note: str | None = None
    """Why it is not measurable, what it waits for ('core 1 runs edge.router'), or how its figures are to be taken."""
    error: Problem | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None


class ProfilingJob(Frozen):
    """A job as lists show it."""

    id: int
    state: JobState
    ask: ProfilingAsk
    nf_version: int
    host_model: str
    points: int = Field(ge=0)
    done: int = Field(ge=0)
    """Measured, reused, or found not to be measurable."""
    grid_points: int | None = Field(default=None, ge=1, exclude_if=lambda count: count is None)
    """Of a job for levels: combinations of ways and bandwidth that there are; of one for shares: all its points.
    `points` counts those chosen so far."""
    not_measurable: int = Field(default=0, ge=0)
    """Of those done: not measurable on the host."""
    failed: int = Field(ge=0)
    running: int | None = None
    """Number of the point that is measured now."""
    seconds_left: float | None = Field(default=None, ge=0)
    left_out: tuple[str, ...] = ()
    note: str | None = None
    """What it waits for, for a person: 'sim-1 is unreachable since 14:02', 'core 1 runs edge.router'."""
    fit_id: int | None = None
    """What was fitted when it was completed."""
    levels_id: int | None = Field(default=None, exclude_if=lambda number: number is None)
    """The levels that it found when it was completed."""
    shares_id: int | None = Field(default=None, exclude_if=lambda number: number is None)
    """The shares that it found when it was completed."""
    error: Problem | None = None
    actions: tuple[JobOffer, ...] = ()
    created_at: datetime
    created_by: str
    started_at: datetime | None
    finished_at: datetime | None
    version: int


class ProfileRecord(Frozen):
    """A stored measurement: never changed, with everything that is needed to repeat it."""

    id: int
    job_id: int
    point_id: int
    host: Name
    host_model: str
    versions: dict[Name, int]
    """Of every NF type in it."""
    setting: PointSetting
    request: ProfileRequest
    result: ProfileResult
    stored_at: datetime
    provenance: Provenance


class ProfileOrder(Frozen):
    """POST /v1/profiles of an agent: measure this point. The same key again is answered, not measured again."""

    key: str = Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9-]+$")
    request: ProfileRequest


class ProfileRunState(StrEnum):
    """Life of a measurement on its host."""

    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


class ProfileRun(Frozen):
    """GET /v1/profiles/{key} of an agent. The last runs are kept until the agent ends."""

    key: str
    state: ProfileRunState
    progress: ProfileProgress | None = None
    result: ProfileResult | None = None
    """Where it is done."""
    reason: str | None = None
    """Where it failed: cause and next step."""
    permanent: bool = False
    """Trying again cannot help before something is changed."""
    kind: Literal["busy", "unsupported", "failed"] | None = None
    """Why it failed: a core runs NFs, the driver does not offer it, anything else."""


class ActiveProfiles(Frozen):
    """GET /v1/profiles of an agent: what is measured now, without results; at most one."""

    runs: tuple[ProfileRun, ...] = ()
