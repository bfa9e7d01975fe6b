"""A core that an operator reserves takes no NF: by no algorithm and no order; what stands there may stay."""

import pytest
from engine_fleets import chain, demo_inventory, host, numa_inventory, running, snapshot
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.hosts.host import ReservedFor
from sextant_domain.plans.algorithm_kinds import CHOOSES_NODES
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import MigrateIntent, PlaceIntent, ReplaceIntent, RestoreIntent
from sextant_domain.plans.snapshot import Former
from sextant_engine.check import check
from sextant_engine.plan import make_plan
from sextant_engine.seats import CoreLayout
from test_properties import cases, inventories, plan

WEB = chain("web-edge")
OLD = chain("old", "router", "firewall")


def reserving(one, cores):
    return one.model_copy(update={"inventory": one.inventory.reserving(cores)})


def broken(body, fleet):
    return {finding.check: finding.detail for finding in check(body, fleet) if not finding.ok}


@pytest.mark.parametrize("algorithm", [None, *CHOOSES_NODES])
def test_every_algorithm_passes_over_it(algorithm):
    """Each puts three NFs on the eight cores, one of them on core 1; with core 1 reserved, three on the others.
    Of those that place on shared cores: test_compact.py."""
    how = Solving(algorithm=algorithm)
    one = host(numa_inventory())
    free = make_plan(snapshot([one], [WEB]), PlaceIntent(chain="web-edge"), how, clock=lambda: 0.0)
    assert 1 in {nf.seat.core for nf in free.after}
    given = snapshot([reserving(one, [1])], [WEB])
    body = make_plan(given, PlaceIntent(chain="web-edge"), how, clock=lambda: 0.0)
    cores = {nf.seat.core for nf in body.after}
    assert (len(cores), 1 in cores, broken(body, given)) == (3, False, {})


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(cases(), st.data())
def test_no_plan_of_any_kind_seats_an_nf_on_one(case, data):
    fleet, intent, algorithm = case
    hosts = []
    for one in fleet.hosts:
        cores = data.draw(st.sets(st.sampled_from([core.id for core in one.inventory.cores])))
        hosts.append(reserving(one, cores))
    fleet = fleet.model_copy(update={"hosts": tuple(hosts)})
    held = {
        (one.inventory.host_id, core.id)
        for one in hosts
        for core in one.inventory.cores
        if core.reserved_for is ReservedFor.OPERATOR
    }
    body = plan(fleet, intent, algorithm)
    stood = {(nf.nf_id, nf.seat.host, nf.seat.core, nf.seat.slot) for nf in body.before}
    seated = {(nf.nf_id, nf.seat.host, nf.seat.core, nf.seat.slot) for nf in body.after} - stood
    assert not [one for one in seated if one[1:3] in held]
    assert broken(body, fleet) == {}


@settings(max_examples=200, deadline=None, derandomize=True, database=None)
@given(inventories("h0"), st.sets(st.integers(0, 24)))
def test_domain_and_engine_agree_which_cores_nfs_may_have(inventory, cores):
    """A unit, which is where the engine puts NFs, is open just where the domain names a core of it."""
    reserved = inventory.reserving(cores)
    units = [unit for unit in CoreLayout.of(reserved).units if unit.blocked is None]
    named = set(reserved.cores_for_nfs)
    assert {unit.core for unit in units} <= named
    assert named <= {thread for unit in units for thread in unit.threads}


def test_a_plan_made_before_is_refused_by_the_checker_with_the_reason():
    inventory = demo_inventory()
    one = host(inventory, [running(OLD, inventory, [(1, 0), (1, 1)])])
    body = make_plan(snapshot([one], [OLD, WEB]), PlaceIntent(chain="web-edge"), clock=lambda: 0.0)
    found = broken(body, snapshot([reserving(one, [1])], [OLD, WEB]))
    assert "web-edge.router: core 1 of edge-1 is reserved by an operator" in found["reserved"]
    assert "old" not in found["reserved"], "what stands there may stay"


def test_re_placing_moves_off_what_stands_there():
    """The margin is not asked for: old.router cannot stay on core 0, core 1 takes it."""
    inventory = demo_inventory().reserving([0])
    given = snapshot([host(inventory, [running(OLD, inventory, [(0, 0), (1, 1)])])], [OLD])
    body = make_plan(given, ReplaceIntent(), clock=lambda: 0.0)
    (change,) = body.changes
    assert (change.nf_id, change.target.core) == ("old.router", 1)
    assert change.reason.startswith("core 0 is reserved by an operator; ")
    assert broken(body, given) == {}


def test_an_nf_is_not_moved_there_by_hand():
    inventory = demo_inventory().reserving([0])
    given = snapshot([host(inventory, [running(OLD, inventory, [(1, 0), (1, 1)])])], [OLD])
    body = make_plan(given, MigrateIntent(nf_id="old.router", host="edge-1", core=0), clock=lambda: 0.0)
    (rejected,) = body.rejected
    assert rejected.reason == "core 0 is reserved by an operator"


def test_an_operation_is_not_undone_onto_it():
    """It moved old.router from core 0 to core 1; core 0 was reserved since."""
    inventory = demo_inventory().reserving([0])
    before, after = (running(OLD, inventory, [(core, 0), (1, 1)]) for core in (0, 1))
    given = snapshot([host(inventory, [after])], [OLD]).model_copy(
        update={"former": (Former(before=host(inventory, [before]).content, after=host(inventory, [after]).content),)}
    )
    (rejected,) = make_plan(given, RestoreIntent(operation_id=4), clock=lambda: 0.0).rejected
    assert rejected.reason == "old.router cannot go back on edge-1: core 0 is reserved by an operator"
