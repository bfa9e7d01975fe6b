"""Tied NFs, one element of several chains, stand on one core of a host, whatever places or moves them."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from hypothesis import given as examples
from hypothesis import strategies as st
from pydantic import ValidationError
from sextant_domain.hosts.host import ReservedFor
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import (
    DrainIntent,
    LaneIntent,
    MigrateIntent,
    PlaceIntent,
    ReplaceIntent,
    ResourceIntent,
    RestoreIntent,
)
from sextant_domain.plans.snapshot import Former
from sextant_engine.check import check
from sextant_engine.plan import make_plan
from test_sharing_seats import models


def shared(name="big-1", cores=3, slots=4):
    """One node whose cores take so many NFs each."""
    inventory = numa_inventory(name, nodes=1, cores=cores)
    return inventory.model_copy(
        update={"cores": tuple(core.model_copy(update={"slots": slots}) for core in inventory.cores)}
    )


FIREWALL = {"type": "firewall", "tied": "edge-firewall"}
EDGE, BIG = shared(), numa_inventory("big-2")
A = chain("a", "router", FIREWALL, rate=0.5)
B = chain("b", FIREWALL, "basic-monitor", rate=0.25)
C = chain("c", FIREWALL, rate=0.25)


def plan(fleet, intent, **solving):
    body = make_plan(fleet, intent, Solving(**solving) if solving else None, clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def cores(body):
    return {nf.nf_id: nf.seat.core for nf in body.after}


def firewalls(body):
    return {core for nf_id, core in cores(body).items() if nf_id.endswith(".firewall")}


def refusal(body):
    assert body.changes == body.target == ()
    (rejected,) = body.rejected
    return rejected


def fleet(*placed, inventory=EDGE, specs=(), **more):
    """A host that runs (chain, seats)."""
    content = [running(spec, inventory, seats) for spec, seats in placed]
    chains = [*(spec for spec, _ in placed), *specs]
    return snapshot([host(inventory, content, **more)], chains, models(inventory))


def test_a_chain_joins_the_core_of_the_element_that_it_is_tied_with():
    """Core 2 holds a's firewall and three routers more than core 1, where b's firewall would go if it were not tied."""
    crowd = chain("crowd", "router", "router", rate=0.1)
    body = plan(fleet((A, [(0, 0), (2, 0)]), (crowd, [(2, 1), (2, 2)]), specs=[B]), PlaceIntent(chain="b"))
    assert cores(body)["b.firewall"] == 2
    assert "where a.firewall stands, with which it is tied" in next(
        change.reason for change in body.changes if change.nf_id == "b.firewall"
    )
    free = chain("b", "firewall", "basic-monitor", rate=0.25)
    untied = plan(fleet((A, [(0, 0), (2, 0)]), (crowd, [(2, 1), (2, 2)]), specs=[free]), PlaceIntent(chain="b"))
    assert cores(untied)["b.firewall"] != 2


@pytest.mark.parametrize("algorithm", [None, "exact", "anytime", "octans_extended", "coco", "coco_greedy"])
def test_three_chains_of_one_plan_get_one_core_for_their_element_by_every_algorithm(algorithm):
    """Slots 4, 4, 4: the element takes three of one core."""
    given = fleet(specs=[A, B, C])
    body = plan(given, PlaceIntent(chain="a", more=("b", "c")), **({"algorithm": algorithm} if algorithm else {}))
    assert len(cores(body)) == 5
    assert len(firewalls(body)) == 1


@pytest.mark.parametrize("algorithm", [None, "coco", "coco_greedy"])
def test_a_chain_whose_element_has_no_slot_left_is_refused_with_the_reason(algorithm):
    """Two slots a core: both of core 0 are taken, three cores are free."""
    small = shared(slots=2)
    given = fleet((A, [(0, 0), (0, 1)]), inventory=small, specs=[C])
    rejected = refusal(plan(given, PlaceIntent(chain="c"), **({"algorithm": algorithm} if algorithm else {})))
    assert "big-1 has no slot left on core 0 for c.firewall, which is tied with a.firewall there" in rejected.reason
    if algorithm is None:
        assert rejected.relax.startswith("move those that it is tied with to a core of big-1 with more free slots")


def test_of_more_than_a_core_holds_those_are_placed_that_fit():
    """Two slots a core, three firewalls: two share a core and the third is refused."""
    body = plan(fleet(inventory=shared(slots=2), specs=[A, B, C]), PlaceIntent(chain="a", more=("b", "c")))
    assert len(firewalls(body)) == 1
    (rejected,) = body.rejected
    assert "no slot left" in rejected.reason


def test_a_host_whose_nfs_have_cores_of_their_own_is_refused():
    rejected = refusal(plan(snapshot([host(BIG)], [A]), PlaceIntent(chain="a")))
    assert "big-2 gives every NF a core of its own, and a.firewall is one of tied NFs" in rejected.reason
    assert "sextant hosts slots big-2 4" in rejected.relax


def test_a_tie_holds_within_a_host():
    """b names another host: it has an element of its own there."""
    other = shared("big-3")
    there = chain("b", FIREWALL, rate=0.25, ingress={"host": "big-3"})
    given = snapshot([host(EDGE, [running(A, EDGE, [(0, 0), (2, 0)])]), host(other)], [A, there], models(EDGE))
    assert cores(plan(given, PlaceIntent(chain="b"))).keys() == {"b.firewall"}


def test_a_tie_of_different_types_is_refused_by_its_field():
    wrong = chain("b", {"type": "router", "tied": "edge-firewall"})
    rejected = refusal(plan(fleet((A, [(0, 0), (2, 0)]), specs=[wrong]), PlaceIntent(chain="b")))
    assert rejected.reason == (
        "nfs.0.tied: 'edge-firewall' ties a.firewall, which is a firewall, and this is a router; "
        "tied NFs are of one type"
    )


def test_within_a_chain_nothing_is_tied():
    with pytest.raises(ValidationError, match=r"nfs\.1\.tied: two NFs of this chain name 'edge-firewall'"):
        chain("a", FIREWALL, FIREWALL)


TOGETHER = (A, [(0, 0), (1, 0)]), (B, [(1, 1), (0, 1)])


def test_who_moves_one_moves_all():
    body = plan(fleet(*TOGETHER), MigrateIntent(nf_id="a.firewall", host="big-1", core=2))
    assert cores(body) == {"a.router": 0, "a.firewall": 2, "b.firewall": 2, "b.basic-monitor": 0}
    assert {change.nf_id: change.reason for change in body.changes} == {
        "a.firewall": "ordered to core 2",
        "b.firewall": "tied with a.firewall, ordered to core 2",
    }
    assert [one.chain for one in body.loss.chains] == ["a", "b"]


def test_a_core_without_room_for_all_of_them_is_refused():
    """Core 2 has one slot left of four, and two are needed."""
    crowd = chain("crowd", "router", "router", "router", rate=0.1)
    given = fleet(*TOGETHER, (crowd, [(2, 0), (2, 1), (2, 2)]))
    rejected = refusal(plan(given, MigrateIntent(nf_id="b.firewall", host="big-1", core=2)))
    assert rejected.reason == (
        "a.firewall is tied with b.firewall and would go along: core 2 is full: all 4 slots are taken"
    )


def test_a_push_moves_all_and_may_not_name_two_cores_for_one_element():
    body = plan(fleet(*TOGETHER), ResourceIntent(seats={"b.firewall": 2}, law="coco"))
    assert firewalls(body) == {2}
    rejected = refusal(plan(fleet(*TOGETHER), ResourceIntent(seats={"a.firewall": 2, "b.firewall": 0})))
    assert rejected.reason == "seats.b.firewall: it is tied with a.firewall, which is to go to core 2, not 0"


def test_lanes_share_the_tied_element_and_may_not_be_seated_elsewhere():
    """A second lane of a gets a router of its own, and its firewall stands with the others."""
    body = plan(fleet(*TOGETHER), LaneIntent(chain="a", weights=(1, 1)))
    assert cores(body)["a-lane-2.firewall"] == 1
    elsewhere = LaneIntent(chain="a", weights=(1, 1), seats={"a-lane-2.firewall": 2})
    rejected = refusal(plan(fleet(*TOGETHER), elsewhere))
    assert rejected.reason == (
        "seats.a-lane-2.firewall: it is tied with a.firewall, which stands on core 1 of big-1, not 2"
    )


def test_an_element_leaves_a_reserved_core_as_a_whole():
    """Core 1 was reserved for the system: both firewalls go to core 2, which holds fewest NFs."""
    reserved = {"reserved_for": ReservedFor.SYSTEM}
    held = tuple(core.model_copy(update=reserved) if core.id == 1 else core for core in EDGE.cores)
    inventory = EDGE.model_copy(update={"cores": held})
    assert firewalls(plan(fleet(*TOGETHER, inventory=inventory), ReplaceIntent())) == {2}


@examples(
    st.sets(st.integers(0, 3)),
    st.integers(1, 4),
    st.sets(st.sampled_from("abc")),
    st.lists(st.integers(0, 3), min_size=2, max_size=2),
)
def test_re_placement_moves_all_of_an_element_or_none(held, slots, keep, others):
    """Whatever cores were reserved since, however few NFs a core takes by now, and whichever chains are kept: the three
    firewalls on core 1 end on one core, or stay where they are."""
    wide = shared(cores=4)
    stand = {0: 0, 1: 3, 2: 0, 3: 0}
    slot_of = [stand.update({core: stand[core] + 1}) or stand[core] - 1 for core in others]
    content = [
        running(A, wide, [(others[0], slot_of[0]), (1, 0)]),
        running(B, wide, [(1, 1), (others[1], slot_of[1])]),
        running(C, wide, [(1, 2)]),
    ]
    now = tuple(
        core.model_copy(update={"slots": slots, "reserved_for": ReservedFor.SYSTEM if core.id in held else None})
        for core in wide.cores
    )
    inventory = wide.model_copy(update={"cores": now})
    body = plan(
        snapshot([host(inventory, content)], [A, B, C], models(inventory)), ReplaceIntent(keep=tuple(sorted(keep)))
    )
    moved = {one.nf_id for one in body.changes if one.nf_id.endswith(".firewall")}
    assert moved in (set(), {"a.firewall", "b.firewall", "c.firewall"})
    assert len(firewalls(body)) <= 1


def test_a_host_that_is_drained_hands_its_element_on_together():
    other = shared("big-3")
    both = snapshot(
        [host(EDGE, [running(spec, EDGE, seats) for spec, seats in TOGETHER]), host(other)], [A, B], models(EDGE)
    )
    body = plan(both, DrainIntent(host="big-1"))
    assert {nf.seat.host for nf in body.after} == {"big-3"}
    assert len(firewalls(body)) == 1


def test_an_undo_that_would_part_an_element_is_refused():
    """a was moved from core 1 to core 2, where b joined it; without b it would go back."""
    before, after = (running(A, EDGE, [(0, 0), (core, 0)]) for core in (1, 2))
    content = [host(EDGE, [one]).content for one in (before, after)]
    former = Former(before=content[0], after=content[1])
    joined = fleet((A, [(0, 0), (2, 0)]), (B, [(2, 1), (0, 1)])).model_copy(update={"former": (former,)})
    (rejected,) = plan(joined, RestoreIntent(operation_id=1)).rejected
    assert rejected.reason == (
        "a.firewall would go back to another core than that of b.firewall, with which it is tied by now"
    )
    alone = fleet((A, [(0, 0), (2, 0)])).model_copy(update={"former": (former,)})
    assert cores(plan(alone, RestoreIntent(operation_id=1)))["a.firewall"] == 1


def test_coco_counts_the_element_once_where_its_chains_meet():
    """Firewall 5 Mpps alone: .5 + .25 + .25 Mpps need 20 % of one core. Two cores, and every hop stays on its core."""
    body = plan(
        fleet(inventory=shared(cores=2), specs=[A, B, C]), PlaceIntent(chain="a", more=("b", "c")), algorithm="coco"
    )
    (evidence,) = body.evidence.hosts
    (core,) = firewalls(body)
    needs = {one.core: one.nfs_percent for one in evidence.compact.cores}
    assert needs[core] >= 20
    assert evidence.status == "optimal"


def test_coco_moves_an_element_as_a_whole_and_counts_each_nf_that_moves():
    """Routers and monitors of both on core 0, the firewalls on core 2: four hops of .5 Mpps, 2 delayed. Two NFs that
    move to core 0 cost .5 each, 1 in all, and delay nothing."""
    a, b = (chain(name, "router", FIREWALL, "basic-monitor", rate=0.5) for name in "ab")
    placed = (a, [(0, 0), (2, 0), (0, 1)]), (b, [(0, 2), (2, 1), (0, 3)])
    body = plan(fleet(*placed, inventory=shared(slots=6)), ReplaceIntent(), algorithm="coco")
    assert firewalls(body) == {0}
    (evidence,) = body.evidence.hosts
    assert (evidence.compact.moves, evidence.compact.cost, evidence.status) == (2, pytest.approx(1.0), "optimal")


def test_coco_leaves_an_element_where_a_chain_of_it_stays():
    """b joins a, whose policy keeps it: the firewall of b goes to core 2, and its monitor along."""
    given = fleet((A, [(0, 0), (2, 0)]), specs=[B])
    body = plan(given, ReplaceIntent(keep=("a",)), algorithm="coco")
    assert {nf_id: core for nf_id, core in cores(body).items() if nf_id[0] == "b"} == {
        "b.firewall": 2,
        "b.basic-monitor": 2,
    }


def test_the_checker_finds_an_element_that_comes_to_stand_on_two_cores():
    body = plan(fleet((A, [(0, 0), (2, 0)]), specs=[B]), PlaceIntent(chain="b"))
    (target,) = body.target
    chains = tuple(
        one.model_copy(update={"nfs": tuple(nf.model_copy(update={"core": 1, "slot": 3}) for nf in one.nfs)})
        if one.chain == "b"
        else one
        for one in target.content.chains
    )
    planted = target.model_copy(update={"content": target.content.model_copy(update={"chains": chains})})
    (found,) = [
        one
        for one in check(body.model_copy(update={"target": (planted,)}), fleet((A, [(0, 0), (2, 0)]), specs=[B]))
        if one.check == "ties"
    ]
    assert not found.ok
    assert found.detail == "a.firewall and b.firewall are tied by edge-firewall and stand on cores 2 and 1 of big-1"


def test_the_checker_finds_tied_nfs_of_two_types():
    body = plan(fleet((A, [(0, 0), (2, 0)]), specs=[B]), PlaceIntent(chain="b"))
    renamed = chain("b", FIREWALL, {"type": "basic-monitor", "tied": "edge-firewall-2"}, rate=0.25)
    odd = chain("a", {"type": "router", "tied": "edge-firewall-2"}, FIREWALL, rate=0.5)
    findings = check(body, fleet((odd, [(0, 0), (2, 0)]), specs=[renamed]))
    (found,) = [one for one in findings if one.check == "ties"]
    assert "is a basic-monitor and tied with" in found.detail or "tied with b.basic-monitor" in found.detail
