"""A cordoned host takes no NF: no algorithm and no order puts one there, and what stands there may stay."""

import pytest
from engine_fleets import chain, demo_inventory, host, numa_inventory, running, snapshot
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.hosts.host import ReservedFor
from sextant_domain.plans.algorithm_kinds import CHOOSES_NODES
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import MigrateIntent, PlaceIntent, RemoveIntent, ReplaceIntent, RestoreIntent
from sextant_domain.plans.snapshot import Former
from sextant_engine.check import check
from sextant_engine.plan import make_plan
from test_properties import cases, plan

WEB = chain("web-edge")
OLD = chain("old", "router", "firewall")


def cordoned(one, reason="new memory"):
    return one.model_copy(update={"cordoned": reason})


def broken(body, fleet):
    return {finding.check: finding.detail for finding in check(body, fleet) if not finding.ok}


def placed_on(body):
    return {nf.seat.host for nf in body.after if nf.nf_id.startswith("web-edge.")}


@pytest.mark.parametrize("algorithm", [None, *CHOOSES_NODES])
def test_every_algorithm_chooses_another_host(algorithm):
    """big-1 comes first by name and is as empty as big-2. Of those that place on shared cores: test_compact.py."""
    first, second = host(numa_inventory("big-1")), host(numa_inventory("big-2"))
    how = Solving(algorithm=algorithm)
    free = make_plan(snapshot([first, second], [WEB]), PlaceIntent(chain="web-edge"), how, clock=lambda: 0.0)
    assert placed_on(free) == {"big-1"}
    given = snapshot([cordoned(first), second], [WEB])
    assert placed_on(make_plan(given, PlaceIntent(chain="web-edge"), how, clock=lambda: 0.0)) == {"big-2"}


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(cases(), st.data())
def test_no_plan_of_any_kind_seats_an_nf_on_a_cordoned_host(case, data):
    fleet, intent, algorithm = case
    hosts = tuple(cordoned(one) if data.draw(st.booleans()) else one for one in fleet.hosts)
    closed = {one.inventory.host_id for one in hosts if one.cordoned}
    fleet = fleet.model_copy(update={"hosts": hosts})
    body = plan(fleet, intent, algorithm)
    stood = {(nf.nf_id, nf.seat.host, nf.seat.core, nf.seat.slot) for nf in body.before}
    seated = {(nf.nf_id, nf.seat.host, nf.seat.core, nf.seat.slot) for nf in body.after} - stood
    assert not [one for one in seated if one[1] in closed]
    assert broken(body, fleet) == {}


def test_a_chain_without_another_host_is_rejected_with_the_cordon_as_reason_and_uncordon_as_way_out():
    """edge-1 has 8 slots and 2 of last choice."""
    given = snapshot([cordoned(host(demo_inventory()))], [WEB])
    (rejected,) = make_plan(given, PlaceIntent(chain="web-edge"), clock=lambda: 0.0).rejected
    assert rejected.reason == "needs 3 slots on one host: edge-1 is cordoned (new memory)"
    assert rejected.relax == "uncordon edge-1: it has 10 slots free"


def test_a_plan_made_before_the_cordon_is_refused_by_the_checker_with_the_reason():
    inventory = demo_inventory()
    one = host(inventory, [running(OLD, inventory, [(1, 0), (1, 1)])])
    body = make_plan(snapshot([one], [OLD, WEB]), PlaceIntent(chain="web-edge"), clock=lambda: 0.0)
    found = broken(body, snapshot([cordoned(one)], [OLD, WEB]))
    assert "web-edge.router is put on edge-1, which is cordoned (new memory)" in found["cordoned"]
    assert "old" not in found["cordoned"], "what stands there may stay"


def test_a_chain_may_leave_a_cordoned_host():
    inventory = demo_inventory()
    given = snapshot([cordoned(host(inventory, [running(OLD, inventory, [(1, 0), (1, 1)])]))], [])
    body = make_plan(given, RemoveIntent(chain="old"), clock=lambda: 0.0)
    assert (len(body.changes), broken(body, given)) == (2, {})


def test_an_nf_is_not_moved_on_a_cordoned_host_by_hand():
    inventory = demo_inventory()
    given = snapshot([cordoned(host(inventory, [running(OLD, inventory, [(1, 0), (1, 1)])]))], [OLD])
    body = make_plan(given, MigrateIntent(nf_id="old.router", host="edge-1", core=0), clock=lambda: 0.0)
    (rejected,) = body.rejected
    assert rejected.reason == "edge-1 is cordoned (new memory), so no NF may move there"
    assert rejected.relax == "uncordon edge-1 first"


def test_re_placing_leaves_a_cordoned_host_alone_even_where_an_nf_cannot_stay():
    """Core 0, on which old.router stands, was reserved since."""
    inventory = numa_inventory(reserved=[0])
    assert inventory.cores[0].reserved_for is ReservedFor.SYSTEM
    given = snapshot([cordoned(host(inventory, [running(OLD, inventory, [(0, 0), (1, 0)])]))], [OLD])
    body = make_plan(given, ReplaceIntent(), clock=lambda: 0.0)
    assert body.changes == ()
    assert "big-1 is cordoned (new memory), so its chains stay as they are" in body.warnings


def test_an_operation_is_not_undone_onto_a_cordoned_host():
    """It moved old.router from core 1 to core 0."""
    inventory = demo_inventory()
    before, after = (running(OLD, inventory, [(core, 0), (1, 1)]) for core in (1, 0))
    given = snapshot([cordoned(host(inventory, [after]))], [OLD]).model_copy(
        update={"former": (Former(before=host(inventory, [before]).content, after=host(inventory, [after]).content),)}
    )
    (rejected,) = make_plan(given, RestoreIntent(operation_id=4), clock=lambda: 0.0).rejected
    assert rejected.reason == "edge-1 is cordoned (new memory), so nothing goes back there"
