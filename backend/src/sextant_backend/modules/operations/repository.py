"""Queries of operations, and the way between their rows and the decider's record."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.operation import FINAL_STATES, OperationState
from sextant_domain.problem import Problem
from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.orm import Session

from sextant_backend.kit.leases.claims import any_unattended, unattended
from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.hosts.models import Host
from sextant_backend.modules.operations.models import OperationHostRow, OperationRow
from sextant_backend.modules.operations.record import ACTIVE_STATES, HostRecord, OperationRecord

ORDER = Order(
    "id",
    "-id",
    id=OperationRow.id,
    state=OperationRow.state,
    kind=OperationRow.kind,
    started_at=OperationRow.started_at,
    finished_at=OperationRow.finished_at,
)


class Rows(NamedTuple):
    """An operation's rows."""

    operation: OperationRow
    hosts: Sequence[OperationHostRow]
    """By host id."""

    def host(self, name: str) -> OperationHostRow:
        """The row of that host."""
        return next(row for row in self.hosts if row.host_id == name)

    def record(self) -> OperationRecord:
        """As the decider wants it."""
        row = self.operation
        return OperationRecord(
            state=OperationState(row.state),
            hosts=tuple(HostRecord.model_validate(host.record) for host in self.hosts),
            attempts=row.attempts,
            queued=row.queued,
            cancel_requested=row.cancel_requested,
            next_attempt_at=row.next_attempt_at,
            error=None if row.error is None else Problem.model_validate(row.error),
            started_at=row.started_at,
            finished_at=row.finished_at,
        )

    def store(self, record: OperationRecord) -> None:
        """Write the decider's record back and count the change."""
        row = self.operation
        row.state = record.state.value
        row.attempts, row.queued = record.attempts, record.queued
        row.cancel_requested, row.next_attempt_at = record.cancel_requested, record.next_attempt_at
        row.error = None if record.error is None else record.error.model_dump(mode="json")
        row.started_at, row.finished_at = record.started_at, record.finished_at
        row.version += 1
        for host in self.hosts:
            dumped = record.host(host.host_id).model_dump(mode="json")
            if dumped != host.record:
                host.record = dumped


def load(session: Session, operation_id: int, *, lock: bool = False) -> Rows | None:
    """The operation of that id, with its hosts; locked, fresh from the database."""
    query = select(OperationRow).where(OperationRow.id == operation_id)
    if lock:
        query = query.with_for_update()
    row = session.scalars(query.execution_options(populate_existing=True)).one_or_none()
    return None if row is None else _with_hosts(session, [row])[0]


def page(
    session: Session,
    asked: Paging,
    *,
    state: OperationState | None,
    kind: str | None,
    host: str | None,
    chain: str | None,
    plan: int | None,
) -> Found[Rows]:
    """A page of operations: in one state, of one kind, that touch one host, that change one chain, of one plan."""
    row, work = OperationRow, OperationHostRow
    query = select(row).where(*equal({row.state: state, row.kind: kind, row.plan_id: plan}))
    if host is not None:
        query = query.where(exists().where(work.operation_id == row.id, work.host_id == host))
    if chain is not None:
        query = query.where(exists().where(work.operation_id == row.id, work.chains.contains([chain])))
    found = ORDER.read(session, query, asked)
    return Found(_with_hosts(session, found.rows), found.next)


def newest(session: Session, count: int) -> list[Rows]:
    """Every operation that is not final and the newest `count`, newest first: what a console starts with."""
    recent = select(OperationRow.id).order_by(OperationRow.id.desc()).limit(count)
    final = [state.value for state in FINAL_STATES]
    query = select(OperationRow).where(or_(OperationRow.state.not_in(final), OperationRow.id.in_(recent)))
    return _with_hosts(session, session.scalars(query.order_by(OperationRow.id.desc())).all())


def _with_hosts(session: Session, rows: Sequence[OperationRow]) -> list[Rows]:
    query = select(OperationHostRow).where(OperationHostRow.operation_id.in_([row.id for row in rows]))
    query = query.order_by(OperationHostRow.host_id).execution_options(populate_existing=True)
    hosts: dict[int, list[OperationHostRow]] = {}
    for host in session.scalars(query):
        hosts.setdefault(host.operation_id, []).append(host)
    return [Rows(row, hosts.get(row.id, [])) for row in rows]


def holders(session: Session, hosts: Iterable[str]) -> dict[str, int]:
    """Which operation holds each of those hosts."""
    query = select(OperationHostRow).where(OperationHostRow.host_id.in_(list(hosts)), OperationHostRow.holding)
    return {row.host_id: row.operation_id for row in session.scalars(query)}


def all_holders(session: Session) -> dict[str, int]:
    """Which operation holds each host that one holds."""
    query = select(OperationHostRow.host_id, OperationHostRow.operation_id).where(OperationHostRow.holding)
    return dict(session.execute(query).all())


def due() -> tuple[ColumnElement[bool], ...]:
    """Conditions of operations that a worker shall take up."""
    active = [state.value for state in ACTIVE_STATES]
    return (
        OperationRow.state.in_(active),
        or_(OperationRow.next_attempt_at.is_(None), OperationRow.next_attempt_at <= func.clock_timestamp()),
    )


def any_to_ring() -> ColumnElement[bool]:
    """Whether `to_ring` would find one."""
    return any_unattended(OperationRow, *due())


def to_ring(session: Session) -> Sequence[int]:
    """Operations that no worker is at although one should be."""
    return unattended(session, OperationRow, *due())


def any_stopped() -> ColumnElement[bool]:
    """Whether `stopped` would find one."""
    return select(OperationRow.id).where(*_stopped()).exists()


def stopped(session: Session) -> list[Rows]:
    """Operations that have stopped at a host which is up, locked; those that somebody has locked are left out."""
    query = select(OperationRow).where(*_stopped()).order_by(OperationRow.id)
    query = query.with_for_update(key_share=True, skip_locked=True).execution_options(populate_existing=True)
    return _with_hosts(session, session.scalars(query).all())


def _stopped() -> tuple[ColumnElement[bool], ...]:
    at_host = (
        select(OperationHostRow.operation_id)
        .join(Host, Host.host_id == OperationHostRow.host_id)
        .where(
            OperationHostRow.operation_id == OperationRow.id,
            OperationHostRow.record["state"].as_string() == OperationState.FAILED_TEMP,
            Host.status == HostStatus.UP,
        )
    )
    return OperationRow.state == OperationState.FAILED_TEMP, at_host.exists()


def finished_at(session: Session, operation_id: int) -> datetime | None:
    """When the operation ended; None while it has not."""
    return session.scalar(select(OperationRow.finished_at).where(OperationRow.id == operation_id))
