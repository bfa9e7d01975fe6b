"""Sign in, who am I, sign out."""

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from sextant_domain.console.access import Permission

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Principal, Unauthenticated, may, session_cookie
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.auth import secrets, service, sign_in
from sextant_backend.modules.auth.schemas import ConsoleSession, Credentials
from sextant_backend.modules.auth.sign_in import Attempt, SignInClientDep
from sextant_backend.settings import get_settings

SignedIn = Annotated[Principal, may(Permission.SESSION)]
router = APIRouter(prefix="/auth", tags=["auth"], route_class=LateRoute)


@router.post("/login", operation_id="login")
async def login(
    request: Request, response: Response, client: SignInClientDep, session: SessionDep, credentials: Credentials
) -> ConsoleSession:
    """Start a session; its cookie is not readable by scripts. Five failures of a name from one address in a minute, or
    thirty from one address: 429. Too many at once, after a wait of 2 s: 503.
    """
    attempt = Attempt(credentials.username, client, request.headers.get("user-agent", "")[:200])
    stored = await run_in_threadpool(sign_in.stored_password, session, attempt)
    request.state.turn.give_back()
    if not await run_in_threadpool(secrets.password_matches, stored, credentials.password):
        await run_in_threadpool(sign_in.count_failure, attempt)
        raise Unauthenticated("Name or password is wrong.")
    await request.state.turn.take()
    lifetime = timedelta(hours=get_settings().session_hours)
    signed_in = await run_in_threadpool(sign_in.begin_session, session, attempt, stored, lifetime)
    sign_in.give_cookie(request, response, signed_in, lifetime)
    return signed_in.view


@router.get("/session", operation_id="getSession")
def get_session(request: Request, session: SessionDep, _user: SignedIn) -> ConsoleSession:
    """Who is signed in, and the CSRF token of this session."""
    return service.present(session, request)


@router.post("/logout", operation_id="logout", status_code=204)
def logout(request: Request, response: Response, session: SessionDep, principal: SignedIn) -> None:
    """End the session."""
    service.sign_out(session, request, principal)
    response.delete_cookie(session_cookie(request), path="/", httponly=True, samesite="strict")
