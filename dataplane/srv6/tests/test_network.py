"""One chain over two hosts, with real packets in namespaces: measured on their way, forged ones dropped."""

import json
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .independent import read
from .network import DECODE, DEVICES, SIDS, SOURCE, TAG, Network, address, network, shell

PACKETS = 200
DELAYS_S = {1: 0.003, 2: 0.001}
WRAPPED, GIVEN, RETURNED, UNWRAPPED, MIRRORS_LOST, ROUTING_HEADER = 0, 1, 2, 3, 4, 12
STRANGE_SOURCE = 15


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    with network(tmp_path_factory.mktemp("srv6")) as made:
        nfs = [made.python(f"nf{number}", "nf.py", f"n{number}", delay) for number, delay in DELAYS_S.items()]
        try:
            for nf in nfs:
                assert nf.stdout is not None and nf.stdout.readline() == "ready\n"
            yield made
        finally:
            for nf in nfs:
                nf.kill()
                nf.communicate()


def _result(process: "subprocess.Popen[str]") -> list[str]:
    return json.loads(process.communicate(timeout=60)[0].splitlines()[-1])


def _ready(process: "subprocess.Popen[str]") -> "subprocess.Popen[str]":
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def _mirrors(net: Network, count: int) -> list[dict[str, Any]]:
    ring = net.pins / "host2" / "srv6_mirrors"
    return [json.loads(line) for line in shell(DECODE, "--ring", ring, str(count), "500").splitlines()]


def _send(net: Network, to: str) -> list[str]:
    receiver = _ready(net.python("tenant2", "packets.py", "receive", to, PACKETS, 5))
    assert net.python("tenant1", "packets.py", "send", to, PACKETS).wait(60) == 0
    return _result(receiver)


@pytest.mark.parametrize("to", ["10.9.0.2", "2001:db8::2"])
def test_every_packet_comes_and_carries_what_was_measured(net: Network, to: str) -> None:
    before = net.counts("host1"), net.counts("host2")
    assert _send(net, to) == [f"packet {number}" for number in range(PACKETS)]
    gained = [[now - then for now, then in zip(net.counts(f"host{at + 1}"), before[at], strict=True)] for at in (0, 1)]
    assert gained[0][WRAPPED] == gained[0][GIVEN] == gained[0][RETURNED] == PACKETS
    assert gained[1][GIVEN] == gained[1][RETURNED] == gained[1][UNWRAPPED] == PACKETS
    assert gained[1][MIRRORS_LOST] == 0

    mirrors = _mirrors(net, PACKETS)
    assert len(mirrors) == PACKETS
    for mirror in mirrors:
        first, second, last = mirror["path"]
        assert (mirror["tag"], mirror["source"], mirror["segments_left"]) == (TAG, SOURCE, 0)
        assert last == {"kind": "segment", "sid": SIDS[2]}
        for number, hop in ((1, first), (2, second)):
            assert hop["device"] == DEVICES[number]
            assert hop["nf_latency_ns"] >= DELAYS_S[number] * 1e9, "the NF had it at least for as long as it slept"
        assert (second["in_time_us"] - first["in_time_us"]) % 2**32 >= first["nf_latency_ns"] // 1000
    counters = [mirror["path"][0]["port_counter"] for mirror in mirrors]
    assert counters == list(range(counters[0], counters[0] + PACKETS))
    # Each carries to its NF what the one before, or one of those still with it, took there.
    latencies = {0, *(mirror["path"][1]["nf_latency_ns"] for mirror in mirrors)}
    assert {mirror["detection_result_ns"] for mirror in mirrors[1:]} - latencies <= {mirrors[0]["detection_result_ns"]}


def test_an_independent_decoder_agrees_on_a_capture(net: Network) -> None:
    watcher = _ready(net.python("host2", "packets.py", "capture", "core", 2 * PACKETS, 5))
    assert len(_send(net, "10.9.0.2")) == PACKETS
    frames = [bytes.fromhex(frame) for frame in _result(watcher)]
    assert len(frames) == 2 * PACKETS, (
        "from the other host, and from the NF to the egress, which is a segment of this host"
    )
    lines = "".join(frame[14:].hex() + "\n" for frame in frames)
    decoded = subprocess.run([DECODE], input=lines, capture_output=True, text=True, check=True).stdout.splitlines()
    assert [json.loads(line) for line in decoded] == [read(frame) for frame in frames]
    on_the_way = [frame for frame in frames if read(frame)["segments_left"] == 1]
    assert on_the_way, "captured between the hosts: the first NF's entry is written, the second's is not"
    _mirrors(net, PACKETS)


def _forged(net: Network, source: str) -> bytes:
    """As an edge would write it, in the middle of its way."""
    entries = address(SIDS[2]) + address(SIDS[1]) + bytes.fromhex("00650000000000010000000200000003")
    inner = bytes.fromhex("45000020000100004011b0140a090001c0a800010fa00035000c0000aabbccdd")
    header = bytes([4, 7, 4, 1, 2, 1]) + TAG.to_bytes(2, "big") + entries + bytes.fromhex("8406001d00000000") + inner
    outer = bytes.fromhex("60000000") + len(header).to_bytes(2, "big") + bytes([43, 64])
    to = net.link("host1", "edge")[1] if source.startswith("2001") else net.link("host2", "core")[1]
    destination = "2001:db8::2" if source.startswith("2001") else SIDS[1]
    return to + bytes.fromhex("020000000009") + b"\x86\xdd" + outer + address(source) + address(destination) + header


@pytest.mark.parametrize(
    ("source", "namespace", "interface", "host", "cause"),
    [
        pytest.param("2001:db8::1", "tenant1", "t1", "host1", ROUTING_HEADER, id="from-a-tenant"),
        pytest.param("fc00:0:9::", "host1", "core", "host2", STRANGE_SOURCE, id="from-a-strange-source-of-the-core"),
    ],
)
def test_forged_headers_are_dropped_fifty_of_fifty(
    net: Network, source: str, namespace: str, interface: str, host: str, cause: int
) -> None:
    before, given = net.counts(host), net.counts("host2")[GIVEN]
    forger = net.python(namespace, "packets.py", "forge", interface, 50, _forged(net, source).hex())
    assert forger.wait(60) == 0
    end = time.monotonic() + 5
    while net.counts(host)[cause] - before[cause] < 50 and time.monotonic() < end:
        time.sleep(0.02)
    assert net.counts(host)[cause] - before[cause] == 50
    assert net.counts("host2")[GIVEN] == given
    assert _mirrors(net, 1) == []


def _programs() -> set[int]:
    return {program["id"] for program in json.loads(shell("bpftool", "-j", "prog", "show"))}


def test_nothing_is_left(tmp_path: Path) -> None:
    before = _programs()
    with network(tmp_path) as made:
        ours = _programs() - before
        names = made.prefix
    assert len(ours) >= 6
    assert names not in shell("ip", "netns", "list")
    assert str(tmp_path) not in Path("/proc/mounts").read_text()
    end = time.monotonic() + 10  # the kernel frees programs a moment after the last that holds them
    while ours & _programs():
        assert time.monotonic() < end, "programs are still loaded"
        time.sleep(0.05)
