"""The event stream over real HTTP: snapshot, deltas, resume, resync, and its end with the session."""

import asyncio
import gzip
import json
import random
import re
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import httpx
import pytest
import redis
from console_world import PASSWORD, a_batch, serving, wait_until
from fastapi import FastAPI
from sextant_backend.app import console_app
from sextant_backend.kit import queue
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.principal import CSRF_HEADER
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.auth.models import BrowserSession
from sextant_backend.modules.events import hub as hubs
from sextant_backend.modules.events.endpoints import HEARTBEAT_S
from sextant_backend.modules.events.response import EventsInTurn
from sextant_backend.modules.events.service import MAX_A_USER, Stream
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.telemetry import service as telemetry
from sextant_backend.settings import get_settings
from sextant_domain.console.access import Role
from sextant_domain.console.live import SnapshotEvent
from sextant_domain.hosts.host import HostInventory
from sqlalchemy import func, text, update
from sqlalchemy.orm import Session
from sse_starlette import ServerSentEvent
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.routing import Route

EVENTS = "/api/v1/events"
LIMIT_S = 60.0
"""Ends what hangs. A stream that did not end would send its comments for ever."""


@dataclass
class Seen:
    """One message, or one comment line."""

    id: str | None
    data: dict[str, Any] | None
    comment: str | None = None


class Reader:
    """Parses a stream as a browser does (WHATWG HTML, server-sent events)."""

    def __init__(self, answer: httpx.Response) -> None:
        self.headers = answer.headers
        self._lines = answer.iter_lines()

    def messages(self) -> Iterator[Seen]:
        """Messages and comments, until the stream ends."""
        fields: dict[str, str] = {}
        for line in self._lines:
            if line.startswith(":"):
                yield Seen(None, None, line[1:].strip())
            elif line:
                name, _, value = line.partition(":")
                fields[name] = fields.get(name, "") + value.removeprefix(" ")
            elif "data" in fields:
                yield Seen(fields.get("id"), json.loads(fields["data"]))
                fields = {}

    def next_data(self) -> Seen:
        """The next message, comments left out."""
        deadline = time.monotonic() + LIMIT_S
        for seen in self.messages():
            if seen.data is not None:
                return seen
            assert time.monotonic() < deadline, "no event came"
        raise AssertionError("the stream ended")


@dataclass
class Console:
    """A console on a port, with somebody signed in."""

    app: FastAPI
    http: httpx.Client

    @contextmanager
    def stream(self, last_event_id: str | None = None) -> Iterator[Reader]:
        """An open stream."""
        headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        with self.http.stream("GET", EVENTS, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            assert answer.headers["content-type"].startswith("text/event-stream")
            yield Reader(answer)

    def open_streams(self) -> int:
        """As the console counts them."""
        count: int = self.app.state.hub.count()
        return count


@pytest.fixture
def console(session: Session, monkeypatch: pytest.MonkeyPatch) -> Iterator[Console]:
    """A real server. A stream may take its time to begin, as after a pause of the machine."""
    monkeypatch.setattr(hubs, "START_LIMIT_S", LIMIT_S)
    auth.create_user(session, "ada", PASSWORD, Role.VIEWER)
    session.commit()
    app = console_app()
    with serving(app) as port, httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=LIMIT_S) as http:
        answer = http.post("/api/v1/auth/login", json={"username": "ada", "password": PASSWORD})
        http.headers[CSRF_HEADER] = answer.json()["csrf_token"]
        yield Console(app, http)


def test_a_snapshot_that_takes_long_is_waited_for_within_the_stream(console: Console) -> None:
    """Of a large fleet it takes seconds; a browser that hears nothing for ten comes again, and again."""
    with session_scope() as session:
        session.execute(text("LOCK TABLE hosts IN ACCESS EXCLUSIVE MODE"))
        with console.stream() as reader:
            assert next(reader.messages()).comment == "alive", "before the snapshot can be read"
            session.rollback()
            snapshot = reader.next_data()
    assert snapshot.data and snapshot.data["event"] == "snapshot"


def _ingest(sequence: int) -> None:
    with session_scope() as session:
        telemetry.ingest(session, a_batch(sequence))


def _sequence(seen: Seen) -> int:
    assert seen.data is not None and seen.data["event"] == "telemetry"
    return int(seen.data["batch"]["sequence"])


def test_snapshot_comes_first_then_deltas(console: Console, edge: HostInventory) -> None:
    _ingest(1)
    with console.stream() as reader:
        first = reader.next_data()
        snapshot = SnapshotEvent.model_validate(first.data)
        assert [host.host_id for host in snapshot.hosts] == ["edge-1"]
        assert snapshot.hosts[0].throughput_mpps == 0.4
        _ingest(2)
        second = reader.next_data()
        assert _sequence(second) == 2
        assert hubs.position_of(second.id or "") > hubs.position_of(first.id or "")
        assert reader.headers["Content-Encoding"] == "gzip", "each event is readable as it comes all the same"


def test_resuming_gives_what_was_missed_and_no_snapshot(console: Console, edge: HostInventory) -> None:
    with console.stream() as reader:
        reader.next_data()
        _ingest(1)
        seen = reader.next_data()
        while seen.data is not None and seen.data["event"] != "telemetry":
            seen = reader.next_data()
    for sequence in (2, 3):
        _ingest(sequence)
    with console.stream(seen.id) as reader:
        assert [_sequence(reader.next_data()) for _ in range(2)] == [2, 3]
        _ingest(4)
        assert _sequence(reader.next_data()) == 4


def test_resuming_where_nothing_was_missed_waits(console: Console, edge: HostInventory) -> None:
    with console.stream() as reader:
        last = reader.next_data().id
    with console.stream(last) as reader:
        _ingest(1)
        assert [reader.next_data().data["event"] for _ in range(2)] == ["host", "telemetry"]  # type: ignore[index]


@pytest.mark.parametrize("unknown", ["1-1", "9999999999999-0", "nonsense", "0-0", "-", "18446744073709551616-0"])
def test_unknown_position_gives_a_whole_snapshot(console: Console, edge: HostInventory, unknown: str) -> None:
    with console.stream(unknown) as reader:
        assert reader.next_data().data["event"] == "snapshot"  # type: ignore[index]


def test_trimmed_position_gives_a_whole_snapshot(console: Console, edge: HostInventory) -> None:
    with console.stream() as reader:
        last = reader.next_data().id
    _ingest(1)
    queue.client().xtrim(queue.STREAM, maxlen=1, approximate=False)
    with console.stream(last) as reader:
        assert reader.next_data().data["event"] == "snapshot"  # type: ignore[index]


def test_comment_comes_every_second(console: Console) -> None:
    """Three of them long before the beat of 15 s that streams have if nothing is said would bring a third one, at 45 s:
    a busy machine may add some seconds of its own."""
    with console.stream() as reader:
        reader.next_data()
        started, comments = time.monotonic(), 0
        for seen in reader.messages():
            comments += seen.comment is not None
            if comments == 3:
                break
    assert HEARTBEAT_S == 1 and time.monotonic() - started < 40


def test_subscriber_that_cannot_keep_up_gets_a_snapshot(
    console: Console, edge: HostInventory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with console.stream() as reader:
        reader.next_data()
        [subscriber] = console.app.state.hub._subscribers
        subscriber.lose()
        assert reader.next_data().data["event"] == "snapshot"  # type: ignore[index]
        _ingest(1)
        assert reader.next_data().data["event"] in ("host", "telemetry")  # type: ignore[index]


def test_full_backlog_is_a_loss() -> None:
    async def overflow() -> hubs.Subscriber:
        one = hubs.Subscriber("ada")
        for number in range(hubs.BACKLOG + 1):
            one.put(hubs.Delta(f"{number}-0", "{}"))
        return one

    one = asyncio.run(overflow())
    assert one.lost and one.waits() == 1


def test_of_figures_only_the_newest_of_a_host_wait_and_are_no_loss() -> None:
    """Two hosts report for an hour while a browser takes nothing, and a plan is made meanwhile."""

    async def read() -> list[str]:
        one = hubs.Subscriber("ada")
        for second in range(3600):
            for host in ("edge-1", "edge-2"):
                body = f'{{"event":"telemetry","batch":{{"host_id":"{host}","sequence":{second}}}}}'
                [delta] = hubs.deltas([(f"{second}-{host[-1]}".encode(), {b"e": body.encode()})])
                one.put(delta)
            if second == 1800:
                one.put(hubs.Delta("1800-3", '{"event":"plan"}'))
        assert not one.lost
        return [(await one.get()).id for _ in range(one.waits())]

    assert asyncio.run(read()) == ["1800-3", "3599-1", "3599-2"]


def test_who_waits_for_a_delta_is_woken_by_the_next() -> None:
    async def read() -> str:
        one = hubs.Subscriber("ada")
        waits = asyncio.ensure_future(one.get())
        await asyncio.sleep(0)
        one.put(hubs.Delta("1-0", "{}"))
        return (await waits).id

    assert asyncio.run(read()) == "1-0"


def test_a_heartbeat_is_not_written_into_a_snapshot_that_is_being_compressed() -> None:
    """Compressing it takes far longer than the heartbeats are apart."""
    snapshot = random.Random(1).randbytes(12_000_000).hex()

    async def events(request: Request) -> EventsInTurn:
        async def written() -> AsyncIterator[ServerSentEvent]:
            yield ServerSentEvent(data=snapshot, id="1-0")
            yield ServerSentEvent(data="after", id="1-1")

        return EventsInTurn(written(), ping=0.02, ping_message_factory=lambda: ServerSentEvent(comment="alive"))

    async def packed() -> bytes:
        app = GZipMiddleware(Starlette(routes=[Route("/", events)]), compresslevel=5, exclude_content_types=())
        async with (
            httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://console") as client,
            client.stream("GET", "/", headers={"accept-encoding": "gzip"}) as answer,
        ):
            assert answer.headers["content-encoding"] == "gzip"
            return b"".join([part async for part in answer.aiter_raw()])

    text = gzip.decompress(asyncio.run(packed())).decode()
    assert re.findall("data: (.*)\r", text) == [snapshot, "after"]
    assert ": alive" in text


def test_what_the_snapshot_holds_is_not_sent_again() -> None:
    """Deltas wait from before the snapshot was read: those up to its position are left out."""

    async def read() -> list[str]:
        subscriber = hubs.Subscriber("ada")
        first = hubs.Delta("5-1", '{"event":"snapshot"}')
        stream = Stream(hubs.Hub(), subscriber, lambda: None, [first], "5-1", (5, 1))
        for event_id in ("5-0", "5-1", "5-2", "5-10", "6-0"):
            subscriber.put(hubs.Delta(event_id, "{}"))
        seen = []
        async for delta in stream.deltas():
            seen.append(delta.id)
            if delta.id == "6-0":
                break
        return seen

    assert asyncio.run(read()) == ["5-1", "5-2", "5-10", "6-0"]


@pytest.mark.parametrize("how", ["expired", "signed out"])
def test_stream_ends_with_the_session(console: Console, session: Session, how: str) -> None:
    with console.stream() as reader:
        reader.next_data()
        if how == "expired":
            soon = func.clock_timestamp() + timedelta(seconds=0.5)
            session.execute(update(BrowserSession).values(expires_at=soon))
            session.commit()
        else:
            assert console.http.post("/api/v1/auth/logout").status_code == 204
        started = time.monotonic()
        for seen in reader.messages():
            assert seen.data is None, "an event after the session's end"
            assert time.monotonic() - started < LIMIT_S
    assert console.http.get(EVENTS).status_code == 401


def test_closed_streams_are_let_go(console: Console) -> None:
    with console.stream() as reader:
        reader.next_data()
        assert console.open_streams() == 1
    wait_until(lambda: console.open_streams() == 0)
    assert console.app.state.hub._reader is None


def test_streams_are_bounded(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = console.app.state.hub
    hub._subscribers.update(hubs.Subscriber("ada") for _ in range(MAX_A_USER))
    answer = console.http.get(EVENTS)
    assert answer.status_code == 503
    assert answer.json()["type"] == "urn:sextant:problem:unavailable"
    hub._subscribers.clear()


def test_queue_away_is_a_refusal_with_a_cause(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "redis_url", lambda _url: "redis://127.0.0.1:1/0")
    monkeypatch.setattr(hubs, "START_LIMIT_S", 0.5)
    answer = console.http.get(EVENTS)
    assert answer.status_code == 503
    assert "queue" in answer.json()["detail"]


def test_queue_that_went_away_and_came_back_gives_a_snapshot(console: Console, edge: HostInventory) -> None:
    """A server that cuts its connections is what a restart looks like to the reader."""
    with console.stream() as reader:
        reader.next_data()
        queue.client().flushall()
        queue.client().client_kill_filter(_type="normal", skipme=True)
        assert reader.next_data().data["event"] == "snapshot"  # type: ignore[index]
        _ingest(1)
        assert [reader.next_data().data["event"] for _ in range(2)] == ["host", "telemetry"]  # type: ignore[index]


def test_queue_that_stays_away_ends_the_stream(console: Console, monkeypatch: pytest.MonkeyPatch) -> None:
    with console.stream() as reader:
        reader.next_data()
        monkeypatch.setattr(hubs, "START_LIMIT_S", 0.5)
        monkeypatch.setattr(queue, "redis_url", lambda _url: "redis://127.0.0.1:1/0")
        cutter = redis.Redis.from_url(get_settings().redis_url)
        cutter.client_kill_filter(_type="normal", skipme=True)
        cutter.close()
        started = time.monotonic()
        for seen in reader.messages():
            assert seen.data is None, "an event without a queue"
            assert time.monotonic() - started < LIMIT_S
    wait_until(lambda: console.open_streams() == 0)


def test_host_event_names_all_its_nfs(console: Console, edge: HostInventory) -> None:
    with console.stream() as reader:
        reader.next_data()
        with session_scope() as session:
            hosts.enrol(session, "edge-1", {"rack": "r1"})
        event = reader.next_data().data
        assert event is not None
        assert (event["event"], event["host"]["labels"], event["nfs"]) == ("host", {"rack": "r1"}, [])
