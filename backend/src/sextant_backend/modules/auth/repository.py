"""Queries of users, sessions, tokens and failed sign-ins. The clock is the database's."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import TypeVar

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.orm import Session

from sextant_backend.modules.auth.models import ApiToken, BrowserSession, LoginFailure, User

Bearer = TypeVar("Bearer", BrowserSession, ApiToken)
"""Who holds its secret is signed in."""
USE_NOTED_EVERY = timedelta(minutes=1)
_now = func.clock_timestamp()


@dataclass(frozen=True)
class CredentialHolder:
    """Who stands behind a session or token. `role` is the user's own, `token_role` what a token is cut to."""

    username: str
    role: str
    expires_at: datetime
    must_change_password: bool
    issuer: str | None
    token_role: str | None = None
    token: str | None = None
    """Its name."""


def user_named(session: Session, username: str) -> User | None:
    """The user, if there is one."""
    return session.scalars(select(User).where(User.username == username)).one_or_none()


def add_user(session: Session, user: User) -> None:
    """Store a new user."""
    session.add(user)
    session.flush()


def add_session(session: Session, row: BrowserSession, lifetime: timedelta) -> datetime:
    """Store a session; returns when it ends."""
    now: datetime = session.execute(select(_now)).scalar_one()
    row.expires_at, row.last_used_at = now + lifetime, now
    session.add(row)
    return row.expires_at


def session_holder(session: Session, token_hash: bytes) -> CredentialHolder | None:
    """Who signed in with this session, None where it is unknown, has ended, or its user is disabled."""
    return _holder(session, BrowserSession, token_hash)


def token_holder(session: Session, token_hash: bytes) -> CredentialHolder | None:
    """Who holds this API token, None where it is unknown, has expired, or its user is disabled."""
    return _holder(session, ApiToken, token_hash)


def _holder(session: Session, kind: type[Bearer], token_hash: bytes) -> CredentialHolder | None:
    """The use is noted at most once a minute, and never waited for."""
    query = (
        select(User, kind)
        .join(kind, kind.user_id == User.id)
        .where(kind.token_hash == token_hash, kind.expires_at > _now, User.disabled_at.is_(None))
    )
    found = session.execute(query).one_or_none()
    if found is None:
        return None
    user, row = found
    _note_use(session, kind, token_hash, row.last_used_at)
    held = CredentialHolder(user.username, user.role, row.expires_at, user.must_change_password, user.issuer)
    return replace(held, token_role=row.role, token=row.name) if isinstance(row, ApiToken) else held


def _note_use(session: Session, kind: type[Bearer], token_hash: bytes, last: datetime | None) -> None:
    now: datetime = datetime.now(UTC)
    if last is not None and abs(now - last) < USE_NOTED_EVERY:
        return
    due = select(kind.id).where(kind.token_hash == token_hash).with_for_update(skip_locked=True)
    session.execute(
        update(kind)
        .where(kind.id.in_(due), or_(kind.last_used_at.is_(None), kind.last_used_at < _now - USE_NOTED_EVERY))
        .values(last_used_at=_now)
        .execution_options(synchronize_session=False)
    )


def end_session(session: Session, token_hash: bytes) -> None:
    """Forget a session."""
    session.execute(delete(BrowserSession).where(BrowserSession.token_hash == token_hash))


def end_sessions_of(session: Session, user: User) -> None:
    """Forget every session of a user, as after a change of password."""
    session.execute(delete(BrowserSession).where(BrowserSession.user_id == user.id))


def end_tokens_of(session: Session, user: User) -> None:
    """Forget every API token of a user."""
    session.execute(delete(ApiToken).where(ApiToken.user_id == user.id))


def replace_token(session: Session, token: ApiToken) -> None:
    """Store a token in the place of the one of the same name."""
    session.execute(delete(ApiToken).where(ApiToken.user_id == token.user_id, ApiToken.name == token.name))
    session.add(token)


def recent_failures(session: Session, window: timedelta, *, client: str, username: str | None = None) -> int:
    """Refused sign-ins from an address (of a name) within the window."""
    query = select(func.count()).where(LoginFailure.client == client, LoginFailure.at > _now - window)
    if username is not None:
        query = query.where(LoginFailure.username == username)
    return session.execute(query).scalar_one()


def add_failure(session: Session, username: str, client: str) -> None:
    """Count a refused sign-in."""
    session.add(LoginFailure(username=username, client=client))


def clear_failures(session: Session, username: str, *, client: str | None = None) -> None:
    """Forget the refused sign-ins of a name, from one address or from all."""
    query = delete(LoginFailure).where(LoginFailure.username == username)
    session.execute(query if client is None else query.where(LoginFailure.client == client))


def forget_old(session: Session) -> None:
    """Drop ended sessions, tokens that expired a month ago, and failed sign-ins older than an hour."""
    session.execute(delete(BrowserSession).where(BrowserSession.expires_at < _now))
    session.execute(delete(ApiToken).where(ApiToken.expires_at < _now - timedelta(days=30)))
    session.execute(delete(LoginFailure).where(LoginFailure.at < _now - timedelta(hours=1)))
