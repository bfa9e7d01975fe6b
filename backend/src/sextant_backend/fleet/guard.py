"""Nobody passes without the certificate of an enrolled host: checked before a byte of the body is read."""

from datetime import UTC, datetime
from typing import Annotated

import structlog
from cryptography import x509
from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp, Receive, Scope, Send

from sextant_backend.fleet.tls import PEER, host_of
from sextant_backend.kit.db import session_factory, session_scope
from sextant_backend.kit.errors import SextantError, Unavailable, answer
from sextant_backend.kit.throttle import Throttle
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.hosts import service as hosts

HOST_ID = "sextant.host_id"
_refusals = Throttle(per_minute=120)
_log = structlog.get_logger()


class PeerNotAuthorised(SextantError):
    """No certificate, not a host's, or a host that is not enrolled."""

    kind, status, title = "peer-not-authorised", 403, "This peer may not speak to the fleet listener"


class PeerGuard:
    """ASGI middleware around the whole listener, unknown paths included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        certificate = scope.get("extensions", {}).get(PEER)
        try:
            host_id = _identity(certificate)
            if not await run_in_threadpool(_is_enrolled, host_id):
                raise PeerNotAuthorised(f"Host {host_id} is not enrolled. Nothing was stored.")
        except PeerNotAuthorised as error:
            await run_in_threadpool(refused, request, _name(certificate), error)
            await answer(error, request)(scope, receive, send)
        except SQLAlchemyError as error:
            _log.warning("database_unavailable", cause=str(getattr(error, "orig", error)).strip())
            unavailable = Unavailable("The database does not answer. Nothing was stored.")
            await answer(unavailable, request)(scope, receive, send)
        else:
            await self._app({**scope, HOST_ID: host_id}, receive, send)


def _identity(certificate: x509.Certificate | None) -> str:
    if certificate is None:
        raise PeerNotAuthorised("The peer showed no certificate. Nothing was stored.")
    host_id = host_of(certificate)
    if host_id is None:
        raise PeerNotAuthorised("The peer's certificate names no host. Nothing was stored.")
    if certificate.not_valid_after_utc < datetime.now(UTC):  # it was valid when the connection was made
        raise PeerNotAuthorised(f"The certificate of host {host_id} has expired. Nothing was stored.")
    return host_id


def _name(certificate: x509.Certificate | None) -> str:
    host_id = host_of(certificate) if certificate is not None else None
    return f"host/{host_id}" if host_id else "unknown peer"


def _is_enrolled(host_id: str) -> bool:
    with session_factory()() as session:
        return hosts.is_enrolled(session, host_id)


def refused(request: Request, actor: str, error: SextantError) -> None:
    """Audit a refusal; a flood is cut to 120 entries a minute and logged."""
    if not _refusals.allow():
        _log.warning("refusal_not_audited", actor=actor, kind=error.kind, cause="more than 120 a minute")
        return
    try:
        with session_scope() as record:
            subject = f"{request.method} {request.url.path}"
            audit.record(record, actor, "fleet.refused", subject, {"kind": error.kind, "reason": error.detail})
    except SQLAlchemyError as failure:
        _log.warning("refusal_not_audited", actor=actor, kind=error.kind, cause=str(getattr(failure, "orig", failure)))


def host_id_of(request: Request) -> str:
    """The host the guard let in; refuses everybody where the guard is missing."""
    host_id = request.scope.get(HOST_ID)
    if not isinstance(host_id, str):
        raise PeerNotAuthorised("This listener runs without its guard. Nothing was stored.")
    return host_id


PeerHost = Annotated[str, Depends(host_id_of)]
"""The id of the host that speaks, from its certificate."""


def require_own(request: Request, host_id: str, claimed: str) -> None:
    """Refuse a body that speaks for another host than the certificate's."""
    if claimed != host_id:
        error = PeerNotAuthorised(f"Host {host_id} may not report for {claimed}. Nothing was stored.")
        refused(request, f"host/{host_id}", error)
        raise error
