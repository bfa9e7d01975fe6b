"""A chain over several hosts in lanes: the first goes along its path, a further one is all its NFs on one host."""

import pytest
from engine_fleets import demo_inventory, host, snapshot, unable
from sextant_domain.base import digest_of
from sextant_domain.chains.scaling import scaled
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.plans.intents import LaneIntent, RemoveIntent
from sextant_domain.plans.plan import ChangeKind
from sextant_engine.check import check
from sextant_engine.control.srv6.along_path import along_path
from sextant_engine.control.srv6.chains import LaneSeen
from sextant_engine.planning.lanes import in_lanes
from test_part_plans import PLACES, inventory, parts, placed, plan

TWO = LaneIntent(chain="web", weights=(1, 1), hosts={"web-lane-2": "lab-3"})


def fleet(given=None):
    """As it runs over lab-1 and lab-2, and lab-3, where nothing does."""
    given = given or placed()
    return given.model_copy(update={"hosts": (*given.hosts, host(demo_inventory("lab-3")))})


def orders(made):
    """By host and chain: its rate, and its number."""
    return {
        (one.content.host_id, chain.chain): (chain.traffic.rate_mpps, chain.traffic.lane and chain.traffic.lane.number)
        for one in made.target
        for chain in one.content.chains
    }


def applied(given, made):
    """The fleet once that plan is applied."""
    content = {one.content.host_id: one.content.chains for one in made.target}
    hosts = [host(one.inventory, content.get(one.inventory.host_id, one.content.chains)) for one in given.hosts]
    return snapshot(hosts, in_lanes(given, made.intent).chains)


def test_a_lane_starts_elsewhere_and_all_parts_get_their_half():
    """.005 Mpps are .0025 and .0025. What runs keeps its path; the lane has none, and the NFs of both parts."""
    made = plan(fleet(), TWO)
    assert orders(made) == {
        ("lab-1", "web"): (0.0025, 1),
        ("lab-2", "web-part-2"): (0.0025, 1),
        ("lab-3", "web-lane-2"): (0.0025, 2),
    }
    assert {(one.kind, one.chain) for one in made.changes} == {(ChangeKind.START, "web-lane-2")}
    first, second, lane = (one.content.chains[0] for one in made.target)
    assert first.path is not None and second.path is not None and lane.path is None
    assert [nf.nf_id for nf in lane.nfs] == ["web-lane-2.router", "web-lane-2.firewall", "web-lane-2.router-2"]


def test_the_way_back_leaves_the_chain_on_its_path():
    given = fleet()
    there = applied(given, plan(given, TWO))
    made = plan(there, LaneIntent(chain="web", weights=(1,)))
    assert orders(made) == {("lab-1", "web"): (0.005, None), ("lab-2", "web-part-2"): (0.005, None)}
    assert {(one.kind, one.chain) for one in made.changes} == {(ChangeKind.STOP, "web-lane-2")}


def test_a_lane_may_stand_on_a_host_of_the_path():
    made = plan(fleet(), TWO.model_copy(update={"hosts": {"web-lane-2": "lab-2"}}))
    assert set(orders(made)) == {("lab-1", "web"), ("lab-2", "web-part-2"), ("lab-2", "web-lane-2")}


def test_where_no_host_is_named_the_planner_chooses():
    made = plan(fleet(), TWO.model_copy(update={"hosts": {}}))
    [lane] = [chain for one in made.target for chain in one.content.chains if chain.chain == "web-lane-2"]
    assert len(lane.nfs) == 3 and in_lanes(fleet(), made.intent).chains[-1].ingress.host is None


def test_the_first_lane_is_removed_with_all_its_parts():
    there = applied(fleet(), plan(fleet(), TWO))
    made = plan(there, RemoveIntent(chain="web", more=("web-part-2",)))
    assert {(one.chain, one.kind) for one in made.changes} == {
        ("web", ChangeKind.STOP), ("web-part-2", ChangeKind.STOP)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("without", "intent", "why"),
    [
        ((), TWO.model_copy(update={"chain": "web-part-2"}), "no chain web-part-2 is the first of its lanes"),
        ((), TWO.model_copy(update={"hosts": {"web-lane-2": "nowhere"}}), "there is no host nowhere"),
        (("lab-3",), TWO, "one lane only"),
        (("lab-2",), TWO, "web-part-2 runs on lab-2, which cannot do lanes (one lane only)"),
    ],
)
def test_why_not(without, intent, why):
    """Nothing is changed then."""
    given = fleet()
    hosts = [
        one.model_copy(update={"inventory": unable(one.inventory, "lanes", "one lane only")})
        if one.inventory.host_id in without
        else one
        for one in given.hosts
    ]
    made = plan(given.model_copy(update={"hosts": tuple(hosts)}), intent)
    assert made.target == ()
    assert why in "; ".join(one.reason for one in made.rejected)


def forged(made, which, **changes):
    """The plan with another order for the one chain of a host."""
    target = list(made.target)
    (chain,) = target[which].content.chains
    content = target[which].content.model_copy(update={"chains": (chain.model_copy(update=changes),)})
    target[which] = DesiredHostConfig(generation=target[which].generation, digest=digest_of(content), content=content)
    return made.model_copy(update={"target": tuple(target)})


@pytest.mark.parametrize("which", [0, 1, 2])
def test_the_checker_finds_a_part_or_a_lane_that_bears_something_else(which):
    given = fleet()
    made = plan(given, TWO)
    traffic = made.target[which].content.chains[0].traffic
    wrong = forged(made, which, traffic=traffic.model_copy(update={"rate_mpps": 0.005}))
    found = {one.check for one in check(wrong, in_lanes(given, TWO)) if not one.ok}
    assert found & {"lanes", "parts"}


def test_the_checker_finds_a_lane_that_lacks_an_nf_of_a_part():
    given = fleet()
    made = plan(given, TWO)
    lane = made.target[2].content.chains[0]
    found = {one.check: one for one in check(forged(made, 2, nfs=lane.nfs[:2]), in_lanes(given, TWO))}
    assert "web-lane-2: its NFs are not those of web" in found["lanes"].detail


def test_a_chain_is_placed_in_lanes_at_once():
    """As a file with `path` and `lanes` asks for it."""
    from sextant_domain.plans.intents import PlaceIntent

    specs = scaled(parts(), (1, 1), {"web-lane-2": "lab-3"})
    hosts = [*(host(inventory(name, place)) for name, place in PLACES.items()), host(demo_inventory("lab-3"))]
    made = plan(snapshot(hosts, specs), PlaceIntent(chain="web", more=("web-part-2", "web-lane-2")))
    assert set(orders(made)) == {("lab-1", "web"), ("lab-2", "web-part-2"), ("lab-3", "web-lane-2")}


def test_a_lane_is_offered_what_enters_and_carries_what_leaves():
    """.03 enter with the first part, .02 leave with the last, whose NF can be given nothing for 1.4 s."""
    first = LaneSeen(0.03, 0.03, worst=0.4)
    last = LaneSeen(0.03, 0.02, worst=4.0, saturated="web-part-2.nids", stood_s=1.4, lacks=0.3)
    assert along_path([first, last]) == LaneSeen(0.03, 0.02, 4.0, "web-part-2.nids", 1.4, lacks=0.0)
    assert along_path([first]) == first


def test_of_two_parts_that_need_more_the_one_counts_that_has_for_longer():
    one = LaneSeen(0.03, 0.02, worst=None, saturated="web.router", stood_s=0.2, lacks=0.3)
    other = LaneSeen(0.02, 0.01, worst=None, saturated="web-part-2.nids", stood_s=2.0, lacks=0.1)
    assert along_path([one, other]) == LaneSeen(0.03, 0.01, None, "web-part-2.nids", 2.0, lacks=0.3)
