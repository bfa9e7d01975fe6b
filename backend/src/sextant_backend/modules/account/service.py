"""Change one's own password; list, make and end one's own sessions and API tokens."""

from fastapi import Request
from sextant_domain.console.access import Role
from sextant_domain.console.accounts import SessionView, TokenShownOnce, TokenView
from sextant_domain.console.browsers import in_words
from sextant_domain.console.views import Page
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.client import client_of
from sextant_backend.kit.errors import NotFound, SextantError, ValidationFailed
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Unauthenticated
from sextant_backend.modules.account import repository
from sextant_backend.modules.account.schemas import PasswordChange, TokenNew
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.auth import repository as auth_repository
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.auth import sign_in
from sextant_backend.modules.auth.models import ApiToken, BrowserSession, User
from sextant_backend.modules.auth.sign_in import Attempt


def stored_password(session: Session, attempt: Attempt) -> str:
    """What the current password is compared with; raises NoPassword and TooManyAttempts. Ends the transaction."""
    stored = sign_in.stored_password(session, attempt)
    if stored is None:
        raise NoPassword(
            f"{attempt.username} signs in by an identity provider. Nothing was changed.",
            next_actions=[NextAction(label="Change the password there")],
        )
    return stored


class NoPassword(SextantError):
    """Who signs in by an identity provider has none here."""

    kind, status, title = "not-local-account", 409, "Your password is kept by the identity provider"


def fit_password(who: Principal, asked: PasswordChange) -> None:
    """Raises ValidationFailed for a new password that is no better than none."""
    if asked.new_password == asked.current_password:
        raise _unfit("new_password", "it is the current one; choose another")
    if who.username in asked.new_password.lower():
        raise _unfit("new_password", "it contains your username; choose another")


def wrong_password() -> ValidationFailed:
    """What a wrong current password is answered with."""
    return _unfit("current_password", "it is not your current password")


def change_password(session: Session, request: Request, who: Principal, stored: str, hashed: str) -> None:
    """For whoever gave the password that is stored: `hashed` takes its place, and the user's other sessions end. Raises
    ValidationFailed where it was replaced meanwhile."""
    user = _user(session, who)
    session.refresh(user, with_for_update=True)
    if user.password_hash != stored:
        raise wrong_password()
    user.password_hash = hashed
    user.must_change_password = False
    user.version += 1
    repository.end_other_sessions(session, user, _session_hash(request))
    auth_repository.clear_failures(session, who.username, client=client_of(request.scope))
    audit.record(session, who.username, "user.change_password", f"user/{who.username}")


def sessions(
    session: Session, request: Request, who: Principal, asked: Paging, address: str | None
) -> Page[SessionView]:
    """Newest first."""
    current = _session_hash(request)
    found = repository.sessions(session, asked, _user(session, who), address)
    views = [
        SessionView(
            id=row.id,
            created_at=row.created_at,
            last_used_at=row.last_used_at,
            expires_at=row.expires_at,
            client=row.client,
            browser=row.browser,
            browser_name=in_words(row.browser),
            current=row.token_hash == current,
        )
        for row in found.rows
    ]
    return found.page(views)


def end_session(session: Session, who: Principal, number: int) -> None:
    """One of one's own; raises NotFound."""
    row = repository.owned(session, BrowserSession, _user(session, who), number)
    if row is None:
        raise NotFound(f"You have no session {number}. Nothing was changed.")
    detail = {"session": number, "address": row.client}
    session.delete(row)
    audit.record(session, who.username, "session.end", f"user/{who.username}", before=detail)


def tokens(session: Session, who: Principal, asked: Paging, role: Role | None, search: str | None) -> Page[TokenView]:
    """A page of one's own tokens."""
    found = repository.tokens(session, asked, _user(session, who), role=role, search=search)
    return found.page(_token_view(row) for row in found.rows)


def make_token(session: Session, who: Principal, asked: TokenNew) -> TokenShownOnce:
    """Never above who asks: in role, and where a token asks, in time."""
    if asked.role.rank > who.role.rank:
        raise _unfit("role", f"you ask as {who.role}; a token cannot be {asked.role}")
    order = auth.TokenOrder(asked.name, asked.role, asked.days, not_after=who.token_expires_at)
    secret, row = auth.make_token(session, _user(session, who), order, by=who.username)
    session.refresh(row)
    return TokenShownOnce(token=_token_view(row), secret=secret)


def revoke_token(session: Session, who: Principal, number: int) -> None:
    """One of one's own; raises NotFound."""
    row = repository.owned(session, ApiToken, _user(session, who), number)
    if row is None:
        raise NotFound(f"You have no API token {number}. Nothing was changed.")
    detail = {"name": row.name, "role": row.role}
    session.delete(row)
    audit.record(session, who.username, "token.revoke", f"user/{who.username}", before=detail)


def _user(session: Session, who: Principal) -> User:
    user = auth_repository.user_named(session, who.username)
    if user is None:
        raise Unauthenticated("There is no such user any more.")
    return user


def _session_hash(request: Request) -> bytes:
    """Of the session that asks; of a request by token, a hash that no session has."""
    if "authorization" in request.headers:
        return b""
    return auth.session_hash(request)


def _token_view(row: ApiToken) -> TokenView:
    return TokenView(
        id=row.id,
        name=row.name,
        role=Role(row.role),
        created_at=row.created_at,
        last_used_at=row.last_used_at,
        expires_at=row.expires_at,
    )


def _unfit(field: str, message: str) -> ValidationFailed:
    return ValidationFailed(
        f"Refused: {message}. Nothing was changed.", errors=[FieldError(field=field, message=message)]
    )
