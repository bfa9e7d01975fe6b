"""Each of the testbed's other types on packets between hosts: one that it changes or drops, of both families."""

import json
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import NIDS, Refused
from .measured_frames import ipv4, ipv6, is_sound, unwrap, wrap
from .wires import MTU, SHELL, Program, Wire, nf_program, program, wire

BACKENDS = [{"address": f"10.200.0.{number}", "weight": 1} for number in (1, 2, 3)]
QUESTION = bytes.fromhex("12340100000100000000000003777777076578616d706c6503636f6d0000010001")
ESP = 50
SECRET = "00112233445566778899aabbccddeeff01020304"


@pytest.fixture(scope="module")
def pair() -> Iterator[Wire]:
    with wire() as made:
        yield made


def _inner(pair: Wire, packet: bytes) -> bytes:
    """What comes back of it; the headers outside must be the same."""
    frame = wrap(packet)
    (back,) = pair.exchange(frame)
    outer, inner = unwrap(back)
    assert outer == unwrap(frame)[0]
    return inner


@pytest.mark.parametrize("make", [ipv4, ipv6])
def test_an_intrusion_detector_drops_what_matches(pair: Wire, make: Any) -> None:
    with nf_program(pair, "nids", **{**NIDS, "patterns": ["attack"], "action": "drop"}) as nids:
        pair.host.send(wrap(make(payload=b"an attack of it")))
        assert _inner(pair, make(payload=b"nothing of it")) == make(payload=b"nothing of it")
        now = nids.counted("tx", 1)
        assert (now["rx"], now["filtered"]) == (2, 1)
        assert now["details"]["matched_packets"] == 1
        assert now["details"]["most_matched"] == [{"pattern": "patterns.0", "packets": 1}]


def test_protocols_are_recognised(pair: Wire) -> None:
    with nf_program(pair, "dpi", flow_table_entries=64) as dpi:
        asked = [ipv4(payload=QUESTION), ipv6(payload=QUESTION)]
        assert [_inner(pair, packet) for packet in asked] == asked
        details = dpi.query()["details"]
        assert list(details["protocols"]) == ["DNS"]
        assert (details["flows"], details["not_ipv4_packets"]) == (1, 1)


def test_a_nat_gives_public_addresses_and_ports(pair: Wire) -> None:
    with nf_program(pair, "nat", public_prefix="203.0.113.8/30", first_port=7000, last_port=7001) as nat:
        inner = _inner(pair, ipv4())
        assert inner[12:15] == bytes([203, 0, 113]) and inner[15] in range(8, 12)
        assert int.from_bytes(inner[20:22], "big") in (7000, 7001)
        assert is_sound(inner)
        pair.host.send(wrap(ipv6()))
        assert nat.counted("filtered", 1)["details"]["untranslatable_packets"] == 1


def test_a_load_balancer_takes_other_backends_while_it_runs(pair: Wire) -> None:
    config = {"vip_prefix": "192.168.0.0/16", "table_size": 251, "backends": BACKENDS}
    with nf_program(pair, "load-balancer", **config) as balancer:
        chosen = {_inner(pair, ipv4(port=port))[16:20] for port in range(1, 65)}
        assert chosen == {socket.inet_aton(backend["address"]) for backend in BACKENDS}
        assert is_sound(_inner(pair, ipv4()))
        assert _inner(pair, ipv6()) == ipv6()
        balancer.client.call("configure_nf", config={**config, "backends": BACKENDS[:1]})
        assert {_inner(pair, ipv4(port=port))[16:20] for port in range(1, 65)} == {socket.inet_aton("10.200.0.1")}
        with pytest.raises(Refused, match="only the backends"):
            balancer.client.call("configure_nf", config={**config, "table_size": 4093})
        details = balancer.query()["details"]
        assert list(details["backends"]) == ["10.200.0.1"] and details["unmatched_packets"] == 1


@pytest.mark.parametrize("form", ["tunnel", "transport"])
def test_two_ends_of_a_vpn_restore_a_packet_of_any_length(pair: Wire, form: str) -> None:
    for length in (0, 1, 17, 400, 1400):
        packet = ipv4(payload=os.urandom(length))
        with nf_program(pair, "vpn", mode="encrypt", form=form):
            sealed = _inner(pair, packet)
        assert sealed[9] == ESP and len(sealed) > len(packet)
        assert packet[28:44] not in sealed or length < 16
        with nf_program(pair, "vpn", mode="decrypt", form=form) as far:
            assert _inner(pair, sealed) == packet
            pair.host.send(wrap(sealed[:-1] + bytes([sealed[-1] ^ 1])))
            pair.host.send(wrap(ipv6()))
            details = far.counted("filtered", 2)["details"]
            assert (details["forged"], details["not_esp"], details["decrypted"]) == (1, 1, 1)


def test_what_a_vpn_makes_too_long_for_the_interface_is_dropped_with_its_cause(pair: Wire) -> None:
    most = MTU - 104
    with nf_program(pair, "vpn", mode="encrypt", form="tunnel") as vpn:
        fits = most - 36 - 18
        assert len(_inner(pair, ipv4(payload=bytes(fits - 28)))) == most
        pair.host.send(wrap(ipv4(payload=bytes(fits - 28 + 4))))
        now = vpn.counted("drops", 1)
        assert now["drop_causes"] == {"socket_full": 0, "malformed": 0, "too_large": 1, "waited": 0, "unsent": 0}
        pair.host.send(wrap(ipv4(payload=bytes(fits - 28 + 8))))
        pair.host.send(wrap(ipv6()))
        assert vpn.counted("filtered", 2)["details"] == {"encrypted": 2, "not_ipv4": 1, "too_large": 1}


def test_a_secret_comes_by_a_descriptor_and_is_seen_nowhere(pair: Wire) -> None:
    ready, write = os.pipe()
    os.write(write, json.dumps({"mode": "encrypt", "key": SECRET}).encode())
    os.close(write)
    inherited = pair.nf.fileno()
    arguments = ("--fd", str(inherited), "--type", "vpn", "--config-fd", str(ready))
    with program(SHELL, *arguments, inherit=(inherited, ready)) as vpn:
        os.close(ready)
        assert _inner(pair, ipv4())[9] == ESP
        assert SECRET not in _command_line(vpn) and SECRET not in vpn.log.read_text()
        assert SECRET not in json.dumps(vpn.query())


def _command_line(started: Program) -> str:
    return Path(f"/proc/{started.process.pid}/cmdline").read_bytes().decode()


@pytest.mark.parametrize("make", [ipv4, ipv6])
def test_a_walker_and_a_forwarder_pass_all(pair: Wire, make: Any) -> None:
    with nf_program(pair, "bubble", working_set_bytes=4096, lines_per_packet=16, write_share=0.5) as bubble:
        assert _inner(pair, make()) == make()
        assert bubble.query()["details"] == {"touched_lines": 16, "written_lines": 8}
    with nf_program(pair, "simple-forward", loops=1000) as forward:
        assert _inner(pair, make(payload=b"")) == make(payload=b"")
        assert forward.query()["cycles"] >= 500
