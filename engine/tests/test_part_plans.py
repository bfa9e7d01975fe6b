"""Chains over several hosts: the path that all parts get, all or none, and every reason not to."""

from ipaddress import IPv6Address

import pytest
from engine_fleets import demo_inventory, host, snapshot
from sextant_domain.base import digest_of
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.chain_file import ChainFile
from sextant_domain.chains.part import OVER_HOSTS
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.hosts.host import Capability
from sextant_domain.hosts.path import PathLink, PathPlace
from sextant_domain.plans.intents import DrainIntent, PlaceIntent, RelocateIntent, RemoveIntent
from sextant_domain.plans.plan import ChangeKind
from sextant_engine.check import check
from sextant_engine.plan import make_plan

TAG = 0x8001
PLACES = {
    "lab-1": PathPlace.model_validate({
        "locator": "fc00:0:1::/48", "mtu": 9000, "sources": ["fc00:0:2::"],
        "links": [{"port": "right", "mtu": 9200, "to": ["fc00:0:2::/48"]}],
    }),
    "lab-2": PathPlace.model_validate({
        "locator": "fc00:0:2::/48", "mtu": 9000, "sources": ["fc00:0:1::"],
        "links": [{"port": "left", "mtu": 9200, "to": ["fc00:0:1::/48"]}],
    }),
}  # fmt: skip
FILE = {
    "apiVersion": "sextant/v1", "kind": "Chain", "name": "web", "traffic": {"rate_mpps": 0.005, "packet_bytes": 600},
    "path": [{"nfs": ["router"], "host": "lab-1"}, {"nfs": ["firewall", "router"], "host": "lab-2"}],
}  # fmt: skip
BOTH = PlaceIntent(chain="web", more=("web-part-2",))


def parts(tag=TAG, **changes):
    """As the console stores them."""
    given = ChainFile.model_validate({**FILE, **changes}).specs()
    return [one.model_copy(update={"part": one.part.model_copy(update={"tag": tag})}) for one in given]


def inventory(name, place):
    able = Capability(name=OVER_HOSTS, available=True, reason="always")
    known = demo_inventory(name)
    return known.model_copy(update={"capabilities": (*known.capabilities, able), "path_place": place})


def fleet(places=PLACES, chains=None, running=None):
    """`running`: what each host was ordered."""
    ordered = running or {}
    hosts = [host(inventory(name, place), ordered.get(name, ())) for name, place in places.items()]
    return snapshot(hosts, parts() if chains is None else chains)


def plan(given, intent=BOTH):
    body = make_plan(given, intent, clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def placed():
    """The fleet once the plan of both is applied."""
    made = plan(fleet())
    return fleet(running={one.content.host_id: one.content.chains for one in made.target})


def test_both_orders_carry_the_same_path_but_for_its_ends():
    made = plan(fleet())
    first, second = (one.content.chains[0] for one in made.target)
    assert [first.chain, second.chain] == ["web", "web-part-2"]
    assert first.path.segments == second.path.segments
    assert [(str(one.sid), one.nf_id) for one in first.path.segments] == [
        ("fc00:0:1:8001::1", "web.router"),
        ("fc00:0:2:8001::2", "web-part-2.firewall"),
        ("fc00:0:2:8001::3", "web-part-2.router"),
        ("fc00:0:2:8001::4", None),
    ]
    assert (first.path.tag, first.path.source, first.path.mtu) == (TAG, IPv6Address("fc00:0:1::"), 9000)
    assert [(one.path.enters, one.path.leaves) for one in (first, second)] == [(True, False), (False, True)]


def test_a_part_is_not_placed_without_its_fellows():
    for name, other in (("web", "web-part-2"), ("web-part-2", "web")):
        made = plan(fleet(), PlaceIntent(chain=name))
        assert made.target == ()
        assert other in made.rejected[0].reason and made.rejected[0].relax


def test_where_one_part_has_no_room_none_is_placed():
    """Ten slots a host, and the second part's are taken."""
    full = ChainSpec.model_validate(
        {"name": "full", "nfs": ["router"] * 9, "ingress": {"host": "lab-2"}, "traffic": FILE["traffic"]}
    )
    (order,) = make_plan(fleet(chains=[full]), PlaceIntent(chain="full"), clock=lambda: 0.0).target
    made = plan(fleet(chains=[*parts(), full], running={"lab-2": order.content.chains}))
    assert made.target == ()
    reasons = {one.chain: one.reason for one in made.rejected}
    assert reasons["web"] == "it is part 1 of 2 of web, and web-part-2 has no place"
    assert "lab-2 has 1 of 2 free" in reasons["web-part-2"]


def test_what_a_packet_needs_is_said_with_the_sum():
    """1500 bytes of frame are 1486 at IP; 56 and 16 for each of four segments make 1606."""
    narrow = PLACES["lab-1"].model_copy(update={"links": (PathLink(port="r", mtu=1500, to=("fc00:0:2::/48",)),)})
    narrow = PathPlace.model_validate(narrow.model_dump())
    wide = {"traffic": {"rate_mpps": 0.005, "packet_bytes": 1500}}
    given = PLACES | {"lab-1": narrow}
    made = plan(fleet(given, chains=parts(**wide)))
    assert made.target == ()
    assert made.rejected[0].reason == (
        "its largest packets need an MTU of 1606 (1500 - 14 + 56 + 16 x 4), and from lab-1 to lab-2 it is 1500"
    )
    assert "1394 bytes at most" in made.rejected[0].relax
    fits = {"traffic": {"rate_mpps": 0.005, "packet_bytes": 1394}}
    assert plan(fleet(given, chains=parts(**fits))).target[0].content.chains[0].path.mtu == 1500
    assert plan(fleet(given, chains=parts(traffic={"rate_mpps": 0.005, "packet_bytes": 1395}))).target == ()


def test_packets_fit_every_link_that_may_come_to_be_taken():
    """Two lead there, the second narrower: a cut may send packets over it at any moment."""
    both = [
        {"port": "north", "mtu": 9200, "to": ["fc00:0:2::/48"]},
        {"port": "south", "mtu": 1500, "to": ["fc00:0:2::/48"]},
    ]
    given = PLACES | {"lab-1": PathPlace.model_validate(PLACES["lab-1"].model_dump() | {"links": both})}
    fits = {"traffic": {"rate_mpps": 0.005, "packet_bytes": 1394}}
    assert plan(fleet(given, chains=parts(**fits))).target[0].content.chains[0].path.mtu == 1500
    made = plan(fleet(given, chains=parts(traffic={"rate_mpps": 0.005, "packet_bytes": 1395})))
    assert made.rejected[0].reason.endswith("and from lab-1 to lab-2 by south it is 1500")


@pytest.mark.parametrize(
    ("name", "change", "reason"),
    [
        ("lab-1", {"links": ()}, "lab-1 does not reach lab-2: no link in its srv6.toml leads to fc00:0:2::/48"),
        ("lab-2", {"sources": ()}, "lab-2 drops what lab-1 sends: fc00:0:1:: is none of its sources"),
    ],
)
def test_hosts_that_do_not_reach_each_other_are_refused(name, change, reason):
    made = plan(fleet(PLACES | {name: PLACES[name].model_copy(update=change)}))
    assert made.target == () and [one.reason for one in made.rejected] == [reason] * 2


def test_a_host_that_says_nothing_of_itself_is_refused():
    made = plan(fleet(PLACES | {"lab-2": None}))
    assert made.target == () and made.rejected[0].reason == "lab-2 does not say how other hosts reach it"


def test_all_parts_are_removed_or_none():
    made = plan(placed(), RemoveIntent(chain="web", more=("web-part-2",)))
    assert [one.content.chains for one in made.target] == [(), ()]
    for name in ("web", "web-part-2"):
        alone = plan(placed(), RemoveIntent(chain=name))
        assert alone.target == () and "would stay" in alone.rejected[0].reason


def test_a_part_stays_on_its_host():
    moved = plan(placed(), RelocateIntent(chain="web", host="lab-2"))
    assert moved.target == () and moved.rejected[0].reason.startswith("it is part 1 of 2 of web, whose path is pinned")
    drained = plan(placed(), DrainIntent(host="lab-2"))
    assert drained.target == () and "pinned to lab-2" in drained.rejected[0].reason


def test_an_nf_of_a_part_moves_on_its_host_and_the_path_stays():
    from sextant_domain.plans.intents import MigrateIntent

    given = placed()
    at = next(nf.core for nf in given.hosts[1].content.chains[0].nfs if nf.nf_id == "web-part-2.firewall")
    made = plan(given, MigrateIntent(nf_id="web-part-2.firewall", host="lab-2", core=1 - at))
    assert [one.kind for one in made.changes] == [ChangeKind.MOVE]
    assert made.target[0].content.chains[0].path == given.hosts[1].content.chains[0].path


def spoilt(made, which, **changes):
    """The plan with another path in one of its orders."""
    target = list(made.target)
    content = target[which].content
    (chain,) = content.chains
    chain = chain.model_copy(update={"path": chain.path.model_copy(update=changes)})
    content = content.model_copy(update={"chains": (chain,)})
    target[which] = DesiredHostConfig(generation=target[which].generation, digest=digest_of(content), content=content)
    return made.model_copy(update={"target": tuple(target)})


@pytest.mark.parametrize(
    ("which", "changes", "words"),
    [
        (1, {"mtu": 1500}, "its path is not that of web"),
        (0, {"mtu": 1500}, "the MTU of its path is 9000, not 1500"),
        (0, {"tag": 0x8002}, "tag, entry and exit are not those of part 1 of 2 of web"),
        (1, {"enters": True}, "tag, entry and exit are not those of part 2 of 2 of web"),
        (0, {"source": IPv6Address("fc00:0:2::")}, "fc00:0:2:: is not the edge of lab-1"),
    ],
)
def test_the_checker_finds_a_wrong_path(which, changes, words):
    given = fleet()
    found = {one.check: one for one in check(spoilt(plan(given), which, **changes), given)}
    assert not found["parts"].ok and words in found["parts"].detail


def test_the_checker_finds_a_part_alone():
    given = fleet()
    made = plan(given)
    half = made.model_copy(update={"target": made.target[:1], "base": made.base[:1]})
    found = {one.check: one for one in check(half, given)}
    assert "web-part-2.firewall does not run, and others on its path do" in found["parts"].detail
