"""Carries out what the decider wants, in the transaction of the operation's new state."""

from collections.abc import Iterable

from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.hosts.host import HostInventory
from sextant_domain.plans.operation import OperationKind, OperationState
from sextant_domain.problem import Problem, problem_type
from sqlalchemy.orm import Session

from sextant_backend.domain_events import HostOrdered, OperationEnded, announce
from sextant_backend.faults import fault_point
from sextant_backend.kit.leases import claims
from sextant_backend.modules.chains import lifecycle
from sextant_backend.modules.hosts import repository as hosts_repository
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.operations.events import (
    Action,
    Ended,
    GenerationConsumed,
    HostSettled,
    OrderAccepted,
    Released,
)
from sextant_backend.modules.operations.orders import orders_of
from sextant_backend.modules.operations.record import OperationRecord
from sextant_backend.modules.operations.repository import Rows


def carry_out(session: Session, rows: Rows, record: OperationRecord, actions: Iterable[Action]) -> None:
    """All effects of one decision; `Run` is for the worker. Rows are locked in the order hosts, chains, plans."""
    for action in actions:
        match action:
            case OrderAccepted():
                _order_accepted(session, rows, action)
            case HostSettled():
                _host_settled(session, rows, record, action)
            case GenerationConsumed():
                _generation_consumed(session, action)
            case Released():
                claims.give_back(rows.operation)
            case Ended():
                _ended(session, rows, action.state)


def mark_unreachable_hosts(session: Session, before: OperationRecord, after: OperationRecord) -> None:
    """A host whose order could not be delivered is unreachable until its agent is heard again."""
    for host in after.hosts:
        failed_now = host.state is OperationState.FAILED_TEMP and before.host(host.host).state is not host.state
        if failed_now and host.error is not None and host.error.type == problem_type("agent-unreachable"):
            hosts.mark_unreachable(session, host.host, host.error.detail)


def _order_accepted(session: Session, rows: Rows, accepted: OrderAccepted) -> None:
    row = rows.host(accepted.host)
    desired = orders_of(row).given(undo=accepted.undo, between=accepted.between)
    _book(session, desired, rows.operation.plan_id)


def _book(session: Session, desired: DesiredHostConfig, plan_id: int) -> None:
    """The host's books follow its ledger."""
    host_id = desired.content.host_id
    host = hosts_repository.get(session, host_id, lock=True)
    if host is None:
        raise LookupError(f"host {host_id} is gone")
    cores = HostInventory.model_validate(host.inventory).cores if host.inventory else ()
    lifecycle.mirror(session, desired, {core.id: core.node for core in cores}, plan_id)
    lifecycle.follow_order(session, desired)
    hosts.set_desired(session, desired)
    announce(session, HostOrdered(host_id, plan_id))


def _generation_consumed(session: Session, consumed: GenerationConsumed) -> None:
    """The desired state in the database keeps its content, under a generation that the agent cannot hold."""
    host = hosts_repository.get(session, consumed.host, lock=True)
    if host is not None:
        content = hosts.desired_of(host).content
        hosts.set_desired(session, DesiredHostConfig.of(consumed.generation, content))


def _host_settled(session: Session, rows: Rows, record: OperationRecord, settled: HostSettled) -> None:
    """Chains all of whose hosts are through get the state that their placement says."""
    hosts_of: dict[str, set[str]] = {}
    for row in rows.hosts:
        for chain in row.chains:
            hosts_of.setdefault(chain, set()).add(row.host_id)
    through = {host.host for host in record.hosts if host.final}
    if rows.operation.kind == OperationKind.REMOVE:
        hosts_of = {}  # of the one chain that it is about: only the operation's end deletes it
    lifecycle.settle(session, sorted(name for name, used in hosts_of.items() if settled.host in used <= through))
    hosts.publish(session, settled.host)


def _ended(session: Session, rows: Rows, state: OperationState) -> None:
    """Let go of the hosts, settle the chains, say so."""
    fault_point("operate.before_end")
    row = rows.operation
    claims.give_back(row)
    for host in rows.hosts:
        host.holding = False
    done = state is OperationState.COMPLETED
    names = {chain for host in rows.hosts for chain in host.chains}
    if done and row.kind == OperationKind.REMOVE:
        for name in sorted(names):
            lifecycle.remove(session, name)
    else:
        lifecycle.settle(session, sorted(names))
    if row.kind == OperationKind.LANES:
        lifecycle.forget_unplaced_lanes(session, sorted(names))
    announce(session, OperationEnded(row.plan_id, None if done else _undone(rows, state)))


def _undone(rows: Rows, state: OperationState) -> Problem:
    cause = (rows.operation.error or {}).get("detail")
    return Problem(
        type=problem_type("operation-ended"),
        title="The plan's operation did not complete",
        status=409,
        detail=f"Operation {rows.operation.id} ended as {state.value}." + (f" Cause: {cause}" if cause else ""),
    )
