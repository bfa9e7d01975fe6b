"""Queues: rows that wait for a worker, since when the oldest does, and rings in Valkey that nobody has answered."""

import redis
from sqlalchemy import text
from sqlalchemy.orm import Session

from sextant_backend.kit import queue
from sextant_backend.kit.tasks import Queue
from sextant_backend.modules.metrics.frame import Family, Found, Group

ENTRIES = Family("sextant_queue_entries", "entries", ("queue",), "What waits for a worker to begin", Group.FLEET)
OLDEST = Family(
    "sextant_queue_oldest_entry_timestamp_seconds",
    "s",
    ("queue",),
    "Since when the one waits that waits longest; none of an empty queue",
    Group.FLEET,
)
RINGS = Family(
    "sextant_doorbell_messages",
    "messages",
    ("queue",),
    "Messages to workers that none has taken; they only wake workers, and none is lost with one",
    Group.FLEET,
)
WORKERS = Family(
    "sextant_workers_present", "0 or 1", ("queue",), "1 while a worker of the queue, or the watch, reports", Group.FLEET
)
FAMILIES = (ENTRIES, OLDEST, RINGS, WORKERS)

_FREE = "(claim_token IS NULL OR lease_until < now())"
_SINCE = "extract(epoch FROM min(CASE WHEN claim_token IS NULL THEN {at} ELSE lease_until END))"
"""Of what a process took and died over: since its lease ran out."""


def _rows(name: str, table: str, condition: str, at: str = "created_at") -> str:
    since = _SINCE.format(at=at)
    return f"SELECT '{name}' AS name, count(*) AS number, {since} AS oldest FROM {table} WHERE {_FREE} AND {condition}"  # noqa: S608


_DUE = "(next_attempt_at IS NULL OR next_attempt_at <= now())"
_WAITING = text(
    " UNION ALL ".join(
        (
            _rows("plans", "plans", "state = 'planning' AND waits_for IS NULL"),
            _rows("operations", "operations", f"state = 'QUEUED' AND {_DUE}", "greatest(created_at, next_attempt_at)"),
            _rows(
                "profiling", "profiling_jobs", f"state = 'QUEUED' AND {_DUE}", "greatest(created_at, next_attempt_at)"
            ),
            _rows("studies", "studies", "state = 'queued'"),
            _rows("notifications", "notification_deliveries", "state = 'waiting' AND due_at <= now()", "due_at"),
            "SELECT 'audit-seals', count(*), extract(epoch FROM min(since)) FROM audit_unsealed",
        )
    )
)


def collect(session: Session, found: Found) -> None:
    """One statement, and one way to Valkey; nothing is said of rings while that does not answer."""
    for row in session.execute(_WAITING):
        found.add(ENTRIES, row.number, row.name)
        found.add(OLDEST, row.oldest, row.name)
    names = [one.value for one in Queue]
    try:
        with queue.client().pipeline(transaction=False) as asked:
            for name in names:
                asked.llen(name)
            asked.mget([queue.alive_key(name) for name in names])
            *lengths, alive = asked.execute()
    except (redis.RedisError, OSError):
        return
    for name, length, stamp in zip(names, lengths, alive, strict=True):
        found.add(WORKERS, stamp is not None, name)
        if name != Queue.WATCH:
            found.add(RINGS, length, name)
