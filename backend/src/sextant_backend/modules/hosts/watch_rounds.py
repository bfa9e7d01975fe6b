"""When any watcher made a round, in Redis: of several processes each sees only some of the rounds."""

import redis
from pydantic import TypeAdapter, ValidationError

from sextant_backend.kit import queue
from sextant_backend.modules.hosts.watcher import WatchRounds

KEY = "sextant:watch:rounds"
_ROUNDS = TypeAdapter(WatchRounds)


def load() -> WatchRounds:
    """None yet where there are none, or they cannot be read: then all silence counts."""
    try:
        return _ROUNDS.validate_json(queue.client().get(KEY) or "{}")
    except (redis.RedisError, ValidationError):
        return WatchRounds()


def keep(rounds: WatchRounds) -> None:
    """For the next round, whichever process makes it; lost where Redis is away."""
    try:
        queue.client().set(KEY, _ROUNDS.dump_json(rounds))
    except redis.RedisError:
        return
