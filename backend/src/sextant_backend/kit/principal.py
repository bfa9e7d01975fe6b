"""Who asks, and what they may do: every endpoint of the console names `Viewer`, `Operator` or `Admin`."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Protocol

from fastapi import Depends, Request, Security
from fastapi.security import APIKeyCookie, HTTPBearer
from sqlalchemy.orm import Session

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.errors import SextantError

COOKIE = "sextant_session"
CSRF_HEADER = "X-CSRF-Token"
_PORT = re.compile(r":([0-9]{1,5})$")


def session_cookie(request: Request) -> str:
    """The name of the session's cookie: it carries the port that the browser asks at, since cookies ignore ports, and
    one console would end the sign-in at another of the same machine."""
    port = _PORT.search(request.headers.get("host", ""))
    return f"{COOKIE}_{port[1]}" if port else COOKIE


class Role(StrEnum):
    """Each includes the ones before it."""

    VIEWER = "viewer"
    OPERATOR = "operator"
    ADMIN = "admin"

    @property
    def rank(self) -> int:
        """0 for viewer; a higher one may do more."""
        return list(Role).index(self)


@dataclass(frozen=True)
class Principal:
    """The user behind a request, with the role this request may use."""

    username: str
    role: Role


class Unauthenticated(SextantError):
    """No session or token, or one that has ended."""

    kind, status, title = "unauthenticated", 401, "Sign in first"

    def __init__(self, detail: str) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class CsrfRefused(SextantError):
    """A write with a cookie but without its token: another site may have sent it."""

    kind, status, title = "csrf", 403, "The write does not prove that it comes from the console"


class Forbidden(SextantError):
    """The role does not suffice."""

    kind, status, title = "forbidden", 403, "Your role does not allow this"


class Authenticator(Protocol):
    """What `app.state.authenticator` offers (modules/auth): the kit itself knows no users."""

    def authenticate(self, session: Session, request: Request) -> Principal:
        """Raise Unauthenticated or CsrfRefused, or say who asks."""

    def refused(self, request: Request, actor: str, error: SextantError) -> None:
        """Write a refusal into the audit trail, in a transaction of its own."""


_cookie = APIKeyCookie(
    name=COOKIE,
    scheme_name="session",
    auto_error=False,
    description="The browser's session; of a console at a port, such as 8400, `sextant_session_8400`",
)
_bearer = HTTPBearer(scheme_name="token", auto_error=False, description="An API token, `sxt_...`")


def authenticated(
    request: Request,
    session: SessionDep,
    _session_cookie: Annotated[str | None, Security(_cookie)] = None,
    _token: Annotated[object, Security(_bearer)] = None,
) -> Principal:
    """Whoever is signed in, whatever the role; once a request."""
    authenticator: Authenticator = request.app.state.authenticator
    return authenticator.authenticate(session, request)


def _at_least(role: Role) -> Callable[..., Principal]:
    def check(request: Request, principal: Annotated[Principal, Depends(authenticated)]) -> Principal:
        if principal.role.rank < role.rank:
            error = Forbidden(f"{principal.username} is {principal.role}; this needs {role}. Nothing was changed.")
            request.app.state.authenticator.refused(request, principal.username, error)
            raise error
        return principal

    return check


Viewer = Annotated[Principal, Depends(_at_least(Role.VIEWER))]
Operator = Annotated[Principal, Depends(_at_least(Role.OPERATOR))]
Admin = Annotated[Principal, Depends(_at_least(Role.ADMIN))]
