"""A listener that sleeps while nobody asks it anything: the console, the fleet listener and agents.

uvicorn looks ten times a second whether it is to end: a quarter of what an installation took at rest. It stands
here since the three share nothing else; it imports no server, and is mixed into uvicorn's `Server` by them.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress

TICK_S = 1.0
"""How old the date may be that answers carry."""


class RareTicks:
    """In front of uvicorn's `Server`, whose `main_loop` it takes the place of."""

    _ends = False
    _wake: Callable[[], object] = staticmethod(lambda: None)

    async def on_tick(self, counter: int, /) -> bool:
        """uvicorn's: renews the date where the counter is a multiple of ten; True: it is to end."""
        raise NotImplementedError

    @property
    def should_exit(self) -> bool:
        """Set by uvicorn when a signal came; by anybody else from any thread."""
        return self._ends

    @should_exit.setter
    def should_exit(self, ends: bool) -> None:
        self._ends = ends
        if ends:
            self._wake()

    async def main_loop(self) -> None:
        """Until it is to end, which it learns at once."""
        told, loop = asyncio.Event(), asyncio.get_running_loop()
        self._wake = lambda: loop.call_soon_threadsafe(told.set)
        while not await self.on_tick(0):
            with suppress(TimeoutError):
                await asyncio.wait_for(told.wait(), TICK_S)
