"""Operations as the API shows them, and the event of their changes."""

from sextant_domain.console.live import OperationEvent
from sextant_domain.plans.operation import HostWork, Operation, OperationKind
from sqlalchemy.orm import Session

from sextant_backend.kit.outbox import publish
from sextant_backend.modules.operations import host_return
from sextant_backend.modules.operations.operator_actions import offers
from sextant_backend.modules.operations.record import HostRecord, OperationRecord
from sextant_backend.modules.operations.repository import Rows


def view(rows: Rows, record: OperationRecord | None = None) -> Operation:
    """The operation; `record` saves reading it from the rows again."""
    row, record = rows.operation, record or rows.record()
    return Operation(
        id=row.id,
        kind=OperationKind(row.kind),
        state=record.state,
        plan_id=row.plan_id,
        title=row.title,
        hosts=tuple(_work(host) for host in record.hosts),
        waits_for_host=host_return.goes_on(record),
        attempts=record.attempts,
        next_attempt_at=record.next_attempt_at,
        error=record.error,
        actions=offers(record),
        cancel_requested=record.cancel_requested,
        requested_by=row.requested_by,
        request_id=row.request_id,
        created_at=row.created_at,
        started_at=record.started_at,
        finished_at=record.finished_at,
        version=row.version,
    )


def _work(host: HostRecord) -> HostWork:
    return HostWork(
        host=host.host,
        state=host.state,
        from_generation=host.from_generation,
        to_generation=host.to_generation,
        steps=host.steps,
        waits_for_host=host_return.waits_for_host(host),
        after=tuple(sorted({*host.waits_for, *host.waits_ready})),
        outcome=host.outcome,
    )


def publish_change(session: Session, rows: Rows, record: OperationRecord) -> None:
    """Publish it to every console."""
    session.flush()
    publish(session, OperationEvent(operation=view(rows, record)))
