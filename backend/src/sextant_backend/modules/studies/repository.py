"""Queries of studies."""

from collections.abc import Sequence
from typing import Any

from sextant_domain.studies.study import FINAL_STUDY_STATES, StudyState
from sqlalchemy import ColumnElement, exists, func, or_, select
from sqlalchemy.orm import Session, aliased

from sextant_backend.kit.leases.claims import any_unattended, unattended
from sextant_backend.kit.paging import Found, Order, Paging, contains, equal
from sextant_backend.modules.studies.models import StudyRow

ORDER = Order("id", "-id", id=StudyRow.id, name=StudyRow.name, state=StudyRow.state, finished_at=StudyRow.finished_at)

_ENDED = [state.value for state in FINAL_STUDY_STATES]
OPEN = StudyRow.state.not_in(_ENDED)
"""Condition of studies that a worker is at, or will be."""


def add(session: Session, row: StudyRow) -> None:
    """Store a new study."""
    session.add(row)
    session.flush()


def count(session: Session) -> int:
    """Studies there are."""
    return session.scalar(select(func.count()).select_from(StudyRow)) or 0


def get(session: Session, study_id: int, *, lock: bool = False) -> StudyRow | None:
    """The study of that id, without its file and result; locked, fresh from the database."""
    query = select(StudyRow).where(StudyRow.id == study_id)
    if lock:
        query = query.with_for_update()
    return session.scalars(query.execution_options(populate_existing=True)).one_or_none()


def page(session: Session, asked: Paging, *, state: str | None, search: str | None) -> Found[StudyRow]:
    """A page of studies: in one state, with `search` in the name."""
    row = StudyRow
    return ORDER.read(session, select(row).where(*equal({row.state: state}), *contains(row.name, search)), asked)


def newest(session: Session, how_many: int) -> Sequence[StudyRow]:
    """Every study that is not final and the newest ones, newest first: what a console starts with."""
    recent = select(StudyRow.id).order_by(StudyRow.id.desc()).limit(how_many)
    query = select(StudyRow).where(or_(OPEN, StudyRow.id.in_(recent)))
    return session.scalars(query.order_by(StudyRow.id.desc())).all()


def toml_of(session: Session, study_id: int) -> str | None:
    """The study's file."""
    return session.scalar(select(StudyRow.toml).where(StudyRow.id == study_id))


def result_of(session: Session, study_id: int) -> bytes | None:
    """The study's result, compressed."""
    return session.scalar(select(StudyRow.result).where(StudyRow.id == study_id))


def found_in(session: Session, study_id: int) -> dict[str, Any] | None:
    """The study's summary."""
    return session.scalar(select(StudyRow.found).where(StudyRow.id == study_id))


def open_repetition(session: Session, study_id: int) -> int | None:
    """A study that repeats this one and is not done."""
    query = select(StudyRow.id).where(StudyRow.repeat_of == study_id, OPEN).order_by(StudyRow.id)
    return session.scalar(query.limit(1))


def next_queued(session: Session) -> int | None:
    """The study that has waited longest."""
    queued = select(StudyRow.id).where(StudyRow.state == StudyState.QUEUED.value).order_by(StudyRow.id)
    return session.scalar(queued.limit(1))


def any_to_ring() -> ColumnElement[bool]:
    """Whether `to_ring` would find one."""
    return any_unattended(StudyRow, *_next())


def to_ring(session: Session) -> Sequence[int]:
    """The oldest study that no worker is at, and only while none is at another one: rings would heap up for hours."""
    return unattended(session, StudyRow, *_next())


def _next() -> tuple[ColumnElement[bool], ...]:
    other = aliased(StudyRow)
    held = exists().where(other.claim_token.is_not(None), other.lease_until >= func.clock_timestamp())
    oldest = select(func.min(StudyRow.id)).where(OPEN).scalar_subquery()
    return OPEN, ~held, StudyRow.id == oldest
