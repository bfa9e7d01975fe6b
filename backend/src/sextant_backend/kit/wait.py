"""Each process waits, with a bound, for what it needs, rather than relying on an order of starts."""

import time
from collections.abc import Callable
from pathlib import Path

import redis
import structlog

from sextant_backend.kit import credentials, queue

_EVERY_S = 0.2
_log = structlog.get_logger()


class NotThere(Exception):
    """What a process needs did not come within its limit."""


def for_database(limit_s: float, *, migrated: bool = True) -> None:
    """Until PostgreSQL answers and (`migrated`) has the schema; raises NotThere."""
    _until(lambda: _database_answers(migrated), "the database", limit_s)


def for_queue(limit_s: float) -> None:
    """Until Redis or Valkey answers; raises NotThere."""
    _until(_queue_answers, "the queue", limit_s)


def for_certificate(pki_dir: Path | None, limit_s: float) -> None:
    """Until agents would listen to this process; raises NotThere, at once where it is told no folder to look in."""
    _until(lambda: credentials.missing(pki_dir), "the backend's certificate", limit_s if pki_dir is not None else 0)


def _database_answers(migrated: bool) -> str | None:
    from sqlalchemy import text  # beat waits for the queue alone, and needs no database
    from sqlalchemy.exc import SQLAlchemyError

    from sextant_backend.kit.db import session_factory

    try:
        with session_factory()() as session:
            session.execute(text("SELECT version_num FROM alembic_version" if migrated else "SELECT 1")).one()
    except SQLAlchemyError as error:
        return str(getattr(error, "orig", error)).strip()
    return None


def _queue_answers() -> str | None:
    try:
        queue.client().ping()
    except (redis.RedisError, OSError) as error:
        return str(error)
    return None


def _until(problem: Callable[[], str | None], name: str, limit_s: float) -> None:
    deadline = time.monotonic() + limit_s
    told = False
    while (cause := problem()) is not None:
        if time.monotonic() >= deadline:
            raise NotThere(f"{name} was not ready within {limit_s:.0f} s: {cause}")
        if not told:
            _log.info("waiting", what=name, cause=cause)
            told = True
        time.sleep(_EVERY_S)
