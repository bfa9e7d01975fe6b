"""Source and sink: over a wire, and at both ends of a chain over two hosts whose NFs are the testbed's types."""

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from dataplane.tests.conftest import FIREWALL, ROUTER, Refused, wait_for
from dataplane.tests.wires import SHELL, Program, Wire, packet_socket, program, wire

from .network import ROOT, Network, network

SOURCE, SINK = ROOT / "build" / "sextant-srv6-source", ROOT / "build" / "sextant-srv6-sink"
pytestmark = pytest.mark.skipif(not SOURCE.exists(), reason=f"{SOURCE} is not built")
MATCHES = {4: ("10.9.0.0/28", "10.9.0.0/24"), 6: ("2001:db8::/120", "2001:db8::/112")}


def spec(rate_mpps: float = 0.0, *, family: int = 4, flows: int = 20, **changes: Any) -> dict[str, Any]:
    src, dst = MATCHES[family]
    match = {"src_prefix": src, "dst_prefix": dst, "protocol": "udp", "dst_port": 53}
    return {"rate_mpps": rate_mpps, "packet_bytes": 100, "flows": flows, "match": match, **changes}


@contextmanager
def sink_at(descriptor: int) -> Iterator[Program]:
    with program(SINK, "--fd", str(descriptor), inherit=(descriptor,)) as started:
        yield started


@contextmanager
def source_at(descriptor: int, asked: dict[str, Any]) -> Iterator[Program]:
    arguments = ("--fd", str(descriptor), "--chain", json.dumps(asked))
    with program(SOURCE, *arguments, inherit=(descriptor,)) as started:
        yield started


@pytest.fixture(scope="module")
def pair() -> Iterator[Wire]:
    with wire() as made:
        yield made


@pytest.fixture
def ends(pair: Wire) -> Iterator[tuple[Program, Program]]:
    """A source of nothing yet, and a sink."""
    with sink_at(pair.nf.fileno()) as sink, source_at(pair.host.fileno(), spec()) as source:
        yield source, sink


def settled(source: Program) -> dict[str, Any] | None:
    """Its counts, once a burst is over and no other begins."""
    before = source.query()
    time.sleep(0.05)
    now = source.query()
    accounted = now["offered"] == now["sent"] + now["source_drops"] + now["unsent"]
    return now if accounted and now["offered"] == before["offered"] else None


def sent_all(source: Program, sink: Program, least: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Waits for `least` packets, stops the source, and waits until all that was sent has come."""
    wait_for(lambda: source.query()["sent"] >= least, f"{least} packets sent")
    source.client.call("set_rate", rate_mpps=0)
    done: dict[str, Any] = wait_for(lambda: settled(source), "what was offered is sent")
    return done, sink.counted("delivered", done["sent"])


@pytest.mark.parametrize("family", [4, 6])
@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_what_is_sent_arrives_in_order_and_whole(ends: tuple[Program, Program], family: int, protocol: str) -> None:
    source, sink = ends
    asked = spec(0.005, family=family)
    asked["match"]["protocol"] = protocol
    stream = source.client.call("set_source", source=asked)["stream"]
    sent, seen = sent_all(source, sink, 1000)
    assert sent["sent_bytes"] == seen["delivered_bytes"] == 100 * sent["sent"]
    assert all(seen[name] == 0 for name in ("lost", "misordered", "doubled", "damaged", "unstamped", "ahead"))
    assert (seen["stream"], seen["flows"]) == (stream, 20)
    assert sum(seen["latency_counts"]) == seen["delivered"]
    latency = seen["latency_ns"]
    assert 0 < latency["min"] <= latency["sum"] / seen["delivered"] <= latency["max"]


def test_the_rate_is_kept_and_changes_while_it_runs(ends: tuple[Program, Program]) -> None:
    source, sink = ends
    for rate in (0.001, 0.004):
        source.client.call("set_rate", rate_mpps=rate)
        time.sleep(0.1)
        first, began = source.query(), time.monotonic()
        time.sleep(1)
        last, ended = source.query(), time.monotonic()
        assert last["rate_mpps"] == rate
        offered = last["offered"] - first["offered"]
        # Packets fall due by the clock, however late the process runs: but for those since it last ran.
        assert offered == pytest.approx(rate * 1e6 * (ended - began), rel=0.05, abs=rate * 1e6 * 0.05)
    _, seen = sent_all(source, sink, 1)
    assert seen["lost"] == seen["misordered"] == 0, "the flows go on with their numbers"


def test_counts_of_a_source_that_has_settled_at_rate_0_are_its_last(ends: tuple[Program, Program]) -> None:
    """What is asked right after a change may be of before; once it is settled, nothing comes after it."""
    source, _ = ends
    for _ in range(20):
        source.client.call("set_rate", rate_mpps=0.05)
        sent = source.query()["sent"]
        wait_for(lambda: source.query()["sent"] > sent, "packets")  # noqa: B023 - at once
        source.client.call("set_rate", rate_mpps=0)
        last = wait_for(lambda: found if (found := source.query())["settled"] else None, "it is taken up")
        time.sleep(0.03)
        assert source.query()["sent"] == last["sent"]


def test_it_sleeps_while_nothing_is_asked(ends: tuple[Program, Program]) -> None:
    before = [end.query()["cpu_ns"] for end in ends]
    time.sleep(1)
    assert all(end.query()["cpu_ns"] - then < 20e6 for end, then in zip(ends, before, strict=True))


def _drain(wire_end: socket.socket) -> None:
    with suppress(BlockingIOError):
        while wire_end.recv(2048, socket.MSG_DONTWAIT):
            pass


def test_loss_disorder_and_doubles_are_counted_by_flow(pair: Wire) -> None:
    _drain(pair.nf)
    with source_at(pair.host.fileno(), spec(flows=2)) as source:
        source.client.call("set_rate", rate_mpps=0.002)
        frames = [pair.nf.recv(2048) for _ in range(10)]
    _drain(pair.nf)
    kept = [*frames[:4], *frames[6:8], frames[5], *frames[8:10], frames[9]]  # flows in turn: 4 is lost, 5 late, 9 twice
    with sink_at(pair.nf.fileno()) as sink:
        for frame in kept:
            pair.host.send(frame)
        pair.host.send(bytes(60))
        seen = sink.counted("unstamped", 1)
        assert (seen["delivered"], seen["lost"], seen["misordered"], seen["doubled"]) == (len(kept), 1, 1, 1)
        flows = sink.client.call("flows")["flows"]
        assert [(flow["flow"], flow["lost"], flow["misordered"]) for flow in flows] == [(0, 1, 0), (1, 0, 1)]
        assert sink.client.call("flows", first=1, most=1)["flows"][0]["flow"] == 1


def test_another_source_is_another_stream(ends: tuple[Program, Program]) -> None:
    source, sink = ends
    source.client.call("set_rate", rate_mpps=0.002)
    wait_for(lambda: source.query()["sent"] >= 100, "packets")
    source.client.call("set_source", source=spec(0.002, family=6, flows=7))
    wait_for(lambda: sink.query()["flows"] == 7, "the new flows")
    _, seen = sent_all(source, sink, 200)
    assert (seen["lost"], seen["misordered"], seen["flows"]) == (0, 0, 7)


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        pytest.param(spec(packet_bytes=60), "source.packet_bytes", id="too-short"),
        pytest.param(spec(family=6, packet_bytes=80), "source.packet_bytes", id="no-room-for-a-stamp"),
        pytest.param(spec(flows=0), "source.flows", id="no-flows"),
        pytest.param(spec(pcap={"file": "sha256:" + 64 * "0"}), "source.pcap", id="a-capture"),
        pytest.param({"rate_mpps": 1}, "source.packet_bytes", id="half-a-source"),
    ],
)
def test_a_source_that_cannot_be_is_refused_and_the_old_one_goes_on(
    ends: tuple[Program, Program], asked: dict[str, Any], field: str
) -> None:
    source, sink = ends
    with pytest.raises(Refused) as refused:
        source.client.call("set_source", source=asked)
    assert refused.value.field == field
    with pytest.raises(Refused):
        source.client.call("set_rate", rate_mpps=-1)
    source.client.call("set_rate", rate_mpps=0.01)
    sent_all(source, sink, 100)


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    with network(tmp_path_factory.mktemp("traffic")) as made:
        yield made


def nf_of(stack: ExitStack, net: Network, number: int, kind: str, config: dict[str, object]) -> Program:
    opened = stack.enter_context(packet_socket(f"{net.prefix}nf{number}", f"n{number}"))
    arguments = ("--fd", str(opened.fileno()), "--type", kind, "--config", json.dumps(config))
    return stack.enter_context(program(SHELL, *arguments, inherit=(opened.fileno(),)))


@pytest.mark.parametrize("family", [4, 6])
def test_a_chain_over_two_hosts_carries_all_of_it(net: Network, family: int) -> None:
    with ExitStack() as stack:
        nfs = [nf_of(stack, net, 1, "router", ROUTER), nf_of(stack, net, 2, "firewall", FIREWALL)]
        opened = [stack.enter_context(packet_socket(f"{net.prefix}tenant{number}", f"t{number}")) for number in (1, 2)]
        sink = stack.enter_context(sink_at(opened[1].fileno()))
        source = stack.enter_context(source_at(opened[0].fileno(), spec(family=family)))
        source.client.call("set_rate", rate_mpps=0.003)
        _, seen = sent_all(source, sink, 3000)
        assert all(seen[name] == 0 for name in ("lost", "misordered", "doubled", "damaged", "ahead"))
        for nf in nfs:
            now = nf.query()
            assert now["rx"] == now["tx"] == seen["delivered"] and now["drops"] == now["filtered"] == 0


def test_they_can_have_their_sockets_do_nothing_else(ends: tuple[Program, Program]) -> None:
    """2: a filter of system calls (dataplane/tests/test_confined.c says of which)."""
    for end in ends:
        assert "Seccomp:\t2\n" in Path(f"/proc/{end.process.pid}/status").read_text()


def test_programs_are_gone_with_their_sockets(pair: Wire, tmp_path: Path) -> None:
    with sink_at(pair.nf.fileno()) as sink:
        assert sink.client.call("shutdown")["ok"]
        assert sink.process.wait(10) == 0
