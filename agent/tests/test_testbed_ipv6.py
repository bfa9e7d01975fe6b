"""IPv6 by the testbed, with the real runner: packets of the match are carried, others stay outside and are counted."""

import hashlib
import json
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.drivers.testbed.driver import TestbedDriver
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_agent.orders.artefacts import FOLDER
from sextant_domain.chains.chain import Ingress
from sextant_domain.chains.match import IPV6, Match
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf

from .orders import HOST, chain, content, nf
from .waiting import wait_for

MATCH = Match.model_validate({"src_prefix": "2001:db8:a::/48", "dst_prefix": "fd00:b::/64", "dst_port": 53})


@pytest.fixture
def driver(state: Path, runner_binary: Path) -> Iterator[TestbedDriver]:
    driver = TestbedDriver(HOST, state, runner_binary)
    yield driver
    driver.close()
    stop_recorded_runner(state)


def ordered(*nfs: DesiredNf, **traffic: Any) -> DesiredChain:
    fields = {"rate_mpps": 0.02, "packet_bytes": 64, "flows": 100, **traffic}
    changes = {"ingress": Ingress(match=MATCH), "traffic": Traffic.model_validate(fields)}
    return chain("web", *nfs).model_copy(update=changes)


def counters(state: Path) -> dict[str, int]:
    """Of the only chain, as the runner reports them; samples lack some."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(str(state / "runner.sock"))
        asking.sendall(b'{"id": 1, "op": "query", "keep_peaks": true}\n')
        (found,) = json.loads(asking.makefile().readline())["chains"]
        return dict(found)


def datagram(src: str, port: int, *, said: int = 10) -> bytes:
    """Of 64 bytes: Ethernet 14, IPv6 40, UDP 8, payload 2. `said`: the payload length in the IPv6 header."""
    ends = socket.inet_pton(socket.AF_INET6, src) + socket.inet_pton(socket.AF_INET6, "fd00:b::1")
    udp = struct.pack("!HHHH", 4000, port, 10, 0xBEEF) + bytes(2)
    return bytes(12) + b"\x86\xdd" + struct.pack("!IHBB", 6 << 28, said, 17, 64) + ends + udp


def capture(*frames: bytes) -> bytes:
    records = b"".join(struct.pack("<IIII", 1, 0, len(frame), len(frame)) + frame for frame in frames)
    return struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1) + records


def stored(state: Path, file: bytes) -> str:
    """In the agent's folder of artefacts; its digest."""
    digits = hashlib.sha256(file).hexdigest()
    (state / FOLDER).mkdir(exist_ok=True)
    (state / FOLDER / digits).write_bytes(file)
    return f"sha256:{digits}"


def test_the_testbed_says_that_it_matches_ipv6(driver: TestbedDriver) -> None:
    assert driver.inventory().host.why_not(IPV6) is None


def test_packets_of_ipv6_pass_router_and_firewall(driver: TestbedDriver, state: Path) -> None:
    """By the default route; every 61st is verified at the end of the chain, checksum and all."""
    report = driver.apply(content(ordered(nf("web", "router"), nf("web", "firewall"), packet_bytes=128)))
    assert not report.failures
    wait_for("5000 packets", lambda: driver.sample().chains["web"].delivered > 5000)
    found = counters(state)
    assert (found["damaged"], found["misordered"], found["unmatched"], found["malformed"]) == (0, 0, 0, 0)
    assert found["delivered_bytes"] == 128 * found["delivered"]
    assert driver.apply(content(ordered(nf("web", "router"), nf("web", "firewall"), packet_bytes=128))).done == ()


def test_of_a_capture_only_what_is_of_the_match_enters(driver: TestbedDriver, state: Path) -> None:
    """Of a round of five frames two are carried; one has another source, one another port, and one says that it is
    longer than its frame. Those in front are counted with the first packet, that between with the second."""
    inside, outside = "2001:db8:a::1", "2001:db8:b::1"
    frames = capture(
        datagram(outside, 53),
        datagram(inside, 54),
        datagram(inside, 53),
        datagram(inside, 53, said=65_535),
        datagram(inside, 53),
    )
    report = driver.apply(content(ordered(nf("web", "simple-forward"), pcap=stored(state, frames))))
    assert not report.failures
    wait_for("1000 packets", lambda: driver.sample().chains["web"].delivered > 1000)
    driver.apply(content(ordered(nf("web", "simple-forward"), rate_mpps=0)))
    wait_for("what was sent", lambda: counters(state)["delivered"] == counters(state)["sent"])
    found = counters(state)
    rounds, rest = divmod(found["sent"], 2)
    assert (found["unmatched"], found["malformed"]) == (2 * (rounds + rest), rounds)
    assert found["offered"] == found["sent"] + found["source_drops"]
    sampled = driver.sample().chains["web"]
    assert (sampled.unmatched, sampled.malformed) == (found["unmatched"], found["malformed"])


def test_a_capture_of_nothing_that_matches_is_refused(driver: TestbedDriver, state: Path) -> None:
    digest = stored(state, capture(datagram("2001:db8:b::1", 53)))
    report = driver.apply(content(ordered(nf("web", "simple-forward"), pcap=digest)))
    assert "none of its 1 packets is of the match" in str(report.failures["web"])
