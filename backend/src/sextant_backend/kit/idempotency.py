"""`Idempotency-Key` on POST: a repeat with the same body gets the stored answer, another body is refused.

The record is written in the transaction of the effect, so there is never one without the other. A refused request
leaves none: nothing happened, and the same key may try again.
"""

import hashlib
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import Depends, Header, Request, Response
from fastapi.concurrency import run_in_threadpool
from sextant_domain.problem import FieldError
from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Mapped, Session, mapped_column

from sextant_backend.kit.db import Base, SessionDep
from sextant_backend.kit.errors import SextantError
from sextant_backend.kit.principal import Principal, authenticated
from sextant_backend.kit.routes import LateRoute
from sextant_backend.kit.sealing import fingerprints
from sextant_backend.settings import get_settings

KEPT_FOR = timedelta(days=1)
_KEPT_HEADERS = ("content-type", "location", "etag")


class StoredAnswer(Base):
    """The answer to a POST, by who asked, where, and the key they chose."""

    __tablename__ = "idempotency_keys"

    username: Mapped[str] = mapped_column(primary_key=True)
    path: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    body_digest: Mapped[str]
    """Under the key of secrets: a body may hold one."""
    status: Mapped[int | None]
    headers: Mapped[dict[str, str]] = mapped_column(default=dict)
    body: Mapped[bytes] = mapped_column(default=b"")
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp(), index=True)


class KeyReused(SextantError):
    """The key was used for another body."""

    kind, status, title = "idempotency-key-reused", 422, "The Idempotency-Key was used for another request"


class ReplayedAnswer(Exception):
    """This request was answered before."""

    def __init__(self, stored: StoredAnswer) -> None:
        super().__init__("replay")
        self.stored = stored


async def _body_digest(request: Request) -> str:
    return hashlib.sha256(await request.body()).hexdigest()


def idempotent_by(body_digest: Callable[..., Any]) -> Any:
    """As `Idempotent`, where a dependency of the endpoint's own reads the body and says what identifies it."""

    def claim(
        request: Request,
        session: SessionDep,
        principal: Annotated[Principal, Depends(authenticated)],
        digest: Annotated[str, Depends(body_digest)],
        key: Annotated[
            str | None,
            Header(alias="Idempotency-Key", min_length=1, max_length=200, pattern=r"^[\x21-\x7e]+$"),
        ] = None,
    ) -> None:
        if key is not None:
            _claim(request, session, {"username": principal.username, "path": request.url.path, "key": key}, digest)

    return Depends(claim)


def _claim(request: Request, session: Session, identity: dict[str, str], digest: str) -> None:
    """Reserve the key, waiting for a rival request with the same key to end; replay if it was answered."""
    known = fingerprints(get_settings().secrets_key_file, digest)
    made = session.execute(
        insert(StoredAnswer)
        .values(**identity, body_digest=known[0], headers={}, body=b"")
        .on_conflict_do_nothing()
        .returning(StoredAnswer.key)
    ).first()
    if made is not None:
        request.state.idempotency = identity
        return
    stored = session.execute(select(StoredAnswer).filter_by(**identity)).scalar_one()
    if stored.body_digest not in known:
        error = FieldError(field="header.Idempotency-Key", message="choose a new key for a new request")
        raise KeyReused("This key was sent before with another body. Nothing was changed.", errors=[error])
    raise ReplayedAnswer(stored)


Idempotent = idempotent_by(_body_digest)
"""In `dependencies=[Idempotent]` of every POST; the router must have `route_class=IdempotentRoute`."""


def _store(session: Session, identity: dict[str, str], response: Response) -> None:
    session.execute(
        update(StoredAnswer)
        .filter_by(**identity)
        .values(
            status=response.status_code,
            headers={name: response.headers[name] for name in _KEPT_HEADERS if name in response.headers},
            body=bytes(response.body),
        )
    )


class IdempotentRoute(LateRoute):
    """Keeps the answer under the key its request claimed, before the session commits."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def handle_once(request: Request) -> Response:
            response = await handle(request)
            identity = getattr(request.state, "idempotency", None)
            if identity is not None and response.status_code < 400:
                await run_in_threadpool(_store, request.state.session, identity, response)
            return response

        return handle_once


def replay(_request: Request, replayed: ReplayedAnswer) -> Response:
    """The stored answer, marked as a repeat."""
    stored = replayed.stored
    headers = {**stored.headers, "Idempotency-Replayed": "true"}
    return Response(stored.body, status_code=stored.status or 200, headers=headers)


def forget_old(session: Session) -> int:
    """Drop records older than a day; returns how many. For the housekeeping task."""
    old = delete(StoredAnswer).where(StoredAnswer.created_at < func.clock_timestamp() - KEPT_FOR)
    return len(session.execute(old.returning(StoredAnswer.key)).all())
