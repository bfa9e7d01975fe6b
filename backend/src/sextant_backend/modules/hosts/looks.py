"""When any watcher looked, in Redis: of several processes each sees only some of the looks."""

import redis
from pydantic import TypeAdapter, ValidationError

from sextant_backend.kit import queue
from sextant_backend.modules.hosts.watcher import Looks

KEY = "sextant:watch:looks"
_LOOKS = TypeAdapter(Looks)


def load() -> Looks:
    """None yet where there are none, or they cannot be read: then all silence counts."""
    try:
        return _LOOKS.validate_json(queue.client().get(KEY) or "{}")
    except (redis.RedisError, ValidationError):
        return Looks()


def keep(looks: Looks) -> None:
    """For the next look, whichever process makes it; lost where Redis is away."""
    try:
        queue.client().set(KEY, _LOOKS.dump_json(looks))
    except redis.RedisError:
        return
