"""What each NF does to a chain's packets, seen from outside."""

import hashlib
import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

from .conftest import Client, Refused, Runner, nf, running, source, wait_for

PACKETS = 4000


def run(client: Client, *entries: dict[str, object], **of_source: object) -> SimpleNamespace:
    """The figures of a chain after some thousand packets, all accounted for; `nf` is its first NF."""
    client.add("a", *entries, **{"rate_mpps": 0.05, "flows": 200, **of_source})
    wait_for(lambda: client.chain("a").sent > PACKETS, "packets sent")
    now = client.settled("a")
    now.nf = now.nfs[0]
    assert now.nf.rx == now.sent
    assert now.nfs[-1].tx == now.delivered
    return now


def test_firewall_denies_what_its_rules_say(client: Client) -> None:
    rules = [{"action": "deny", "src": "0.0.0.0/0", "dst": "192.168.0.0/17", "protocol": "udp", "dst_port": [1, 65535]}]
    now = run(client, nf("a", "firewall", rules=rules))
    # The destinations of the 200 flows are spread over 192.168.0.0/16; the rule takes the lower half.
    assert 0.3 < now.nf.filtered / now.sent < 0.7
    assert now.delivered == now.sent - now.nf.filtered


def test_firewall_rules_for_other_traffic_take_nothing(client: Client) -> None:
    rules = [
        {"action": "deny", "src": "0.0.0.0/0", "dst": "0.0.0.0/0", "protocol": "tcp", "dst_port": [1, 65535]},
        {"action": "deny", "src": "0.0.0.0/0", "dst": "0.0.0.0/0", "protocol": "udp", "dst_port": [54, 65535]},
    ]
    now = run(client, nf("a", "firewall", rules=rules), dst_port=53)
    assert (now.nf.filtered, now.delivered) == (0, now.sent)


def test_firewall_default_deny_takes_all(client: Client) -> None:
    now = run(client, nf("a", "firewall", rules=[], default_action="deny"))
    assert (now.nf.filtered, now.delivered) == (now.sent, 0)


def test_router_filters_what_has_no_route(client: Client) -> None:
    routes = [{"prefix": "192.168.0.0/17", "next_hop": 1}]
    now = run(client, nf("a", "router", routes=routes, default_next_hop=None, synthetic_routes=0))
    assert 0.3 < now.nf.filtered / now.sent < 0.7
    assert now.damaged == 0


def test_router_with_a_default_passes_all(client: Client) -> None:
    now = run(client, nf("a", "router", routes=[], default_next_hop=0))
    assert (now.nf.filtered, now.delivered, now.damaged) == (0, now.sent, 0)


def test_basic_monitor_counts_flows_and_never_drops(client: Client) -> None:
    now = run(client, nf("a", "basic-monitor", flow_table_entries=64))
    assert now.delivered == now.sent
    flows = now.nf.details["flows"]
    assert 32 <= flows <= 65  # the table holds what it was made for, 200 flows came
    assert now.nf.details["untracked_packets"] > 0


def test_simple_forward_costs_what_it_is_told(client: Client) -> None:
    client.add("cheap", nf("cheap", "simple-forward"), rate_mpps=0.02)
    client.add("dear", nf("dear", "simple-forward", loops=1000), rate_mpps=0.02)
    wait_for(lambda: client.chain("dear").delivered > PACKETS, "packets")
    cheap, dear = client.settled("cheap").nfs[0], client.settled("dear").nfs[0]
    # A loop is at least half a cycle on any superscalar core; the cheap one is some dozens a packet at most.
    assert dear.cycles / dear.rx > 500
    assert dear.cycles / dear.rx > 4 * cheap.cycles / cheap.rx


def test_nids_drops_or_alerts_on_what_matches(client: Client) -> None:
    zeros = [r"\x00{8}"]  # what a source's payload holds behind the sequence number
    alert = run(client, nf("a", "nids", patterns=zeros))
    assert (alert.delivered, alert.nf.details["matched_packets"]) == (alert.sent, alert.sent)
    client.call("remove_chain", chain="a")
    drop = run(client, nf("a", "nids", action="drop", patterns=zeros))
    assert (drop.delivered, drop.nf.filtered) == (0, drop.sent)
    assert drop.nf.details["most_matched"] == [{"pattern": "patterns.0", "packets": drop.sent}]


def test_nids_without_a_match_passes_all(client: Client) -> None:
    now = run(client, nf("a", "nids", action="drop", patterns=["attack"], synthetic_patterns=300))
    assert (now.delivered, now.damaged) == (now.sent, 0)
    assert now.nf.details["patterns"] == 301
    assert now.nf.details["scanned_packets"] == now.sent


def test_nids_reads_its_patterns_from_a_file(tmp_path: Path) -> None:
    good, bad = b"# zeros\n\\x00{8}\n", b"good\n[z-a]\n"
    for content in (good, bad):
        (tmp_path / hashlib.sha256(content).hexdigest()).write_bytes(content)
    with running(tmp_path, artefacts=str(tmp_path)) as runner:
        client = runner.client()
        now = run(client, nf("a", "nids", patterns_file=_digest(good), synthetic_patterns=0))
        assert now.nf.details["most_matched"] == [{"pattern": "line 2", "packets": now.sent}]
        with pytest.raises(Refused) as refused:
            client.add("b", nf("b", "nids", patterns_file=_digest(bad)))
        assert (refused.value.code, refused.value.field) == ("bad-config", "nfs.0.config.patterns_file")
        assert "line 2" in refused.value.message
        assert list(client.query().chains) == ["a"]  # what runs goes on


def _digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


def test_dpi_classifies_every_flow_once(client: Client) -> None:
    now = run(client, nf("a", "dpi"), dst_port=53)
    assert now.delivered == now.sent
    assert (now.nf.details["flows"], now.nf.details["undecided_flows"]) == (200, 0)
    # The payload says nothing, so after 8 packets of a flow its port does.
    assert now.nf.details["protocols"] == {"DNS": {"packets": now.sent, "flows": 200}}


@pytest.mark.parametrize("form", ["tunnel", "transport"])
@pytest.mark.parametrize("packet_bytes", [64, 1518])
def test_two_vpns_undo_each_other(client: Client, form: str, packet_bytes: int) -> None:
    ends = [nf("a", "vpn", name=mode, mode=mode, form=form, key="0f" * 20) for mode in ("encrypt", "decrypt")]
    now = run(client, *ends, packet_bytes=packet_bytes)
    assert (now.delivered, now.damaged, now.misordered) == (now.sent, 0, 0)
    assert now.nfs[0].details["encrypted"] == now.nfs[1].details["decrypted"] == now.sent


def test_what_arrives_encrypted_is_not_damaged(client: Client) -> None:
    now = run(client, nf("a", "vpn"), nf("a", "router", default_next_hop=1), packet_bytes=128)
    assert (now.delivered, now.damaged, now.misordered) == (now.sent, 0, 0)
    # 114 bytes of IPv4, and 2 of trailer: no padding. 20 of outer header, 16 of ESP and IV, 16 of tag.
    assert now.delivered_bytes == now.delivered * (14 + 20 + 16 + 116 + 16)


def test_vpn_filters_what_another_key_encrypted(client: Client) -> None:
    now = run(client, nf("a", "vpn", name="near", seed=1), nf("a", "vpn", name="far", mode="decrypt", seed=2))
    assert (now.delivered, now.nfs[1].filtered) == (0, now.sent)
    assert now.nfs[1].details["forged"] == now.sent


def test_vpn_filters_what_exceeds_the_mtu(client: Client) -> None:
    now = run(client, nf("a", "vpn", mtu=1500), packet_bytes=1514)
    assert (now.delivered, now.nf.details["too_large"]) == (0, now.sent)


def test_a_restarted_vpn_goes_on(client: Client) -> None:
    pid = client.add("a", nf("a", "vpn"))["a.vpn"]
    client.call("set_source", chain="a", source=source(0.05))
    wait_for(lambda: client.chain("a").delivered > PACKETS, "packets")
    client.settled("a")
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: client.chain("a").nfs[0].state == "crashed", "the crash noticed")
    client.call("restart_nf", nf="a.vpn")
    before = client.chain("a").sent
    client.call("set_source", chain="a", source=source(0.05))
    wait_for(lambda: client.chain("a").sent > before + PACKETS, "packets")
    now = client.settled("a")
    assert (now.delivered, now.damaged, now.misordered) == (now.sent, 0, 0)
    assert now.nfs[0].details["encrypted"] == now.sent - before  # its tables, and so its figures, are new


def test_a_key_is_shown_to_nobody(runner: Runner) -> None:
    client, key = runner.client(), "c0ffee" * 6 + "beef"
    client.add("a", nf("a", "vpn", key=key))
    with pytest.raises(Refused) as refused:
        client.add("b", nf("b", "vpn", key=key[:-1] + "x"))
    said = f"{client.call('query')} {refused.value.message} {runner.log.read_text()}"
    assert "c0ffee" not in said
