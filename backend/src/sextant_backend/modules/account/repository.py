"""Queries of one's own sessions and API tokens."""

from collections.abc import Sequence
from typing import TypeVar

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from sextant_backend.modules.auth.models import ApiToken, BrowserSession, User

Credential = TypeVar("Credential", BrowserSession, ApiToken)


def newest(
    session: Session, kind: type[Credential], user: User, limit: int, before: int | None
) -> Sequence[Credential]:
    """Those that have not ended, newest first."""
    query = select(kind).where(kind.user_id == user.id, kind.expires_at > func.clock_timestamp())
    if before is not None:
        query = query.where(kind.id < before)
    return session.scalars(query.order_by(kind.id.desc()).limit(limit)).all()


def owned(session: Session, kind: type[Credential], user: User, number: int) -> Credential | None:
    """One of the user's own."""
    return session.scalars(select(kind).where(kind.user_id == user.id, kind.id == number)).one_or_none()


def end_other_sessions(session: Session, user: User, current: bytes) -> None:
    """Forget every session of the user but the one that asks."""
    session.execute(
        delete(BrowserSession).where(BrowserSession.user_id == user.id, BrowserSession.token_hash != current)
    )
