"""What follows when a host at which the operation has stopped reports again: pure.

Where its agent was away, or a worker did not come back from asking it, the step is tried again: a few times, and then
only by an operator. Where it runs what was ordered by now, whatever held it up, looking again completes the operation.
What was refused for good stays. An operator may retry, roll back or fail it at any time meanwhile.
"""

from datetime import datetime, timedelta

from sextant_domain.plans.operation import FINAL_STATES, OperationState
from sextant_domain.problem import problem_type

from sextant_backend.modules.operations import operator_actions
from sextant_backend.modules.operations.events import HostSeen
from sextant_backend.modules.operations.limits import RETURN_DELAYS_S
from sextant_backend.modules.operations.record import HostRecord, OperationRecord

_AWAY = frozenset({problem_type("agent-unreachable"), problem_type("step-hangs")})


def seen(record: OperationRecord, event: HostSeen, now: datetime) -> OperationRecord:
    """The record with the host's step to be tried again; the same record where nothing follows."""
    host = record.host(event.host)
    if record.state in FINAL_STATES or not _may_return(host) or host.failed_at is None:
        return record
    is_there = event.generation == host.wanted_generation
    if not is_there and not _was_away(host):
        return record
    if now - host.failed_at < timedelta(seconds=RETURN_DELAYS_S[min(host.returns, len(RETURN_DELAYS_S) - 1)]):
        return record
    returned = record.put(operator_actions.tried_again(host, returns=host.returns + 1))
    return returned.model_copy(update={"queued": True})


def waits_for_host(host: HostRecord) -> bool:
    """Whether it has stopped, and goes on by itself once the host reports."""
    return _may_return(host) and _was_away(host)


def goes_on(record: OperationRecord) -> bool:
    """The same of an operation: of all hosts at which it has stopped."""
    failed = [host for host in record.hosts if host.state is OperationState.FAILED_TEMP]
    return record.state is OperationState.FAILED_TEMP and all(waits_for_host(host) for host in failed)


def _may_return(host: HostRecord) -> bool:
    return host.state is OperationState.FAILED_TEMP and not host.definitive


def _was_away(host: HostRecord) -> bool:
    """For want of the host, and not for the last time."""
    return host.error is not None and host.error.type in _AWAY and host.returns < len(RETURN_DELAYS_S)
