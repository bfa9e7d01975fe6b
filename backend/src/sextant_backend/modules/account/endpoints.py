"""One's own account: change the password, list and end sessions, make and revoke API tokens."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.concurrency import run_in_threadpool
from sextant_domain.console.access import Permission, Role
from sextant_domain.console.accounts import SessionView, TokenShownOnce, TokenView
from sextant_domain.console.views import Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.paging import Paging, Search
from sextant_backend.kit.principal import Principal, may
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.account import repository, service
from sextant_backend.modules.account.schemas import PasswordChange, TokenNew
from sextant_backend.modules.auth import secrets, sign_in
from sextant_backend.modules.auth.sign_in import Attempt, ClientDep

router = APIRouter(prefix="/auth", tags=["auth"], route_class=LateRoute)
Number = Annotated[int, Path(ge=1, lt=2**63)]
SignedIn = Annotated[Principal, may(Permission.SESSION)]
OfAccount = Annotated[Principal, may(Permission.ACCOUNT)]


@router.post("/password", operation_id="changePassword", status_code=204)
async def change_password(
    client: ClientDep, request: Request, session: SessionDep, who: SignedIn, asked: PasswordChange
) -> None:
    """Change one's own password, by the current one; ends one's other sessions. Wrong ones count as failed sign-ins.
    Too many at once, sign-ins among them: 503. 409 where an identity provider keeps the password.

    No Idempotency-Key: after the change, the current password is another.
    """
    attempt = Attempt(who.username, client)
    stored = await run_in_threadpool(service.stored_password, session, attempt)
    request.state.turn.give_back()
    if not await run_in_threadpool(secrets.password_matches, stored, asked.current_password):
        await run_in_threadpool(sign_in.count_failure, attempt)
        raise service.wrong_password()
    service.fit_password(who, asked)
    hashed = await run_in_threadpool(secrets.hash_password, asked.new_password)
    await request.state.turn.take()
    await run_in_threadpool(service.change_password, session, request, who, stored, hashed)


@router.get("/sessions", operation_id="listSessions")
def list_sessions(
    session: SessionDep,
    request: Request,
    who: OfAccount,
    asked: Annotated[Paging, repository.SESSION_ORDER.asked],
    address: Annotated[str | None, Query(max_length=100, description="Only those from this address")] = None,
) -> Page[SessionView]:
    """One's own sessions, newest first."""
    return service.sessions(session, request, who, asked, address)


@router.delete("/sessions/{session_id}", operation_id="endSession", status_code=204)
def end_session(session: SessionDep, who: OfAccount, session_id: Number) -> None:
    """End one of one's own sessions."""
    service.end_session(session, who, session_id)


@router.get("/tokens", operation_id="listTokens")
def list_tokens(
    session: SessionDep,
    who: OfAccount,
    asked: Annotated[Paging, repository.TOKEN_ORDER.asked],
    role: Annotated[Role | None, Query(description="Only those of this role")] = None,
    search: Search = None,
) -> Page[TokenView]:
    """One's own API tokens that have not expired, newest first."""
    return service.tokens(session, who, asked, role, search)


@router.post("/tokens", operation_id="createToken", status_code=201)
def create_token(session: SessionDep, who: OfAccount, asked: TokenNew) -> TokenShownOnce:
    """Make an API token, which this answer alone shows. It may do no more than its user, and expires within a year.

    No Idempotency-Key: a kept answer would keep the token. Asked twice, the second token replaces the first.
    """
    return service.make_token(session, who, asked)


@router.delete("/tokens/{token_id}", operation_id="revokeToken", status_code=204)
def revoke_token(session: SessionDep, who: OfAccount, token_id: Number) -> None:
    """Revoke one of one's own tokens; it is refused from the next request on."""
    service.revoke_token(session, who, token_id)
