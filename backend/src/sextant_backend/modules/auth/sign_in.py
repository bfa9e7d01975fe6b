"""Sign in: no more guesses than a forgetful person needs. Wrong passwords are counted by name and address together:
somebody elsewhere cannot lock the right one out by guessing. How many are checked at once: `sign_in_gate.py`.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from fastapi import Depends, Request, Response
from sextant_domain import tracing
from sextant_domain.console.access import Role
from sextant_domain.problem import NextAction
from sqlalchemy.orm import Session as DbSession

from sextant_backend.kit.client import client_of
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.errors import SextantError
from sextant_backend.kit.principal import Unauthenticated, session_cookie
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.auth import repository, secrets, service
from sextant_backend.modules.auth.models import BrowserSession, User
from sextant_backend.modules.auth.schemas import ConsoleSession, Credentials
from sextant_backend.modules.auth.sign_in_gate import Gate

MAX_FAILURES = 5
"""Of a name from one address within WINDOW; then both together are refused until it is over."""
MAX_FAILURES_OF_ADDRESS = 30
"""Of an address, whatever the names."""
WINDOW = timedelta(minutes=1)


class TooManyAttempts(SextantError):
    """Too many refused sign-ins within a minute."""

    kind, status, title = "too-many-attempts", 429, "Too many failed sign-ins"


async def _admitted(request: Request, credentials: Credentials) -> AsyncIterator[str]:
    client = client_of(request.scope)
    gate: Gate = request.app.state.sign_ins
    async with gate.one_of(client, credentials.username):
        yield client


async def _admitted_again(request: Request) -> AsyncIterator[str]:
    client = client_of(request.scope)
    gate: Gate = request.app.state.sign_ins
    async with gate.one_of(client):
        yield client


SignInClientDep = Annotated[str, Depends(_admitted, scope="function")]
"""The client's address, once it may sign in by the `credentials` of its body. To be named before the session: who waits
here, or is refused, has no turn at the database."""
ClientDep = Annotated[str, Depends(_admitted_again, scope="function")]
"""The same for who gives a password again."""


@dataclass(frozen=True)
class Attempt:
    """Who says to be whom."""

    username: str
    client: str
    browser: str = ""
    """As it names itself."""


@dataclass(frozen=True)
class SignedIn:
    """A new session and the cookie that opens it."""

    cookie: str
    view: ConsoleSession


def stored_password(session: DbSession, attempt: Attempt) -> str | None:
    """What the password is compared with, None where nobody has the name; raises TooManyAttempts. Ends the transaction:
    no connection is held while argon2 works."""
    name, client = attempt.username, attempt.client
    if repository.recent_failures(session, WINDOW, username=name, client=client) >= MAX_FAILURES:
        raise _too_many(f"{MAX_FAILURES} sign-ins as {name} from {client}", name)
    if repository.recent_failures(session, WINDOW, client=client) >= MAX_FAILURES_OF_ADDRESS:
        raise _too_many(f"{MAX_FAILURES_OF_ADDRESS} sign-ins from {client}", name)
    user = repository.user_named(session, name)
    session.rollback()
    return None if user is None or user.disabled_at is not None else user.password_hash


def _too_many(what: str, name: str) -> TooManyAttempts:
    return TooManyAttempts(
        f"{what} failed within a minute.",
        headers={"Retry-After": str(int(WINDOW.total_seconds()))},
        next_actions=[
            NextAction(label="Wait a minute"),
            NextAction(label="Set a new password", command=f"python -m sextant_backend reset-password {name}"),
        ],
    )


def begin_session(session: DbSession, attempt: Attempt, stored: str | None, lifetime: timedelta) -> SignedIn:
    """For whoever gave the password that is stored; raises Unauthenticated where it was replaced meanwhile."""
    user = repository.user_named(session, attempt.username)
    if user is None or user.disabled_at is not None or stored is None or user.password_hash != stored:
        raise Unauthenticated("Name or password is wrong.")
    repository.clear_failures(session, user.username, client=attempt.client)
    return open_session(session, user, attempt, lifetime)


def open_session(
    session: DbSession, user: User, attempt: Attempt, lifetime: timedelta, by: str | None = None
) -> SignedIn:
    """For a user who has proven to be one; `by`: the identity provider that vouched for it."""
    name = user.username
    cookie = secrets.new_session()
    row = BrowserSession(
        token_hash=secrets.digest(cookie), user_id=user.id, client=attempt.client, browser=attempt.browser
    )
    expires_at = repository.add_session(session, row, lifetime)
    audit.record(session, name, "auth.sign_in", f"user/{name}", {"by": by} if by else None)
    view = ConsoleSession(
        username=name,
        role=Role(user.role),
        csrf_token=secrets.csrf_of(cookie),
        expires_at=expires_at,
        must_change_password=user.must_change_password,
        traces=tracing.is_on(),
        issuer=user.issuer,
    )
    return SignedIn(cookie, view)


def give_cookie(request: Request, response: Response, signed_in: SignedIn, lifetime: timedelta) -> None:
    """Not readable by scripts, and sent by no other site."""
    response.set_cookie(
        session_cookie(request),
        signed_in.cookie,
        max_age=int(lifetime.total_seconds()),
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )


def count_failure(attempt: Attempt) -> None:
    """In a transaction of its own: the refusal rolls the request's back. The first failure of a minute is audited, and
    the one that closes the name to this address."""
    name, client = attempt.username, attempt.client
    with session_scope() as record:
        repository.add_failure(record, name, client)
        record.flush()
        failures = repository.recent_failures(record, WINDOW, username=name, client=client)
        if failures in (1, MAX_FAILURES) and service.may_audit(name, "unauthenticated"):
            detail = {"reason": "name or password is wrong", "address": client, "failures": failures}
            audit.record(record, name, "auth.refused", f"user/{name}", detail)
