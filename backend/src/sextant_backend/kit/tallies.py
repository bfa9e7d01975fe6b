"""Counts of what processes do that have no `/metrics` of their own, such as the fleet listener and the workers: added
up in Valkey, so that every console shows the sum over all of them, whichever of them started again.

`add` costs no way to Valkey (`outbox.count` adds once a transaction is committed); `flush`, which whoever adds calls
from a thread that may wait, takes one at most once a second. What Valkey loses begins at 0 again, as counters of
Prometheus may.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import redis
import structlog

from sextant_backend.kit import queue

KEY = "sextant:tallies"
EVERY_S = 1.0
_lock = threading.Lock()
_waiting: Counter[str] = Counter()
_flushed = -EVERY_S
_log = structlog.get_logger()


def add(name: str, number: int, *labels: str) -> None:
    """Count; names and labels are ours, never anybody's input: nothing forgets them."""
    if number:
        with _lock:
            _waiting["|".join((name, *labels))] += number


def add_all(counts: Iterable[tuple[Any, ...]]) -> None:
    """Several, each as `add` takes it, and flush."""
    for name, number, *labels in counts:
        add(name, number, *labels)
    flush()


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
