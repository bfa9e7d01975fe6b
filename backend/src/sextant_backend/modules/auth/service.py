"""Sign out, and say who stands behind a request; signing in is `sign_in.py`."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog
from fastapi import Request
from pydantic import TypeAdapter, ValidationError
from sextant_domain.console.access import Role
from sextant_domain.console.accounts import DEFAULT_TOKEN_DAYS
from sextant_domain.problem import FieldError, NextAction
from sqlalchemy.orm import Session as DbSession

from sextant_backend.kit.db import session_scope
from sextant_backend.kit.errors import SextantError, ValidationFailed, field_errors
from sextant_backend.kit.principal import CSRF_HEADER, CsrfRefused, Principal, Unauthenticated, session_cookie
from sextant_backend.kit.throttle import Throttle
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.auth import repository, secrets
from sextant_backend.modules.auth.models import ApiToken, User
from sextant_backend.modules.auth.schemas import ConsoleSession, Username

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_log = structlog.get_logger()
_refusals = Throttle(per_minute=120)


def sign_out(session: DbSession, request: Request, principal: Principal) -> None:
    """End the session of this request's cookie."""
    repository.end_session(session, session_hash(request))
    audit.record(session, principal.username, "auth.sign_out", f"user/{principal.username}")


def present(session: DbSession, request: Request) -> ConsoleSession:
    """The session of this request's cookie; raises Unauthenticated for a token, which has none."""
    cookie = request.cookies.get(session_cookie(request), "")
    known = repository.session_holder(session, secrets.digest(cookie))
    if known is None:
        raise Unauthenticated("This request has no browser session.")
    return ConsoleSession(
        username=known.username,
        role=Role(known.role),
        csrf_token=secrets.csrf_of(cookie),
        expires_at=known.expires_at,
        must_change_password=known.must_change_password,
        issuer=known.issuer,
    )


def session_hash(request: Request) -> bytes:
    """Of the session that a request's cookie names; one that no session has where there is no cookie."""
    return secrets.digest(request.cookies.get(session_cookie(request), ""))


def may_audit(actor: str, kind: str) -> bool:
    """Whether a refusal is written into the audit trail: of a flood 120 a minute are, the others are logged."""
    if _refusals.allow():
        return True
    _log.warning("refusal_not_audited", actor=actor, kind=kind, cause="more than 120 a minute")
    return False


class TableAuthenticator:
    """kit.principal.Authenticator over this module's tables."""

    def authenticate(self, session: DbSession, request: Request) -> Principal:
        """By API token where there is an Authorization header, else by cookie and, for writes, CSRF token."""
        if "authorization" in request.headers:
            return self._by_token(session, request)
        cookie = request.cookies.get(session_cookie(request))
        if cookie is None:
            raise Unauthenticated("This request has no session and no API token.")
        known = repository.session_holder(session, secrets.digest(cookie))
        if known is None:
            raise Unauthenticated("The session has ended or was never there.")
        if request.method not in SAFE_METHODS:
            self._check_csrf(request, cookie, known.username)
        return Principal(known.username, Role(known.role), must_change_password=known.must_change_password)

    def _by_token(self, session: DbSession, request: Request) -> Principal:
        scheme, _, token = request.headers["authorization"].partition(" ")
        known = None
        if scheme.lower() == "bearer" and token.startswith(secrets.TOKEN_PREFIX):
            known = repository.token_holder(session, secrets.digest(token))
        if known is None:
            error = Unauthenticated("The API token is unknown, has expired, or was revoked.")
            self.refused(request, "unknown", error)
            raise error
        roles = (Role(known.role), Role(known.token_role or known.role))
        least = min(roles, key=lambda role: role.rank)
        return Principal(
            known.username,
            least,
            token_expires_at=known.expires_at,
            token=known.token,
            must_change_password=known.must_change_password,
        )

    def _check_csrf(self, request: Request, cookie: str, username: str) -> None:
        given = request.headers.get(CSRF_HEADER, "")
        if not secrets.same(given, secrets.csrf_of(cookie)):
            what = "missing" if not given else "wrong"
            error = CsrfRefused(
                f"{CSRF_HEADER} is {what}. Nothing was changed.",
                errors=[FieldError(field=f"header.{CSRF_HEADER}", message=f"{what}; GET /auth/session gives it")],
            )
            self.refused(request, username, error)
            raise error

    def refused(self, request: Request, actor: str, error: SextantError) -> None:
        """Audit a refusal, in a transaction of its own; a flood is cut to 120 entries a minute and logged."""
        if not may_audit(actor, error.kind):
            return
        with session_scope() as record:
            subject = f"{request.method} {request.url.path}"
            audit.record(record, actor, "auth.refused", subject, {"kind": error.kind, "reason": error.detail})


def session_ends_at(session: DbSession, request: Request) -> datetime | None:
    """When the session behind a request ends: None for an API token; raises Unauthenticated where it has ended."""
    if "authorization" in request.headers:
        TableAuthenticator().authenticate(session, request)
        return None
    known = repository.session_holder(session, session_hash(request))
    if known is None:
        raise Unauthenticated("The session has ended.")
    return known.expires_at


def create_user(
    session: DbSession, username: str, password: str, role: Role, *, by: str = "system", must_change: bool = False
) -> User:
    """Store a user; raises ValidationFailed for a name that nobody may have, and sqlalchemy.exc.IntegrityError for one
    that is taken."""
    try:
        TypeAdapter(Username).validate_python(username)
    except ValidationError as error:
        message = field_errors(error.errors(include_url=False))[0].message
        raise ValidationFailed(
            f"Refused: {message}. Nothing was stored.",
            errors=[FieldError(field="username", message=message)],
            next_actions=[NextAction(label="Choose another name: lower-case letters, digits, dots, hyphens")],
        ) from None
    user = User(
        username=username,
        password_hash=secrets.hash_password(password),
        role=role.value,
        must_change_password=must_change,
    )
    repository.add_user(session, user)
    audit.record(session, by, "user.create", f"user/{username}", after={"role": role.value, "disabled": False})
    return user


def set_password(
    session: DbSession, user: User, password: str, *, by: str = "system", must_change: bool = False
) -> None:
    """Replace a password and end the user's sessions."""
    user.password_hash = secrets.hash_password(password)
    user.must_change_password = must_change
    user.version += 1
    repository.end_sessions_of(session, user)
    repository.clear_failures(session, user.username)
    audit.record(session, by, "user.reset_password", f"user/{user.username}")


def create_token(session: DbSession, user: User, name: str, role: Role, *, days: int = DEFAULT_TOKEN_DAYS) -> str:
    """For the administrator's command: a token in the place of the user's token of the same name."""
    token, _row = make_token(session, user, TokenOrder(name, role, days), by="system")
    return token


@dataclass(frozen=True)
class TokenOrder:
    """What a token is to be."""

    name: str
    role: Role
    days: int
    not_after: datetime | None = None
    """When it ends at the latest, whatever its days."""


def make_token(session: DbSession, user: User, order: TokenOrder, *, by: str) -> tuple[str, ApiToken]:
    """Make an API token in the place of the user's token of the same name; only its hash is stored."""
    token = secrets.new_api_token()
    expires_at = datetime.now(UTC) + timedelta(days=order.days)
    if order.not_after is not None:
        expires_at = min(expires_at, order.not_after)
    row = ApiToken(
        token_hash=secrets.digest(token),
        user_id=user.id,
        name=order.name,
        role=order.role.value,
        expires_at=expires_at,
    )
    repository.replace_token(session, row)
    session.flush()
    detail = {"name": order.name, "role": order.role.value, "expires_at": expires_at.isoformat(timespec="seconds")}
    audit.record(session, by, "token.create", f"user/{user.username}", after=detail)
    return token, row
