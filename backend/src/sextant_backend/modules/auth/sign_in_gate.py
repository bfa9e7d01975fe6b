"""How many sign-ins are under way, and whose turn it is next.

Checking a password takes 19 MiB and some 20 ms of a core, and what waits for it holds a thread: only a few are under
way. Others wait here a moment, where they hold neither a thread nor a connection, and are refused beyond that. Turns go
round by address, and within an address by name: whoever floods one of these waits for himself.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from sextant_backend.kit.errors import Unavailable

MOST_AT_ONCE = 4
MOST_OF_CLIENT = 2
"""As many as passwords are compared at once: more would wait behind each other inside, where turns do not go round."""
MOST_WAITING = 128
MOST_WAITING_OF_CLIENT = 32
MOST_WAITING_OF_NAME = 8
"""From one address."""
WAIT_LIMIT_S = 2.0

_Turns = deque["asyncio.Future[None]"]


class Gate:
    """Sign-ins of this process; used in its event loop only."""

    def __init__(self, wait_limit_s: float = WAIT_LIMIT_S) -> None:
        self.under_way: Counter[str] = Counter()
        """By client."""
        self._limit_s = wait_limit_s
        self._waiting: dict[str, dict[str, _Turns]] = {}
        """By client and name: in both, the one whose turn is next comes first."""

    @asynccontextmanager
    async def one_of(self, client: str, name: str = "") -> AsyncIterator[None]:
        """One more of this client, under this name, once it is its turn; Unavailable where too many wait already, or
        its turn does not come soon."""
        await self._enter(client, name)
        try:
            yield
        finally:
            self._leave(client)

    def waiting(self, client: str | None = None) -> int:
        """How many wait; of one client where it is named."""
        of_clients = self._waiting.values() if client is None else [self._waiting.get(client, {})]
        return sum(len(turns) for names in of_clients for turns in names.values())

    async def _enter(self, client: str, name: str) -> None:
        if self._may_enter(client):
            self.under_way[client] += 1
            return
        of_name = len(self._waiting.get(client, {}).get(name, ()))
        full = self.waiting() >= MOST_WAITING or self.waiting(client) >= MOST_WAITING_OF_CLIENT
        if full or of_name >= MOST_WAITING_OF_NAME:
            raise self._refusal()
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(client, {}).setdefault(name, deque()).append(turn)
        try:
            async with asyncio.timeout(self._limit_s):
                await turn
        except BaseException as error:
            if turn.done() and not turn.cancelled():
                self._leave(client)  # its turn came at the very moment in which it gave up
            else:
                self._forget(client, name, turn)
            if isinstance(error, TimeoutError):
                raise self._refusal() from None
            raise

    def _may_enter(self, client: str) -> bool:
        return self.under_way.total() < MOST_AT_ONCE and self.under_way[client] < MOST_OF_CLIENT

    def _leave(self, client: str) -> None:
        self.under_way[client] -= 1
        self.under_way += Counter()  # forgets clients that have none
        while (following := next(filter(self._may_enter, self._waiting), None)) is not None:
            self._admit_one_of(following)

    def _admit_one_of(self, client: str) -> None:
        names = self._waiting.pop(client)
        name = next(iter(names))
        turns = names.pop(name)
        self.under_way[client] += 1
        turns.popleft().set_result(None)
        if turns:
            names[name] = turns  # behind the client's other names
        if names:
            self._waiting[client] = names  # behind the other clients

    def _forget(self, client: str, name: str, turn: "asyncio.Future[None]") -> None:
        names = self._waiting[client]
        names[name].remove(turn)
        if not names[name]:
            del names[name]
        if not names:
            del self._waiting[client]

    def _refusal(self) -> Unavailable:
        return Unavailable(
            f"{self.under_way.total()} sign-ins are being checked, {self.waiting()} wait. Nothing was changed."
        )
