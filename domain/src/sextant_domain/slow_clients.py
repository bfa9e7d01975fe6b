"""How long a listener waits for a client that sends a byte now and then: the console, the fleet listener and agents.

It stands here since the three share nothing else; it imports no server, and is mixed into uvicorn's protocol by them.
uvicorn itself has limits for idle connections alone: one that has begun to speak could last for ever.
"""

import asyncio
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

HEADER_S = 10.0
"""From the connection, or the first byte of a further request, to the end of its header."""
BODY_S = 10.0
SLOWEST_BYTES_S = 16_384
"""A body has `BODY_S`, and as much time more as what came of it takes at this rate."""
ANSWER_S = 30.0
"""Since when nothing of an answer that is ready could be sent: the client does not read."""
HANDSHAKE_S, FAREWELL_S = 10.0, 5.0
"""Of TLS."""
CHECK_EVERY_S = 0.5
LOOP = f"{__name__}:Loop"
"""uvicorn's option `loop`."""

Awaited = Literal["header", "body"]
_AWAITED: dict[str, Awaited] = {"IDLE": "header", "SEND_BODY": "body"}
"""By h11's name for the client's state."""


@dataclass
class Patience:
    """What is awaited of a client, and for how long; pure, its seconds are passed in."""

    awaited: Awaited | None = "header"
    waited_s: float = 0.0
    received: int = 0

    def heard(self, size: int, awaited: Awaited | None) -> None:
        """So many bytes came, and `awaited` is what is awaited now: the same still, something else, or nothing."""
        if awaited != self.awaited:
            self.awaited, self.waited_s, self.received = awaited, 0.0, 0
        elif awaited == "body":
            self.received += size

    def is_over(self, seconds: float) -> bool:
        """These seconds have passed, with us ready to read."""
        self.waited_s += seconds
        if self.awaited == "header":
            return self.waited_s > HEADER_S
        return self.awaited == "body" and self.waited_s > BODY_S + self.received / SLOWEST_BYTES_S


class NoSlowClients(asyncio.Protocol):
    """Mixed into uvicorn's `H11Protocol`, in front of it. Ends connections whose client is too slow, and those of
    strangers beyond `most_strangers`."""

    most_strangers: ClassVar[int] = 256
    """Connections at once that `is_stranger` holds of."""
    by_address: ClassVar[bool] = True
    """Whether they are counted by address."""
    stranger = False
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    client: tuple[str, int] | None
    conn: Any
    flow: Any
    cycle: Any
    config: Any
    server_state: Any
    _patience: Patience
    _checked_at: float
    _check: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def is_stranger(self, transport: asyncio.BaseTransport) -> bool:
        """Whether nobody vouches for the client: a certificate, or a proxy that has limits of its own."""
        raise NotImplementedError

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._patience = Patience()
        self._check_later()
        self.stranger = self.is_stranger(transport)
        if self.stranger and self._strangers() > self.most_strangers:
            self.transport.abort()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._patience.heard(len(data), _AWAITED.get(self.conn.their_state.__name__))
        if self._patience.awaited and self._check is None:
            self._check_later()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unread = self._unread or self.loop.call_later(ANSWER_S, self.transport.abort)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._end("_unread")

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._end("_check")
        self._end("_unread")

    def _end(self, name: Literal["_check", "_unread"]) -> None:
        timer: asyncio.TimerHandle | None = getattr(self, name)
        if timer is not None:
            timer.cancel()
        setattr(self, name, None)

    def _strangers(self) -> int:
        mine = self.client and self.client[0]
        others = (one for one in self.server_state.connections if getattr(one, "stranger", False))
        return sum(not self.by_address or (one.client and one.client[0]) == mine for one in others)

    def _check_later(self) -> None:
        self._checked_at = self.loop.time()
        self._check = self.loop.call_later(CHECK_EVERY_S, self._judge)

    def _judge(self) -> None:
        """A check counts for so long at most, so that a pause of ours is not the client's."""
        self._check = None
        if not self._patience.awaited:
            return
        seconds = 0.0 if self._reads_nothing() else min(self.loop.time() - self._checked_at, 2 * CHECK_EVERY_S)
        if self._patience.is_over(seconds):
            self.transport.abort()  # not close(): TLS would wait for a farewell
        else:
            self._check_later()

    def _reads_nothing(self) -> bool:
        """The application has not asked for more yet: the client waits for us."""
        waits = self.cycle is not None and self.cycle.waiting_for_100_continue
        return bool(self.flow.read_paused or waits)


class Loop(asyncio.SelectorEventLoop):
    """asyncio's own with the limits of TLS, which uvicorn has no option for: 60 s and 30 s else."""

    async def create_server(self, *given: Any, **options: Any) -> asyncio.Server:
        if options.get("ssl") is not None:
            limits = {"ssl_handshake_timeout": HANDSHAKE_S, "ssl_shutdown_timeout": FAREWELL_S}
            options = {**limits, **options}
        return await super().create_server(*given, **options)
