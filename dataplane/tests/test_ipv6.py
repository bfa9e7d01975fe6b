"""Real packets of IPv6 through the runner: those of the match are carried, others and malformed ones are counted."""

import socket
import struct
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from .captures import ARP, capture, frame, store
from .conftest import Client, Refused, nf, running, wait_for

MATCH = {"src_prefix": "2001:db8:a::/48", "dst_prefix": "fd00:b::/64", "protocol": "udp", "dst_port": 53}
HOP_BY_HOP, DESTINATION, UDP, TCP = 0, 60, 17, 6


def datagram(flow: int = 1, port: int = 53, src: str = "2001:db8:a::", payload: bytes = b"") -> bytes:
    """An IPv6 frame of 64 bytes or more, as a sender makes it but for its checksum."""
    udp = struct.pack("!HHHH", 4000 + flow, port, 10 + len(payload), 0xBEEF) + payload + bytes(2)
    return ipv6(udp, UDP, src)


def ipv6(content: bytes, header: int, src: str = "2001:db8:a::", length: int | None = None) -> bytes:
    """`header`: the number of what `content` begins with."""
    ether = bytes(6) + bytes([2, 0, 0, 0, 0, 9]) + b"\x86\xdd"
    ends = socket.inet_pton(socket.AF_INET6, src) + socket.inet_pton(socket.AF_INET6, "fd00:b::1")
    said = len(content) if length is None else length
    return ether + struct.pack("!IHBB", 6 << 28, said, header, 64) + ends + content


def behind(headers: list[int]) -> bytes:
    """A datagram of the match behind extension headers of 8 bytes each."""
    chained = b"".join(bytes([following]) + bytes(7) for following in [*headers[1:], UDP])
    return ipv6(chained + datagram()[54:], headers[0])


CARRIED = [datagram(1), datagram(2, payload=b"GET /"), behind([HOP_BY_HOP]), behind([DESTINATION] * 8)]
OTHERS = [datagram(port=54), datagram(src="2001:db8:b::"), frame(1, 64), ARP, ipv6(bytes(20), 58)]
JUMBO = ipv6(bytes([UDP, 0, 0xC2, 4, 0, 1, 0, 0]) + datagram()[54:], HOP_BY_HOP, length=0)
MALFORMED = [
    datagram()[:53],  # a byte of its header is missing; filled up to 60 with zeros, which its length then exceeds
    ipv6(datagram()[54:], UDP, length=65_535),
    ipv6(datagram()[54:], UDP, length=7),
    behind([DESTINATION] * 9),
    behind([DESTINATION] * 150),
    behind([DESTINATION, HOP_BY_HOP]),
    JUMBO,
    b"".join((datagram()[:14], b"\x45", datagram()[15:])),
]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "artefacts"
    folder.mkdir()
    return folder


@pytest.fixture
def replayer(tmp_path: Path, files: Path) -> Iterator[Client]:
    with running(tmp_path, artefacts=str(files), replay_mb="1") as runner:
        yield runner.client()


def add(client: Client, *nfs: dict[str, Any], rate_mpps: float = 0.05, **of_source: Any) -> None:
    fields = {"match": {**MATCH, **of_source.pop("match", {})}, **of_source}
    made = {"rate_mpps": rate_mpps, "packet_bytes": 64, "flows": 100, **fields}
    client.call("add_chain", chain="a", nfs=list(nfs), source=made)


def after(client: Client, packets: int) -> Any:
    """The chain's figures once so many were sent and all are accounted for; of made packets none is damaged."""
    wait_for(lambda: client.chain("a").sent > packets, "packets sent")
    now = client.settled("a")
    assert (now.misordered, now.damaged) == (0, 0)
    return now


@pytest.mark.parametrize(("protocol", "sizes"), [("udp", [64, 65, 1518]), ("tcp", [74, 75, 1518])])
def test_packets_of_ipv6_pass_a_chain_with_right_checksums(client: Client, protocol: str, sizes: list[int]) -> None:
    """The sink verifies every 61st; sizes are drawn evenly, so their mean is that of the three."""
    add(
        client,
        nf("a", "router"),
        nf("a", "firewall"),
        nf("a", "basic-monitor"),
        match={"protocol": protocol, "dst_port": None},
        sizes={"kind": "list", "entries": [[size, 1] for size in sizes]},
        payload={"kind": "random"},
    )
    now = after(client, 5000)
    assert now.delivered == now.sent
    assert (now.unmatched, now.malformed) == (0, 0)
    mean, deviation = sum(sizes) / 3, 690.0
    assert abs(now.delivered_bytes / now.delivered - mean) < 6 * deviation / sqrt(now.delivered)


def test_of_a_capture_what_is_of_the_match_is_carried_and_the_rest_counted(replayer: Client, files: Path) -> None:
    """4 of 17 frames are carried. After whole rounds 5 were of no match and 8 malformed for every 4 that were sent."""
    frames = [MALFORMED[0], *OTHERS[:2], *CARRIED, *MALFORMED[1:], *OTHERS[2:]]
    add(replayer, nf("a", "simple-forward"), pcap={"file": store(files, capture(frames)), "timing": "rate"})
    now = after(replayer, 5000)
    assert now.delivered == now.sent
    rounds, rest = divmod(now.sent, 4)
    lengths = [max(60, len(one)) for one in CARRIED]
    assert now.delivered_bytes == rounds * sum(lengths) + sum(lengths[:rest])
    # Those in front are counted with the first packet of a round, those behind with the last.
    assert now.unmatched == 5 * rounds + (2 if rest else 0)
    assert now.malformed == 8 * rounds + (1 if rest else 0)
    assert now.offered == now.sent + now.source_drops


def test_a_capture_keeps_the_gaps_of_what_is_carried(replayer: Client, files: Path) -> None:
    """2 of 5 frames, 2 ms apart: 2 packets in 10 ms are 200 a second, whatever the rate says."""
    frames = [*OTHERS[:2], CARRIED[0], MALFORMED[1], CARRIED[1]]
    pcap = {"file": store(files, capture(frames, gap_us=2000)), "timing": "file"}
    add(replayer, nf("a", "simple-forward"), rate_mpps=1.0, pcap=pcap)
    first = replayer.query()
    wait_for(lambda: replayer.chain("a").offered > 200, "200 packets")
    last = replayer.query()
    expected = 200 * (last.uptime_s - first.uptime_s)
    assert abs(last.chains["a"].offered - first.chains["a"].offered - expected) <= 0.02 * expected + 15


def test_a_capture_without_a_packet_of_the_match_is_refused(replayer: Client, files: Path) -> None:
    pcap = {"file": store(files, capture([*OTHERS, *MALFORMED])), "timing": "rate"}
    with pytest.raises(Refused) as refusal:
        add(replayer, nf("a", "simple-forward"), pcap=pcap)
    assert (refusal.value.code, refusal.value.field) == ("bad-config", "source.pcap.file")
    assert "none of its 13 packets is of the match" in refusal.value.message
    assert not replayer.query().chains


@pytest.mark.parametrize(
    ("fields", "field", "why"),
    [
        ({"match": {"dst_prefix": "192.168.0.0/16"}}, "source.match.dst_prefix", "one address family"),
        ({"match": {"src_prefix": "10.0.0.0/8"}}, "source.match.dst_prefix", "one address family"),
        ({"match": {"src_prefix": "2001:db8::/129"}}, "source.match.src_prefix", "an IPv6 prefix"),
        ({"match": {"dst_prefix": "2001:db8:::/32"}}, "source.match.dst_prefix", "an IPv6 prefix"),
        ({"match": {"dst_prefix": None}}, "source.match.dst_prefix", "an IPv6 prefix"),
        ({"match": {"protocol": "tcp"}}, "source.packet_bytes", "take 74 bytes"),
        ({"match": {"protocol": "tcp"}, "sizes": {"kind": "imix"}}, "source.sizes", "take 74 bytes"),
        (
            {"match": {"src_prefix": "2001:db8::1/128", "dst_prefix": "fd00::1/128"}, "flows": 65_000},
            "source.flows",
            "only 64512 distinct flows",
        ),
    ],
)
def test_a_match_that_cannot_be_is_refused(
    refused_client: Client, fields: dict[str, Any], field: str, why: str
) -> None:
    """One address, one port: 64,512 source ports are all that varies."""
    with pytest.raises(Refused) as refusal:
        add(refused_client, nf("a", "router"), **fields)
    assert (refusal.value.field, why in refusal.value.message) == (field, True), refusal.value.message
