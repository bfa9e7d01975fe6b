"""NFs of the testbed's types on packets of chains between hosts: as nobody, at a packet socket that they inherit."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import FIREWALL, MONITOR, ROUTER, Refused, wait_for
from .measured_frames import ETHER, given, ipv4, ipv6, is_sound, unwrap, wrap
from .wires import MTU, NOBODY, SHELL, Wire, nf_program, shell, wire

SO_RCVBUFFORCE = 33


@pytest.fixture(scope="module")
def pair() -> Iterator[Wire]:
    with wire() as made:
        yield made


def conserved(now: dict[str, Any]) -> bool:
    causes = now["drop_causes"]
    gone = now["filtered"] + causes["malformed"] + causes["too_large"] + causes["waited"] + causes["unsent"]
    return bool(now["rx"] == now["tx"] + gone)


@pytest.mark.parametrize("make", [ipv4, ipv6])
@pytest.mark.parametrize("segments", [1, 3, 8])
def test_a_router_changes_the_inner_packet_and_nothing_outside(pair: Wire, make: Any, segments: int) -> None:
    with nf_program(pair, "router", **ROUTER) as router:
        frame = wrap(make(), segments)
        (back,) = pair.exchange(frame)
        outer, inner = unwrap(back)
        assert outer == unwrap(frame)[0]
        assert inner == make(ttl=63) and is_sound(inner)
        pair.host.send(wrap(make(ttl=1), segments))
        now = router.counted("filtered", 1)
        assert (now["rx"], now["tx"], now["drops"]) == (2, 1, 0)


def test_a_firewall_drops_by_its_rules_of_both_families(pair: Wire) -> None:
    ports = {"dst": "fd00:7::/32", "dst_port": [53, 53]}
    rules = [{"action": "deny", "dst": "192.168.7.0/24"}, {"action": "deny", **ports}]
    with nf_program(pair, "firewall", **{**FIREWALL, "rules": rules}) as firewall:
        allowed = [wrap(ipv4()), wrap(ipv6()), wrap(ipv6("fd00:7::1", port=54))]
        assert pair.exchange(*allowed) == allowed
        for denied in (ipv4("192.168.7.1"), ipv6("fd00:7::1")):
            pair.host.send(wrap(denied))
        now = firewall.counted("filtered", 2)
        assert (now["rx"], now["tx"]) == (5, 3)


def test_a_monitor_counts_flows_and_gives_all_back(pair: Wire) -> None:
    with nf_program(pair, "basic-monitor", **MONITOR) as monitor:
        frames = [wrap(ipv4(port=port)) for port in (1, 2, 3, 1)] + [wrap(ipv6())]
        assert pair.exchange(*frames) == frames
        now = monitor.query()
        assert now["details"] == {"flows": 3, "untracked_packets": 1}
        assert conserved(now) and now["cycles"] > 0
        assert 0 < now["busy_ns"] <= now["cpu_ns"]


def test_it_can_have_its_socket_do_nothing_else(pair: Wire) -> None:
    """2: a filter of system calls, for all its threads (test_confined.c says of which)."""
    with nf_program(pair, "router", **ROUTER) as router:
        for thread in Path(f"/proc/{router.process.pid}/task").iterdir():
            assert "Seccomp:\t2\n" in (thread / "status").read_text()


SHORT = wrap(ipv4(payload=b""))
BROKEN = {
    "cut short": SHORT[:-1],
    "within the segments": SHORT[:80],
    "nine segments": SHORT[:55] + bytes([19, 4, 8, 8]) + SHORT[59:],
    "other length": SHORT[:55] + bytes([9]) + SHORT[56:],
    "more left than there are": SHORT[:57] + bytes([3]) + SHORT[58:],
    "not flagged": SHORT[:59] + bytes([0]) + SHORT[60:],
    "no TLV": SHORT[:110] + bytes([5]) + SHORT[111:],
    "neither family": SHORT[:54] + bytes([41]) + SHORT[55:],
    "inner packet longer than its frame": SHORT[:120] + b"\xff\xff" + SHORT[122:],
    "inner header too short": SHORT[:118] + b"\x44" + SHORT[119:],
    "no inner packet": wrap(b"\x45"),
}


def test_broken_frames_are_counted_and_foreign_ones_left_alone(pair: Wire) -> None:
    with nf_program(pair, "simple-forward", loops=0) as forward:
        for broken in BROKEN.values():
            pair.host.send(broken)
        pair.host.send(ETHER + b"\x08\x00" + ipv4() + bytes(30))
        pair.host.send(ETHER + b"\x86\xdd" + ipv6())
        assert pair.exchange(SHORT) == [SHORT]
        now = forward.counted("tx", 1)
        assert (now["rx"], now["foreign"]) == (len(BROKEN) + 1, 2)
        assert now["drops"] == now["drop_causes"]["malformed"] == len(BROKEN)
        assert conserved(now)


def test_what_lies_behind_the_inner_packet_is_not_given_back(pair: Wire) -> None:
    inner = ipv4()
    with nf_program(pair, "simple-forward", loops=0):
        assert pair.exchange(wrap(inner + b"behind it")) == [wrap(inner)]
        assert pair.exchange(wrap(inner) + b"behind all") == [wrap(inner)]


def test_the_longest_frame_of_the_interface_passes(pair: Wire) -> None:
    with nf_program(pair, "simple-forward", loops=0) as forward:
        frame = wrap(ipv4(payload=bytes(MTU - 104 - 28)))
        assert len(frame) == MTU + 14
        assert pair.exchange(frame) == [frame]
        assert forward.query()["drops"] == 0


def test_it_has_no_privilege_and_sleeps_while_nothing_comes(pair: Wire) -> None:
    with nf_program(pair, "simple-forward", loops=0) as forward:
        status = Path(f"/proc/{forward.process.pid}/status").read_text()
        assert all(f"{name}:\t{0:016x}\n" in status for name in ("CapEff", "CapPrm", "CapInh"))
        assert f"Uid:\t{NOBODY}\t{NOBODY}\t" in status
        before = forward.query()["cpu_ns"]
        time.sleep(1)
        assert forward.query()["cpu_ns"] - before < 20e6
        assert len(list(Path(f"/proc/{forward.process.pid}/task").iterdir())) < 8


def test_a_socket_that_does_not_block_is_slept_at_all_the_same(pair: Wire) -> None:
    pair.nf.setblocking(False)
    try:
        with nf_program(pair, "simple-forward", loops=0) as forward:
            assert pair.exchange(SHORT) == [SHORT]
            before = forward.query()["cpu_ns"]
            time.sleep(0.5)
            assert forward.query()["cpu_ns"] - before < 20e6
    finally:
        pair.nf.setblocking(True)


def test_it_goes_on_when_its_interface_was_down(pair: Wire) -> None:
    with nf_program(pair, "simple-forward", loops=0) as forward:
        for _ in range(3):
            for state in ("down", "up"):
                shell("ip", "-n", pair.namespace, "link", "set", "nf", state)
            # An end sends only once the kernel has noticed that there is a carrier again.
            wait_for(lambda: "LOWER_UP" in shell("ip", "-n", pair.namespace, "link", "show", "host"), "a carrier")
            assert pair.exchange(SHORT) == [SHORT]
        assert forward.query()["drops"] == 0


def test_many_packets_come_back_in_order(pair: Wire) -> None:
    with nf_program(pair, "router", **ROUTER) as router:
        for first in range(0, 6000, 100):
            frames = [wrap(ipv4(payload=f"packet {number:6}".encode())) for number in range(first, first + 100)]
            got = [unwrap(back)[1][28:] for back in pair.exchange(*frames)]
            assert got == [f"packet {number:6}".encode() for number in range(first, first + 100)]
        now = router.counted("tx", 6000)
        assert (now["rx"], now["drops"]) == (6000, 0)


def test_what_waited_for_more_than_a_fifth_of_a_second_is_not_worked_on(pair: Wire) -> None:
    with nf_program(pair, "router", **ROUTER) as router:
        pair.host.send(given(wrap(ipv4()), time.monotonic_ns() - 210_000_000))
        fresh = given(wrap(ipv4()), time.monotonic_ns())
        (back,) = pair.exchange(fresh)
        assert unwrap(back)[0] == unwrap(fresh)[0]
        now = router.counted("tx", 1)
        assert (now["rx"], now["drops"], now["drop_causes"]["waited"]) == (2, 1, 1)
        assert conserved(now)


def test_an_nf_that_cannot_keep_up_goes_on_with_what_is_new(pair: Wire) -> None:
    """Packets for a second of work at once: most of them are dropped, and what is sent then does not wait for them."""
    sent = 5000
    for end in (pair.host, pair.nf):
        end.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
    with nf_program(pair, "bubble", working_set_bytes=64 << 20, lines_per_packet=4096, pattern="chase") as bubble:
        for _ in range(sent):
            pair.host.send(given(SHORT, time.monotonic_ns()))

        def settled() -> dict[str, Any] | None:
            now = bubble.query()
            return now if now["rx"] == sent and conserved(now) else None

        now: dict[str, Any] = wait_for(settled, "every packet worked on or dropped")
        assert now["tx"] > 0 and now["drop_causes"]["waited"] > sent // 4 and now["drop_causes"]["socket_full"] == 0
        last = given(wrap(ipv4(payload=b"last")), time.monotonic_ns())
        pair.host.send(last)
        assert [pair.host.recv(65536) for _ in range(now["tx"] + 1)][-1] == last


def test_requests_that_are_none_are_refused_with_a_cause(pair: Wire) -> None:
    with nf_program(pair, "router", **ROUTER) as router:
        hello = router.client.call("hello")
        assert (hello["type"], hello["mtu"], hello["pid"]) == ("router", MTU, router.process.pid)
        lines = {b"nonsense\n": "bad-request", b"[]\n": "bad-request", b'{"op": "fly"}\n': "unknown-op"}
        for line, code in lines.items():
            answer = router.client.send(line)
            assert not answer["ok"] and answer["error"]["code"] == code and answer["error"]["message"]
        with pytest.raises(Refused, match="router cannot change"):
            router.client.call("configure_nf", config=ROUTER)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        pytest.param(["--fd", "0"], "no AF_PACKET socket", id="another-descriptor"),
        pytest.param(["--type", "teapot"], "no NF type", id="another-type"),
        pytest.param(["--config", "{"], "valid JSON", id="no-json"),
        pytest.param(["--config", '{"rules": 1}'], "rules", id="a-configuration-that-the-type-refuses"),
    ],
)
def test_what_cannot_start_says_why(pair: Wire, arguments: list[str], word: str, tmp_path: Path) -> None:
    inherited = pair.nf.fileno()
    usual = ["--fd", str(inherited), "--type", "firewall", "--config", json.dumps(FIREWALL)]
    command = [str(SHELL), "--control", str(tmp_path / "control.sock"), *usual, *arguments]
    done = subprocess.run(command, pass_fds=[inherited], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode in (1, 2) and word in done.stderr
