"""What the decider receives (events) and what it wants done (actions, effects)."""

from dataclasses import dataclass
from datetime import datetime

from sextant_domain.plans.operation import MoveOutcome, OperationAction, OperationState, StepName
from sextant_domain.problem import Problem

from sextant_backend.modules.operations.readings import Reading

# -- events from the sweep


@dataclass(frozen=True)
class HostSeen:
    """The operation has stopped at this host, and the host reports."""

    host: str
    generation: int | None
    """What it runs as ordered; None while it is on its way there."""


# -- events from a worker


@dataclass(frozen=True)
class Claimed:
    """A worker took the operation up, for the first time or after another one died."""


@dataclass(frozen=True)
class Tick:
    """The worker that holds the claim asks whether something has become due."""


@dataclass(frozen=True)
class StepDone:
    """The step reached its end."""

    host: str
    step: StepName
    detail: str
    reading: Reading | None = None
    """Of hosts that measure: what the host's chains carry now."""
    outcome: MoveOutcome | None = None
    """Of the step `measure`."""


@dataclass(frozen=True)
class StepPending:
    """The step is not there yet: ask again."""

    host: str
    step: StepName
    detail: str
    progress: int
    """Rises as the step comes nearer to its end (NFs that run)."""
    stalled: Problem
    """The cause, if this goes on for too long."""
    busy: bool = False
    """The agent says that it is at it."""


@dataclass(frozen=True)
class StepFailed:
    """One try of the step failed."""

    host: str
    step: StepName
    problem: Problem
    definitive: bool
    """True where another try cannot help: the ledger refused."""


StepResult = StepDone | StepPending | StepFailed

# -- events from an operator


@dataclass(frozen=True)
class Asked:
    """An operator pressed a button; the service has checked that it is offered."""

    action: OperationAction


Event = Claimed | Tick | StepDone | StepPending | StepFailed | Asked | HostSeen

# -- actions: for the worker that holds the claim


@dataclass(frozen=True)
class Measured:
    """What the step `measure` compares with."""

    before: Reading | None
    converged: Reading | None
    since: datetime
    """When it began first."""


@dataclass(frozen=True)
class StepRun:
    """Do (or undo) this step on this host, `after_s` seconds from now, then report the result."""

    host: str
    step: StepName
    undo: bool
    after_s: float = 0.0
    measured: Measured | None = None
    """Of the step `measure`."""


# -- effects: carried out in the same transaction as the new state


@dataclass(frozen=True)
class OrderAccepted:
    """The agent's ledger holds the new content (or, `undo`, the former one; or, `between`, what comes before that in
    this direction): the database follows."""

    host: str
    undo: bool
    between: bool = False


@dataclass(frozen=True)
class HostSettled:
    """The host was verified at this generation."""

    host: str
    generation: int


@dataclass(frozen=True)
class GenerationConsumed:
    """It is unknown whether the agent took an order of this number: never use the number again."""

    host: str
    generation: int


@dataclass(frozen=True)
class Released:
    """No worker is needed until the operation's `next_attempt_at`, or until an operator acts."""


@dataclass(frozen=True)
class Ended:
    """The operation is final: it lets go of its hosts."""

    state: OperationState


Action = StepRun | OrderAccepted | HostSettled | GenerationConsumed | Released | Ended


@dataclass(frozen=True)
class ActionRefusal:
    """Why an operator's action is not possible now."""

    reason: str
