"""Tables that take seconds to build: meanwhile the runner answers queries and changes other chains.

Asserted is the order of events, never how long anything takes.
"""

import functools
import hashlib
import json
import os
import random
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from .conftest import Client, Refused, Runner, is_alive, nf, running, source, wait_for

TRIES = 20

SLOW = ["a.{1,200}b.{1,200}c.{1,200}d"] * 200
"""Take the compiler longer than it is given."""

FIREWALLS = 10
"""With the rules of `rule_lines` each takes rte_acl most of a second, and nothing can interrupt it in one."""


@functools.cache
def rule_lines() -> str:
    """8000 rules whose prefixes and ports overlap at random, which is what makes rte_acl's tables expensive."""
    dice = random.Random(1)
    lines = []
    for _ in range(8000):
        ports = sorted((dice.randrange(1, 65536), dice.randrange(1, 65536)))
        src = f"10.{dice.randrange(256)}.{dice.randrange(256)}.{dice.randrange(256)}/{dice.randrange(8, 33)}"
        dst = f"192.168.{dice.randrange(256)}.{dice.randrange(256)}/{dice.randrange(16, 33)}"
        lines.append(json.dumps({"action": "deny", "src": src, "dst": dst, "protocol": "udp", "dst_port": ports}))
    return "\n".join(lines)


@pytest.fixture
def runner(tmp_path: Path) -> Iterator[Runner]:
    """A runner that has the file of rules."""
    folder = tmp_path / "artefacts"
    folder.mkdir()
    (folder / hashlib.sha256(rule_lines().encode()).hexdigest()).write_text(rule_lines())
    with running(tmp_path, artefacts=str(folder)) as started:
        yield started


def patterns(chain: str) -> list[dict[str, Any]]:
    return [nf(chain, "nids", patterns=SLOW, synthetic_patterns=0)]


def firewalls(chain: str) -> list[dict[str, Any]]:
    digest = f"sha256:{hashlib.sha256(rule_lines().encode()).hexdigest()}"
    return [nf(chain, "firewall", name=f"f{number}", rules_file=digest) for number in range(FIREWALLS)]


def bubbles(chain: str, pattern: str = "chase") -> list[dict[str, Any]]:
    """1.5 of the 1.7 GiB that a runner has, in working sets; a chase is linked line by line, which takes seconds."""
    large: dict[str, Any] = {"working_set_bytes": 256 * 2**20, "pattern": pattern}
    return [nf(chain, "bubble", name=f"b{number}", **large) for number in range(6)]


def builds(runner: Runner) -> bool:
    """Whether there is the thread that builds tables."""
    for name in Path(f"/proc/{runner.process.pid}/task").glob("*/comm"):
        with suppress(OSError):
            if name.read_text() == "sx-build\n":
                return True
    return False


def begin(runner: Runner, chain: str, made: Callable[[str], list[dict[str, Any]]] = patterns) -> Client:
    """A client that has asked for a chain whose tables take seconds; they are being built."""
    client = runner.client()
    client.call("hello")
    client.ask("add_chain", chain=chain, nfs=made(chain), source=source(0.0))
    wait_for(lambda: builds(runner), "the thread that builds")
    return client


def answer(client: Client) -> dict[str, Any]:
    read: dict[str, Any] = json.loads(client.lines.readline())
    return read


@pytest.mark.fault
def test_queries_are_answered_and_deaths_are_seen_while_patterns_are_compiled(runner: Runner, client: Client) -> None:
    pids = client.add("a", nf("a", "router"), rate_mpps=0.01)
    slow, late = begin(runner, "slow"), runner.client()
    os.kill(pids["a.router"], signal.SIGKILL)
    seen = wait_for(lambda: client.query().nfs["a.router"].state == "crashed", "the crash")
    assert seen and "slow" not in client.query().chains
    late.ask("restart_nf", nf="a.router")
    client.call("set_source", chain="a", source=source(0.02))
    assert not slow.answers(), "all that was while the patterns were compiled"
    assert not late.answers(), "another build waits its turn"
    assert "more than 4 s" in answer(slow)["error"]["message"]
    assert answer(late)["ok"]
    assert [*client.query().chains] == ["a"]


@pytest.mark.fault
@pytest.mark.parametrize("made", [firewalls, bubbles])
def test_what_concerns_other_chains_is_done_meanwhile(
    runner: Runner, client: Client, made: Callable[[str], list[dict[str, Any]]]
) -> None:
    for name in ("a", "b"):
        client.add(name, nf(name, "router"), rate_mpps=0.01)
    slow = begin(runner, "slow", made)
    client.call("pause_chain", chain="a")
    client.call("remove_chain", chain="b")
    client.call("resume_chain", chain="a")
    assert not slow.answers(), "a pause, a removal and a resumption came before"
    asked = 0
    while not slow.answers():
        assert [*client.query().chains] in (["a"], ["a", "slow"])
        asked += 1
    assert asked >= 20, "queries before the slow chain was there"
    assert answer(slow)["ok"]
    assert client.call("remove_chain", chain="slow")["lost_packets"] == 0
    before = client.chain("a").delivered
    wait_for(lambda: client.chain("a").delivered > before, "packets")


@pytest.mark.fault
@pytest.mark.parametrize("made", [patterns, firewalls, bubbles])
def test_a_chain_can_be_removed_while_it_is_built(
    runner: Runner, client: Client, made: Callable[[str], list[dict[str, Any]]]
) -> None:
    slow = begin(runner, "slow", made)
    assert client.call("remove_chain", chain="slow")["lost_packets"] == 0
    given_up = answer(slow)
    assert given_up["error"]["code"] == "cancelled"
    with pytest.raises(Refused) as refused:
        client.call("remove_chain", chain="slow")
    assert refused.value.code == "not-found"
    assert client.call("query")["nfs"] == []
    client.add("slow", *bubbles("slow", "random"))  # waits for the library to return, and then finds all memory free
    assert not builds(runner)
    assert len(runner.children()) == 1 + 6, "the traffic process, six NFs, and nothing of the first attempt"


@pytest.mark.fault
@pytest.mark.parametrize("made", [patterns, firewalls, bubbles])
def test_a_client_that_leaves_takes_its_chain_back(
    runner: Runner, client: Client, made: Callable[[str], list[dict[str, Any]]]
) -> None:
    slow = begin(runner, "slow", made)
    slow.socket.close()
    slow.lines.close()
    wait_for(lambda: not builds(runner), "the end of the build")
    assert client.call("query")["chains"] == []
    assert len(runner.children()) == 1, "the traffic process"
    client.add("slow", nf("slow", "router"))


@pytest.mark.fault
def test_what_concerns_the_same_chain_waits_in_order(runner: Runner, client: Client) -> None:
    """A pause, then a resumption, then a pause, from three clients: the chain is paused in the end."""
    slow = begin(runner, "slow", firewalls)
    waiting = [runner.client() for _ in range(3)]
    for late, op in zip(reversed(waiting), ("pause_chain", "resume_chain", "pause_chain"), strict=True):
        late.ask(op, chain="slow")
        client.query()  # by when it has been read
    assert not any(late.answers() for late in waiting)
    assert not slow.answers()
    assert answer(slow)["ok"]
    assert all(answer(late)["ok"] for late in waiting)
    assert client.chain("slow").paused


@pytest.mark.fault
def test_a_restart_can_be_taken_back_by_removing_the_chain(runner: Runner, client: Client) -> None:
    """The NFs of a group return together, and so their tables are all built again."""
    client.socket.settimeout(120)
    added = client.call(
        "add_chain", chain="slow", nfs=firewalls("slow"), source=source(0.001), execution="run-to-completion"
    )
    os.kill(added["nfs"][0]["pid"], signal.SIGKILL)
    wait_for(lambda: client.query().nfs["slow.f0"].state == "crashed", "the crash")
    late = runner.client()
    late.call("hello")
    late.ask("restart_nf", nf="slow.f0")
    wait_for(lambda: builds(runner), "the thread that builds")
    assert client.chain("slow").nfs[0].state == "crashed"
    assert not late.answers()
    client.call("remove_chain", chain="slow")
    assert answer(late)["error"]["code"] == "cancelled"
    assert client.call("query")["chains"] == []


@pytest.mark.fault
@pytest.mark.parametrize("made", [patterns, firewalls, bubbles])
def test_a_runner_that_is_to_end_waits_for_no_build(
    runner: Runner, client: Client, made: Callable[[str], list[dict[str, Any]]]
) -> None:
    client.call("hello")
    slow = begin(runner, "slow", made)
    children = runner.children()
    runner.process.terminate()
    assert runner.process.wait(20) == 0
    assert answer(slow)["error"]["code"] == "cancelled"
    wait_for(lambda: not any(map(is_alive, children)), "the end of all children")


@pytest.mark.fault
def test_a_new_client_is_answered_while_one_waits(runner: Runner, client: Client) -> None:
    slow = begin(runner, "slow", firewalls)
    assert runner.client().call("hello")["pid"] == runner.process.pid
    assert not slow.answers()
    assert client.call("query")["chains"] == []


@pytest.mark.fault
def test_queries_are_answered_while_a_chain_runs_empty(runner: Runner, client: Client) -> None:
    """The ring of an NF that stands still is waited for, a second long: other clients are told that the chain is there
    yet. On a busy machine a second may pass between two queries: then once more. A runner that answers nobody meanwhile
    does so every time."""
    counted = []
    for _ in range(TRIES):
        counted.append(queries_while_it_runs_empty(runner, client))
        if counted[-1] >= 20:
            return
    pytest.fail(f"so many queries were answered while a chain ran empty: {counted}")


def queries_while_it_runs_empty(runner: Runner, client: Client) -> int:
    pids = client.add("a", nf("a", "router"), nf("a", "simple-forward"), rate_mpps=0.1)
    os.kill(pids["a.simple-forward"], signal.SIGSTOP)
    wait_for(lambda: client.query().nfs["a.simple-forward"].ring_used > 512, "packets that wait")
    late = runner.client()
    late.call("hello")
    late.ask("remove_chain", chain="a")
    client.query()  # by when it has been read
    asked = 0
    while not late.answers():
        assert [*client.query().chains] in (["a"], [])
        asked += 1
    assert answer(late)["ok"]
    return asked


def test_what_was_not_sent_yet_is_answered_once_it_is_read(client: Client) -> None:
    """More answers than the runner keeps for a client that does not read: none is forgotten when it reads again."""
    count = 3000
    sender = Thread(target=client.socket.sendall, args=(b'{"id": 1, "op": "hello"}\n' * count,))
    sender.start()
    sender.join(2)  # by then the runner has stopped reading, or has all
    assert all(json.loads(client.lines.readline())["ok"] for _ in range(count))
    sender.join()
