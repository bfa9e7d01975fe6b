"""The socket client against a peer that misbehaves: every way ends in a named error, bounded in time and size."""

import json
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.drivers.testbed.runner_client import (
    MAX_LINE_BYTES,
    RunnerClient,
    RunnerGarbled,
    RunnerGone,
    RunnerRefused,
    RunnerSilent,
)
from sextant_agent.drivers.testbed.runner_messages import Hello, MoveAnswer

from .runner_peer import Peer, Reply, good


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[Peer]:
    peer = Peer(tmp_path / "s")
    yield peer
    peer.close()


@pytest.fixture
def client(peer: Peer) -> Iterator[RunnerClient]:
    client = RunnerClient(peer.path, lambda hello, pid: None)
    yield client
    client.close()


def move(client: RunnerClient, timeout_s: float = 60.0) -> int:
    return client.request(MoveAnswer, "move_nf", timeout_s, nf="a.b", core=1).core


def test_a_good_peer_is_asked_over_one_connection(peer: Peer, client: RunnerClient) -> None:
    assert [move(client) for _ in range(3)] == [1, 1, 1]
    assert peer.connections == 1


def test_the_peer_is_verified_with_its_own_pid_before_anything_is_asked(peer: Peer) -> None:
    seen: list[tuple[int, int]] = []

    def verify(hello: Hello, pid: int) -> None:
        seen.append((hello.pid, pid))
        raise PermissionError("not ours")

    asked: list[object] = []
    peer.reply = lambda request: asked.append(request) or b""  # type: ignore[func-returns-value]
    with pytest.raises(PermissionError):
        move(RunnerClient(peer.path, verify))
    assert seen == [(os.getpid(), os.getpid())]
    assert not asked


def test_a_refusal_keeps_its_reason_and_the_connection(peer: Peer, client: RunnerClient) -> None:
    error = {"code": "core-not-allowed", "field": "core", "message": "core 9 is not offered"}
    peer.reply = lambda request: json.dumps({"id": request["id"], "ok": False, "error": error}).encode() + b"\n"
    with pytest.raises(RunnerRefused, match=r"core 9 is not offered \(core-not-allowed, core\)") as refusal:
        move(client)
    assert refusal.value.code == "core-not-allowed"
    peer.reply = lambda request: good(request, core=3)
    assert move(client) == 3
    assert peer.connections == 1


@pytest.mark.parametrize(
    "reply",
    [
        lambda request: b"nonsense\n",
        lambda request: b"[]\n",
        lambda request: good({"id": 999}),
        good,
        lambda request: good(request, core="one"),
        lambda request: b"\xff\xfe\n",
        lambda request: b"[" * 5000 + b"\n",
        lambda request: b"x" * (MAX_LINE_BYTES + 70_000),
    ],
    ids=["no JSON", "no object", "another id", "no field", "wrong type", "no UTF-8", "too deep", "no end"],
)
def test_nonsense_is_named_and_the_next_request_starts_afresh(peer: Peer, client: RunnerClient, reply: Reply) -> None:
    peer.reply = reply
    with pytest.raises(RunnerGarbled):
        move(client)
    peer.reply = lambda request: good(request, core=2)
    assert move(client) == 2
    assert peer.connections == 2


def test_silence_ends_in_time_and_a_late_answer_is_not_taken_for_the_next(peer: Peer, client: RunnerClient) -> None:
    given_up = threading.Event()

    def late(request: dict[str, Any]) -> bytes:
        assert given_up.wait(60), "who asked waits for the answer"
        return good(request, core=7)

    peer.reply = late
    with pytest.raises(RunnerSilent, match="did not answer move_nf"):
        move(client, timeout_s=0.2)
    given_up.set()
    peer.reply = lambda request: good(request, core=1)
    assert move(client) == 1


def test_half_an_answer_is_bounded_too(peer: Peer, client: RunnerClient) -> None:
    peer.reply = lambda request: good(request, core=1)[:-5]
    with pytest.raises(RunnerSilent):
        move(client, timeout_s=0.2)


def test_a_closed_connection_is_gone_and_opened_again(peer: Peer, client: RunnerClient) -> None:
    peer.reply = lambda request: b""
    with pytest.raises(RunnerGone):
        move(client)
    peer.reply = lambda request: good(request, core=1)
    assert move(client) == 1


def test_nobody_there(tmp_path: Path) -> None:
    with pytest.raises(RunnerGone, match="nobody answers"):
        RunnerClient(tmp_path / "nothing", lambda hello, pid: None).connect()


def test_too_large_or_impossible_a_request_is_refused_before_it_is_sent(peer: Peer, client: RunnerClient) -> None:
    move(client)
    with pytest.raises(RunnerRefused, match="takes"):
        client.request(MoveAnswer, "move_nf", nf="x" * MAX_LINE_BYTES)
    with pytest.raises(RunnerRefused, match="cannot be written"):
        client.request(MoveAnswer, "move_nf", core=float("nan"))
    assert move(client) == 1
    assert peer.connections == 1
