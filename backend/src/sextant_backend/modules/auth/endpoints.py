"""Sign in, who am I, sign out."""

from datetime import timedelta

from fastapi import APIRouter, Request, Response

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.principal import Viewer, session_cookie
from sextant_backend.modules.auth import service
from sextant_backend.modules.auth.schemas import Credentials, Session
from sextant_backend.settings import get_settings

router = APIRouter(prefix="/auth", tags=["auth"])


@router.post("/login", operation_id="login")
def login(request: Request, response: Response, session: SessionDep, credentials: Credentials) -> Session:
    """Start a session; its cookie is not readable by scripts. Five failures of a name in a minute: 429."""
    lifetime = timedelta(hours=get_settings().session_hours)
    signed_in = service.sign_in(session, credentials, lifetime)
    response.set_cookie(
        session_cookie(request),
        signed_in.cookie,
        max_age=int(lifetime.total_seconds()),
        path="/",
        httponly=True,
        samesite="strict",
        secure=request.url.scheme == "https",
    )
    return signed_in.view


@router.get("/session", operation_id="getSession")
def get_session(request: Request, session: SessionDep, _viewer: Viewer) -> Session:
    """Who is signed in, and the CSRF token of this session."""
    return service.present(session, request)


@router.post("/logout", operation_id="logout", status_code=204)
def logout(request: Request, response: Response, session: SessionDep, principal: Viewer) -> None:
    """End the session."""
    service.sign_out(session, request, principal)
    response.delete_cookie(session_cookie(request), path="/", httponly=True, samesite="strict")
