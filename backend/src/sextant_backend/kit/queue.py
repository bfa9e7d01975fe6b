"""Redis (or Valkey): one client a process, and its address in the forms that redis-py and Celery want."""

import socket
from contextlib import suppress
from functools import lru_cache
from urllib.parse import parse_qs, urlsplit

import redis
import redis.asyncio

from sextant_backend.settings import get_settings

STREAM = "sextant:events"
STREAM_LENGTH = 10_000
WORKER_ALIVE_S = 15
"""Silence of a worker after which the console does not count on it any more."""
TIMEOUT_S = 2.0

_SOCKET_SCHEMES = ("unix", "redis+socket")


def redis_url(url: str) -> str:
    """The form redis-py reads: Celery's `redis+socket:///path?virtual_host=1` becomes `unix:///path?db=1`."""
    parts = urlsplit(url)
    if parts.scheme not in _SOCKET_SCHEMES:
        return url
    return f"unix://{_credentials(parts.netloc)}{parts.path}?db={_database(parts.query)}"


def celery_url(url: str) -> str:
    """The form Celery reads: redis-py's `unix:///path?db=1` becomes `redis+socket:///path?virtual_host=1`."""
    parts = urlsplit(url)
    if parts.scheme not in _SOCKET_SCHEMES:
        return url
    return f"redis+socket://{_credentials(parts.netloc)}{parts.path}?virtual_host={_database(parts.query)}"


def _credentials(netloc: str) -> str:
    return netloc if netloc.endswith("@") else ""


def _database(query: str) -> int:
    values = parse_qs(query)
    return int((values.get("db") or values.get("virtual_host") or ["0"])[0].strip("/"))


def alive_key(queue_name: str, machine: str | None = None) -> str:
    """What workers of a queue renew: of all machines one, and one of each (`this_machine`)."""
    return f"sextant:worker:{queue_name}:alive" + (f":{machine}" if machine else "")


def this_machine() -> str:
    """Also of a container, which has a name of its own."""
    return socket.gethostname()


def report_alive(client_of_caller: redis.Redis, *queue_names: str) -> None:
    """Workers of these queues are at work here; raises redis.RedisError."""
    with client_of_caller.pipeline() as all_keys:
        for name in queue_names:
            all_keys.set(alive_key(name), 1, ex=WORKER_ALIVE_S)
            all_keys.set(alive_key(name, this_machine()), 1, ex=WORKER_ALIVE_S)
        all_keys.execute()


@lru_cache(maxsize=4)
def _client(url: str) -> redis.Redis:
    return redis.Redis.from_url(url, socket_timeout=TIMEOUT_S, socket_connect_timeout=TIMEOUT_S)


def client() -> redis.Redis:
    """The process's client; safe to share between threads. Answers within `TIMEOUT_S` or raises redis.RedisError."""
    return _client(redis_url(get_settings().redis_url))


def forget_events() -> None:
    """Drop events that are kept for browsers that were away, also from what lies on the disk: those then take a whole
    snapshot. Raises redis.RedisError."""
    client().delete(STREAM)
    with suppress(redis.ResponseError):  # it is at that already
        client().bgrewriteaof()


def async_client() -> redis.asyncio.Redis:
    """A client for one event loop; whoever makes it closes it. Blocking reads outlast `TIMEOUT_S` by design."""
    return redis.asyncio.Redis.from_url(
        redis_url(get_settings().redis_url), socket_connect_timeout=TIMEOUT_S, socket_timeout=10.0
    )
