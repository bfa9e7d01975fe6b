"""What a source is asked for is what arrives: sizes, flows, bursts, payload, captures."""

import struct
import time
from collections.abc import Iterator
from math import sqrt
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from .captures import ARP, RAW_IP, capture, frame, store
from .conftest import Client, Refused, Runner, nf, running, source, wait_for

IMIX_MEAN, IMIX_DEVIATION = 4342 / 12, 425.5
"""(7 x 64 + 4 x 594 + 1518) / 12 bytes."""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "artefacts"
    folder.mkdir()
    return folder


@pytest.fixture
def replayer(tmp_path: Path, files: Path) -> Iterator[Client]:
    """A client of a runner that finds captures, and has 1 MiB for them."""
    with running(tmp_path, artefacts=str(files), replay_mb="1") as runner:
        yield runner.client()


def run(client: Client, packets: int, **of_source: Any) -> SimpleNamespace:
    """The figures of a chain with a flow monitor after that many packets, all accounted for and in order."""
    client.add("a", nf("a", "basic-monitor", flow_table_entries=65536), **{"rate_mpps": 0.05, **of_source})
    wait_for(lambda: client.chain("a").sent > packets, "packets sent")
    now = client.settled("a")
    assert (now.delivered, now.misordered, now.damaged) == (now.sent, 0, 0)
    now.details = now.nfs[0].details
    return now


def test_one_size_is_one_size(client: Client) -> None:
    now = run(client, 5000, packet_bytes=200)
    assert now.delivered_bytes == 200 * now.delivered
    latency = now.latency_ns
    assert 0 < latency["min"] <= latency["sum"] / now.delivered <= latency["max"]


def seen_of_zipf(flows: int, packets: int) -> tuple[float, float]:
    """How many flows are expected to be seen, and the deviation: flow k comes with 1 / (k H) a packet (exponent 1)."""
    harmonic = sum(1 / k for k in range(1, flows + 1))
    missing = [(1 - 1 / (k * harmonic)) ** packets for k in range(1, flows + 1)]
    return flows - sum(missing), sqrt(sum(p * (1 - p) for p in missing))


def test_imix_poisson_and_zipf_together(client: Client) -> None:
    now = run(
        client,
        30_000,
        sizes={"kind": "imix"},
        arrivals={"kind": "poisson"},
        flows=20_000,
        flow_distribution={"kind": "zipf", "exponent": 1.0},
        payload={"kind": "random"},
    )
    assert abs(now.delivered_bytes / now.delivered - IMIX_MEAN) < 6 * IMIX_DEVIATION / sqrt(now.delivered)
    flows, deviation = seen_of_zipf(20_000, now.delivered)  # about 7,700 of the 20,000
    assert abs(now.details["flows"] - flows) < 6 * deviation
    assert now.details["untracked_packets"] == 0


@pytest.mark.parametrize("kind", ["round-robin", "uniform"])
def test_all_flows_come(client: Client, kind: str) -> None:
    """Uniform: a flow of 200 is missing after 10,000 packets with a chance of e^-50."""
    assert run(client, 10_000, flows=200, flow_distribution={"kind": kind}).details["flows"] == 200


@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_every_payload_has_right_checksums(client: Client, protocol: str) -> None:
    payload = {"kind": "matches", "percent": 50, "strings": ["evil", "malicious"]}
    sizes = {"kind": "list", "entries": [[64, 1], [65, 1], [999, 1], [1518, 1]]}  # their mean is 661.5 bytes
    now = run(client, 10_000, payload=payload, sizes=sizes, protocol=protocol)
    assert abs(now.delivered_bytes / now.delivered - 661.5) < 6 * 625 / sqrt(now.delivered)


def wait_for_silences(client: Client) -> None:
    """Three of 50 ms, with packets before and after each; at the mean rate 1000 packets would have come in one."""
    wait_for(lambda: client.chain("a").offered > 0, "the first packets")
    for number in range(3):
        quiet = wait_for(lambda: silent_at(client), f"silence {number}")
        wait_for(lambda at=quiet: client.chain("a").offered > at, "packets after the silence")  # type: ignore[misc]


def silent_at(client: Client) -> int | None:
    """The packets so far, if none comes for 50 ms."""
    before: int = client.chain("a").offered
    time.sleep(0.05)
    return before if client.chain("a").offered == before else None


def check_mean(client: Client, mean_mpps: float, round_s: float) -> None:
    """Over two seconds and more, but for one round: a window cuts rounds anywhere."""
    first = client.query()
    wait_for(lambda: client.query().uptime_s > first.uptime_s + 2, "two seconds")
    last = client.query()
    packets = last.chains["a"].offered - first.chains["a"].offered
    assert abs(packets - mean_mpps * 1e6 * (last.uptime_s - first.uptime_s)) <= mean_mpps * 1e6 * round_s


def test_bursts_come_and_go_at_the_mean_rate(client: Client) -> None:
    arrivals = {"kind": "on-off", "on_ms": 100, "off_ms": 300}
    client.add("a", nf("a", "simple-forward"), rate_mpps=0.02, arrivals=arrivals)
    wait_for_silences(client)
    check_mean(client, 0.02, 0.4)
    assert client.settled("a").misordered == 0


def test_a_trace_follows_its_steps(client: Client) -> None:
    """0.2 s of nothing, 0.2 s at twice the mean rate."""
    steps = {"kind": "trace", "steps": [[0.2, 0], [0.2, 7]]}
    client.add("a", nf("a", "simple-forward"), rate_mpps=0.02, arrivals=steps)
    wait_for_silences(client)
    check_mean(client, 0.02, 0.4)


FRAMES = [frame(1, 64), frame(2, 700, b"GET /"), ARP, frame(1, 1518), frame(3, 61)]
SENT_BYTES = [64, 700, 60, 1518, 61]


def test_a_capture_is_sent_in_its_order_again_and_again(replayer: Client, files: Path) -> None:
    now = run(replayer, 5000, pcap={"file": store(files, capture(FRAMES)), "timing": "rate"})
    assert now.details["flows"] == 3
    rounds, rest = divmod(now.delivered, 5)
    assert now.details["untracked_packets"] == rounds + (rest > 2)  # the ARP request
    # Whatever was sent last, it was the capture's packets in order, so the sum of bytes is exact.
    assert now.delivered_bytes == rounds * sum(SENT_BYTES) + sum(SENT_BYTES[:rest])


def test_a_capture_keeps_its_own_gaps(replayer: Client, files: Path) -> None:
    """5 packets in 5 x 2 ms: 500 a second, whatever the rate says."""
    digest = store(files, capture(FRAMES, gap_us=2000))
    replayer.add("a", nf("a", "simple-forward"), rate_mpps=1.0, pcap={"file": digest, "timing": "file"})
    first = replayer.query()
    wait_for(lambda: replayer.chain("a").offered > 500, "500 packets")
    last = replayer.query()
    expected = 500 * (last.uptime_s - first.uptime_s)
    assert abs(last.chains["a"].offered - first.chains["a"].offered - expected) <= 0.02 * expected + 15
    assert replayer.settled("a").misordered == 0


TWO = capture([frame(1, 64), frame(2, 64)])
HUGE = struct.pack("<IIII", 1, 0, 9000, 9000) + bytes(9000)
CUT = struct.pack("<IIII", 1, 0, 96, 1400) + bytes(96)
BAD_FILES = {
    "empty file": (b"", "not a pcap file"),
    "text": (b"not a capture at all, just words", "not a pcap file"),
    "pcapng": (b"\x0a\x0d\x0d\x0a" + bytes(60), "editcap"),
    "header cut off": (TWO[:20], "header cannot be read"),
    "no packets": (TWO[:24], "no packets"),
    "cut in a packet": (TWO[:-1], "damaged at packet 2"),
    "cut in a header": (TWO + b"\0" * 7, "damaged at packet 3"),
    "not Ethernet": (capture([frame(1, 64)[14:]], link=RAW_IP), "link type RAW"),
    "packet too long": (TWO + HUGE, "packet 3 has 9000 bytes, at most 1518"),
    "packet captured in part": (TWO + CUT, "packet 3 was cut to 96 of its 1400 bytes"),
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_bad_capture_is_refused_and_nothing_changes(replayer: Client, files: Path, what: str) -> None:
    content, why = BAD_FILES[what]
    pcap = {"file": store(files, content), "timing": "rate"}
    replayer.add("a", nf("a", "basic-monitor"), rate_mpps=0.01, flows=7)
    for call in (
        lambda: replayer.add("b", nf("b", "router"), rate_mpps=0.01, pcap=pcap),
        lambda: replayer.call("set_source", chain="a", source=source(0.01, pcap=pcap)),
    ):
        with pytest.raises(Refused) as refusal:
            call()
        assert (refusal.value.code, refusal.value.field) == ("bad-config", "source.pcap.file")
        assert why in refusal.value.message
    before = replayer.chain("a").delivered
    wait_for(lambda: replayer.chain("a").delivered > before + 500, "the running chain's own packets")
    now = replayer.settled("a")
    assert (now.nfs[0].details["flows"], now.delivered, now.misordered) == (7, now.sent, 0)
    assert list(replayer.query().chains) == ["a"]


def test_a_capture_without_times_keeps_none(replayer: Client, files: Path) -> None:
    pcap = {"file": store(files, capture([frame(1, 64)])), "timing": "file"}
    with pytest.raises(Refused) as refusal:
        replayer.add("a", nf("a", "router"), rate_mpps=0.01, pcap=pcap)
    assert (refusal.value.code, refusal.value.field) == ("bad-config", "source.pcap.timing")


def test_room_for_captures_is_bounded_and_given_back(replayer: Client, files: Path) -> None:
    """400 packets of 1518 bytes are 0.6 MiB: one fits into 1 MiB, two do not."""
    pcap = {"file": store(files, capture([frame(1, 1518)] * 400)), "timing": "rate"}
    small = {"file": store(files, capture(FRAMES)), "timing": "rate"}
    replayer.add("a", nf("a", "simple-forward"), rate_mpps=0.02, pcap=pcap)
    with pytest.raises(Refused) as refusal:
        replayer.add("b", nf("b", "simple-forward"), rate_mpps=0.02, pcap=pcap)
    assert refusal.value.code == "no-room"
    for _ in range(20):  # an old capture goes when the new one is taken up, or the chain
        replayer.call("set_source", chain="a", source=source(0.02, pcap=small))
        replayer.call("set_source", chain="a", source=source(0.02, pcap=pcap))
    with pytest.raises(Refused):  # a chain that is refused gives its capture back, too
        replayer.add("b", nf("b", "router", speed=1), rate_mpps=0.02, pcap=small)
    now = replayer.settled("a")
    assert (now.delivered, now.misordered, now.damaged) == (now.sent, 0, 0)
    replayer.call("remove_chain", chain="a")
    replayer.add("b", nf("b", "simple-forward"), rate_mpps=0.02, pcap=pcap)
    wait_for(lambda: replayer.chain("b").delivered > 1000, "packets of the second chain")


def test_a_source_may_change_its_kind_while_packets_fly(replayer: Client, files: Path) -> None:
    """Replayed packets keep their wrong checksums and are not called damaged, whatever the source sends by now."""
    pcap = {"file": store(files, capture(FRAMES)), "timing": "rate"}
    replayer.add("a", nf("a", "simple-forward", loops=200), rate_mpps=0.05)
    for _ in range(10):
        replayer.call("set_source", chain="a", source=source(0.05, pcap=pcap))
        replayer.call("set_source", chain="a", source=source(0.05, payload={"kind": "random"}))
    before = replayer.chain("a").delivered
    wait_for(lambda: replayer.chain("a").delivered > before + 1000, "packets of the last source")
    now = replayer.settled("a")
    assert (now.delivered, now.misordered, now.damaged) == (now.sent, 0, 0)


def test_without_artefacts_no_capture_is_known(runner: Runner, client: Client) -> None:
    with pytest.raises(Refused) as refusal:
        client.add("a", nf("a", "router"), pcap={"file": "sha256:" + "0" * 64, "timing": "rate"})
    assert (refusal.value.code, refusal.value.field) == ("bad-config", "source.pcap.file")
    assert "--artefacts" in refusal.value.message
    assert len(runner.children()) == 1
