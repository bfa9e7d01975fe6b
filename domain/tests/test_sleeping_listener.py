"""A listener that sleeps wakes for nothing but its end, which another thread may tell it; answers carry the date."""

import asyncio
import threading
import time
from email.utils import parsedate_to_datetime
from types import SimpleNamespace

import pytest
from sextant_domain import sleeping_listener
from sextant_domain.sleeping_listener import DatedAnswers, SleepingListener

FURTHER = [(b"x-further", b"1")]


class ServerState:
    """What uvicorn's does."""

    def __init__(self) -> None:
        self.default_headers: list[tuple[bytes, bytes]] = []


class State(DatedAnswers, ServerState):
    pass


class Server:
    """What uvicorn's does: told by an attribute that it sets first itself."""

    def __init__(self) -> None:
        self.server_state = ServerState()
        self.config = SimpleNamespace(encoded_headers=FURTHER)
        self.should_exit = False


class Listener(SleepingListener, Server):
    new_state = State


def test_it_ends_at_once_when_another_thread_says_so() -> None:
    """And does not wake in between: a loop that sleeps has nothing else to run."""
    listener, turns = Listener(), []

    def tell() -> None:
        listener.should_exit = True

    async def run() -> int:
        loop = asyncio.get_running_loop()
        run_once = loop._run_once  # type: ignore[attr-defined]
        loop._run_once = lambda: turns.append(run_once())  # type: ignore[attr-defined]
        threading.Timer(0.3, tell).start()
        await listener.main_loop()
        return len(turns)

    began = time.monotonic()
    assert asyncio.run(run()) <= 3, "one to sleep in, one to be told in"
    assert 0.3 <= time.monotonic() - began < 5


def test_who_is_told_before_it_begins_ends_at_once() -> None:
    listener = Listener()
    listener.should_exit = True
    asyncio.run(asyncio.wait_for(listener.main_loop(), 5))


def test_answers_carry_the_date_and_what_the_server_adds(monkeypatch: pytest.MonkeyPatch) -> None:
    """15:59:59.2 and .9 have the same date; at 16:00:00.3, 1.1 s later, and where the clock is set back there is
    another."""
    now = 1_795_967_999.2
    monkeypatch.setattr(sleeping_listener.time, "time", lambda: now)
    listener = Listener()
    listener.should_exit = True
    asyncio.run(listener.main_loop())

    def shown() -> str:
        (name, date), *further = listener.server_state.default_headers
        assert (name, further) == (b"date", FURTHER)
        return str(date.decode())

    first = shown()
    assert first == "Sun, 29 Nov 2026 15:59:59 GMT"
    assert parsedate_to_datetime(first).timestamp() == int(now)
    now += 0.7
    made = listener.server_state.default_headers
    assert made is listener.server_state.default_headers, "made once"
    assert shown() == first
    now += 0.4
    assert shown() == "Sun, 29 Nov 2026 16:00:00 GMT"
    now -= 3600
    assert shown() == "Sun, 29 Nov 2026 15:00:00 GMT"
