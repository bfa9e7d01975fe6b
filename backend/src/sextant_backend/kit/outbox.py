"""What a transaction sends to others, after its commit only: events, tasks, and counts for metrics.

The first two are hints: the browser's resync makes up for a lost event, the sweep for a lost task (operations live in
PostgreSQL, the queue only wakes workers).
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import structlog
from sextant_domain.console.live import LiveEvent
from sqlalchemy import event
from sqlalchemy.orm import Session, SessionTransaction

from sextant_backend.kit import queue, tallies, tasks
from sextant_backend.kit.tasks import TaskName

_EVENTS = "sextant.events"
_RINGS = "sextant.rings"
_LATER = "sextant.later"
_COUNTS = "sextant.counts"
_log = structlog.get_logger()


def publish(session: Session, live_event: LiveEvent) -> None:
    """Send `live_event` to every open console once this transaction is committed."""
    publish_json(session, live_event.model_dump_json().encode())


def publish_json(session: Session, live_event: bytes) -> None:
    """The same of an event that is JSON already, in UTF-8."""
    session.info.setdefault(_EVENTS, []).append(live_event)


def ring(session: Session, task: TaskName, *ids: int | str) -> None:
    """Ring for a worker once this transaction is committed; the same ring is sent once."""
    rings: dict[tuple[Any, ...], None] = session.info.setdefault(_RINGS, {})
    rings[(task, *ids)] = None


def ring_later(session: Session, after_s: float, task: TaskName, *ids: int | str) -> None:
    """The same, for so many seconds after the commit."""
    session.info.setdefault(_LATER, []).append((after_s, task, *ids))


def count(session: Session, name: str, number: int, *labels: str) -> None:
    """Add to a tally once this transaction is committed."""
    session.info.setdefault(_COUNTS, []).append((name, number, *labels))


@event.listens_for(Session, "after_commit")
def _send(session: Session) -> None:
    if session.in_nested_transaction():
        return  # a savepoint was released; the transaction itself may still fail
    events: list[bytes] = session.info.pop(_EVENTS, [])
    rings: dict[tuple[Any, ...], None] = session.info.pop(_RINGS, {})
    later: list[tuple[Any, ...]] = session.info.pop(_LATER, [])
    counts: list[tuple[Any, ...]] = session.info.pop(_COUNTS, [])
    for task, *ids in rings:
        _ring(task, ids, partial(tasks.send, task, *ids))
    for after_s, task, *ids in later:
        _ring(task, ids, partial(tasks.send_later, after_s, task, *ids))
    if events:
        _append(events)
    if counts:
        tallies.add_all(counts)


def _ring(task: TaskName, ids: list[Any], send: Callable[[], None]) -> None:
    try:
        send()
    except Exception as error:
        _log.warning("ring_failed", task=task.value, ids=ids, cause=str(error), next="the sweep rings again")


@event.listens_for(Session, "after_soft_rollback")
def _drop(session: Session, transaction: SessionTransaction) -> None:
    if transaction.parent is None:
        session.info.pop(_EVENTS, None)
        session.info.pop(_RINGS, None)
        session.info.pop(_LATER, None)
        session.info.pop(_COUNTS, None)


def _append(events: list[bytes]) -> None:
    try:
        pipe = queue.client().pipeline(transaction=False)
        for body in events:
            pipe.xadd(queue.STREAM, {"e": body}, maxlen=queue.STREAM_LENGTH, approximate=True)
        pipe.execute()
    except Exception as error:
        _log.warning("publish_failed", events=len(events), cause=str(error), next="consoles resync")
