"""Claims: who works on a row, for how long by the database's clock, and how a claim is kept while its work goes on.

A claim is renewed by a thread, because steps wait for agents, and only while the work goes on: a step that hangs for
longer than its limit loses the claim, and its work is taken over.
"""

import os
import secrets
import sys
import threading
import time
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TypeVar

import structlog
from sqlalchemy import ColumnElement, exists, func, or_, select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Mapped, Session, mapped_column

from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases.limits import HEARTBEAT_S, LEASE_S

EXIT_HUNG = 70
_FRAMES = 8
_log = structlog.get_logger()


class Leased:
    """Columns of a row that one worker at a time works on. Mixed into models that have an `id`."""

    id: Mapped[int]
    claim_token: Mapped[str | None] = mapped_column(default=None)
    lease_until: Mapped[datetime | None] = mapped_column(default=None)
    rung_at: Mapped[datetime | None] = mapped_column(default=None)
    """When the sweep last rang for it: it waits one lease before it rings again."""


Row = TypeVar("Row", bound=Leased)


class ClaimLostError(Exception):
    """Another worker has taken it over: stop at once, store nothing."""


def new_token() -> str:
    """A token that no other claim has."""
    return secrets.token_hex(16)


def _in(seconds: float) -> ColumnElement[datetime]:
    return func.clock_timestamp() + timedelta(seconds=seconds)


def free(model: type[Leased]) -> ColumnElement[bool]:
    """True for rows that nobody holds, or whose holder has not renewed."""
    return or_(model.claim_token.is_(None), model.lease_until < func.clock_timestamp())


def claim(session: Session, model: type[Leased], row_id: int, *conditions: ColumnElement[bool]) -> str | None:
    """Take the row if it is free and fits the conditions; the token, or None.

    Waits for nobody: whoever has locked the row is about to hold it, or rings once it does not; where that process is
    frozen, the database ends its transaction (IDLE_LIMIT_MS) and the sweep rings.
    """
    token = new_token()
    fits = select(model.id).where(model.id == row_id, free(model), *conditions)
    taken = (
        update(model)
        .where(model.id == fits.with_for_update(key_share=True, skip_locked=True).scalar_subquery())
        .values(claim_token=token, lease_until=_in(LEASE_S))
        .returning(model.id)
    )
    return token if session.execute(taken).first() is not None else None


def take(session: Session, model: type[Row], row_id: int, *conditions: ColumnElement[bool]) -> tuple[Row, str] | None:
    """As `claim`: the row, which stays locked until the transaction ends, and the token."""
    token = claim(session, model, row_id, *conditions)
    row = None if token is None else session.get(model, row_id, populate_existing=True)
    return None if token is None or row is None else (row, token)


def end(session: Session, model: type[Row], row_id: int, token: str) -> Row | None:
    """The row, locked and free again; None where it is gone. ClaimLostError where another worker has taken it over."""
    row = session.get(model, row_id, with_for_update=True, populate_existing=True)
    if row is not None:
        held(row, token)
        give_back(row)
    return row


def extend(session: Session, model: type[Leased], row_id: int, token: str) -> bool:
    """Renew the lease; False where the claim is lost."""
    renewed = (
        update(model)
        .where(model.id == row_id, model.claim_token == token)
        .values(lease_until=_in(LEASE_S))
        .returning(model.id)
    )
    return session.execute(renewed).first() is not None


def held(row: Leased, token: str) -> None:
    """ClaimLostError unless the (locked) row is still claimed with this token."""
    if row.claim_token != token:
        raise ClaimLostError(f"{type(row).__name__} {row.id} was taken over")


def give_back(row: Leased) -> None:
    """The (locked) row is free, and the sweep rings for it as soon as it is due again."""
    row.claim_token = row.rung_at = None


def any_unattended(model: type[Leased], *conditions: ColumnElement[bool]) -> ColumnElement[bool]:
    """Whether `unattended` would find one."""
    return exists().where(free(model), _rung_long_ago(model), *conditions)


def unattended(session: Session, model: type[Leased], *conditions: ColumnElement[bool]) -> Sequence[int]:
    """Ids of free rows that fit and that were not rung for within one lease; notes the ring. At most 1000."""
    due = select(model.id).where(free(model), _rung_long_ago(model), *conditions).order_by(model.id).limit(1000)
    ids = session.scalars(due.with_for_update(skip_locked=True)).all()
    if ids:
        session.execute(update(model).where(model.id.in_(ids)).values(rung_at=func.clock_timestamp()))
    return ids


def _rung_long_ago(model: type[Leased]) -> ColumnElement[bool]:
    return or_(model.rung_at.is_(None), model.rung_at < _in(-LEASE_S))


class Heartbeat:
    """What a worker says to the thread that keeps its claim, and hears from it."""

    def __init__(self, model: type[Leased], row_id: int, token: str, step_limit_s: float, alone: bool) -> None:
        self._model, self._row_id, self._token = model, row_id, token
        self._limit_s, self._alone = step_limit_s, alone
        self._owner, self._lost = threading.get_ident(), threading.Event()
        self.next_step()

    @property
    def lost(self) -> bool:
        """True once another worker has taken over, or may."""
        return self._lost.is_set()

    def next_step(self, limit_s: float | None = None) -> None:
        """The worker got on: its next step has the whole limit, or one of its own."""
        self._step_limit_s = self._limit_s if limit_s is None else limit_s
        self._began = time.monotonic()

    def beat(self, ended: threading.Event) -> None:
        """Renew the claim until `ended`, it is lost, or no `next_step` came for the limit."""
        while not ended.wait(HEARTBEAT_S):
            if time.monotonic() - self._began > self._step_limit_s:
                self._give_up()
                return
            try:
                with session_scope() as session:
                    if not extend(session, self._model, self._row_id, self._token):
                        self._lost.set()
                        return
            except SQLAlchemyError as error:  # the database is away: the claim may run out, and then the fence decides
                _log.warning("lease_not_renewed", row=self._row_id, cause=type(error).__name__)

    def _give_up(self) -> None:
        frame = sys._current_frames().get(self._owner)  # where it hangs, for whoever reads the log
        _log.error(
            "step_hangs",
            kind=self._model.__name__,
            row=self._row_id,
            limit_s=self._step_limit_s,
            at="" if frame is None else "".join(traceback.format_stack(frame)[-_FRAMES:]),
            next="this process ends" if self._alone else "another worker takes it over",
        )
        self._lost.set()
        if self._alone:
            os._exit(EXIT_HUNG)


@contextmanager
def kept(
    model: type[Leased], row_id: int, token: str, *, step_limit_s: float, alone: bool = False
) -> Iterator[Heartbeat]:
    """`with kept(OperationRow, 7, token, step_limit_s=60) as heart:` renews the claim in the background until the block
    ends, the claim is lost, or no `heart.next_step()` came for the limit.

    `alone`: nobody can stop a thread that hangs, and none goes on in its place, so the process ends and whoever
    supervises it starts it again.
    """
    heart, ended = Heartbeat(model, row_id, token, step_limit_s, alone), threading.Event()
    thread = threading.Thread(target=heart.beat, args=(ended,), name=f"lease-{row_id}", daemon=True)
    thread.start()
    try:
        yield heart
    finally:
        ended.set()
        thread.join()
