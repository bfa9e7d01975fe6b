"""Which ports to other hosts carry packets, and by which of them chains go: what a reroute is decided by."""

import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from .hosts import SIDS, TAG, Chain, Client, Hosts, Refused, hosts
from .load import frame

PORTS = ("core0", "core1")
TBF = ("burst", "1600", "limit", "20000")
WITHIN_MS = 500
"""On a busy machine; a quiet one takes less than one."""


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    with hosts(tmp_path_factory.mktemp("links")) as made:
        yield made


@pytest.fixture(scope="module")
def chain(pair: Hosts) -> Chain:
    return Chain(pair)


def up(answer: dict[str, Any]) -> set[str]:
    return {link["port"] for link in answer["links"] if link["up"]}


def set_link(pair: Hosts, number: int, port: str, to: str) -> None:
    pair.all[number].inside("ip", "link", "set", port, to)


@pytest.mark.parametrize("end", [0, 1], ids=["at-this-end", "at-the-far-end"])
def test_a_cut_is_answered_at_once_wherever_it_was_made(chain: Chain, pair: Hosts, end: int) -> None:
    """Whoever waits is answered when the link goes, and when it is back; not before."""
    waiting = pair.all[0].client()
    assert up(waiting.call("links")) == set(PORTS)
    for to, before, after in (("down", PORTS, {"core1"}), ("up", ("core1",), set(PORTS))):
        took_ms, answer = timed(waiting, before, pair, end, to)
        assert up(answer) == after
        assert 200 <= took_ms < 200 + WITHIN_MS


def timed(client: Client, known: Sequence[str], pair: Hosts, end: int, to: str) -> tuple[float, dict[str, Any]]:
    """A fifth of a second after the question, core0 is set up or down."""
    later = threading.Timer(0.2, set_link, (pair, end, "core0", to))
    begun = time.monotonic()
    later.start()
    answer = client.call("links", up=list(known), wait_ms=5000)
    took_ms = 1000 * (time.monotonic() - begun)
    later.join()
    return took_ms, answer


def test_where_the_asker_knows_something_else_it_is_answered_at_once(chain: Chain) -> None:
    begun = time.monotonic()
    assert up(chain.one.call("links", up=["core0"], wait_ms=5000)) == set(PORTS)
    assert time.monotonic() - begun < 1


def test_nothing_changes_and_the_time_is_over(chain: Chain) -> None:
    begun = time.monotonic()
    assert up(chain.one.call("links", up=list(PORTS), wait_ms=300)) == set(PORTS)
    assert 0.3 <= time.monotonic() - begun < 2


def test_others_are_answered_while_somebody_waits(chain: Chain, pair: Hosts) -> None:
    waiting = pair.all[0].client()
    asked = threading.Thread(target=lambda: waiting.call("links", up=list(PORTS), wait_ms=1000))
    asked.start()
    begun = time.monotonic()
    chain.one.call("hello")
    assert time.monotonic() - begun < 0.5
    asked.join()


def test_ways_are_told_as_the_kernel_has_them(chain: Chain, pair: Hosts) -> None:
    mac = pair.all[1].mac("core1")
    chain.one.call("set_way", tag=TAG, sid=SIDS[1], port="core1", mac=mac)
    found = {way["sid"]: way for way in chain.one.call("ways")["ways"]}
    assert found[SIDS[0]] == {"tag": TAG, "sid": SIDS[0], "local": True, "port": None}
    assert found[SIDS[1]] == {"tag": TAG, "sid": SIDS[1], "local": False, "port": "core1"}


def test_what_waits_to_go_out_is_said(chain: Chain, pair: Hosts) -> None:
    """Ends of a pair have no queue, in which nothing waits; tbf at 8 kbit/s has had most of 40 packets of 200 bytes
    a moment later: it sends five in a second, and a burst of eight."""
    assert {link["queue_packets"] for link in chain.one.call("links")["links"]} == {0}
    host = pair.all[0]
    try:
        host.inside("tc", "qdisc", "replace", "dev", "core0", "root", "tbf", "rate", "8kbit", *TBF)
    except subprocess.CalledProcessError:
        pytest.skip("this kernel lacks sch_tbf")
    chain.one.call("set_way", tag=TAG, sid=SIDS[1], port="core0", mac=pair.all[1].mac("core0"))
    for number in range(40):
        chain.source.send(frame(4, number))
        time.sleep(0.001)
    time.sleep(0.2)
    queues = {link["port"]: link["queue_packets"] for link in chain.one.call("links")["links"]}
    host.inside("tc", "qdisc", "delete", "dev", "core0", "root")
    assert queues["core0"] > 10 and queues["core1"] == 0


@pytest.mark.parametrize(
    ("fields", "field"),
    [({"up": "core0"}, "up"), ({"wait_ms": 10001}, "wait_ms"), ({"more": 1}, "more"), ({"up": ["x"] * 65}, "up")],
)
def test_what_is_no_question_is_refused(chain: Chain, fields: dict[str, Any], field: str) -> None:
    with pytest.raises(Refused) as refused:
        chain.one.call("links", **fields)
    assert (refused.value.code, refused.value.field) == ("bad-request", field)
