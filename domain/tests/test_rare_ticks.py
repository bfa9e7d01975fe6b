"""A listener that sleeps: it ticks once a second, and ends at once when it is told to, by another thread too."""

import asyncio
import threading
import time

import pytest
from sextant_domain import rare_ticks
from sextant_domain.rare_ticks import RareTicks


class Server:
    """What uvicorn's does: told by an attribute that it sets first itself."""

    def __init__(self) -> None:
        self.should_exit = False
        self.ticks: list[int] = []

    async def on_tick(self, counter: int) -> bool:
        self.ticks.append(counter)
        return self.should_exit


class Listener(RareTicks, Server):
    on_tick = Server.on_tick


def test_it_ends_at_once_when_another_thread_says_so() -> None:
    """One tick as it begins, one when it was told: none in between, in less than a second."""
    listener = Listener()

    def tell() -> None:
        listener.should_exit = True

    async def run() -> None:
        threading.Timer(0.05, tell).start()
        await listener.main_loop()

    began = time.monotonic()
    asyncio.run(run())
    assert time.monotonic() - began < rare_ticks.TICK_S
    assert listener.ticks == [0, 0]


def test_it_ticks_again_and_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rare_ticks, "TICK_S", 0.01)
    listener = Listener()

    async def run() -> None:
        task = asyncio.create_task(listener.main_loop())
        while len(listener.ticks) < 5:
            await asyncio.sleep(0.01)
        listener.should_exit = True
        await task

    asyncio.run(run())


def test_who_is_told_before_it_begins_ends_with_its_first_tick() -> None:
    listener = Listener()
    listener.should_exit = True
    asyncio.run(listener.main_loop())
    assert listener.ticks == [0]
