"""An operation as the decider knows it: plain values, no database, no clock."""

from datetime import datetime

from sextant_domain.base import Frozen, Name
from sextant_domain.plans.intents import LossBudget
from sextant_domain.plans.operation import FINAL_STATES, MoveOutcome, OperationState, Step, StepName, StepState
from sextant_domain.problem import Problem

from sextant_backend.modules.operations.readings import Reading

ACTIVE_STATES = frozenset(OperationState) - FINAL_STATES - {OperationState.FAILED_TEMP}
"""States in which a worker has, or shall have, something to do."""

IN_BETWEEN = (StepName.MAKE, StepName.READY)
"""On hosts that have an order in between only."""
STEP_ORDER = (StepName.CHECK, *IN_BETWEEN, StepName.PUT, StepName.CONVERGE, StepName.VERIFY, StepName.MEASURE)
"""The last one on hosts that measure only: most have four steps, as have records of an earlier version."""
UNDO_ORDER = (*IN_BETWEEN, StepName.PUT, StepName.CONVERGE, StepName.VERIFY)
"""Undoing orders the former content, waits for it and verifies it: by way of the order in between where there is one,
so that no chain is left before it runs where it ran. The check changed nothing."""

NO_PROGRESS = -1_000_000
_FINISHED = {StepState.DONE, StepState.UNDONE, StepState.SKIPPED}
IN_FLIGHT = {StepState.RUNNING, StepState.UNDOING}


class HostRecord(Frozen):
    """The part of an operation on one host."""

    host: Name
    state: OperationState = OperationState.QUEUED
    from_generation: int
    to_generation: int
    waits_for: tuple[Name, ...] = ()
    """Hosts that must be complete before this one is ordered: a chain moves from here to there, or they are of the
    batch before."""
    waits_ready: tuple[Name, ...] = ()
    """Hosts whose order in between must be ready before: a chain moves from here to there."""
    steps: tuple[Step, ...]
    undoing: bool = False
    ordered: bool = False
    """True from the moment before the first order was sent: from then on the host may have been changed."""
    tries: int = 0
    """Failed tries of the present step."""
    interruptions: int = 0
    """How often a worker died in the present step."""
    next_attempt_at: datetime | None = None
    moved_at: datetime | None = None
    """When the present try began, or last came nearer to its end."""
    progress: int = NO_PROGRESS
    """The best that StepPending reported in this try."""
    error: Problem | None = None
    definitive: bool = False
    """True where it failed for good: the host's return changes nothing."""
    failed_at: datetime | None = None
    returns: int = 0
    """How often it went on by itself since an operator acted last."""
    loss_budget: LossBudget | None = None
    before: Reading | None = None
    """Of a host that measures: what its chains carried when the check was made, before anything was ordered."""
    converged: Reading | None = None
    """Its newest sample when all had been verified; without chains."""
    outcome: MoveOutcome | None = None

    @property
    def wanted_generation(self) -> int:
        """What it is to run in the end, or in between while that is what it is ordered."""
        final = self.undo_generation if self.undoing else self.to_generation
        return final - 1 if self.next_step in IN_BETWEEN else final

    @property
    def undo_generation(self) -> int:
        """Number of the order that restores the former content. Fixed, so that sending it twice is harmless."""
        return self.to_generation + (2 if self.has_between else 1)

    @property
    def has_between(self) -> bool:
        """It runs what comes to it beside what it ran before it gives anything up."""
        return any(step.name is StepName.MAKE for step in self.steps)

    @property
    def is_ready(self) -> bool:
        """In the present direction, all that comes to it runs: its order in between, or it is complete."""
        state = StepState.UNDONE if self.undoing else StepState.DONE
        return self.has_between and self.step(StepName.READY).state is state

    @property
    def final(self) -> bool:
        """True once nothing more happens on this host."""
        return self.state in FINAL_STATES

    @property
    def next_step(self) -> StepName | None:
        """The step that runs or comes next; None when all are through."""
        for step in self.steps:
            if step.state not in _FINISHED and not (self.undoing and step.name not in UNDO_ORDER):
                return step.name
        return None

    @property
    def measures(self) -> bool:
        """What its chains carry is compared with before, once all is as ordered."""
        return self.steps[-1].name is StepName.MEASURE

    @property
    def goes_back(self) -> MoveOutcome | None:
        """Why it must go back to what it ran before, though all was done as ordered."""
        return None if self.outcome is None or self.outcome.kept else self.outcome

    @property
    def in_flight(self) -> bool:
        """True while a worker is at one of its steps (or died at it)."""
        return any(step.state in IN_FLIGHT for step in self.steps)

    def step(self, name: StepName) -> Step:
        """The step of that name."""
        for step in self.steps:
            if step.name is name:
                return step
        raise LookupError(f"{self.host} has no step {name}")

    def put(self, step: Step, **changes: object) -> "HostRecord":
        """A copy with that step replaced, and other fields changed."""
        steps = tuple(step if old.name is step.name else old for old in self.steps)
        return self.model_copy(update={"steps": steps, **changes})


class OperationRecord(Frozen):
    """What the decider is given and gives back."""

    state: OperationState = OperationState.QUEUED
    hosts: tuple[HostRecord, ...]
    attempts: int = 0
    """How often a worker took it up."""
    queued: bool = True
    """True until a worker takes it up, and again after a retry."""
    cancel_requested: bool = False
    next_attempt_at: datetime | None = None
    error: Problem | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None

    def host(self, name: str) -> HostRecord:
        """The record of that host; KeyError if it is no part of this operation."""
        for host in self.hosts:
            if host.host == name:
                return host
        raise KeyError(name)

    @property
    def goes_back(self) -> HostRecord | None:
        """A host whose moves made it worse: then nothing of the operation stays."""
        return next((host for host in self.hosts if host.goes_back is not None), None)

    @property
    def stops(self) -> bool:
        """Every host goes back as soon as no step is under way there: somebody asked for it, or it made one worse."""
        return self.cancel_requested or self.goes_back is not None

    def put(self, host: HostRecord) -> "OperationRecord":
        """A copy with that host's record replaced."""
        return self.model_copy(update={"hosts": tuple(host if h.host == host.host else h for h in self.hosts)})


def new_host(
    host: str,
    from_generation: int,
    to_generation: int,
    waits_for: tuple[str, ...] = (),
    *,
    waits_ready: tuple[str, ...] = (),
    has_between: bool = False,
    measures: bool = False,
    loss_budget: LossBudget | None = None,
) -> HostRecord:
    """A host on which nothing has been done yet."""
    names = (
        name
        for name in STEP_ORDER
        if (measures or name is not StepName.MEASURE) and (has_between or name not in IN_BETWEEN)
    )
    return HostRecord(
        host=host,
        from_generation=from_generation,
        to_generation=to_generation,
        waits_for=waits_for,
        waits_ready=waits_ready,
        steps=tuple(waiting(name) for name in names),
        loss_budget=loss_budget,
    )


def waiting(name: StepName, detail: str = "") -> Step:
    """A step that has not begun."""
    return Step(
        name=name,
        state=StepState.WAITING,
        attempts=0,
        started_at=None,
        finished_at=None,
        detail=detail,
        error=None,
    )
