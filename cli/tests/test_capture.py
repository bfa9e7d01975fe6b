"""`sextant chains capture`: packets in a table, their bytes on request, and what came of none."""

import json
from datetime import UTC, datetime
from ipaddress import IPv6Address

import pytest
from sextant_domain.hosts.packet_capture import CapturedHop, CapturedPacket, PacketCapture

from .console import FakeConsole
from .console_state import Answer, Asked


def packet(router_us: float, nids_us: float | None = None) -> CapturedPacket:
    nids = () if nids_us is None else (CapturedHop(nf_id="web-part-2.nids", device=2, nf_latency_us=nids_us),)
    return CapturedPacket(
        tag=0x8000, flow_label=0x2A, source=IPv6Address("fc00:0:1::"), hop_limit=62, inner="ipv6", detection_us=1.0,
        path=(CapturedHop(nf_id="web.router", device=1, nf_latency_us=router_us), *nids), headers="60ff",
    )  # fmt: skip


@pytest.fixture
def captured(console: FakeConsole) -> list[CapturedPacket]:
    """What the console's next answer has; it answers as many as it was asked for."""
    packets: list[CapturedPacket] = []
    rest = console.handle

    def handle(asked: Asked) -> Answer:
        if (asked.method, asked.path) != ("POST", ["chains", "web", "captures"]):
            return rest(asked)
        wanted = asked.body["packets"]
        return 200, PacketCapture(
            chain="web-part-2", host="lab-2", taken_at=datetime.now(UTC), asked_for=wanted, packets=packets[:wanted]
        ), None  # fmt: skip

    console.handle = handle  # type: ignore[method-assign]
    return packets


def test_packets_are_shown_with_how_long_each_nf_had_them(sextant, captured: list[CapturedPacket]) -> None:
    captured += [packet(21.4, 38.7), packet(20.0)]
    done = sextant("chains", "capture", "web")
    assert done.exit_code == 0, done.stderr
    head, first, second = done.stdout.splitlines()
    assert head.split() == ["PACKET", "FLOW", "INNER", "HOP", "LIMIT", "web.router", "web-part-2.nids"]
    assert first.split() == ["1", "0002a", "ipv6", "62", "21.4", "us", "38.7", "us"]
    assert second.split() == ["2", "0002a", "ipv6", "62", "20.0", "us", "-"]
    assert "2 of 20 packets left web-part-2 on lab-2 within 2 s" in done.stderr
    assert "60ff" in sextant("chains", "capture", "web", "--packets", "1", "--headers").stdout


def test_a_script_gets_all_of_it(sextant, captured: list[CapturedPacket]) -> None:
    captured.append(packet(21.4))
    found = PacketCapture.model_validate(json.loads(sextant("chains", "capture", "web", "-o", "json").stdout))
    assert found.packets == (packet(21.4),)


def test_no_packet_is_no_error(sextant, captured: list[CapturedPacket]) -> None:
    done = sextant("chains", "capture", "web")
    assert done.exit_code == 0
    assert "no packet left web-part-2 on lab-2 within 2 s" in done.stdout + done.stderr


def test_so_many_are_too_many(sextant, captured: list[CapturedPacket]) -> None:
    assert sextant("chains", "capture", "web", "--packets", "101").exit_code == 2
