"""Who may use the database now: the other requests wait here, in order, and hold neither a thread nor a connection.

This is the one bound. The threads that endpoints run in (40) are more than it, so nobody who was admitted waits for one
that somebody else holds who waits for a connection; the connections are twice as many (`kit.db`), since a request may
open a second, short transaction beside its own.
"""

import asyncio
from collections.abc import AsyncIterator

from fastapi import Request

from sextant_backend.kit.errors import Unavailable

AT_ONCE = 10
MOST_WAITING = 1_000
WAIT_LIMIT_S = 30.0


class Admission:
    """Of one process; used in its event loop only."""

    def __init__(
        self, at_once: int = AT_ONCE, most_waiting: int = MOST_WAITING, wait_limit_s: float = WAIT_LIMIT_S
    ) -> None:
        self._turns = asyncio.Semaphore(at_once)
        self._most, self._limit_s = most_waiting, wait_limit_s
        self.waiting = 0
        """Requests that wait for a turn."""

    async def wait(self) -> None:
        """Until it is the caller's turn; Unavailable where too many wait, or for too long."""
        if self._turns.locked() and self.waiting >= self._most:
            raise Unavailable(f"{self.waiting} requests wait already. Nothing was changed.")
        self.waiting += 1
        try:
            async with asyncio.timeout(self._limit_s):
                await self._turns.acquire()
        except TimeoutError:
            raise Unavailable(f"It was not this request's turn within {self._limit_s:.0f} s.") from None
        finally:
            self.waiting -= 1

    def end(self) -> None:
        """The next one's turn."""
        self._turns.release()


class AdmissionTurn:
    """One request's, which may be given back while its client is waited for."""

    def __init__(self, admission: Admission) -> None:
        self._admission, self._held = admission, False

    async def take(self) -> None:
        """Wait for it."""
        if not self._held:
            await self._admission.wait()
            self._held = True

    def give_back(self) -> None:
        """Where it is held."""
        if self._held:
            self._held = False
            self._admission.end()


async def admitted(request: Request) -> AsyncIterator[None]:
    """Around the transaction of a request; `request.state.turn` is its turn."""
    turn = request.state.turn = AdmissionTurn(request.app.state.admission)
    await turn.take()
    try:
        yield
    finally:
        turn.give_back()
