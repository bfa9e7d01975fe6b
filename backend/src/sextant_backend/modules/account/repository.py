"""Queries of one's own sessions and API tokens."""

from typing import TypeVar

from sextant_domain.console.access import Role
from sqlalchemy import Select, delete, func, select
from sqlalchemy.orm import Session

from sextant_backend.kit.paging import Found, Order, Paging, contains, equal
from sextant_backend.modules.auth.models import ApiToken, BrowserSession, User

Credential = TypeVar("Credential", BrowserSession, ApiToken)

SESSION_ORDER = Order(
    "id",
    "-id",
    id=BrowserSession.id,
    last_used_at=BrowserSession.last_used_at,
    expires_at=BrowserSession.expires_at,
)
TOKEN_ORDER = Order(
    "id",
    "-id",
    id=ApiToken.id,
    name=ApiToken.name,
    role=ApiToken.role,
    last_used_at=ApiToken.last_used_at,
    expires_at=ApiToken.expires_at,
)


def sessions(session: Session, asked: Paging, user: User, address: str | None) -> Found[BrowserSession]:
    """A page of the user's sessions that have not ended: all, or those from one address."""
    row = BrowserSession
    return SESSION_ORDER.read(session, _living(row, user).where(*equal({row.client: address})), asked)


def tokens(session: Session, asked: Paging, user: User, *, role: Role | None, search: str | None) -> Found[ApiToken]:
    """A page of the user's tokens that have not expired: of one role, with `search` in the name."""
    row = ApiToken
    query = _living(row, user).where(*equal({row.role: role}), *contains(row.name, search))
    return TOKEN_ORDER.read(session, query, asked)


def _living(kind: type[Credential], user: User) -> Select[Credential]:
    return select(kind).where(kind.user_id == user.id, kind.expires_at > func.clock_timestamp())


def owned(session: Session, kind: type[Credential], user: User, number: int) -> Credential | None:
    """One of the user's own."""
    return session.scalars(select(kind).where(kind.user_id == user.id, kind.id == number)).one_or_none()


def end_other_sessions(session: Session, user: User, current: bytes) -> None:
    """Forget every session of the user but the one that asks."""
    session.execute(
        delete(BrowserSession).where(BrowserSession.user_id == user.id, BrowserSession.token_hash != current)
    )
