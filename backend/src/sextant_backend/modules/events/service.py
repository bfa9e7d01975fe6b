"""One browser's stream: a snapshot or what it missed, then deltas, until its session ends."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime

import redis
import structlog
from fastapi.concurrency import run_in_threadpool
from sqlalchemy.exc import SQLAlchemyError

from sextant_backend.kit import queue
from sextant_backend.kit.errors import Unavailable
from sextant_backend.kit.principal import Unauthenticated
from sextant_backend.modules.events.hub import Delta, Hub, Subscriber, missed, newest, position_of
from sextant_backend.modules.events.snapshot import snapshot_json

MAX_A_USER = 16
CHECK_EVERY_S = 3.0
"""How often a stream asks whether its session still holds."""
_log = structlog.get_logger()

Holds = Callable[[], datetime | None]
"""When the session ends (None: it does not); raises Unauthenticated where it has ended."""


@dataclass
class Stream:
    """An admitted browser and how far it has read."""

    hub: Hub
    subscriber: Subscriber
    holds: Holds
    first: list[Delta] | None
    """What it has missed; None where it needs a snapshot."""
    start: str
    """The newest position when it was admitted."""
    position: tuple[int, int]

    async def deltas(self) -> AsyncGenerator[Delta]:
        """Events for this browser; ends with the session, and with the connection."""
        try:
            try:
                first = await self._begin()
            except SQLAlchemyError as error:
                _log.warning("stream_ended", cause=str(error))
                return  # the browser comes again
            for delta in first:
                yield delta
            async with aclosing(self._live()) as live:
                async for delta in live:
                    yield delta
        finally:
            await self.hub.unsubscribe(self.subscriber)

    async def _begin(self) -> list[Delta]:
        """The snapshot is read here and not before the answer begins: it may take seconds of a large fleet, and the
        browser hears meanwhile that somebody is there."""
        if self.first is not None:
            return self.first
        return [Delta(self.start, await run_in_threadpool(snapshot_json))]

    async def _live(self) -> AsyncGenerator[Delta]:
        while True:
            left = await self._seconds_left()
            check_at = asyncio.get_running_loop().time() + min(left, CHECK_EVERY_S)
            if left <= 0:
                return
            while (wait := check_at - asyncio.get_running_loop().time()) > 0:
                try:
                    delta = await asyncio.wait_for(self.subscriber.get(), wait)
                except TimeoutError:
                    break
                if self.subscriber.lost:
                    try:
                        delta = await self._resync()
                    except (redis.RedisError, OSError, SQLAlchemyError) as error:
                        _log.warning("stream_ended", cause=str(error) or "the queue does not answer")
                        return  # the browser connects again, and is refused with the reason
                at = position_of(delta.id)
                if at > self.position or delta.body.startswith(_SNAPSHOT):
                    self.position = at
                    yield delta

    async def _resync(self) -> Delta:
        """A snapshot in the place of what was lost; raises TimeoutError where the queue stays away."""
        await self.hub.wait_reading()
        self.subscriber.lost = False
        return await _snapshot()

    async def _seconds_left(self) -> float:
        try:
            ends_at = await run_in_threadpool(self.holds)
        except Unauthenticated:
            return 0.0
        except SQLAlchemyError:
            return CHECK_EVERY_S  # the database is away: ask again
        return CHECK_EVERY_S if ends_at is None else (ends_at - datetime.now(UTC)).total_seconds()


_SNAPSHOT = '{"event":"snapshot"'


async def admit(hub: Hub, username: str, holds: Holds, last_event_id: str | None, most: int) -> Stream:
    """Start a stream; raises Unavailable where there are too many, or where database or queue are away."""
    if hub.count() >= most or hub.count(username) >= MAX_A_USER:
        raise Unavailable(f"There are {hub.count()} event streams open, and no room for one more.")
    try:
        subscriber = await hub.subscribe(username)
    except TimeoutError:
        raise Unavailable("The queue does not answer, so there is nothing to stream.") from None
    try:
        start, first = await _first(last_event_id)
    except BaseException as error:
        await hub.unsubscribe(subscriber)
        if isinstance(error, redis.RedisError | OSError):
            raise Unavailable("The queue does not answer, so there is nothing to stream.") from error
        raise
    return Stream(hub, subscriber, holds, first, start, position_of(start))


async def _first(last_event_id: str | None) -> tuple[str, list[Delta] | None]:
    """Where a stream begins, and what a browser that saw `last_event_id` has missed; None where that is unknown."""
    client = queue.async_client()
    try:
        if last_event_id is not None and _is_id(last_event_id):
            since = await missed(client, last_event_id)
            if since is not None:
                return since[-1].id if since else last_event_id, since
        return await newest(client), None
    finally:
        await client.aclose()


async def _snapshot() -> Delta:
    """The position first, the state after it: an event in between is sent twice, never lost."""
    client = queue.async_client()
    try:
        position = await newest(client)
    finally:
        await client.aclose()
    return Delta(position, await run_in_threadpool(snapshot_json))


def _is_id(text: str) -> bool:
    try:
        position_of(text)
    except ValueError:
        return False
    return True
