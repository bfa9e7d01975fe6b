"""Chains that carry packets: nothing is lost unseen, and no chain disturbs another."""

import shutil
from pathlib import Path

import pytest

from .conftest import CORES, Client, Refused, Runner, is_alive, nf, running, source, wait_for

THREE = ("router", "firewall", "basic-monitor")


def test_packets_pass_a_chain_whole_and_in_order(client: Client) -> None:
    client.add("a", *(nf("a", kind) for kind in THREE), rate_mpps=0.02, flows=500)
    wait_for(lambda: client.chain("a").delivered > 20_000, "20,000 packets delivered")
    now = client.settled("a")
    assert now.offered == now.sent + now.source_drops
    assert now.delivered == now.sent > 20_000
    assert [(entry.rx, entry.tx) for entry in now.nfs] == [(now.sent, now.sent)] * 3
    assert (now.misordered, now.damaged) == (0, 0)  # the sink verified sequence numbers and checksums
    assert sum(now.latency_counts) == now.delivered
    assert now.nfs[2].details == {"flows": 500, "untracked_packets": 0}
    assert all(entry.cycles > 0 and 0 < entry.busy_ns <= entry.cpu_ns and entry.ring_used == 0 for entry in now.nfs)


@pytest.mark.parametrize(("protocol", "packet_bytes"), [("udp", 64), ("tcp", 64), ("udp", 1518), ("tcp", 577)])
def test_every_kind_of_packet_passes(client: Client, protocol: str, packet_bytes: int) -> None:
    client.add(
        "a",
        *(nf("a", kind) for kind in THREE),
        rate_mpps=0.01,
        protocol=protocol,
        packet_bytes=packet_bytes,
        dst_port=None,
    )
    wait_for(lambda: client.chain("a").delivered > 1000, "1000 packets delivered")
    now = client.settled("a")
    assert (now.delivered, now.damaged, now.misordered) == (now.sent, 0, 0)


def test_the_source_keeps_its_rate(client: Client) -> None:
    client.add("a", nf("a", "simple-forward"), rate_mpps=0.02)
    first = client.query()

    def kept() -> bool:
        """A source that had no CPU for a moment makes up for it; one of another rate never gets there."""
        now = client.query()
        offered = now.chains["a"].offered - first.chains["a"].offered
        expected = 0.02e6 * (now.uptime_s - first.uptime_s)
        return now.uptime_s - first.uptime_s > 1.5 and abs(offered - expected) <= 0.02 * expected + 40

    wait_for(kept, "the rate that was asked for")


def test_set_source_changes_rate_and_flows(client: Client) -> None:
    client.add("a", nf("a", "basic-monitor"), rate_mpps=0.0, flows=10)
    assert client.chain("a").offered == 0
    client.call("set_source", chain="a", source=source(0.01, flows=10))
    wait_for(lambda: client.chain("a").delivered > 100, "packets of the first source")
    assert client.chain("a").nfs[0].details["flows"] == 10
    client.call("set_source", chain="a", source=source(0.01, flows=20, dst_port=99))
    wait_for(lambda: client.chain("a").nfs[0].details["flows"] == 30, "20 new flows")
    with pytest.raises(Refused) as refusal:
        client.call("set_source", chain="a", source=source(-1))
    assert refusal.value.field == "source.rate_mpps"
    assert client.settled("a").source_drops == 0


def test_overload_is_dropped_at_the_source_and_counted(client: Client) -> None:
    client.add("a", nf("a", "router"), nf("a", "simple-forward", loops=20_000), rate_mpps=1.0)
    wait_for(lambda: client.chain("a").source_drops > 50_000, "packets dropped at the source")
    now = client.chain("a")
    assert now.nfs[1].ring_used > 0
    now = client.settled("a")
    assert now.offered == now.sent + now.source_drops
    assert now.delivered == now.sent
    assert [entry.drops for entry in now.nfs] == [0, 0]  # backpressure: no NF drops what it has worked on


def test_cores_can_differ_along_a_chain(client: Client) -> None:
    nfs = [nf("a", kind, core=CORES[i % len(CORES)]) for i, kind in enumerate(THREE)]
    client.add("a", *nfs, rate_mpps=0.05)
    wait_for(lambda: client.chain("a").delivered > 20_000, "20,000 packets delivered")
    now = client.settled("a")
    assert (now.delivered, now.misordered, now.damaged) == (now.sent, 0, 0)


def test_removing_a_chain_loses_nothing_and_ends_its_processes(runner: Runner, client: Client) -> None:
    pids = client.add("a", *(nf("a", kind) for kind in THREE), rate_mpps=0.1)
    wait_for(lambda: client.chain("a").delivered > 1000, "packets")
    assert client.call("remove_chain", chain="a")["lost_packets"] == 0
    assert not any(map(is_alive, pids.values()))
    assert len(runner.children()) == 1
    assert client.call("query")["nfs"] == []


def test_another_chain_does_not_notice(client: Client) -> None:
    client.add("steady", nf("steady", "router"), nf("steady", "basic-monitor"), rate_mpps=0.02)
    for _ in range(5):
        client.add("other", nf("other", "router"), nf("other", "firewall"), rate_mpps=0.02)
        wait_for(lambda: client.chain("other").delivered > 200, "packets of the other chain")
        client.call("remove_chain", chain="other")
        with pytest.raises(Refused):
            client.add("other", nf("other", "router"), nf("other", "firewall", rules=[7]))
    now = client.settled("steady")
    assert (now.delivered, now.source_drops, now.misordered) == (now.sent, 0, 0)
    assert now.sent == now.offered


def test_200_adds_and_removes_leave_room(runner: Runner, client: Client) -> None:
    for cycle in range(200):
        kinds = THREE if cycle % 4 == 0 else THREE[1:]  # 50 routers of 64 MiB would not fit side by side
        client.add("a", *(nf("a", kind) for kind in kinds), rate_mpps=0.05)
        if cycle % 20 == 0:
            wait_for(lambda: client.chain("a").delivered > 100, f"packets in cycle {cycle}")
        client.call("remove_chain", chain="a")
    assert len(runner.children()) == 1
    client.add("a", *(nf("a", kind) for kind in THREE), rate_mpps=0.05)
    wait_for(lambda: client.chain("a").delivered > 1000, "packets after 200 cycles")


def test_no_room_is_said_and_leaves_nothing(client: Client) -> None:
    for chain in range(32):
        client.add(f"c{chain}", nf(f"c{chain}", "simple-forward"))
    with pytest.raises(Refused) as refusal:
        client.add("more", nf("more", "simple-forward"))
    assert (refusal.value.code, refusal.value.field) == ("no-room", "chain")
    client.call("remove_chain", chain="c7")
    with pytest.raises(Refused) as refusal:  # 31 run, 65 places are left
        for chain in range(3):
            nfs = [nf("more", "simple-forward", name=f"n{i}") for i in range(32)]
            client.call("remove_chain", chain=f"c{chain}")
            client.add(f"more{chain}", *({**entry, "nf": f"more{chain}.{entry['nf']}"} for entry in nfs))
    assert (refusal.value.code, refusal.value.field) == ("no-room", "nfs")
    assert len(client.call("query")["nfs"]) == 28 + 64


def test_many_routers_fit(client: Client) -> None:
    nfs = [nf("a", "router", name=f"r{i}") for i in range(16)]
    client.add("a", *nfs, rate_mpps=0.01)
    wait_for(lambda: client.chain("a").delivered > 100, "packets through 16 routers")


def test_tables_without_memory_are_refused_and_the_others_run_on(client: Client) -> None:
    """Routers of 64 MiB each until there is no room: the refusal says so, and no packet of another chain is touched."""
    client.add("steady", nf("steady", "router"), nf("steady", "basic-monitor"), rate_mpps=0.02)
    with pytest.raises(Refused) as refusal:
        for number in range(40):
            client.add(f"big{number}", *(nf(f"big{number}", "router", name=f"r{i}") for i in range(4)))
    assert refusal.value.code == "no-room" and refusal.value.field.startswith("nfs.")
    assert "memory" in refusal.value.message
    before = client.chain("steady").delivered
    wait_for(lambda: client.chain("steady").delivered > before + 1000, "packets of the steady chain")
    now = client.settled("steady")
    assert (now.delivered, now.source_drops, now.misordered) == (now.sent, 0, 0)


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="needs prlimit to take memory away")
def test_a_runner_without_memory_for_its_packets_says_so(tmp_path: Path) -> None:
    with running(tmp_path, prefix=("prlimit", "--as=400000000"), huge="off") as runner:
        assert runner.process.wait(20) == 1
        assert "--memory-mb" in runner.log.read_text()
        assert not runner.socket.exists()


@pytest.mark.parametrize("execution", ["isolated", "run-to-completion"])
def test_nfs_of_one_core_are_busy_for_no_more_than_its_time(client: Client, execution: str) -> None:
    """Two NFs that could each fill the core: the clock by which bursts are timed runs on while the other has it."""
    entries = [nf("a", "simple-forward", name=name, loops=5000) for name in ("first", "second")]
    client.call("add_chain", chain="a", nfs=entries, source=source(5.0), execution=execution)
    wait_for(lambda: client.query().nfs["a.second"].rx > 1000, "packets")
    before = client.query()
    wait_for(lambda: client.query().uptime_s > before.uptime_s + 1, "a second")
    now = client.query()
    busy = [now.nfs[name].busy_ns - before.nfs[name].busy_ns for name in now.nfs]
    spent = [now.nfs[name].cpu_ns - before.nfs[name].cpu_ns for name in now.nfs]
    assert all(0 < each <= cpu for each, cpu in zip(busy, spent, strict=True))
    assert sum(busy) <= (now.uptime_s - before.uptime_s) * 1e9


def test_nfs_without_packets_are_not_busy(client: Client) -> None:
    """They sleep, and wake up once a second to see that nothing has come."""
    client.add("a", nf("a", "router"), rate_mpps=0.0)
    before = client.query()
    wait_for(lambda: client.query().uptime_s > before.uptime_s + 2, "two seconds")
    assert client.query().nfs["a.router"].busy_ns == 0
