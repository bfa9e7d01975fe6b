"""The registry of steps, as data: do, undo, precondition, fault points.

Every step may be done twice, and undone twice: the worker that did it may die before it has reported it. Sending
the order of a generation again is harmless (the ledger knows it by digest), sending a file again too; the other steps
only look, the last one at stored telemetry.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from sextant_domain.hosts.desired import ActualState, DesiredHostConfig, DesiredStateOrder, NfState, Phase
from sextant_domain.plans.intents import LossBudget
from sextant_domain.plans.operation import MoveOutcome, StepName
from sextant_domain.plans.plan import HostBase

from sextant_backend.agents.errors import AgentError
from sextant_backend.agents.outgoing import SLOWEST_BYTES_S
from sextant_backend.faults import fault_point
from sextant_backend.modules.operations import file_delivery, problems, verification
from sextant_backend.modules.operations.events import Measured, StepDone, StepFailed, StepPending, StepResult
from sextant_backend.modules.operations.limits import MEASURE_LIMIT_S, MEASURE_S, SETTLE_S, STEP_LIMIT_S
from sextant_backend.modules.operations.move_outcome import move_outcome, not_measured
from sextant_backend.modules.operations.orders import HostOrders
from sextant_backend.modules.operations.readings import Reading, Sample, reading_of


class SampleReader(Protocol):
    """Stored telemetry."""

    def now(self) -> datetime: ...

    def newest(self, host: str) -> Reading | None: ...

    def last(self, host: str, seconds: float) -> Reading | None: ...

    def between(self, host: str, after: datetime, until: datetime) -> list[Sample]: ...


class Agent(file_delivery.FileTaker, Protocol):
    """What the steps need of a host's agent; every method may raise AgentError."""

    def desired(self) -> DesiredHostConfig: ...

    def put(self, order: DesiredStateOrder) -> ActualState: ...

    def actual(self) -> ActualState: ...


@dataclass(frozen=True)
class Work:
    """All that a step is given."""

    operation_id: int
    fence: int
    base: HostBase
    """The order the plan was made on."""
    orders: HostOrders
    files: file_delivery.FileStore
    """Files that the orders name."""
    secrets: file_delivery.SecretStore
    """Secrets that they name."""
    files_bytes: int = 0
    """Of all files."""
    samples: SampleReader | None = None
    """Of hosts that measure what moves bring; None: this one does not."""
    loss_budget: LossBudget | None = None
    measured: Measured | None = None
    """Of the step `measure`: what it compares with."""

    @property
    def target(self) -> DesiredHostConfig:
        """What it is to run in the end."""
        return self.orders.target

    @property
    def former(self) -> DesiredHostConfig:
        """What undoing orders."""
        return self.orders.former

    @property
    def host(self) -> str:
        """The host it happens on."""
        return self.base.host


Do = Callable[[Work, Agent], StepResult]


@dataclass(frozen=True)
class StepSpec:
    """One kind of step."""

    name: StepName
    do: Do
    undo: Do | None
    """None: it changes nothing, so there is nothing to undo."""
    precondition: str
    """What holds when it starts; the decider and the check step see to it."""
    parts: tuple[str, ...] = ()
    """Fault points of its own, on the way."""

    def fault_points(self) -> tuple[str, ...]:
        """The places where this step is interrupted in tests."""
        places = ("before_send", *self.parts, "after_send", "before_commit", "after_commit")
        undos = (False, True) if self.undo else (False,)
        return tuple(point(self.name, undo, at) for undo in undos for at in places)


def perform(name: StepName, undo: bool, work: Work, agent: Agent) -> StepResult:
    """Do or undo one step; AgentError only where the claim is lost."""
    spec = STEPS[name]
    function = spec.undo if undo else spec.do
    if function is None:
        return StepDone(work.host, name, "nothing to undo")
    fault_point(point(name, undo, "before_send"))
    try:
        result = function(work, agent)
    except AgentError as error:
        if error.claim_lost:
            raise
        result = StepFailed(work.host, name, error.problem, error.definitive)
    fault_point(point(name, undo, "after_send"))
    return result


def limit_s(name: StepName, work: Work) -> float:
    """A try of the step that takes longer hangs."""
    return STEP_LIMIT_S + (work.files_bytes / SLOWEST_BYTES_S if name in {StepName.MAKE, StepName.PUT} else 0)


def point(name: StepName, undo: bool, at: str) -> str:
    """The name of a step's fault point."""
    return f"{_stem(name, undo)}.{at}"


def _stem(name: StepName, undo: bool) -> str:
    return f"operate.{name.value}.undo" if undo else f"operate.{name.value}"


def _check(work: Work, agent: Agent) -> StepResult:
    """The ledger must hold what the plan was made on, an older order (it lost its disk), or already the target."""
    ledger = agent.desired()
    base, between = work.base, work.orders.between
    fits = ledger.generation < base.generation or (ledger.generation, ledger.digest) in {
        (base.generation, base.digest),
        *((order.generation, order.digest) for order in (between, work.target) if order is not None),
    }
    if not fits:
        return StepFailed(work.host, StepName.CHECK, problems.ledger_differs(work.host, base, ledger), definitive=True)
    before = None if work.samples is None else work.samples.last(work.host, MEASURE_S)
    return StepDone(work.host, StepName.CHECK, f"ledger at generation {ledger.generation}", before)


def _make(work: Work, agent: Agent) -> StepResult:
    return _order(work, agent, work.orders.between_of(False), StepName.MAKE, undo=False)


def _make_again(work: Work, agent: Agent) -> StepResult:
    return _order(work, agent, work.orders.between_of(True), StepName.MAKE, undo=True)


def _ready(work: Work, agent: Agent) -> StepResult:
    return _both_run(work, agent, work.orders.between_of(False))


def _ready_again(work: Work, agent: Agent) -> StepResult:
    return _both_run(work, agent, work.orders.between_of(True))


def _both_run(work: Work, agent: Agent, wanted: DesiredHostConfig) -> StepResult:
    """Only what was verified counts: another host stops its chain for that."""
    reached = _reached(work, agent, wanted, StepName.READY)
    return _as_ordered(work, agent, wanted, StepName.READY) if isinstance(reached, StepDone) else reached


def _put(work: Work, agent: Agent) -> StepResult:
    return _order(work, agent, work.target, StepName.PUT, undo=False)


def _put_former(work: Work, agent: Agent) -> StepResult:
    return _order(work, agent, work.former, StepName.PUT, undo=True)


def _order(work: Work, agent: Agent, desired: DesiredHostConfig, name: StepName, *, undo: bool) -> StepResult:
    sent = file_delivery.send_missing(agent, work.files, desired, work.fence, _stem(name, undo))
    secrets = file_delivery.opened(work.secrets, desired)
    agent.put(DesiredStateOrder(desired=desired, operation_id=work.operation_id, fence=work.fence, secrets=secrets))
    files = f"; {sent} file{'s' if sent > 1 else ''} sent before" if sent else ""
    return StepDone(work.host, name, f"generation {desired.generation} is in the ledger{files}")


def _converge(work: Work, agent: Agent) -> StepResult:
    return _reached(work, agent, work.target)


def _converge_former(work: Work, agent: Agent) -> StepResult:
    return _reached(work, agent, work.former)


def _reached(work: Work, agent: Agent, wanted: DesiredHostConfig, name: StepName = StepName.CONVERGE) -> StepResult:
    actual = agent.actual()
    ordered = {nf.nf_id for chain in wanted.content.chains for nf in chain.nfs}
    running = sum(nf.state is NfState.RUNNING and nf.nf_id in ordered for nf in actual.nfs)
    detail = f"{running} of {len(ordered)} NFs run"
    if (
        actual.phase is Phase.CONVERGED
        and actual.applied_generation == wanted.generation
        and actual.desired_digest == wanted.digest
    ):
        return StepDone(work.host, name, detail)
    if actual.phase is Phase.BLOCKED:
        return StepFailed(work.host, name, problems.blocked(work.host, actual), definitive=False)
    stalled = problems.not_converged(work.host, wanted, actual, detail)
    strangers = sum(nf.nf_id not in ordered for nf in actual.nfs)
    busy = f"; {work.host} is {actual.busy}" if actual.busy else ""
    return StepPending(work.host, name, detail + busy, running - strangers, stalled, busy=actual.busy is not None)


def _verify(work: Work, agent: Agent) -> StepResult:
    return _as_ordered(work, agent, work.target)


def _verify_former(work: Work, agent: Agent) -> StepResult:
    return _as_ordered(work, agent, work.former)


def _as_ordered(work: Work, agent: Agent, wanted: DesiredHostConfig, name: StepName = StepName.VERIFY) -> StepResult:
    """Every NF on its core and with its resources as the host found them, and no other NF."""
    actual = agent.actual()
    faults = verification.differences(wanted, actual)
    if faults:
        stalled = problems.not_as_ordered(work.host, wanted, faults)
        return StepPending(work.host, name, faults[0], -len(faults), stalled)
    unreported = verification.unreported(wanted, actual)
    rest = f"; {work.host} does not report {', '.join(unreported)}" if unreported else ", with resources as ordered"
    count = "1 NF" if len(actual.nfs) == 1 else f"{len(actual.nfs)} NFs"
    ended = None if work.samples is None else work.samples.newest(work.host)
    return StepDone(work.host, name, f"{count} placed as ordered{rest}", ended)


def _measure(work: Work, _agent: Agent) -> StepResult:
    """What the chains carry now, once there is a whole window of it; its agent is not asked."""
    samples, given = work.samples, work.measured
    if samples is None or given is None or given.converged is None:
        return _measured(work, not_measured(f"{work.host} had sent no telemetry when it was verified"))
    settled = given.converged.at + timedelta(seconds=SETTLE_S)
    until = settled + timedelta(seconds=MEASURE_S)
    newest = samples.newest(work.host)
    if newest is None or newest.at < until:
        if samples.now() - given.since > timedelta(seconds=MEASURE_LIMIT_S):
            return _measured(work, not_measured(f"{work.host} sent too little telemetry within {MEASURE_LIMIT_S:g} s"))
        seconds = 0.0 if newest is None else min(max(0.0, (newest.at - settled).total_seconds()), MEASURE_S)
        detail = f"{seconds:.0f} of {MEASURE_S:g} s measured"
        stalled = problems.hangs(work.host, StepName.MEASURE, MEASURE_LIMIT_S)
        return StepPending(work.host, StepName.MEASURE, detail, int(seconds), stalled, busy=True)
    began = settled if given.before is None else given.before.at - timedelta(microseconds=1)
    found = samples.between(work.host, began, until)
    after = reading_of(newest.at, newest.provenance, [one for one in found if one.ts > settled])
    meanwhile = [one for one in found if one.ts <= settled]
    outcome = move_outcome(given.before, meanwhile, after, work.loss_budget, _frame_bytes(work), moved=_moved(work))
    return _measured(work, outcome)


def _measured(work: Work, outcome: MoveOutcome) -> StepDone:
    return StepDone(work.host, StepName.MEASURE, outcome.text, outcome=outcome)


def _moved(work: Work) -> frozenset[str]:
    """Chains of which an NF changes its core."""
    cores = {nf.nf_id: nf.core for chain in work.former.content.chains for nf in chain.nfs}
    return frozenset(
        chain.chain
        for chain in work.target.content.chains
        if any(cores.get(nf.nf_id, nf.core) != nf.core for nf in chain.nfs)
    )


def _frame_bytes(work: Work) -> dict[str, float]:
    """Mean packet of each chain that runs before and after, and is not paused."""
    before = {chain.chain for chain in work.former.content.chains if not chain.paused}
    return {
        chain.chain: chain.traffic.mean_packet_bytes
        for chain in work.target.content.chains
        if chain.chain in before and not chain.paused
    }


STEPS: dict[StepName, StepSpec] = {
    spec.name: spec
    for spec in (
        StepSpec(StepName.CHECK, _check, None, "the operation holds the host; nothing was sent"),
        StepSpec(
            StepName.MAKE,
            _make,
            _make_again,
            "the ledger holds the plan's base; going back, whatever was ordered",
            file_delivery.PARTS,
        ),
        StepSpec(StepName.READY, _ready, _ready_again, "the ledger holds the order in between"),
        StepSpec(
            StepName.PUT,
            _put,
            _put_former,
            "the ledger holds the plan's base, or what comes in between; hosts it waits for are complete or ready",
            file_delivery.PARTS,
        ),
        StepSpec(StepName.CONVERGE, _converge, _converge_former, "the ledger holds the order"),
        StepSpec(StepName.VERIFY, _verify, _verify_former, "the host said that it converged"),
        StepSpec(StepName.MEASURE, _measure, None, "all is as ordered; what the chains carried before is known"),
    )
}
