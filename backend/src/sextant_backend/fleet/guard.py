"""Nobody passes without a certificate that is trusted now: judged at every request, before a byte of the body is read.

Reports come every second, and to judge takes a session and two ways to a thread: of a connection whose peer was trusted
within the last half minute the body of a report is read at once, and the peer is judged in the session that stores it
(`judge_again`). One that was revoked meanwhile gets the same answer, after a body of bounded size.

Two doors stand open to those who have no certificate yet: the authority's certificate, and enrolment by token.
"""

from collections.abc import Collection
from datetime import UTC, datetime
from time import monotonic
from typing import Annotated

import structlog
from fastapi import Depends, Request
from fastapi.concurrency import run_in_threadpool
from sextant_domain.problem import NextAction, Problem
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sextant_backend.fleet.tls import PEER, Peer, ShownCertificate
from sextant_backend.kit.db import session_factory, session_scope
from sextant_backend.kit.errors import SextantError, Unavailable, answer
from sextant_backend.kit.throttle import Throttle
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.hosts import service as hosts

AUTHORITY, ENROL = "/fleet/v1/authority", "/fleet/v1/enrol"
OPEN = frozenset({("GET", AUTHORITY), ("POST", ENROL)})
"""Doors without a certificate. This list may only shrink."""
TELEMETRY, BATCHES = "/fleet/v1/telemetry", "/fleet/v1/telemetry/batches"
JUDGED_WHERE_STORED = frozenset({("POST", TELEMETRY), ("POST", BATCHES)})
"""Whose endpoints call `judge_again`."""
REMEMBERED_S = 30.0
IDENTITY = "sextant.peer"
_SHOWN_BYTES = 4096
_refusals = Throttle(per_minute=120)
_log = structlog.get_logger()


class PeerNotAuthorised(SextantError):
    """No certificate, one of nobody here, one that is not trusted any more, or a host that is not the peer's."""

    kind, status, title = "peer-not-authorised", 403, "This peer may not speak to the fleet listener"


class PeerGuard:
    """ASGI middleware around the whole listener, unknown paths included."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if (scope["method"], scope["path"]) in OPEN:
            await _audited(self._app, scope, receive, send)
            return
        request = Request(scope)
        shown: ShownCertificate | None = scope.get("extensions", {}).get(PEER)
        peer = shown.peer if shown is not None else None
        try:
            if not (shown is not None and _is_report(scope) and _is_remembered(shown)):
                await run_in_threadpool(_judge, shown)
        except PeerNotAuthorised as error:
            await run_in_threadpool(refused, request, str(peer or "unknown peer"), error)
            await answer(error, request)(scope, receive, send)
        except SQLAlchemyError as error:
            _log.warning("database_unavailable", cause=str(getattr(error, "orig", error)).strip())
            unavailable = Unavailable("The database does not answer. Nothing was stored.")
            await answer(unavailable, request)(scope, receive, send)
        else:
            await self._app({**scope, IDENTITY: peer}, receive, send)


def _is_report(scope: Scope) -> bool:
    return (scope["method"], scope["path"]) in JUDGED_WHERE_STORED


def _is_remembered(shown: ShownCertificate) -> bool:
    return (
        shown.trusted_at is not None
        and monotonic() - shown.trusted_at < REMEMBERED_S
        and shown.not_after >= datetime.now(UTC)
    )


def _judge(shown: ShownCertificate | None) -> None:
    """Raises PeerNotAuthorised with the cause."""
    if shown is None:
        raise PeerNotAuthorised("The peer showed no certificate. Nothing was stored.")
    if shown.peer is None:
        raise PeerNotAuthorised("The peer's certificate names no host. Nothing was stored.")
    with session_factory()() as session:
        _judge_in(session, shown, shown.peer)


def judge_again(session: Session, request: Request, peer: Peer) -> None:
    """Of a report, in the session that is to store it. Raises PeerNotAuthorised, audited, as the guard does."""
    shown: ShownCertificate = request.scope["extensions"][PEER]
    try:
        _judge_in(session, shown, peer)
    except PeerNotAuthorised as error:
        refused(request, str(peer), error)
        raise


def _judge_in(session: Session, shown: ShownCertificate, peer: Peer) -> None:
    shown.trusted_at = None
    if shown.not_after < datetime.now(UTC):  # it was valid when the connection was made
        raise PeerNotAuthorised(f"The certificate of {peer.kind} {peer.id} has expired. Nothing was stored.")
    if peer.kind == "host":
        _judge_host(session, peer.id, shown)
    elif not hosts.of_gateway(session, peer.id):
        raise PeerNotAuthorised(f"Gateway {peer.id} speaks for no host (any more). Nothing was stored.")
    shown.trusted_at = monotonic()


def _judge_host(session: Session, host_id: str, shown: ShownCertificate) -> None:
    standing = hosts.standing(session, host_id)
    if standing is None:
        raise PeerNotAuthorised(f"Host {host_id} is not enrolled. Nothing was stored.")
    after = standing.trusted_after
    replaced = "" if standing.revoked_at else ", or the host was enrolled anew"
    if standing.revoked_at is not None or (after is not None and shown.not_before <= after):
        raise PeerNotAuthorised(
            f"The certificate of host {host_id} was revoked{replaced}. Nothing was stored.",
            next_actions=[NextAction(label="Enrol the host anew", command=f"sextant hosts enrol {host_id}")],
        )


async def _audited(app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
    """At an open door every refusal is audited, whatever refused, before its answer is whole: by what it says."""
    status, body = 0, b""

    async def seen(message: Message) -> None:
        nonlocal status, body
        if message["type"] == "http.response.start":
            status = message["status"]
        elif status >= 400:
            if len(body) < _SHOWN_BYTES:
                body += message.get("body", b"")
            if not message.get("more_body", False):
                problem = _problem(status, body)
                await run_in_threadpool(_record, Request(scope), f"address/{address_of(scope)}", problem)
        await send(message)

    await app(scope, receive, seen)


def _problem(status: int, body: bytes) -> Problem:
    try:
        return Problem.model_validate_json(body)
    except ValueError:
        return Problem(type="about:blank", title="", status=status, detail=f"status {status}")


def address_of(scope: Scope) -> str:
    """Where a request comes from."""
    client = scope.get("client")
    return str(client[0]) if client else "unknown"


def refused(request: Request, actor: str, error: SextantError) -> None:
    """Audit a refusal; a flood is cut to 120 entries a minute and logged."""
    _record(request, actor, error.problem())


def _record(request: Request, actor: str, problem: Problem) -> None:
    kind = problem.type.rsplit(":", 1)[-1]
    if not _refusals.allow():
        _log.warning("refusal_not_audited", actor=actor, kind=kind, cause="more than 120 a minute")
        return
    try:
        with session_scope() as record:
            subject = f"{request.method} {request.url.path}"
            audit.record(record, actor, "fleet.refused", subject, {"kind": kind, "reason": problem.detail})
    except SQLAlchemyError as failure:
        _log.warning("refusal_not_audited", actor=actor, kind=kind, cause=str(getattr(failure, "orig", failure)))


async def peer_in(request: Request) -> Peer:
    """The peer the guard let in; refuses everybody where the guard is missing. It waits for nothing."""
    peer = request.scope.get(IDENTITY)
    if not isinstance(peer, Peer):
        raise PeerNotAuthorised("This listener runs without its guard. Nothing was stored.")
    return peer


PeerDep = Annotated[Peer, Depends(peer_in)]
"""Who speaks, by the certificate."""


def own(session: Session, peer: Peer, host_ids: Collection[str]) -> frozenset[str]:
    """Of these hosts, those that the peer may speak for."""
    if peer.kind == "host":
        return frozenset(host_ids) & {peer.id}
    return frozenset(hosts.of_gateway(session, peer.id, host_ids))


def not_own(request: Request, peer: Peer, host_id: str) -> PeerNotAuthorised:
    """The refusal of a body that speaks for a host that is not the peer's; audited here."""
    error = PeerNotAuthorised(f"{peer.kind.title()} {peer.id} may not report for {host_id}. Nothing was stored.")
    refused(request, str(peer), error)
    return error
