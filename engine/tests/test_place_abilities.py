"""Placing a chain that asks something of its host: an ability, a way in or out, packets of its own."""

import pytest
from engine_fleets import chain, demo_inventory, host, snapshot, unable
from engine_placing import WEB, place, seats
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.intents import PlaceIntent
from sextant_engine.check import check
from sextant_engine.plan import make_plan

ROUTER_300 = {"type": "router", "cpu_share": 300}
SECOND_LANE = {"rate_mpps": 1.0, "packet_bytes": 64, "lane": {"of": "web", "number": 2, "weights": (1, 1)}}
IPV6 = {"match": {"src_prefix": "2001:db8:a::/48", "dst_prefix": "2001:db8:b::/48"}}


@pytest.mark.parametrize(("asked", "name", "relax"), [
    (chain("web-edge", paused=True), "pause", "submit it unpaused"),
    (chain("web-edge", execution="run-to-completion"), "run-to-completion", "run it isolated"),
    (chain("web-edge", ROUTER_300, "firewall", "basic-monitor"), "cpu-share", "take its CPU shares and quotas away"),
    (chain("web-edge", traffic=SECOND_LANE), "lanes", "submit it without lanes"),
    (chain("web-edge", ingress=IPV6), "ipv6", "match IPv4 prefixes in ingress.match"),
])  # fmt: skip
def test_a_chain_goes_only_where_its_host_can_do_what_it_asks_for(asked, name, relax):
    """a would be taken for its name, but lacks the ability; alone it rejects the chain, though all 10 slots are free.
    A host that says nothing of an ability has it not."""
    weak = unable(demo_inventory("a"), name, "no helper answers")
    both = place(snapshot([host(weak), host(demo_inventory("b"))], [asked]))
    assert {seat[0] for seat in seats(both).values()} == {"b"}
    (rejected,) = place(snapshot([host(weak)], [asked])).rejected
    assert rejected.reason == f"needs 3 slots on one host: a cannot do {name} (no helper answers)"
    assert (rejected.short, rejected.relax) == (None, f"{relax}: then a has 10 slots free")
    silent = demo_inventory("a").model_copy(update={"capabilities": ()})
    assert "cannot do" in place(snapshot([host(silent)], [asked])).rejected[0].reason
    plain = place(snapshot([host(silent)], [WEB]))
    assert {seat[0] for seat in seats(plain).values()} == {"a"}, "who asks for nothing goes anywhere"


def ipv6(src, **fields):
    return {"match": {"src_prefix": src, "dst_prefix": "2001:db8:b::/48", **fields}}


def placed_together(specs):
    intent = PlaceIntent(chain=specs[0].name, more=tuple(spec.name for spec in specs[1:]))
    return make_plan(snapshot([host(demo_inventory())], specs), intent, clock=lambda: 0.0)


def test_chains_of_ipv6_that_match_the_same_packets_are_named():
    """a is within b. c has another protocol, d another source, and IPv4's default is the same for e and f."""
    asked = [
        chain("a", "router", ingress=ipv6("2001:db8:a::/48")),
        chain("b", "router", ingress=ipv6("2001:db8::/32")),
        chain(
            "c",
            "router",
            ingress=ipv6("2001:db8:a::/48", protocol="tcp"),
            traffic={"rate_mpps": 1.0, "packet_bytes": 74},
        ),
        chain("d", "router", ingress=ipv6("fd00::/8")),
        chain("e", "router"),
        chain("f", "router"),
    ]
    overlap = [text for text in placed_together(asked).warnings if "overlap" in text]
    assert overlap == [
        "the matches of a, b on edge-1 overlap: each is sent packets of its own; from a network card only one could get"
        " a packet of both"
    ]
    assert not any("overlap" in text for text in placed_together([asked[0], *asked[2:]]).warnings)


def test_lanes_of_one_chain_match_the_same_packets_and_each_is_of_one():
    def lane(of, number):
        traffic = {**SECOND_LANE, "lane": {"of": of, "number": number, "weights": (1, 1)}}
        return chain(f"{of}-{number}", "router", ingress=ipv6("2001:db8:a::/48"), traffic=traffic)

    assert not any("overlap" in text for text in placed_together([lane("web", 1), lane("web", 2)]).warnings)
    assert any("overlap" in text for text in placed_together([lane("web", 1), lane("other", 2)]).warnings)


def test_a_host_that_is_down_is_no_way_out_where_it_lacks_the_ability():
    asked = chain("web-edge", paused=True)
    weak = unable(demo_inventory(), "pause", "another driver")
    (rejected,) = place(snapshot([host(weak, status=HostStatus.UNREACHABLE)], [asked])).rejected
    assert rejected.relax == "bring a host back, or enrol another"


@pytest.mark.parametrize(("fields", "name"), [
    ({"execution": "run-to-completion"}, "run-to-completion"),
    ({"ingress": IPV6}, "ipv6"),
])  # fmt: skip
def test_a_plan_that_puts_a_chain_on_a_host_that_cannot_do_it_is_caught(fields, name):
    asked = chain("web-edge", **fields)
    body = place(snapshot([host(demo_inventory())], [asked]))
    weak = unable(demo_inventory(), name, "another driver")
    (broken,) = [finding for finding in check(body, snapshot([host(weak)], [asked])) if not finding.ok]
    assert (broken.check, broken.detail) == (
        "hosts-able",
        f"web-edge wants {name} of edge-1, which does not offer it",
    )


@pytest.mark.parametrize(("fields", "reason"), [
    ({"ingress": {"host": "nowhere"}}, "ingress host nowhere is not in the fleet"),
    ({"egress": {"host": "nowhere"}}, "egress host nowhere is not in the fleet"),
    ({"ingress": {"port": "src9"}}, "needs 3 slots on one host: edge-1: it has no port 'src9'"),
    ({"ingress": {"port": "snk0"}}, "needs 3 slots on one host: edge-1: port 'snk0': packets do not arrive there"),
    ({"egress": {"port": "src0"}}, "needs 3 slots on one host: edge-1: port 'src0': packets do not leave there"),
    (
        {"ingress": {"host": "edge-1"}, "egress": {"host": "edge-2"}},
        "ingress is on edge-1 and egress on edge-2; a chain runs on one host",
    ),
])  # fmt: skip
def test_ways_in_and_out_that_are_not_there(fields, reason):
    fleet = snapshot([host(demo_inventory()), host(demo_inventory("edge-2"))], [chain("web-edge", **fields)])
    body = place(fleet if "port" not in str(fields) else snapshot([host(demo_inventory())], fleet.chains))
    assert body.rejected[0].reason == reason
    assert body.rejected[0].relax
