"""Set up the identity provider; begin a sign-in by it, and come back from it."""

import time
from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse
from sextant_domain.console.access import Permission
from sextant_domain.console.identity import IdentityProvider, SignInOptions
from sextant_domain.problem import NextAction

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import IfMatch, require_if_match, set_etag
from sextant_backend.kit.principal import Principal, may, session_cookie
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.auth import sign_in
from sextant_backend.modules.auth.sign_in import Attempt, ClientDep, TooManyAttempts
from sextant_backend.modules.identity import policy, service
from sextant_backend.modules.identity.errors import Reason, SignInRefused
from sextant_backend.modules.identity.policy import LIFETIME_S, Handshake
from sextant_backend.modules.identity.schemas import IdentityProviderSettings
from sextant_backend.settings import get_settings

MayManage = Annotated[Principal, may(Permission.USERS_MANAGE)]
SIGN_INS_PER_MINUTE = 60
"""Of an address, begun and finished ones together: each has the console ask the provider."""
_COOKIE_PATH = "/api/v1/auth/oidc"
router = APIRouter(tags=["auth"], route_class=LateRoute)
returning_router = APIRouter(tags=["auth"], route_class=LateRoute)
"""Where browsers come back to: providers add query parameters of their own, which other paths refuse."""


async def _counted(request: Request, client: ClientDep) -> str:
    if not await run_in_threadpool(request.app.state.provider_sign_ins.allow, client):
        raise TooManyAttempts(
            f"{client} has begun or finished {SIGN_INS_PER_MINUTE} sign-ins by the provider within a minute.",
            headers={"Retry-After": "60"},
            next_actions=[NextAction(label="Wait a minute")],
        )
    return client


CountedClient = Annotated[str, Depends(_counted, scope="function")]
"""The client's address, once it may have the provider asked. To be named before the session."""


@router.get("/identity-provider", operation_id="getIdentityProvider")
def get_identity_provider(session: SessionDep, _admin: MayManage, response: Response) -> IdentityProvider:
    """The provider that users may sign in by; 404 where none is set up."""
    found = service.present(session)
    set_etag(response, found.version)
    return found


@router.put("/identity-provider", operation_id="setIdentityProvider")
def set_identity_provider(
    *,
    request: Request,
    response: Response,
    session: SessionDep,
    admin: MayManage,
    wanted: IdentityProviderSettings,
    _if_match: IfMatch = None,
) -> IdentityProvider:
    """Set the provider up, or change it (If-Match then). It is asked for its discovery document first."""
    session.rollback()
    service.check(wanted)
    if (version := service.version(session)) is not None or "If-Match" in request.headers:
        require_if_match(request, version)
    stored = service.store(session, wanted, admin)
    set_etag(response, stored.version)
    return stored


@router.delete("/identity-provider", operation_id="removeIdentityProvider", status_code=204)
def remove_identity_provider(
    request: Request, session: SessionDep, admin: MayManage, _if_match: IfMatch = None
) -> None:
    """Nobody signs in by it any more; its users and their sessions stay, until they end or are disabled."""
    service.present(session)
    require_if_match(request, service.version(session))
    service.remove(session, admin)


@router.get("/auth/options", operation_id="getSignInOptions")
def get_sign_in_options(session: SessionDep) -> SignInOptions:
    """What the sign-in page offers beside username and password."""
    return SignInOptions(provider=service.name(session))


@router.get("/auth/oidc", operation_id="beginSignIn", status_code=303, response_class=Response)
async def begin_sign_in(
    client: CountedClient,
    request: Request,
    session: SessionDep,
    back: Annotated[str | None, Query(max_length=1001)] = None,
) -> Response:
    """Leads the browser to the identity provider; `back`: the page of this console to come back to."""
    handshake = Handshake.begin(time.time(), policy.own_path(back))
    try:
        found = await run_in_threadpool(service.known, session)
        request.state.turn.give_back()
        response = _to(await run_in_threadpool(service.address, found, handshake))
    except SignInRefused as refused:
        return await _refused(refused, client)
    response.set_cookie(
        _cookie_name(request),
        handshake.cookie,
        max_age=LIFETIME_S,
        path=_COOKIE_PATH,
        httponly=True,
        samesite="lax",  # the provider sends the browser back, which is another site
        secure=request.url.scheme == "https",
    )
    return response


@returning_router.get("/auth/oidc/callback", operation_id="finishSignIn", status_code=303, response_class=Response)
async def finish_sign_in(
    *,
    client: CountedClient,
    request: Request,
    session: SessionDep,
    code: Annotated[str | None, Query(max_length=4096)] = None,
    state: Annotated[str | None, Query(max_length=200)] = None,
    error: Annotated[str | None, Query(max_length=200)] = None,
    iss: Annotated[str | None, Query(max_length=500)] = None,
) -> Response:
    """Where the provider sends the browser back to: signs in, and leads to the page that the sign-in began at."""
    try:
        handshake, back = service.handshake_of(request.cookies.get(_cookie_name(request)), state)
        found = await run_in_threadpool(service.known, session)
        if iss is not None and iss != found.client.issuer:  # RFC 9207: an answer of another provider
            raise SignInRefused(Reason.INVALID, "the answer names another issuer")
        if code is None:
            raise SignInRefused(Reason.DECLINED, f"the provider says {error or 'nothing'}")
        request.state.turn.give_back()
        claims = await run_in_threadpool(service.identify, found, handshake, code)
        await request.state.turn.take()
        attempt = Attempt("", client, request.headers.get("user-agent", "")[:200])
        lifetime = timedelta(hours=get_settings().session_hours)
        signed_in = await run_in_threadpool(service.sign_in_by, session, found, claims, attempt, lifetime)
    except SignInRefused as refused:
        session.rollback()
        response = await _refused(refused, client)
    else:
        response = _to(back)
        sign_in.give_cookie(request, response, signed_in, lifetime)
    response.delete_cookie(_cookie_name(request), path=_COOKIE_PATH, httponly=True, samesite="lax")
    return response


async def _refused(refused: SignInRefused, client: str) -> Response:
    await run_in_threadpool(service.audit_refusal, refused, client)
    return _to(f"/sign-in?refused={refused.reason}")


def _to(address: str) -> Response:
    return RedirectResponse(address, 303, headers={"Cache-Control": "no-store", "Referrer-Policy": "no-referrer"})


def _cookie_name(request: Request) -> str:
    """Beside the session's, by port as that one."""
    return session_cookie(request).replace("session", "sign_in")
