"""What an operator may ask of an operation, and what follows: pure.

Cancel stops before the next step of every host; a host that has been ordered (or may have been) goes back to its
former content. So a cancelled operation leaves nothing changed: it ends CANCELLED where nothing had been ordered and
ROLLED_BACK where something had. Fail ends the operation and leaves the hosts as they are.
"""

from sextant_domain.plans.operation import (
    FINAL_STATES,
    ActionOffer,
    OperationAction,
    OperationState,
    StepName,
    StepState,
)

from sextant_backend.modules.operations.events import Action, GenerationConsumed
from sextant_backend.modules.operations.record import (
    ACTIVE_STATES,
    NO_PROGRESS,
    UNDO_ORDER,
    HostRecord,
    OperationRecord,
    waiting,
)

_Offer = tuple[bool, str]


class NotAllowedError(ValueError):
    """The operation is not in a state for that action; the text says why."""


def offers(record: OperationRecord) -> tuple[ActionOffer, ...]:
    """Every action with its effect, or with the reason why not."""
    return tuple(
        ActionOffer(action=action, allowed=allowed, reason=reason)
        for action, (allowed, reason) in ((action, _offer(record, action)) for action in OperationAction)
    )


def act(record: OperationRecord, action: OperationAction) -> tuple[OperationRecord, list[Action]]:
    """Carry the action out; NotAllowedError if it is not offered."""
    allowed, reason = _offer(record, action)
    if not allowed:
        raise NotAllowedError(reason)
    if action is OperationAction.CANCEL:
        return cancel_idle_hosts(record.model_copy(update={"cancel_requested": True})), []
    if action is OperationAction.RETRY:
        hosts = tuple(tried_again(host, returns=0) for host in record.hosts)
        return record.model_copy(update={"hosts": hosts, "queued": True}), []
    if action is OperationAction.ROLLBACK:
        hosts = tuple(_rolled_back(host) for host in record.hosts)
        return record.model_copy(update={"hosts": hosts}), []
    consumed: list[Action] = [
        GenerationConsumed(host.host, _unsafe_generation(host) + 1)
        for host in record.hosts
        if not host.final and _order_in_doubt(host)
    ]
    hosts = tuple(host if host.final else _ended(host, OperationState.FAILED) for host in record.hosts)
    return record.model_copy(update={"hosts": hosts}), consumed


def cancel_idle_hosts(record: OperationRecord) -> OperationRecord:
    """Stop every host that is between two steps: undo what was ordered, skip what was not."""
    return record.model_copy(update={"hosts": tuple(_cancelled(host) for host in record.hosts)})


def _cancelled(host: HostRecord) -> HostRecord:
    if host.in_flight or host.undoing or (host.final and host.state is not OperationState.COMPLETED):
        return host
    return _undo_begins(host) if host.ordered else _ended(host, OperationState.CANCELLED)


def _rolled_back(host: HostRecord) -> HostRecord:
    if host.final and host.state is not OperationState.COMPLETED:
        return host
    return _undo_begins(host) if host.ordered else _ended(host, OperationState.ROLLED_BACK)


def tried_again(host: HostRecord, returns: int) -> HostRecord:
    """At the step that failed; a host that has not failed stays as it is."""
    name = host.next_step
    if host.state is not OperationState.FAILED_TEMP or name is None:
        return host
    step = host.step(name).model_copy(update={"state": StepState.WAITING, "finished_at": None})
    state = OperationState.ROLLING_BACK if host.undoing else OperationState.QUEUED
    return host.put(step, state=state, tries=0, interruptions=0, next_attempt_at=None, error=None, returns=returns)


def _undo_begins(host: HostRecord) -> HostRecord:
    for step in host.steps:
        if step.name in UNDO_ORDER:
            host = host.put(waiting(step.name, "waits to be undone"))
    if host.measures and host.step(StepName.MEASURE).state is not StepState.DONE:
        host = host.put(host.step(StepName.MEASURE).model_copy(update={"state": StepState.SKIPPED}))
    check = host.step(StepName.CHECK).model_copy(update={"state": StepState.UNDONE})
    return host.put(
        check,
        state=OperationState.ROLLING_BACK,
        undoing=True,
        tries=0,
        interruptions=0,
        returns=0,
        next_attempt_at=None,
        moved_at=None,
        progress=NO_PROGRESS,
    )


def _ended(host: HostRecord, state: OperationState) -> HostRecord:
    for step in host.steps:
        if step.state is StepState.WAITING:
            host = host.put(step.model_copy(update={"state": StepState.SKIPPED}))
    return host.model_copy(update={"state": state, "next_attempt_at": None})


def _order_in_doubt(host: HostRecord) -> bool:
    """True where an order was sent and no answer came: the agent may hold it or not."""
    done = StepState.UNDONE if host.undoing else StepState.DONE
    return host.ordered and host.step(StepName.PUT).state is not done


def _unsafe_generation(host: HostRecord) -> int:
    return host.undo_generation if host.undoing else host.to_generation


def _offer(record: OperationRecord, action: OperationAction) -> _Offer:
    if record.state in FINAL_STATES:
        return False, f"the operation has ended: {record.state.value}"
    if action is OperationAction.CANCEL:
        return _offer_cancel(record)
    if record.state is not OperationState.FAILED_TEMP:
        return False, f"only after its tries have failed; now it is {record.state.value}"
    ordered = ", ".join(host.host for host in record.hosts if host.ordered)
    if action is OperationAction.RETRY:
        failed = [host for host in record.hosts if host.state is OperationState.FAILED_TEMP]
        return True, "goes on with " + ", ".join(f"step '{host.next_step}' on {host.host}" for host in failed)
    if action is OperationAction.FAIL:
        return True, f"ends here; {ordered} stays as ordered" if ordered else "ends here; no host was changed"
    return _offer_rollback(record, ordered)


def _offer_rollback(record: OperationRecord, ordered: str) -> _Offer:
    if any(host.undoing for host in record.hosts):
        return False, "it is rolling back already: retry goes on with that"
    return True, f"orders the former content again on {ordered}" if ordered else "ends it; no host was changed"


def _offer_cancel(record: OperationRecord) -> _Offer:
    if record.cancel_requested:
        return False, "cancelling already"
    if record.state not in ACTIVE_STATES or record.state is OperationState.ROLLING_BACK:
        return False, f"nothing is going forward: the operation is {record.state.value}"
    ordered = ", ".join(host.host for host in record.hosts if host.ordered)
    return True, f"stops it and restores the former content of {ordered}" if ordered else "stops it; nothing is changed"
