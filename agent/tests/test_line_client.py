"""Questions over a unix socket: whoever answers may be gone, slow, or talk nonsense."""

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sextant_agent.kit.line_client import LineAnswer, LineClient, LineError, LineRefused

from .waiting import wait_for


class Said(LineAnswer):
    word: str


Answer = Callable[[socket.socket, dict[str, object]], None]


class Server:
    """Each request is answered by `answer`, one connection after the other."""

    def __init__(self, path: Path) -> None:
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        self.connections = 0
        self.answer: Answer = lambda peer, asked: peer.sendall(line(asked, word="yes"))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                peer, _ = self.listener.accept()
            except OSError:
                return
            self.connections += 1
            with peer, peer.makefile("rb") as lines:
                for one in lines:
                    self.answer(peer, json.loads(one))


def open_descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def line(asked: dict[str, object], **fields: object) -> bytes:
    return json.dumps({"id": asked["id"], "ok": True, **fields}).encode() + b"\n"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    server = Server(tmp_path / "s")
    yield server
    server.listener.shutdown(socket.SHUT_RDWR)
    server.listener.close()


@pytest.fixture
def client(tmp_path: Path, server: Server) -> Iterator[LineClient]:
    client = LineClient(tmp_path / "s", "the peer", os.getuid())
    yield client
    client.close()


def test_a_connection_is_kept_and_opened_again_after_a_failure(client: LineClient, server: Server) -> None:
    assert [client.ask(Said, "speak").word for _ in range(3)] == ["yes"] * 3
    assert server.connections == 1
    server.answer = lambda peer, asked: peer.shutdown(socket.SHUT_RDWR)
    with pytest.raises(LineError, match=r"the peer does not answer at .*: it closed the connection"):
        client.ask(Said, "speak")
    server.answer = lambda peer, asked: peer.sendall(line(asked, word="again"))
    assert client.ask(Said, "speak").word == "again"
    assert server.connections == 2


def test_a_refusal_has_its_code_and_its_field(client: LineClient, server: Server) -> None:
    error = {"code": "bad-request", "field": "sid", "message": "an address is expected"}
    server.answer = lambda peer, asked: peer.sendall(
        json.dumps({"id": asked["id"], "ok": False, "error": error}).encode() + b"\n"
    )
    with pytest.raises(LineRefused, match=r"an address is expected \(bad-request, sid\)") as refused:
        client.ask(Said, "speak")
    assert refused.value.code == "bad-request"
    server.answer = lambda peer, asked: peer.sendall(b'{"id": null, "ok": false, "error": {"code": "no-room"}}\n')
    with pytest.raises(LineRefused, match="no reason was given"):
        client.ask(Said, "speak")
    assert server.connections == 1, "it goes on being asked"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda peer, asked: peer.sendall(b"no json\n"), "is not as agreed"),
        (lambda peer, asked: peer.sendall(b"[]\n"), "it is no object"),
        (lambda peer, asked: peer.sendall(line({"id": 99}, word="yes")), "belongs to another question"),
        (lambda peer, asked: peer.sendall(line(asked, word=3)), "is not as agreed: word"),
        (lambda peer, asked: peer.sendall(b"[" * 100_000 + b"\n"), "is not as agreed"),
        (lambda peer, asked: None, "did not answer speak within 0 s"),
    ],
    ids=["no-json", "a-list", "another-id", "a-wrong-type", "too-deep", "silence"],
)
def test_what_is_not_as_agreed_is_said_and_not_believed(
    client: LineClient, server: Server, answer: Answer, message: str
) -> None:
    server.answer = answer
    with pytest.raises(LineError, match=message):
        client.ask(Said, "speak", 0.3)


def test_one_descriptor_is_passed_and_any_other_number_is_closed(client: LineClient, server: Server) -> None:
    def passing(count: int) -> Answer:
        def answer(peer: socket.socket, asked: dict[str, object]) -> None:
            pipes = [os.pipe() for _ in range(count)]
            socket.send_fds(peer, [line(asked, word="here")], [write for _, write in pipes])
            for read, write in pipes:
                os.close(write)
                os.close(read)

        return answer

    client.ask(Said, "speak")
    before = open_descriptors()
    server.answer = passing(1)
    said, descriptor = client.ask_for_descriptor(Said, "open")
    assert said.word == "here" and not os.get_inheritable(descriptor)
    os.close(descriptor)
    for count in (0, 2):
        server.answer = passing(count)
        with pytest.raises(LineError, match=f"passed {count} descriptors with its answer to open, not one"):
            client.ask_for_descriptor(Said, "open")
    server.answer = passing(2)
    assert client.ask(Said, "speak").word == "here"
    wait_for("all are closed", lambda: open_descriptors() == before)


def test_nobody_there_and_somebody_else(tmp_path: Path, server: Server) -> None:
    with pytest.raises(LineError, match=r"the peer does not answer at .*: No such file"):
        LineClient(tmp_path / "nobody", "the peer").ask(Said, "speak")
    with pytest.raises(LineError, match=f"runs as user {os.getuid()}, not as 4711"):
        LineClient(tmp_path / "s", "the peer", 4711).ask(Said, "speak")
