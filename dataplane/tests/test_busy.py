"""A request that takes seconds, because patterns are compiled: the runner goes on telling how it is."""

import json
import os
import signal
from threading import Thread

import pytest

from .conftest import Client, Runner, is_alive, nf, source, wait_for

SLOW = ["a.{1,200}b.{1,200}c.{1,200}d"] * 200
"""Take the compiler longer than it is given."""


def begin(runner: Runner, chain: str) -> Client:
    """A client that has asked for a chain whose patterns take seconds."""
    client = runner.client()
    children = len(runner.children())
    slow = nf(chain, "nids", patterns=SLOW, synthetic_patterns=0)
    client.ask("add_chain", chain=chain, nfs=[slow], source=source(0.0))
    wait_for(lambda: len(runner.children()) > children, "the compiler's process")
    return client


@pytest.mark.fault
def test_queries_are_answered_and_deaths_are_seen_while_patterns_are_compiled(runner: Runner, client: Client) -> None:
    pids = client.add("a", nf("a", "router"), rate_mpps=0.01)
    slow, late = begin(runner, "slow"), runner.client()
    late.ask("set_source", chain="a", source=source(0.02))
    os.kill(pids["a.router"], signal.SIGKILL)
    seen = wait_for(lambda: client.query().nfs["a.router"].state == "crashed", "the crash")
    assert seen and "slow" not in client.query().chains
    assert not slow.answers(), "all that was while the patterns were compiled"
    assert not late.answers(), "what changes something waits its turn"
    answer = json.loads(slow.lines.readline())
    assert "more than 4 s" in answer["error"]["message"]
    assert json.loads(late.lines.readline())["ok"]
    client.call("restart_nf", nf="a.router")
    assert [*client.query().chains] == ["a"]


@pytest.mark.fault
def test_a_new_client_is_answered_and_one_that_leaves_harms_nobody(runner: Runner, client: Client) -> None:
    client.call("hello")
    slow, gone = begin(runner, "slow"), runner.client()
    gone.ask("remove_chain", chain="slow")
    gone.socket.close()
    assert runner.client().call("hello")["pid"] == runner.process.pid
    assert not slow.answers()
    slow.socket.close()
    assert client.call("query")["chains"] == []
    client.add("a", nf("a", "router"))


@pytest.mark.fault
def test_a_runner_that_is_to_end_waits_for_no_compiler(runner: Runner, client: Client) -> None:
    client.call("hello")
    begin(runner, "slow")
    children = runner.children()
    runner.process.terminate()
    assert runner.process.wait(20) == 0
    assert not any(map(is_alive, children)), "the compiler's process neither"


def test_what_was_not_sent_yet_is_answered_once_it_is_read(client: Client) -> None:
    """More answers than the runner keeps for a client that does not read: none is forgotten when it reads again."""
    count = 3000
    sender = Thread(target=client.socket.sendall, args=(b'{"id": 1, "op": "hello"}\n' * count,))
    sender.start()
    sender.join(2)  # by then the runner has stopped reading, or has all
    assert all(json.loads(client.lines.readline())["ok"] for _ in range(count))
    sender.join()
