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


def for_queue(limit_s: float) -> None:
    """Until Redis or Valkey answers; raises NotThere."""
    until(_queue_answers, "the queue", limit_s)


def for_certificate(pki_dir: Path | None, limit_s: float) -> None:
    """Until agents would listen to this process; raises NotThere, at once where no folder to look in is given."""
    until(lambda: credentials.missing(pki_dir), "the backend's certificate", limit_s if pki_dir is not None else 0)


def _queue_answers() -> str | None:
    try:
        queue.client().ping()
    except (redis.RedisError, OSError) as error:
        return str(error)
    return None


def until(problem: Callable[[], str | None], name: str, limit_s: float) -> None:
    """Ask `problem` until it has no cause to name; raises NotThere."""
    deadline = time.monotonic() + limit_s
    logged = False
    while (cause := problem()) is not None:
        if time.monotonic() >= deadline:
            raise NotThere(f"{name} was not ready within {limit_s:.0f} s: {cause}")
        if not logged:
            _log.info("waiting", what=name, cause=cause)
            logged = True
        time.sleep(_EVERY_S)
