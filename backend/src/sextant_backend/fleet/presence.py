"""Which peers are connected. One whose last connection has ended and that does not come back has probably died: the
kernel ends a dead process's connections at once, while silence is noticed only after seconds."""

import asyncio
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime

import structlog
from sqlalchemy.exc import SQLAlchemyError

from sextant_backend.fleet.tls import Peer
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts

GRACE_S = 1.3
"""A living agent reports once a second over a connection that it keeps, and opens a new one with its next report."""
_log = structlog.get_logger()


class Presence:
    """Counts connections. To be called in the event loop's thread only."""

    def __init__(self, gone: Callable[[Peer, datetime], None], grace_s: float = GRACE_S) -> None:
        """`gone` is called, in a thread, with the peer and the moment when its last connection ended."""
        self._gone = gone
        self._grace_s = grace_s
        self._open: Counter[Peer] = Counter()
        self._due: dict[Peer, asyncio.TimerHandle] = {}

    def came(self, peer: Peer) -> None:
        """A connection of this peer was made."""
        self._open[peer] += 1
        if (due := self._due.pop(peer, None)) is not None:
            due.cancel()

    def went(self, peer: Peer) -> None:
        """One has ended."""
        self._open[peer] -= 1
        if self._open[peer] == 0:
            del self._open[peer]
            loop, at = asyncio.get_running_loop(), datetime.now(UTC)
            self._due[peer] = loop.call_later(self._grace_s, self._is_gone, loop, peer, at)

    def close(self) -> None:
        """The listener ends: what goes now says nothing of the peers."""
        for due in self._due.values():
            due.cancel()
        self._due.clear()

    def _is_gone(self, loop: asyncio.AbstractEventLoop, peer: Peer, at: datetime) -> None:
        del self._due[peer]
        loop.run_in_executor(None, self._gone, peer, at)


def mark_gone(peer: Peer, at: datetime) -> None:
    """The hosts that this peer speaks for are stale, from now until they report."""
    reason = f"its agent's connection ended at {at:%H:%M:%S} UTC, and it has not come back"
    try:
        with session_scope() as session:
            names = [peer.id] if peer.kind == "host" else hosts.of_gateway(session, peer.id)
            hosts.mark_stale(session, names, reason, unless_heard_after=at)
    except SQLAlchemyError as error:  # its silence will be noticed instead
        _log.warning("database_unavailable", cause=str(getattr(error, "orig", error)).strip())
