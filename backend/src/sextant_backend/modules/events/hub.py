"""One reader of the event stream a process, handed on to every open browser.

A subscriber that cannot keep up is sent the newest figures of each host only; one for whom even that is too much, or
whose queue went away, gets a new snapshot instead of missing something.
"""

import asyncio
import contextlib
import re
from collections import OrderedDict
from dataclasses import dataclass, field

import redis
import redis.asyncio
import structlog

from sextant_backend.kit import queue

BACKLOG = 2_000
"""Events that may wait for one browser, figures apart: of these one batch a host waits at most."""
BLOCK_MS = 5_000
RETRY_S = 0.5
START_LIMIT_S = 3.0
Position = tuple[int, int]
_log = structlog.get_logger()


_FIGURES = re.compile(r'\{"event":"telemetry","batch":\{"host_id":"([^"]+)"')


@dataclass(frozen=True)
class Delta:
    """An event of the stream: its id, and the JSON as it was published."""

    id: str
    body: str
    figures_of: str | None = None
    """The host whose figures it has: all that its batch holds, a newer one holds anew."""


@dataclass(eq=False)
class Subscriber:
    """The waiting deltas of one browser."""

    username: str
    lost: bool = False
    """True: something was dropped, send a snapshot."""
    _waiting: OrderedDict[tuple[str, str], Delta] = field(default_factory=OrderedDict)
    _figures: int = 0
    """How many of them are figures."""
    _there: asyncio.Event = field(default_factory=asyncio.Event)

    def put(self, delta: Delta) -> None:
        """Hand on, in the place of older figures of the same host; or note the loss."""
        host = delta.figures_of
        if host is None and len(self._waiting) - self._figures >= BACKLOG:
            self.lose()
            return
        key = ("event", delta.id) if host is None else ("figures", host)
        if self._waiting.pop(key, None) is None and host is not None:
            self._figures += 1
        self._waiting[key] = delta
        self._there.set()

    async def get(self) -> Delta:
        """The oldest one that waits, once there is one."""
        while not self._waiting:
            self._there.clear()
            await self._there.wait()
        _, delta = self._waiting.popitem(last=False)
        self._figures -= delta.figures_of is not None
        return delta

    def waits(self) -> int:
        """How many deltas wait."""
        return len(self._waiting)

    def lose(self) -> None:
        """Forget what waits; wake the stream with nothing."""
        self.lost = True
        self._waiting.clear()
        self._figures = 0
        self._waiting["event", "0-0"] = Delta("0-0", "")
        self._there.set()


class Hub:
    """Reads the stream as long as somebody listens."""

    def __init__(self) -> None:
        self._subscribers: set[Subscriber] = set()
        self._reader: asyncio.Task[None] | None = None
        self._reading = asyncio.Event()

    def count(self, username: str | None = None) -> int:
        """Open streams, of everybody or of one user."""
        return sum(1 for one in self._subscribers if username in (None, one.username))

    async def subscribe(self, username: str) -> Subscriber:
        """From now on nothing published is missed; raises TimeoutError where the queue is away."""
        subscriber = Subscriber(username)
        self._subscribers.add(subscriber)
        if self._reader is None or self._reader.done():
            self._reading.clear()
            self._reader = asyncio.create_task(self._read())
        try:
            await asyncio.wait_for(self._reading.wait(), START_LIMIT_S)
        except BaseException:
            await self.unsubscribe(subscriber)
            raise
        return subscriber

    async def unsubscribe(self, subscriber: Subscriber) -> None:
        """Stop listening; the last one stops the reader."""
        self._subscribers.discard(subscriber)
        if not self._subscribers and self._reader is not None:
            reader, self._reader = self._reader, None
            reader.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await reader

    async def _read(self) -> None:
        while True:
            client = queue.async_client()
            try:
                await self._follow(client, await newest(client))
            except (redis.RedisError, OSError) as error:
                _log.warning("events_unavailable", cause=str(error))
                self._reading.clear()
                for subscriber in self._subscribers:
                    subscriber.lose()
                await asyncio.sleep(RETRY_S)
            finally:
                await client.aclose()

    async def _follow(self, client: redis.asyncio.Redis, position: str) -> None:
        self._reading.set()
        while True:
            reply = await client.xread({queue.STREAM: position}, count=500, block=BLOCK_MS)
            for _stream, entries in _pairs(reply):
                for delta in deltas(entries):
                    position = delta.id
                    for subscriber in self._subscribers:
                        subscriber.put(delta)

    async def wait_reading(self) -> None:
        """Until the reader follows the stream; raises TimeoutError where the queue stays away."""
        await asyncio.wait_for(self._reading.wait(), START_LIMIT_S)


def _pairs(reply: object) -> list[tuple[bytes, object]]:
    """XREAD's answer as pairs: a mapping in RESP3, a list in RESP2."""
    if isinstance(reply, dict):
        return [(name, entries[0] if len(entries) == 1 else entries) for name, entries in reply.items()]
    return list(reply) if isinstance(reply, list) else []


def deltas(entries: object) -> list[Delta]:
    """Stream entries as redis-py gives them."""
    if not isinstance(entries, list):
        return []
    return [_delta(entry_id.decode(), fields.get(b"e", b"").decode()) for entry_id, fields in entries if fields]


def _delta(event_id: str, body: str) -> Delta:
    found = _FIGURES.match(body)
    return Delta(event_id, body, found and found[1])


async def newest(client: redis.asyncio.Redis) -> str:
    """The id of the newest event, `0-0` where there is none."""
    found = deltas(await client.xrevrange(queue.STREAM, count=1))
    return found[0].id if found else "0-0"


async def missed(client: redis.asyncio.Redis, after: str) -> list[Delta] | None:
    """The events after `after`, or None where `after` itself is no longer in the stream."""
    found = deltas(await client.xrange(queue.STREAM, min=after, max="+"))
    if not found or found[0].id != after:
        return None
    return found[1:]


def position_of(event_id: str) -> Position:
    """An id in the order of the stream; raises ValueError for anything else."""
    milliseconds, _, number = event_id.partition("-")
    if not (event_id.isascii() and milliseconds.isdecimal() and number.isdecimal() and len(event_id) <= 41):
        raise ValueError("an event id is two numbers and a hyphen")
    position = int(milliseconds), int(number)
    if max(position) >= 2**64:
        raise ValueError("the numbers of an event id have 64 bits")
    return position
