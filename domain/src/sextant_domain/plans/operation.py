"""Operations: long-running work with steps, each with its undo."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from sextant_domain.base import Frozen, Name, Provenance
from sextant_domain.problem import Problem


class OperationState(StrEnum):
    """Life-cycle states as on the wire; after ETSI SOL003's operation occurrences."""

    QUEUED = "QUEUED"
    STARTING = "STARTING"
    PROCESSING = "PROCESSING"
    PAUSED = "PAUSED"
    COMPLETED = "COMPLETED"
    FAILED_TEMP = "FAILED_TEMP"
    """Three tries within 30 s failed; it waits for retry, rollback or fail, or for the host to report again."""
    FAILED = "FAILED"
    CANCELLED = "CANCELLED"
    ROLLING_BACK = "ROLLING_BACK"
    ROLLED_BACK = "ROLLED_BACK"


FINAL_STATES = frozenset(
    {OperationState.COMPLETED, OperationState.FAILED, OperationState.CANCELLED, OperationState.ROLLED_BACK}
)


class OperationKind(StrEnum):
    """What an operation carries out."""

    APPLY = "apply"
    MIGRATE = "migrate"
    RELOCATE = "relocate"
    """Chains move to other hosts."""
    REMOVE = "remove"
    ADJUST = "adjust"
    RESOURCES = "resources"
    LANES = "lanes"
    """Lanes of a chain start, leave, or get other weights; or that is undone."""


class OperationAction(StrEnum):
    """What an operator may ask of an operation."""

    RETRY = "retry"
    ROLLBACK = "rollback"
    CANCEL = "cancel"
    FAIL = "fail"


class StepName(StrEnum):
    """The steps for each host, in this order."""

    CHECK = "check"
    MAKE = "make"
    """Only where hosts exchange chains: order what arrives beside all that runs."""
    READY = "ready"
    """Only with `make`: all of that runs; hosts whose chains come here may give theirs up."""
    PUT = "put"
    CONVERGE = "converge"
    VERIFY = "verify"
    MEASURE = "measure"
    """Only where a plan moves NFs under a loss budget, or for a law: what its chains carry after, beside before; where
    that is worse, the host goes back by itself."""


class StepState(StrEnum):
    """Life of a step."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    UNDOING = "undoing"
    UNDONE = "undone"
    SKIPPED = "skipped"


class Step(Frozen):
    """One step on one host."""

    name: StepName
    state: StepState
    attempts: int
    started_at: datetime | None
    finished_at: datetime | None
    detail: str
    """Progress or result, for a person: '2 of 3 NFs run'."""
    error: Problem | None


class ChainOutcome(Frozen):
    """A chain before and after a move, by measurement."""

    chain: Name
    before_gbps: float | None
    """What it carried in the last window before; None: not measured."""
    after_gbps: float | None
    offered_before_gbps: float | None = None
    offered_after_gbps: float | None = None
    lost_packets: int | None = None
    """Dropped from the order until it had converged, beyond what it dropped before; None: not known."""
    lost_share: float | None = Field(default=None, exclude_if=lambda share: share is None)
    """The same as a share of what it carries in a second. Absent of chains of which no NF changed its core, and where
    it is not known."""
    before_p95_us: float | None = Field(default=None, exclude_if=lambda us: us is None)
    """95th percentile of latency, mean over the last window before. Absent where its host does not measure it, or no
    packet arrived."""
    after_p95_us: float | None = Field(default=None, exclude_if=lambda us: us is None)
    pause_ms: float | None = None
    """The longest time without a packet meanwhile; None: its host does not report it."""


class MoveOutcome(Frozen):
    """What moving cost and brought on one host."""

    chains: tuple[ChainOutcome, ...]
    before_gbps: float | None
    """Of all of them."""
    after_gbps: float | None
    lost_packets: int | None
    pause_ms: float | None
    within_budget: bool | None
    """None: there was no budget, or it cannot be told."""
    worse: bool
    """It carries less than before though it is offered as much: it goes back."""
    provenance: Provenance | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of what was measured: `simulated` where the twin computed it. Absent where nothing was."""
    text: str
    """In one sentence: 'carries 11.62 Gbps, 10.49 before; 0 packets lost'."""

    @property
    def kept(self) -> bool:
        """Nothing speaks against it: no chain carries less, and no more was lost than was allowed."""
        return not self.worse and self.within_budget is not False


class HostWork(Frozen):
    """The part of an operation that happens on one host."""

    host: Name
    state: OperationState
    from_generation: int
    to_generation: int
    steps: tuple[Step, ...]
    waits_for_host: bool = False
    """It has stopped for want of the host, and goes on by itself once that reports."""
    after: tuple[Name, ...] = ()
    """Hosts that must be complete before this one is ordered what it runs in the end: chains go there from here, or
    they are of the batch before. A host with the step `ready` need only be through with that. Empty where it goes on
    independently of others."""
    outcome: MoveOutcome | None = Field(default=None, exclude_if=lambda outcome: outcome is None)
    """Where it has the step `measure`, once that has run."""


class ActionOffer(Frozen):
    """A button: disabled with a reason rather than hidden."""

    action: OperationAction
    allowed: bool
    reason: str
    """Effect if allowed ('undoes generation 5 on edge-1'), cause if not."""


class Operation(Frozen):
    """An operation as the API shows it."""

    id: int
    kind: OperationKind
    state: OperationState
    plan_id: int
    title: str
    """'Place web-edge on edge-1'."""
    hosts: tuple[HostWork, ...]
    waits_for_host: bool = False
    """It has stopped for want of hosts, and goes on by itself once they report."""
    attempts: int
    next_attempt_at: datetime | None
    error: Problem | None
    actions: tuple[ActionOffer, ...]
    cancel_requested: bool
    requested_by: str
    request_id: str | None
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    version: int
