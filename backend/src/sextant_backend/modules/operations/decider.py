"""Decides what an operation does next: pure, synchronous, the clock passed in.

`decide(record, event, now)` gives the new record and the actions. A step is marked as running in the same
transition that asks for it, so a record that says 'running' with no worker at it means that the worker died.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sextant_domain.plans.operation import FINAL_STATES, OperationState, Step, StepName, StepState
from sextant_domain.problem import Problem, problem_type

from sextant_backend.modules.operations import host_return, operator_actions, problems
from sextant_backend.modules.operations.events import (
    Action,
    Asked,
    Claimed,
    Ended,
    Event,
    HostSeen,
    HostSettled,
    Measured,
    OrderAccepted,
    Released,
    StepDone,
    StepFailed,
    StepPending,
    StepResult,
    StepRun,
    Tick,
)
from sextant_backend.modules.operations.limits import (
    BUSY_S,
    MAX_INTERRUPTIONS,
    MAX_TRIES,
    POLL_S,
    RETRY_DELAYS_S,
    STALL_S,
)
from sextant_backend.modules.operations.record import ACTIVE_STATES, IN_FLIGHT, NO_PROGRESS, HostRecord, OperationRecord

_ORDERS = {StepName.MAKE, StepName.PUT}
_GOING_FORWARD = {OperationState.STARTING, OperationState.PROCESSING}


@dataclass(frozen=True)
class Decision:
    """The operation as it is now, and what follows."""

    record: OperationRecord
    actions: tuple[Action, ...] = ()


def decide(record: OperationRecord, event: Event, now: datetime) -> Decision:
    """One transition. Events that no longer fit (a late result, a claim of a final operation) change nothing."""
    if isinstance(event, Asked):
        changed, effects = operator_actions.act(record, event.action)
        return _summed_up(changed, effects, now)
    if isinstance(event, HostSeen):
        returned = host_return.seen(record, event, now)
        return Decision(record) if returned is record else _summed_up(returned, [], now)
    if record.state not in ACTIVE_STATES:
        return Decision(record, (Released(),))
    effects = []
    if isinstance(event, Claimed):
        record = _on_claimed(record, now)
    elif not isinstance(event, Tick):
        host = record.host(event.host)
        if host.next_step is not event.step or not host.in_flight:
            return Decision(record)
        host, effects = _result(host, event, now)
        if record.stops and isinstance(event, StepPending) and not host.undoing:
            host = _stop_polling(host)
        record = record.put(host)
    if record.stops:
        record = operator_actions.cancel_idle_hosts(record)
    record, runs = _start_what_is_due(record, event, now)
    return _summed_up(record, [*effects, *runs], now)


def _on_claimed(record: OperationRecord, now: datetime) -> OperationRecord:
    """A new claim: whatever runs by the book was interrupted, and is done again."""
    hosts = tuple(_interrupted(host, now) if host.in_flight else host for host in record.hosts)
    return record.model_copy(
        update={
            "hosts": hosts,
            "attempts": record.attempts + 1,
            "queued": False,
            "started_at": record.started_at or now,
        }
    )


def _interrupted(host: HostRecord, now: datetime) -> HostRecord:
    name = host.next_step
    assert name is not None, "a step in flight is the next step"  # noqa: S101
    step = host.step(name)
    times = host.interruptions + 1
    if times < MAX_INTERRUPTIONS:
        return host.put(step.model_copy(update={"state": StepState.WAITING}), interruptions=times)
    problem = Problem(
        type=problem_type("worker-died"),
        title="The worker died again and again",
        status=500,
        detail=f"{host.host}: {times} workers died in step '{name.value}'. Nothing is known of the cause here; "
        "see the workers' logs.",
    )
    return _mark_failed(host, step, problem, True, now)


def _result(host: HostRecord, result: StepResult, now: datetime) -> tuple[HostRecord, list[Action]]:
    step = host.step(result.step)
    if isinstance(result, StepDone):
        return _done(host, step, result, now)
    if isinstance(result, StepFailed):
        return _failed(host, step, result.problem, result.definitive, now), []
    if result.progress > host.progress or (result.busy and _within(step, BUSY_S, now)):
        host = host.model_copy(update={"progress": max(result.progress, host.progress), "moved_at": now})
    if host.moved_at is not None and now - host.moved_at >= timedelta(seconds=STALL_S):
        return _failed(host, step, result.stalled, False, now), []
    return host.put(step.model_copy(update={"detail": result.detail})), []


def _within(step: Step, seconds: float, now: datetime) -> bool:
    """It began first no longer ago."""
    return step.started_at is not None and now - step.started_at < timedelta(seconds=seconds)


def _stop_polling(host: HostRecord) -> HostRecord:
    """A step that only waits need not come to its end before the host can be stopped."""
    for step in host.steps:
        if step.state in IN_FLIGHT:
            host = host.put(step.model_copy(update={"state": StepState.WAITING}))
    return host


def _remembered(host: HostRecord, done: StepDone) -> HostRecord:
    """What was measured, so that a worker that takes over compares with the same."""
    update: dict[str, object] = {}
    if done.step is StepName.CHECK:
        update = {"before": done.reading}
    elif done.step is StepName.VERIFY:
        update = {"converged": done.reading}
    elif done.step is StepName.MEASURE:
        update = {"outcome": done.outcome}
    return host.model_copy(update=update)


def _done(host: HostRecord, step: Step, result: StepDone, now: datetime) -> tuple[HostRecord, list[Action]]:
    state = StepState.UNDONE if host.undoing else StepState.DONE
    done = step.model_copy(update={"state": state, "detail": result.detail, "finished_at": now, "error": None})
    host = host.put(done, tries=0, interruptions=0, progress=NO_PROGRESS, moved_at=None, next_attempt_at=None)
    host = host if host.undoing else _remembered(host, result)
    effects: list[Action] = []
    if step.name in _ORDERS:
        effects.append(OrderAccepted(host.host, host.undoing, step.name is StepName.MAKE))
    if host.next_step is None:
        effects += [] if not host.undoing and host.goes_back else [HostSettled(host.host, host.wanted_generation)]
        final = OperationState.ROLLED_BACK if host.undoing else OperationState.COMPLETED
        why = None if host.goes_back is None else problems.made_worse(host.host, host.goes_back)
        host = host.model_copy(update={"state": final, "error": why})
    return host, effects


def _failed(host: HostRecord, step: Step, problem: Problem, definitive: bool, now: datetime) -> HostRecord:
    tries = host.tries + 1
    if definitive or tries >= MAX_TRIES:
        return _mark_failed(host.model_copy(update={"tries": tries}), step, problem, definitive, now)
    again = step.model_copy(update={"state": StepState.WAITING, "error": problem, "detail": problem.detail})
    wait = timedelta(seconds=RETRY_DELAYS_S[tries - 1])
    return host.put(again, tries=tries, next_attempt_at=now + wait, moved_at=None, progress=NO_PROGRESS)


def _mark_failed(host: HostRecord, step: Step, problem: Problem, definitive: bool, now: datetime) -> HostRecord:
    failed = step.model_copy(
        update={"state": StepState.FAILED, "error": problem, "detail": problem.detail, "finished_at": now}
    )
    return host.put(
        failed,
        state=OperationState.FAILED_TEMP,
        error=problem,
        next_attempt_at=None,
        moved_at=None,
        definitive=definitive,
        failed_at=now,
    )


def _start_what_is_due(record: OperationRecord, event: Event, now: datetime) -> tuple[OperationRecord, list[Action]]:
    """Start every host's next step that may run; ask again for the one that is pending."""
    runs: list[Action] = []
    for host in record.hosts:
        step = host.next_step
        if step is None or host.final or host.state is OperationState.FAILED_TEMP:
            continue
        if host.in_flight:
            if isinstance(event, StepPending) and event.host == host.host:
                runs.append(StepRun(host.host, step, host.undoing, POLL_S, _measured(host, step)))
            continue
        if (host.next_attempt_at is not None and host.next_attempt_at > now) or _must_wait(record, host):
            continue
        begun = _started(host, host.step(step), now)
        record = record.put(begun)
        runs.append(StepRun(host.host, step, host.undoing, measured=_measured(begun, step)))
    return record, runs


def _measured(host: HostRecord, step: StepName) -> Measured | None:
    since = host.step(step).started_at
    if step is not StepName.MEASURE or since is None:
        return None
    return Measured(host.before, host.converged, since)


def _started(host: HostRecord, step: Step, now: datetime) -> HostRecord:
    begun = step.model_copy(
        update={
            "state": StepState.UNDOING if host.undoing else StepState.RUNNING,
            "attempts": step.attempts + 1,
            "started_at": step.started_at or now,
            "finished_at": None,
        }
    )
    return host.put(
        begun,
        state=OperationState.ROLLING_BACK if host.undoing else OperationState.PROCESSING,
        ordered=host.ordered or step.name in _ORDERS,
        next_attempt_at=None,
        moved_at=now,
        progress=NO_PROGRESS,
    )


def _must_wait(record: OperationRecord, host: HostRecord) -> bool:
    """A chain that moves between hosts stops at the old place only once the new one is complete, or runs it in between,
    and a batch begins once the one before is complete; undone in reverse."""
    if host.next_step is not StepName.PUT:
        return False
    if host.undoing:
        return any(_goes_back_to(other, host) for other in record.hosts)
    return any(record.host(name).state is not OperationState.COMPLETED for name in host.waits_for) or not all(
        record.host(name).is_ready for name in host.waits_ready
    )


def _goes_back_to(other: HostRecord, host: HostRecord) -> bool:
    """Chains are still to run there again that came from there."""
    came = host.host in (*other.waits_for, *other.waits_ready)
    return came and other.ordered and not other.final and not (other.undoing and other.is_ready)


def _summed_up(record: OperationRecord, actions: list[Action], now: datetime) -> Decision:
    """The operation's own state follows from its hosts'."""
    hosts = record.hosts
    busy = any(host.in_flight for host in hosts)
    due = [host for host in hosts if _can_go_on(record, host)]
    state = _state_of(record, busy, bool(due))
    waits = [host.next_attempt_at for host in due]
    wait = None if busy or None in waits or not waits else min(when for when in waits if when is not None)
    if state in _GOING_FORWARD and not busy and wait is not None:
        state = OperationState.PAUSED
    update: dict[str, object] = {"state": state, "next_attempt_at": wait if state not in FINAL_STATES else None}
    if state is OperationState.FAILED_TEMP:
        update["error"] = next(host.error for host in hosts if host.state is OperationState.FAILED_TEMP)
    elif state is OperationState.COMPLETED:
        update["error"] = None
    worse = record.goes_back
    if worse is not None and worse.goes_back is not None and state is not OperationState.FAILED_TEMP:
        update["error"] = problems.made_worse(worse.host, worse.goes_back)
    if state in FINAL_STATES:
        update["finished_at"] = now
        actions = [*actions, Ended(state)]
    elif not busy:
        actions = [*actions, Released()]
    return Decision(record.model_copy(update=update), tuple(actions))


def _can_go_on(record: OperationRecord, host: HostRecord) -> bool:
    return not host.final and host.state is not OperationState.FAILED_TEMP and not _must_wait(record, host)


def _state_of(record: OperationRecord, busy: bool, due: bool) -> OperationState:
    states = {host.state for host in record.hosts}
    if busy or due:
        if any(host.undoing and not host.final for host in record.hosts):
            return OperationState.ROLLING_BACK
        if record.queued:
            return OperationState.QUEUED
        ordered = any(host.ordered for host in record.hosts)
        return OperationState.PROCESSING if ordered else OperationState.STARTING
    if OperationState.FAILED_TEMP in states:
        return OperationState.FAILED_TEMP
    for final in (OperationState.FAILED, OperationState.ROLLED_BACK, OperationState.CANCELLED):
        if final in states:
            return final
    return OperationState.COMPLETED
