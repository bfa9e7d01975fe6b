"""Two consoles beside each other, as processes: what one was told the other knows, and a browser may change over."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from uuid import uuid4

import httpx
import pytest
from console_world import PASSWORD, a_batch, wait_until
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.principal import CSRF_HEADER
from sextant_backend.kit.throttle import SharedThrottle
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.auth.sign_in import MAX_FAILURES
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.console.access import Role
from sextant_domain.hosts.host import HostInventory
from sextant_run.ports import any_free
from sqlalchemy import text
from test_events import EVENTS, LIMIT_S, Reader

API = "/api/v1"


class Beside:
    """A console process as a proxy reaches it."""

    def __init__(self, log: Path) -> None:
        self.port = any_free()
        with log.open("ab") as stream:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "sextant_backend", "console", "--port", str(self.port)],
                env=os.environ,
                stdout=stream,
                stderr=stream,
                start_new_session=True,
            )
        headers = {"Host": "console.example.org"}  # a proxy passes on what the browser asked for
        self.http = httpx.Client(base_url=f"http://127.0.0.1:{self.port}", timeout=LIMIT_S, headers=headers)

    def answers(self) -> bool:
        try:
            return self.http.get("/healthz").status_code == 200
        except httpx.TransportError:
            return False

    def sign_in(self, password: str = PASSWORD) -> httpx.Response:
        return self.http.post(f"{API}/auth/login", json={"username": "ada", "password": password})

    def take_over(self, other: "Beside") -> None:
        """The browser that was signed in there comes here."""
        self.http.cookies.update(other.http.cookies)
        self.http.headers[CSRF_HEADER] = other.http.headers[CSRF_HEADER]

    @contextmanager
    def stream(self, last_event_id: str | None = None) -> Iterator[Reader]:
        headers = {} if last_event_id is None else {"Last-Event-ID": last_event_id}
        with self.http.stream("GET", EVENTS, headers=headers) as answer:
            assert answer.status_code == 200, answer.read()
            yield Reader(answer)

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def end(self) -> None:
        self.kill()
        self.http.close()


@pytest.fixture
def consoles(clean: object, tmp_path: Path) -> Iterator[tuple[Beside, Beside]]:
    with session_scope() as session:
        auth.create_user(session, "ada", PASSWORD, Role.OPERATOR)
    with ExitStack() as stack:
        both = tuple(Beside(tmp_path / "console.log") for _ in range(2))
        for one in both:
            stack.callback(one.end)
        for one in both:
            wait_until(one.answers)
        yield both[0], both[1]


def _ingest(sequence: int) -> None:
    with session_scope() as session:
        telemetry.ingest(session, a_batch(sequence))


def test_a_browser_changes_over_and_misses_nothing(consoles: tuple[Beside, Beside], edge: HostInventory) -> None:
    """It is signed in at the first and follows its stream, which is killed; the second goes on where that stood.

    Then a chain that the first was asked to store, under a key, is asked for again at the second: the same answer.
    """
    first, second = consoles
    first.http.headers[CSRF_HEADER] = first.sign_in().json()["csrf_token"]
    second.take_over(first)
    chain = {"name": "edge", "nfs": ["router"], "traffic": {"rate_mpps": 0.1, "packet_bytes": 128}}
    key = {"Idempotency-Key": str(uuid4())}
    asked = first.http.post(f"{API}/chains", json=chain, headers=key)
    assert asked.status_code < 300, asked.text
    with first.stream() as reader:
        assert reader.next_data().data["event"] == "snapshot"
        _ingest(1)
        seen = reader.next_data()
        while seen.data["event"] != "telemetry":
            seen = reader.next_data()
        first.kill()
    for sequence in (2, 3, 4):
        _ingest(sequence)
    with second.stream(seen.id) as reader:
        came = [reader.next_data().data for _ in range(3)]
    assert [(one["event"], one["batch"]["sequence"]) for one in came] == [("telemetry", n) for n in (2, 3, 4)]
    again = second.http.post(f"{API}/chains", json=chain, headers=key)
    assert (again.status_code, again.json(), again.headers["Idempotency-Replayed"]) == (
        asked.status_code,
        asked.json(),
        "true",
    )
    with session_scope() as session:
        assert session.scalar(text("SELECT count(*) FROM chains")) == 1


def test_wrong_passwords_are_counted_for_both(consoles: tuple[Beside, Beside]) -> None:
    """Five may be wrong within a minute: three at one, two at the other, and the sixth is refused unseen."""
    first, second = consoles
    wrong = [one.sign_in("wrong-horse") for one in (first, second, first, second, first)]
    assert [answer.status_code for answer in wrong] == [401] * MAX_FAILURES
    assert [one.sign_in().status_code for one in consoles] == [429, 429]


def test_a_throttle_counts_for_all_processes_and_alone_where_valkey_is_away(
    clean: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three a minute one process takes two, the other one; each key by itself."""
    one, other = SharedThrottle("test", 3), SharedThrottle("test", 3)
    assert [one.allow("a"), other.allow("a"), one.allow("a"), other.allow("a"), one.allow("a")] == [True] * 3 + [
        False
    ] * 2
    assert other.allow("b")
    with monkeypatch.context() as changed:
        changed.setattr("sextant_backend.kit.throttle.queue.client", _away)
        assert [other.allow("c") for _ in range(4)] == [True, True, True, False]


def _away() -> object:
    import redis

    raise redis.ConnectionError("away")
