"""What the daemon says of packets that have left: windows, captures, and how long a stalled NF has had what it has."""

import json
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from .hosts import DEVICES, SIDS, SOURCE, TAG, Chain, Refused, hosts, wait_for
from .independent import read
from .load import Load, frame, received
from .network import DECODE

DELAY_S = 0.003
PPS = 150


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chain]:
    with hosts(tmp_path_factory.mktemp("measures")) as made:
        yield Chain(made, (DELAY_S, 0))


def _window(chain: Chain, op: str = "windows") -> dict[str, Any]:
    found: list[dict[str, Any]] = chain.two.call(op)["windows"]
    return found[0]


def test_before_the_first_packet_there_is_no_window(chain: Chain) -> None:
    assert chain.two.call("windows")["windows"] == chain.two.call("read")["windows"] == []


def test_windows_say_what_each_nf_and_link_took(chain: Chain) -> None:
    with Load(chain.source, chain.sink, PPS) as load:
        wait_for(lambda: chain.two.call("windows")["windows"] and _window(chain)["number"] >= 3, "three windows")
        window = _window(chain)
    assert load.got == list(range(load.sent))
    assert window["tag"] == TAG and 20 <= window["packets"] <= 1500 and window["lost_mirrors"] == 0
    first, second, egress = window["positions"]
    assert [first["device"], second["device"], egress["device"]] == [*DEVICES.values(), None]
    sleeps, forwards = first["nf_latency_ns"], second["nf_latency_ns"]
    assert DELAY_S * 1e9 <= sleeps["p50"] <= sleeps["p95"] <= sleeps["max"] < 2e9
    assert 0 < forwards["p50"] < sleeps["p50"] and egress["nf_latency_ns"] is None
    assert first["way_us"] is None, "when it entered no packet says"
    for arrived in (second, egress):  # the time in the NF before is not in it
        assert 0 <= arrived["way_us"]["p50"] <= arrived["way_us"]["p95"] <= arrived["way_us"]["max"]
        assert arrived["way_us"]["p50"] < DELAY_S * 1e6
    assert window["closed_ms"] < 1000 and window["stale_ms"] < 1000

    totals = _window(chain, "read")["since_read"]
    assert totals["packets"] == load.sent and totals["windows"] >= 3
    assert totals["nf_latency_ns"][0]["p95"] >= DELAY_S * 1e9 and totals["nf_latency_ns"][2] is None
    time.sleep(0.3)
    after = _window(chain, "read")
    assert after["since_read"] == {"packets": 0, "windows": 0, "nf_latency_ns": [None, None, None]}
    assert after["stale_ms"] >= 300 and after["positions"] == _window(chain)["positions"]


def test_an_nfs_own_host_knows_its_windows_too(chain: Chain) -> None:
    """The chain leaves at the other."""

    def number() -> int:
        window = chain.one.call("windows")["nfs"][0]["window"]
        return int(window["number"]) if window else 0

    chain.one.call("read")
    before = number()
    with Load(chain.source, chain.sink, PPS) as load:
        wait_for(lambda: number() >= before + 2, "two windows")
        (nf,) = chain.one.call("windows")["nfs"]
    assert nf["nf_id"] == "c.one" and nf["window"]["packets"] >= 20 and nf["window"]["closed_ms"] < 1000
    took = nf["window"]["nf_latency_ns"]
    assert DELAY_S * 1e9 <= took["p50"] <= took["p95"] <= took["max"] < 2e9
    assert chain.one.call("windows")["windows"] == []
    (nf,) = chain.one.call("read")["nfs"]
    assert nf["since_read"]["packets"] == load.sent and nf["since_read"]["nf_latency_ns"]["p50"] >= DELAY_S * 1e9
    (nf,) = chain.one.call("read")["nfs"]
    assert nf["since_read"] == {"packets": 0, "nf_latency_ns": None} and nf["window"]["number"] >= 2


def test_under_load_a_window_closes_by_time(chain: Chain) -> None:
    number = _window(chain)["number"]
    for _ in range(30):
        chain.source.send(frame(6, 1))
    received(chain.sink, 30)
    wait_for(lambda: _window(chain)["number"] > number, "another window")


def test_a_capture_is_what_an_independent_decoder_reads(chain: Chain) -> None:
    got: list[str] = []
    asking = threading.Thread(target=lambda: got.extend(_capture(chain, 20, 5000)))
    asking.start()
    while asking.is_alive():
        chain.source.send(frame(4, 1))
        received(chain.sink, 1)
    assert len(got) == 20
    lines = "".join(line + "\n" for line in got)
    decoded = subprocess.run([DECODE], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [json.loads(line) for line in decoded] == [
        read(bytes(12) + b"\x86\xdd" + bytes.fromhex(line)) for line in got
    ]
    headers = json.loads(decoded[0])
    assert (headers["tag"], headers["source"], headers["destination"]) == (TAG, SOURCE, SIDS[2])


def _capture(chain: Chain, count: int, wait_ms: int, tag: int = TAG) -> list[str]:
    found: list[str] = chain.two.call("capture", tag=tag, count=count, wait_ms=wait_ms)["headers"]
    return found


def test_a_capture_waits_no_longer_than_it_may(chain: Chain) -> None:
    start = time.monotonic()
    assert _capture(chain, 5, 200) == []
    assert _capture(chain, 5, 0, TAG + 1) == []
    assert 0.2 <= time.monotonic() - start < 2
    for fields in ({"count": 101}, {"count": 0}, {"wait_ms": 10001}, {"tag": "7"}):
        with pytest.raises(Refused) as refused:
            chain.two.ask("capture", **{"tag": TAG, "count": 1, "wait_ms": 1, **fields})
        assert (refused.value.code, [refused.value.field]) == ("bad-request", list(fields))


def test_a_stalled_nf_has_an_age_that_grows_and_ends(chain: Chain) -> None:
    def oldest() -> int:
        return int(chain.two.call("read")["nfs"][0]["oldest_ns"])

    assert oldest() == 0
    chain.nfs[1].send_signal(signal.SIGSTOP)
    start = time.monotonic()
    try:
        while time.monotonic() < start + 1.5:
            chain.source.send(frame(4, 1))
            time.sleep(0.1)
        assert 1.2e9 < oldest() <= (time.monotonic() - start) * 1e9
        wait_for(lambda: oldest() == 0, "the age to end, since nothing of it may be given back")
    finally:
        chain.nfs[1].send_signal(signal.SIGCONT)
    wait_for(lambda: chain.two.call("read")["counts"]["stale"] > 0, "what comes back too late to be refused")
    chain.source.send(frame(4, 99))
    wait_for(lambda: 99 in received(chain.sink, 20, 0.1), "a packet after the stall")


BURST = 100


def test_packets_say_how_many_waited_where_they_went_on_to_the_other_host(chain: Chain) -> None:
    """The first host's NF gives back 333 a second, 100 in .3 s, frames of 154 bytes. Its link takes 100 kbit/s, 81 of
    them a second, and 13 at once: 100 - 13 - .3 x 81 = 62 wait when the last one comes. What the second host's NF gave
    back left by no port to others: there is no queue to read."""
    shape = ("tc", "qdisc", "replace", "dev", "core0", "root", "tbf", "rate", "100kbit", "burst", "2kb", "limit", "1mb")
    chain.hosts.all[0].inside(*shape)
    try:
        captured: list[str] = []
        asking = threading.Thread(target=lambda: captured.extend(_capture(chain, BURST, 5000)))
        asking.start()
        for number in range(BURST):
            chain.source.send(frame(4, number))
        most = 0
        while asking.is_alive():
            most = max(most, *(nf["queue_packets"] or 0 for nf in chain.one.call("windows")["nfs"]))
            time.sleep(0.02)
        assert len(received(chain.sink, BURST)) == len(captured) == BURST
        frames = [read(bytes(12) + b"\x86\xdd" + bytes.fromhex(line)) for line in captured]
        first, second = ([one["path"][at] for one in frames] for at in (0, 1))
        lengths = [one["queue_length"] for one in first]
        assert all("queue" in one["collected"] for one in frames) and {one["queue"] for one in first} == {1}
        assert lengths[0] == 0 and max(lengths) > 30, lengths
        assert {(one["queue"], one["queue_length"]) for one in second} == {(0, 0)}
        assert most == max(lengths)
        wait_for(lambda: chain.one.call("windows")["nfs"][0]["queue_packets"] is None, "an old figure to go")
        assert chain.two.call("windows")["nfs"][0]["queue_packets"] is None
    finally:
        chain.hosts.all[0].inside("tc", "qdisc", "delete", "dev", "core0", "root")
