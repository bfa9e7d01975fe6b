"""NAT, load balancer, memory walker and files, in the real runner: what a chain's packets and an operator see."""

import hashlib
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from .conftest import CONFIGS, Client, Refused, nf, running, wait_for

PACKETS = 4000
BURST = 32
BACKENDS = [{"address": f"10.200.0.{number}", "weight": 1} for number in (1, 2, 3)]


def run(client: Client, *entries: dict[str, Any], **of_source: Any) -> SimpleNamespace:
    """The figures of a chain after some thousand packets, all accounted for; the first NF's as `nf`."""
    client.add("a", *entries, **{"rate_mpps": 0.05, "flows": 200, **of_source})
    wait_for(lambda: client.chain("a").sent > PACKETS, "packets sent")
    now = client.settled("a")
    now.nf = now.nfs[0]
    return now


@pytest.mark.parametrize("protocol", ["udp", "tcp"])
def test_nat_and_load_balancer_leave_packets_whole_and_in_order(client: Client, protocol: str) -> None:
    now = run(client, nf("a", "nat"), nf("a", "load-balancer", backends=BACKENDS), protocol=protocol, dst_port=None)
    assert now.delivered == now.sent
    assert (now.misordered, now.damaged) == (0, 0)  # the sink verifies sequence numbers and IPv4 checksums
    assert now.nf.details == {
        "flows": 200,
        "outside_packets": 0,
        "untranslatable_packets": 0,
        "table_full_packets": 0,
        "ports_exhausted_packets": 0,
    }
    assert sum(now.nfs[1].details["backends"].values()) == now.sent
    assert all(packets > now.sent / 10 for packets in now.nfs[1].details["backends"].values())


def test_what_has_no_public_port_is_filtered(client: Client) -> None:
    pool = {"public_prefix": "203.0.113.0/30", "first_port": 2000, "last_port": 2024}
    now = run(client, nf("a", "nat", **pool))  # 4 addresses x 25 ports for 200 flows
    assert now.nf.details["flows"] == 100
    assert now.nf.filtered == now.nf.details["ports_exhausted_packets"] > 0
    assert now.delivered == now.sent - now.nf.filtered
    assert 0.4 < now.delivered / now.sent < 0.6


def test_a_full_nat_recovers_when_its_flows_are_idle(client: Client) -> None:
    client.add("a", nf("a", "nat", flow_table_entries=64, idle_timeout_s=1), rate_mpps=0.02, flows=64)
    wait_for(lambda: client.chain("a").nfs[0].details["flows"] == 64, "64 flows")
    first = client.settled("a")
    assert first.nfs[0].filtered == 0
    client.call(
        "set_source",
        chain="a",
        source={
            "rate_mpps": 0.02,
            "packet_bytes": 64,
            "flows": 64,
            "match": {"src_prefix": "172.16.0.0/12", "dst_prefix": "8.0.0.0/8", "protocol": "udp", "dst_port": 53},
        },
    )
    wait_for(lambda: client.chain("a").delivered > first.delivered + PACKETS, "the new flows in the old ones' places")
    now = client.settled("a")
    assert now.nfs[0].details["flows"] == 64
    assert now.nfs[0].details["table_full_packets"] == now.nfs[0].filtered


def test_nat_lets_no_packet_through_untranslated_though_it_is_killed(client: Client) -> None:
    public = [{"action": "allow", "src": "203.0.113.0/28"}]
    behind = nf("a", "firewall", rules=public, default_action="deny", synthetic_rules=0)
    pid = client.add("a", nf("a", "nat"), behind, rate_mpps=0.2)["a.nat"]
    kills = 5
    for _ in range(kills):
        before = client.chain("a").delivered
        wait_for(lambda before=before: client.chain("a").delivered > before + 5000, "packets")
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: client.chain("a").nfs[0].state == "crashed", "the crash to be seen")
        pid = client.call("restart_nf", nf="a.nat")["pid"]
    now = client.settled("a")
    nat, firewall = now.nfs
    # A burst of which nobody knows how far it was translated is dropped, and counted: at most one a kill.
    assert nat.drops <= kills * BURST
    assert (nat.filtered, firewall.filtered, firewall.drops) == (0, 0, 0)
    assert now.delivered == now.sent - nat.drops
    assert (now.misordered, now.damaged) == (0, 0)


def test_backends_change_under_load(client: Client) -> None:
    """50 changes while packets flow: none is lost, damaged, or sent to a backend that is gone."""
    config = {**CONFIGS["load-balancer"], "connection_table_entries": 4096}
    client.add("a", nf("a", "load-balancer", backends=BACKENDS, connection_table_entries=4096), rate_mpps=0.2)
    for change in range(50):
        before = client.chain("a").delivered
        wait_for(lambda before=before: client.chain("a").delivered > before + 1000, "packets")
        kept = BACKENDS[: 2 + change % 2]
        assert client.call("configure_nf", nf="a.load-balancer", config={**config, "backends": kept})["ok"]
        assert set(client.chain("a").nfs[0].details["backends"]) == {backend["address"] for backend in kept}
    now = client.settled("a")
    assert now.delivered == now.sent
    assert (now.misordered, now.damaged) == (0, 0)
    assert now.nfs[0].details["connections"] == 100
    assert now.nfs[0].details["moved_connections"] > 0


def test_what_cannot_change_is_refused_and_the_chain_runs_on(client: Client) -> None:
    client.add("a", nf("a", "load-balancer", backends=BACKENDS), nf("a", "router"), rate_mpps=0.02)
    for changes, field in (
        ({"table_size": 251}, "config"),
        ({"backends": []}, "config.backends"),
        ({"backends": [{"address": "192.168.0.1"}]}, "config.backends.0.address"),
    ):
        with pytest.raises(Refused) as refused:
            config = {**CONFIGS["load-balancer"], "backends": BACKENDS, **changes}
            client.call("configure_nf", nf="a.load-balancer", config=config)
        assert (refused.value.code, refused.value.field) == ("bad-config", field)
    with pytest.raises(Refused, match="router cannot change while it runs"):
        client.call("configure_nf", nf="a.router", config=CONFIGS["router"])
    before = client.chain("a").delivered
    wait_for(lambda: client.chain("a").delivered > before + 1000, "packets")
    assert len(client.chain("a").nfs[0].details["backends"]) == 3


def test_bubble_touches_what_it_is_told(client: Client) -> None:
    now = run(client, nf("a", "bubble", lines_per_packet=8, pattern="chase", write_share=0.5))
    assert now.delivered == now.sent
    assert now.nf.details == {"touched_lines": 8 * now.sent, "written_lines": 4 * now.sent}


def test_memory_that_is_not_there_is_refused_and_the_rest_runs_on(client: Client) -> None:
    client.add("a", nf("a", "bubble"), rate_mpps=0.02)
    large = {"working_set_bytes": 256 * 2**20, "pattern": "stride"}
    added = []
    with pytest.raises(Refused, match=r"left for this working set|MiB free") as refused:
        for number in range(20):  # 5 GiB, of a runner that has not 2
            client.add(f"large-{number}", nf(f"large-{number}", "bubble", **large))
            added.append(f"large-{number}")
    assert refused.value.code == "no-room"
    before = client.chain("a").delivered
    wait_for(lambda: client.chain("a").delivered > before + 1000, "packets of the first chain")
    for name in added:
        client.call("remove_chain", chain=name)
    client.add("again", nf("again", "bubble", **large))


@pytest.fixture
def filed(tmp_path: Path) -> Iterator[SimpleNamespace]:
    """A runner with a folder of files; `put(text)` lays one there and gives its digest."""
    folder = tmp_path / "artefacts"
    folder.mkdir()

    def put(text: str) -> str:
        digest = hashlib.sha256(text.encode()).hexdigest()
        (folder / digest).write_text(text)
        return f"sha256:{digest}"

    with running(tmp_path, artefacts=str(folder)) as runner:
        yield SimpleNamespace(client=runner.client(), put=put)


def test_routes_and_rules_come_from_files(filed: SimpleNamespace) -> None:
    routes = filed.put("# the lower half goes on\n192.168.0.0/17 1\n")
    rules = filed.put('{"action": "deny", "dst": "192.168.64.0/18", "protocol": "udp"}\n')
    router = nf("a", "router", routes=[], routes_file=routes, default_next_hop=None, synthetic_routes=0)
    now = run(filed.client, router, nf("a", "firewall", rules_file=rules))
    assert 0.3 < now.nf.filtered / now.sent < 0.7
    assert 0.3 < now.nfs[1].filtered / now.nfs[1].rx < 0.7
    assert now.damaged == 0


def test_a_malformed_file_is_refused_with_its_line(filed: SimpleNamespace) -> None:
    filed.client.add("a", nf("a", "router"), rate_mpps=0.02)
    routes = filed.put("10.0.0.0/8 1\n10.0.0.0/8 x\n")
    with pytest.raises(Refused, match="line 2: the next hop") as refused:
        filed.client.add("b", nf("b", "router", routes_file=routes))
    assert (refused.value.code, refused.value.field) == ("bad-config", "nfs.0.config.routes_file")
    before = filed.client.chain("a").delivered
    wait_for(lambda: filed.client.chain("a").delivered > before + 1000, "packets of the other chain")
