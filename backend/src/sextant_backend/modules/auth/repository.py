"""Queries of users, sessions, tokens and failed sign-ins. The clock is the database's."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from sextant_backend.modules.auth.models import ApiToken, BrowserSession, LoginFailure, User

_now = func.clock_timestamp()


@dataclass(frozen=True)
class CredentialHolder:
    """Who stands behind a session or token. `role` is the user's own, `token_role` what a token is cut to."""

    username: str
    role: str
    token_role: str | None = None
    expires_at: datetime | None = None


def user_named(session: Session, username: str) -> User | None:
    """The user, if there is one."""
    return session.scalars(select(User).where(User.username == username)).one_or_none()


def add_user(session: Session, user: User) -> None:
    """Store a new user."""
    session.add(user)
    session.flush()


def add_session(session: Session, token_hash: bytes, user: User, lifetime: timedelta) -> datetime:
    """Store a session; returns when it ends."""
    expires_at: datetime = session.execute(select(_now + lifetime)).scalar_one()
    session.add(BrowserSession(token_hash=token_hash, user_id=user.id, expires_at=expires_at))
    return expires_at


def session_holder(session: Session, token_hash: bytes) -> CredentialHolder | None:
    """Who signed in with this session, None where it is unknown or has ended."""
    query = (
        select(User.username, User.role, BrowserSession.expires_at)
        .join(BrowserSession, BrowserSession.user_id == User.id)
        .where(BrowserSession.token_hash == token_hash, BrowserSession.expires_at > _now)
    )
    row = session.execute(query).one_or_none()
    return None if row is None else CredentialHolder(row.username, row.role, expires_at=row.expires_at)


def token_holder(session: Session, token_hash: bytes) -> CredentialHolder | None:
    """Who holds this API token."""
    query = (
        select(User.username, User.role, ApiToken.role.label("token_role"))
        .join(ApiToken, ApiToken.user_id == User.id)
        .where(ApiToken.token_hash == token_hash)
    )
    row = session.execute(query).one_or_none()
    return None if row is None else CredentialHolder(row.username, row.role, row.token_role)


def end_session(session: Session, token_hash: bytes) -> None:
    """Forget a session."""
    session.execute(delete(BrowserSession).where(BrowserSession.token_hash == token_hash))


def end_sessions_of(session: Session, user: User) -> None:
    """Forget every session of a user, as after a change of password."""
    session.execute(delete(BrowserSession).where(BrowserSession.user_id == user.id))


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
    """Drop ended sessions, and failed sign-ins older than an hour."""
    session.execute(delete(BrowserSession).where(BrowserSession.expires_at < _now))
    session.execute(delete(LoginFailure).where(LoginFailure.at < _now - timedelta(hours=1)))
