"""A listener that sleeps while nobody asks it anything: the console, the fleet listener and agents.

uvicorn looks ten times a second whether it is to end, and once a second what date its answers carry: a third of what an
installation took at rest. It stands here since the three share nothing else; it imports no server, and is mixed into
uvicorn's `Server` and `ServerState` by them.
"""

import asyncio
import time
from collections.abc import Callable
from email.utils import formatdate
from typing import Any, ClassVar

DATE_S = 1.0
"""How old the date may be that answers carry."""

Headers = list[tuple[bytes, bytes]]


class DatedAnswers:
    """In front of uvicorn's `ServerState`: the date is made for an answer, at most once a second."""

    _further: Headers
    _dated: Headers
    _made_at: float | None = None

    @property
    def default_headers(self) -> Headers:
        """Of every answer, as uvicorn's protocols ask for them."""
        now = time.time()
        if self._made_at is None or not 0 <= now - self._made_at < DATE_S:
            self._made_at = now
            self._dated = [(b"date", formatdate(now, usegmt=True).encode()), *self._further]
        return self._dated

    @default_headers.setter
    def default_headers(self, further: Headers) -> None:
        """Those but the date."""
        self._further, self._made_at = further, None


class SleepingListener:
    """In front of uvicorn's `Server`, whose `main_loop` it takes the place of."""

    new_state: ClassVar[Callable[[], Any]]
    """A `ServerState` with `DatedAnswers` in front."""
    config: Any
    server_state: Any
    _ends = False
    _wake: Callable[[], object] = staticmethod(lambda: None)

    def __init__(self, *given: Any, **options: Any) -> None:
        super().__init__(*given, **options)
        self.server_state = type(self).new_state()

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
        self.server_state.default_headers = self.config.encoded_headers
        if not self.should_exit:
            await told.wait()
