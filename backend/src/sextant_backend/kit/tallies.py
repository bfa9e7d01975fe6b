"""Counts of what processes do that have no `/metrics` of their own, such as the fleet listener and the workers: added
up in Valkey, so that every console shows the sum over all of them, whichever of them started again.

`add` costs no way to Valkey; `flush`, which whoever adds calls from a thread that may wait, takes one at most once a
second. What Valkey loses begins at 0 again, as counters of Prometheus may.
"""

import threading
import time
from collections import Counter
from collections.abc import Mapping

import redis
import structlog
from sqlalchemy import event
from sqlalchemy.orm import Session, SessionTransaction

from sextant_backend.kit import queue

KEY = "sextant:tallies"
EVERY_S = 1.0
_lock = threading.Lock()
_waiting: Counter[str] = Counter()
_flushed = -EVERY_S
_OF_SESSION = "sextant.tallies"
_log = structlog.get_logger()


def add(name: str, number: int, *labels: str) -> None:
    """Count; names and labels are ours, never anybody's input: nothing forgets them."""
    if number:
        with _lock:
            _waiting["|".join((name, *labels))] += number


def add_committed(session: Session, name: str, number: int, *labels: str) -> None:
    """Count once this transaction is committed, and flush."""
    session.info.setdefault(_OF_SESSION, []).append((name, number, *labels))


@event.listens_for(Session, "after_commit")
def _committed(session: Session) -> None:
    if _OF_SESSION in session.info and not session.in_nested_transaction():
        for name, number, *labels in session.info.pop(_OF_SESSION):
            add(name, number, *labels)
        flush()


@event.listens_for(Session, "after_soft_rollback")
def _rolled_back(session: Session, transaction: SessionTransaction) -> None:
    if transaction.parent is None:
        session.info.pop(_OF_SESSION, None)


def flush(*, every_s: float = EVERY_S) -> None:
    """Bring to Valkey what waits, unless that was done within so many seconds. While Valkey is away it goes on
    waiting."""
    global _flushed
    with _lock:
        if not _waiting or time.monotonic() - _flushed < every_s:
            return
        _flushed, taken = time.monotonic(), dict(_waiting)
        _waiting.clear()
    try:
        with queue.client().pipeline(transaction=False) as sent:
            for field, number in taken.items():
                sent.hincrby(KEY, field, number)
            sent.execute()
    except (redis.RedisError, OSError) as error:
        with _lock:
            _waiting.update(taken)
        _log.warning("tallies_wait", cause=str(error))


def read() -> Mapping[tuple[str, ...], int]:
    """All sums, by name and labels; raises redis.RedisError."""
    found = queue.client().hgetall(KEY)
    return {tuple(_text(field).split("|")): int(number) for field, number in found.items()}


def _text(field: bytes | str) -> str:
    return field if isinstance(field, str) else field.decode()
