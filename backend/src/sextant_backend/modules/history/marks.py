"""What happened in a range of time, from every module that has something to say of it.

A source is one line of SOURCES: what it knows of the range, oldest first, at most so many.
"""

from collections.abc import Callable, Sequence

from sextant_domain.console.alerts import AlertObjectKind
from sextant_domain.console.history import HistoryMark, HistoryMarks, MarkKind
from sqlalchemy import exists, func, or_, select
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts.models import AlertRow
from sextant_backend.modules.control.models import RecommendationRow
from sextant_backend.modules.history.schemas import Range
from sextant_backend.modules.operations.models import OperationHostRow, OperationRow
from sextant_backend.modules.plans.models import PlanRow

MOST = 500
Source = Callable[[Session, Range, int], Sequence[HistoryMark]]


def marks(session: Session, asked: Range, host: str | None, chain: str | None) -> HistoryMarks:
    """Of all sources together; of one host or chain where named."""
    found: list[HistoryMark] = []
    cut = False
    for source in SOURCES:
        some = source(session, asked, MOST + 1)
        cut |= len(some) > MOST
        found += some
    kept = [one for one in found if host in {None, *one.hosts} and chain in {None, *one.chains}]
    kept.sort(key=lambda one: (one.at, one.kind, one.id))
    return HistoryMarks(items=tuple(kept[:MOST]), more=cut or len(kept) > MOST)


def _operations(session: Session, asked: Range, most: int) -> list[HistoryMark]:
    """What was applied, from its start to its end."""
    row, began = OperationRow, func.coalesce(OperationRow.started_at, OperationRow.created_at)
    query = (
        select(row, began)
        .where(began < asked.end, or_(row.finished_at.is_(None), row.finished_at >= asked.start))
        .order_by(row.id.desc())
        .limit(most)
    )
    operations = session.execute(query).all()
    touched: dict[int, list[OperationHostRow]] = {}
    ids = [operation.id for operation, _ in operations]
    for one in session.scalars(select(OperationHostRow).where(OperationHostRow.operation_id.in_(ids))):
        touched.setdefault(one.operation_id, []).append(one)
    return [
        HistoryMark(
            kind=MarkKind.OPERATION,
            id=operation.id,
            at=at,
            until=operation.finished_at,
            plan_id=operation.plan_id,
            state=operation.state,
            title=operation.title,
            hosts=tuple(sorted(one.host_id for one in touched.get(operation.id, ()))),
            chains=tuple(sorted({chain for one in touched.get(operation.id, ()) for chain in one.chains})),
        )
        for operation, at in operations
    ]


def _plans(session: Session, asked: Range, most: int) -> list[HistoryMark]:
    """Those that were asked for and not applied: an applied one is marked by its operation, a recommended one by its
    recommendation. What algorithms made for a comparison happened to no host."""
    row = PlanRow
    recommended = exists().where(RecommendationRow.plan_id == row.id)
    query = (
        select(row)
        .where(row.created_at >= asked.start, row.created_at < asked.end, row.source == "fleet")
        .where(row.operation_id.is_(None), row.comparison_id.is_(None), ~recommended)
        .order_by(row.id.desc())
        .limit(most)
    )
    return [
        HistoryMark(
            kind=MarkKind.PLAN,
            id=one.id,
            at=one.created_at,
            until=None,
            plan_id=one.id,
            state=one.state,
            title=f"{one.kind.capitalize()} {one.subject}",
            hosts=tuple(one.hosts),
            chains=tuple(one.chains),
        )
        for one in session.scalars(query)
    ]


def _recommendations(session: Session, asked: Range, most: int) -> list[HistoryMark]:
    """Each from when it was made to when it was decided or withdrawn."""
    row = RecommendationRow
    query = (
        select(row)
        .where(row.created_at < asked.end, or_(row.decided_at.is_(None), row.decided_at >= asked.start))
        .order_by(row.id.desc())
        .limit(most)
    )
    return [
        HistoryMark(
            kind=MarkKind.RECOMMENDATION,
            id=one.id,
            at=one.created_at,
            until=one.decided_at,
            plan_id=one.plan_id,
            state=one.state,
            title=f"{one.law}: {_moves(one.body.get('moves', 0))} recommended",
            hosts=tuple(one.body.get("hosts", ())),
            chains=tuple(one.body.get("chains", ())),
        )
        for one in session.scalars(query)
    ]


def _alerts(session: Session, asked: Range, most: int) -> list[HistoryMark]:
    """Those that fired, from then until they were resolved."""
    row = AlertRow
    query = (
        select(row)
        .where(row.fired_at < asked.end, or_(row.resolved_at.is_(None), row.resolved_at >= asked.start))
        .order_by(row.id.desc())
        .limit(most)
    )
    return [
        HistoryMark(
            kind=MarkKind.ALERT,
            id=one.id,
            at=one.fired_at,
            until=one.resolved_at,
            plan_id=None,
            state=one.state,
            title=f"{one.severity}: {one.summary}",
            hosts=(one.object_name,) if one.object_kind == AlertObjectKind.HOST else (),
            chains=(one.object_name,) if one.object_kind == AlertObjectKind.CHAIN else (),
        )
        for one in session.scalars(query)
        if one.fired_at is not None
    ]


def _moves(number: int) -> str:
    return "1 move" if number == 1 else f"{number} moves"


SOURCES: tuple[Source, ...] = (_operations, _plans, _recommendations, _alerts)
