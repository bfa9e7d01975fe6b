"""The daemon: one chain over two of them, and their deaths under load."""

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .hosts import CHAIN, DEVICES, NOBODY, SIDS, TAG, Chain, Client, Hosts, Refused, hosts, wait_for
from .load import Load, frame, received

PACKETS = 200
PPS = 2000
SO_DETACH_FILTER = 27


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    with hosts(tmp_path_factory.mktemp("daemon")) as made:
        yield made


@pytest.fixture(scope="module")
def chain(pair: Hosts) -> Chain:
    return Chain(pair)


@pytest.mark.parametrize("version", [4, 6])
def test_every_packet_comes_out_as_it_went_in(chain: Chain, version: int) -> None:
    before = [client.call("read")["counts"] for client in (chain.one, chain.two)]
    for number in range(PACKETS):
        chain.source.send(frame(version, number))
        time.sleep(0.001)
    assert received(chain.sink, PACKETS) == list(range(PACKETS))
    one, two = chain.one.call("read"), chain.two.call("read")
    for name in ("wrapped", "given", "returned"):
        assert one["counts"][name] - before[0][name] == PACKETS
    for name in ("given", "returned", "unwrapped"):
        assert two["counts"][name] - before[1][name] == PACKETS
    for name, count in [*one["counts"].items(), *two["counts"].items()]:
        assert count == 0 or name in {"wrapped", "given", "returned", "unwrapped"}, name
    (nf,) = one["nfs"]
    assert (nf["nf_id"], nf["tag"], nf["sid"], nf["device"]) == ("c.one", TAG, SIDS[0], DEVICES["c.one"])
    assert nf["given"] == nf["returned"] and nf["oldest_ns"] == 0 and 0 < nf["latency_ns"] < 2_000_000_000
    assert one["edges"] == [{"chain": CHAIN, "port": chain.edge["port"], "tag": TAG, "segments": list(SIDS)}]
    assert two["exits"] == [{"chain": CHAIN, "port": chain.exit["port"], "tag": TAG, "sid": SIDS[2]}]


def test_without_rights_it_holds_what_it_needs_and_no_more(chain: Chain, pair: Hosts) -> None:
    process = pair.all[0].process
    assert process is not None
    status = dict(
        line.split(":\t", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines() if ":\t" in line
    )
    net_admin, net_raw, bpf = 12, 13, 39
    wanted = 1 << net_admin | 1 << net_raw | 1 << bpf
    assert {int(status[name], 16) for name in ("CapPrm", "CapEff", "CapBnd")} == {wanted}
    assert int(status["CapInh"], 16) == int(status["CapAmb"], 16) == 0
    assert status["NoNewPrivs"].strip() == "1"


@pytest.mark.parametrize("number", [0, 1], ids=["of-the-edge", "of-the-exit"])
def test_no_packet_is_lost_when_a_daemon_is_killed_and_its_successor_adopts(
    chain: Chain, pair: Hosts, number: int
) -> None:
    host = pair.all[number]
    before = (chain.one, chain.two)[number].call("read")
    with Load(chain.source, chain.sink, PPS) as load:
        time.sleep(0.5)
        host.end(signal.SIGKILL)
        time.sleep(0.3)
        client = host.start()
        assert client.call("hello")["adopted"] is True
        time.sleep(0.5)
    assert load.sent > 2000 and load.got == list(range(load.sent))
    if number == 0:
        chain.one = client
    else:
        chain.two = client
    after = client.call("read")
    assert after["nfs"][0]["given"] - before["nfs"][0]["given"] == load.sent
    for name in ("nfs", "edges", "exits"):
        for entry in (*before[name], *after[name]):
            for figure in ("given", "returned", "latency_ns", "oldest_ns", "window", "since_read"):
                entry.pop(figure, None)
        assert after[name] == before[name]


def test_asked_again_it_answers_the_same_with_a_socket_that_works(chain: Chain, pair: Hosts) -> None:
    again, sink = chain.two.add("add_exit", chain=CHAIN, tag=TAG, sid=SIDS[2])
    edge, source = chain.one.add("add_edge", chain=CHAIN)
    assert [{**answer, "id": 0} for answer in (again, edge)] == [{**chain.exit, "id": 0}, {**chain.edge, "id": 0}]
    second_source, second_sink = pair.take(source), pair.take(sink)
    second_source.send(frame(4, 77))
    assert received(second_sink, 1) == received(chain.sink, 1) == [77]
    with pytest.raises(Refused) as refused:
        chain.two.ask("add_exit", chain=CHAIN, tag=TAG, sid="fc00:0:2::f")
    assert (refused.value.code, refused.value.field) == ("exists", "sid")
    with pytest.raises(Refused) as refused:
        chain.one.ask("add_nf", nf_id="c.other", tag=TAG, sid=SIDS[0], device=9)
    assert (refused.value.code, refused.value.field) == ("exists", "sid")


def test_one_update_reroutes_and_nothing_is_lost(chain: Chain, pair: Hosts) -> None:
    macs = {core: pair.all[1].mac(core) for core in ("core0", "core1")}
    with Load(chain.source, chain.sink, PPS) as load:
        for turn in range(20):
            core = f"core{(turn + 1) % 2}"
            chain.one.call("set_way", tag=TAG, sid=SIDS[1], port=core, mac=macs[core])
            time.sleep(0.05)
    assert load.sent > 1000 and sorted(load.got) == list(range(load.sent))
    assert all(pair.all[0].sent_by(core) > 200 for core in macs)


def _forged(source: bytes) -> bytes:
    """As an edge would write it, for the exit."""
    entries = bytes.fromhex("fc00000000020000000000000000000e" + "0065" + "0000" + "00000001" * 3)
    inner = frame(4, 1)[14:]
    header = bytes([4, 5, 4, 0, 1, 1, 0, TAG]) + entries + bytes.fromhex("8406001d00000000") + inner
    outer = bytes.fromhex("60000000") + len(header).to_bytes(2, "big") + bytes([43, 64])
    return bytes(12) + b"\x86\xdd" + outer + source + entries[:16] + header


def _known(client: Client) -> dict[str, Any]:
    """All that a host's loop sets quotas by, pages show and packets are led by, but for how long ago it was."""
    windows, read = client.call("windows"), client.call("read")
    found = {"nfs": windows["nfs"], "windows": windows["windows"], "edges": read["edges"], "exits": read["exits"]}
    for entry in (*found["nfs"], *found["windows"]):
        for part in (entry, entry.get("window") or {}):
            for ago in ("oldest_ns", "closed_ms", "stale_ms"):
                part.pop(ago, None)
    return found


def test_what_is_forged_is_dropped_and_counted_and_nothing_goes_by_it(chain: Chain, pair: Hosts) -> None:
    """By a tenant, by an NF, and by a stranger at a port to other hosts."""
    own = bytes.fromhex("fc000000000100000000000000000000")
    _, nf = chain.two.add("add_nf", nf_id="c.two", tag=TAG, sid=SIDS[1], device=DEVICES["c.two"])
    clients = (chain.one, chain.two)

    def queues() -> set[int | None]:
        return {nf["queue_packets"] for client in clients for nf in client.call("windows")["nfs"]}

    wait_for(lambda: queues() == {None}, "what waited before to be too old to be said")
    before, known = [client.call("read")["counts"] for client in clients], [_known(client) for client in clients]
    assert any(one["window"] for one in known[0]["nfs"]), "packets were measured before"
    with pair.take(nf) as hostile:
        for _ in range(50):
            chain.source.send(_forged(own))
            chain.source.send(_forged(bytes.fromhex("20010db8") + bytes(12)))
            hostile.send(_forged(own))
    packets = Path(__file__).with_name("packets.py")
    stranger = _forged(bytes.fromhex("fc000000000900000000000000000000")).hex()
    pair.all[0].inside("python3", packets, "forge", "core0", "50", stranger)

    def gained() -> tuple[int, int, int]:
        now = [client.call("read")["counts"] for client in (chain.one, chain.two)]
        tenant = now[0]["sid_destination"] - before[0]["sid_destination"]
        return (
            tenant,
            now[1]["foreign_entry"] - before[1]["foreign_entry"],
            now[1]["strange_source"] - before[1]["strange_source"],
        )

    wait_for(lambda: gained() == (100, 50, 50), f"refusals: {gained()}")
    assert received(chain.sink, 1, 0.2) == []
    assert [_known(client) for client in clients] == known


def test_a_socket_is_good_for_its_own_pair_only(chain: Chain, pair: Hosts) -> None:
    """Though the kernel lets its holder bind it elsewhere, send by any interface, and pass filters by that send."""
    host = pair.all[0]
    client = host.client()
    before = client.call("read")["counts"]
    answer, descriptor = client.add("add_edge", chain="listener")
    own = {end: answer["link"][:-1] + end for end in "ab"}
    edge = {end: chain.edge["link"][:-1] + end for end in "ab"}
    with pair.take(descriptor) as held:
        held.settimeout(0.3)
        pair.all[1].inside("python3", Path(__file__).with_name("packets.py"), "forge", "core0", "5", frame(4, 1).hex())
        held.bind(("core0", 3))
        with pytest.raises(TimeoutError):
            held.recv(65536)
        with pytest.raises(PermissionError):
            held.setsockopt(socket.SOL_SOCKET, SO_DETACH_FILTER, 0)
        command = [sys.executable, "-c", MISUSE, str(held.fileno()), frame(4, 3).hex(), edge["b"], edge["a"], own["b"]]
        subprocess.run(command, check=True, pass_fds=[held.fileno()], user=NOBODY, group=NOBODY, extra_groups=[])
    assert received(chain.sink, 1, 0.3) == received(chain.source, 1, 0.3) == []
    after = client.call("read")["counts"]
    assert after["foreign_socket"] - before["foreign_socket"] == 1, "by the far end of another"
    assert after["no_path"] - before["no_path"] == 1, "by its own, which has none"
    assert after["wrapped"] == before["wrapped"]


MISUSE = """
import socket, sys
held = socket.socket(fileno=int(sys.argv[1]))
held.setsockopt(263, 20, 1)  # PACKET_QDISC_BYPASS
try:
    held.setsockopt(socket.SOL_SOCKET, 36, 0)  # SO_MARK
    sys.exit("the mark could be changed")
except PermissionError:
    pass
for interface in sys.argv[3:]:
    held.sendto(bytes.fromhex(sys.argv[2]), (interface, 0x800))
"""
