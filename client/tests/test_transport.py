"""The transport against a real HTTP server: tries, keys, tags, pages, and what becomes of refusals."""

import io
import json
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from sextant_client import ApiError, BadAddress, BadBody, Client, Transport, UnexpectedAnswer, Unreachable
from sextant_client.transport import each, filled, path_of

PROBLEM = {"type": "urn:sextant:problem:stale-plan", "title": "The plan is stale", "detail": "edge-1 has moved on."}


class _Server(ThreadingHTTPServer):
    """Answers as `reply` says: status, body, headers; None: the connection is cut."""

    reply: Callable[[str], tuple[int, bytes, dict[str, str]] | None]
    seen: list[tuple[str, str, dict[str, str], bytes]]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.seen.append((self.command, self.path, headers, body))
        answer = self.server.reply(self.path)
        if answer is None:
            self.close_connection = True
            return
        status, content, extra = answer
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **extra}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve  # noqa: N815 - the names http.server calls

    def log_message(self, format: str, *args: Any) -> None:
        """Silence."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Server]:
    monkeypatch.setattr("sextant_client.transport.PAUSE_S", 0.001)
    made = _Server(("127.0.0.1", 0), _Handler)
    made.reply, made.seen = (lambda _: (200, b"{}", {})), []
    thread = threading.Thread(target=made.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


def test_a_write_that_is_cut_is_sent_again_under_the_same_key(server: _Server) -> None:
    replies = iter([None, None, (201, b'{"id": 3}', {"ETag": '"1"', "Location": "/api/v1/plans/3"})])
    server.reply = lambda _: next(replies)
    with Transport(server.url, "sxt_mine") as console:
        answer = console.send("POST", "/api/v1/plans", body={"intent": {}})
    assert (answer.status, answer.body, answer.etag, answer.location) == (201, {"id": 3}, '"1"', "/api/v1/plans/3")
    keys = {headers["idempotency-key"] for _, _, headers, _ in server.seen}
    assert (len(server.seen), len(keys)) == (3, 1)
    assert {headers["authorization"] for _, _, headers, _ in server.seen} == {"Bearer sxt_mine"}


def test_after_three_tries_nobody_is_there(server: _Server) -> None:
    server.reply = lambda _: None
    with Transport(server.url) as console, pytest.raises(Unreachable):
        console.send("GET", "/api/v1/plans")
    assert len(server.seen) == 3


def test_a_refusal_is_its_problem(server: _Server) -> None:
    server.reply = lambda _: (409, json.dumps(PROBLEM).encode(), {})
    with Client(server.url) as console, pytest.raises(ApiError) as refused:
        console.apply_plan(3, if_match='"sha256:ab"')
    assert (refused.value.status, refused.value.kind, str(refused.value)) == (409, "stale-plan", "edge-1 has moved on.")
    [(method, path, headers, body)] = server.seen
    assert (method, path, headers["if-match"], body) == ("POST", "/api/v1/plans/3/apply", '"sha256:ab"', b"")


@pytest.mark.parametrize("content", [b"", b"<html>", b"[]", b"null", b'{"type": 1}', b"[" * 100_000, b"x" * 2_000_000])
def test_a_refusal_that_is_no_problem_says_what_was_asked(server: _Server, content: bytes) -> None:
    server.reply = lambda _: (502, content, {})
    with (
        Transport(server.url) as console,
        pytest.raises(ApiError, match=r"GET /api/v1/hosts was answered 502") as refused,
    ):
        console.send("GET", "/api/v1/hosts")
    assert (refused.value.problem, refused.value.kind) == (None, "")


def test_a_good_answer_that_is_no_json_is_of_another_program(server: _Server) -> None:
    server.reply = lambda _: (200, b"<html>", {})
    with Transport(server.url) as console, pytest.raises(UnexpectedAnswer):
        console.send("GET", "/api/v1/hosts")


def test_no_redirect_is_followed_with_the_token(server: _Server) -> None:
    server.reply = lambda _: (302, b"", {"Location": "http://127.0.0.1:1/"})
    with Transport(server.url, "sxt_mine") as console, pytest.raises(ApiError) as refused:
        console.send("GET", "/api/v1/hosts")
    assert (refused.value.status, len(server.seen)) == (302, 1)


def test_every_item_of_every_page(server: _Server) -> None:
    pages = {"": {"items": [1, 2], "next": "c1"}, "c1": {"items": [3], "next": None}}
    server.reply = lambda path: (200, json.dumps(pages["c1" if "after=c1" in path else ""]).encode(), {})
    with Client(server.url) as console:
        assert list(each(console.list_plans, state="proposed", chain=None)) == [1, 2, 3]
        assert console.pages("/api/v1/plans", {"state": "proposed"}, most=2) == {"items": [1, 2], "next": "c1"}
    assert [path for _, path, _, _ in server.seen] == [
        "/api/v1/plans?state=proposed&limit=200",
        "/api/v1/plans?state=proposed&limit=200&after=c1",
        "/api/v1/plans?state=proposed&limit=2",
    ]


@pytest.mark.parametrize("url", ["", "not an address", "ftp://127.0.0.1", "http://[::1", "http://127.0.0.1:port"])
def test_what_is_no_address_is_said_to_be_none(url: str) -> None:
    with pytest.raises(BadAddress):
        Transport(url).send("GET", "/api/v1/hosts")


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_json_has_not_is_not_sent(number: float) -> None:
    with pytest.raises(BadBody):
        Transport("http://127.0.0.1:9").send("POST", "/api/v1/chains", body={"rate_mpps": [number]})


@pytest.mark.parametrize("name", ["../hosts", "a/b", "a?b=c", "a#b", "%2e%2e", "ä b", "{name}"])
def test_a_name_never_reaches_another_path(name: str) -> None:
    for path in (path_of("chains", name), filled("/api/v1/chains/{name}", name=name)):
        assert path.startswith("/api/v1/chains/") and path.count("/") == 4
        assert not set("?#") & set(path)


def test_a_file_goes_up_and_comes_down(server: _Server, tmp_path: Path) -> None:
    content = b"pattern\n" * 100_000
    file = tmp_path / "web.patterns"
    file.write_bytes(content)
    server.reply = lambda path: (200, content if "content" in path else b"{}", {})
    target = io.BytesIO()
    with Transport(server.url) as console:
        console.upload("/api/v1/artefacts", {"name": "web", "kind": "patterns"}, file, len(content))
        assert console.download("/api/v1/artefacts/x/content", target) == f"sha256:{sha256(content).hexdigest()}"
    assert server.seen[0][1] == "/api/v1/artefacts?name=web&kind=patterns"
    assert server.seen[0][3] == content == target.getvalue()
