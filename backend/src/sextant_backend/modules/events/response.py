"""The answer that does not end: events and heartbeats, one after the other."""

import anyio
from sse_starlette import EventSourceResponse
from starlette.types import Message, Receive, Scope, Send


class EventsInTurn(EventSourceResponse):
    """Heartbeats and events are sent by two tasks, and what is large is compressed in a thread meanwhile: a heartbeat
    that did not wait for a snapshot would be written into the middle of it, and no browser could unpack the rest."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        turn = anyio.Lock()

        async def in_turn(message: Message) -> None:
            async with turn:
                await send(message)

        await super().__call__(scope, receive, in_turn)
