"""What each NF does to a chain's packets, seen from outside."""

from types import SimpleNamespace

from .conftest import Client, nf, wait_for

PACKETS = 4000


def run(client: Client, entry: dict[str, object], **of_source: object) -> SimpleNamespace:
    """The figures of a one-NF chain after some thousand packets, all accounted for."""
    client.add("a", entry, **{"rate_mpps": 0.05, "flows": 200, **of_source})
    wait_for(lambda: client.chain("a").sent > PACKETS, "packets sent")
    now = client.settled("a")
    now.nf = now.nfs[0]
    assert now.nf.rx == now.sent
    assert now.nf.tx == now.delivered
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
