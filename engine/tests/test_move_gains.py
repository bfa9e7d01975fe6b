"""What a move gains by prediction is told apart from what nothing predicts."""

import pytest
from engine_fleets import able, chain, demo_inventory, host, numa_inventory, running, snapshot
from sextant_domain.hosts.host import ReservedFor
from sextant_domain.plans.intents import MigrateIntent, ReplaceIntent, ResourceIntent
from sextant_engine.plan import make_plan

WEB = chain("web", "router", rate=1.0)


def only_change(given, asked):
    body = make_plan(given, asked, clock=lambda: 0.0)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    (change,) = body.changes
    return change


def standing(inventory, *seats, asked=WEB):
    return snapshot([host(inventory, [running(asked, inventory, list(seats))])], [asked])


def test_a_move_that_gains_nothing_gains_0():
    """A router carries more than the 1 Mpps that is offered on either node."""
    change = only_change(standing(numa_inventory(), (0, 0)), MigrateIntent(nf_id="web.router", host="big-1", core=4))
    assert (change.gain_mpps, change.weighted_gain, change.no_gain) == (0.0, 0.0, None)


def test_nothing_is_said_of_a_chain_that_goes_where_it_has_ways_of_its_own():
    asked = ResourceIntent.model_validate({"seats": {"web.router": 4}, "chains": {"web": {"llc_ways": 4}}})
    change = only_change(standing(able(numa_inventory()), (0, 0)), asked)
    assert (change.gain_mpps, change.weighted_gain) == (None, None)
    assert change.no_gain == (
        "no model predicts LLC ways of web's own, for it or for others on its node: throughput is measured only"
    )


def test_nor_of_one_that_leaves_its_core_of_the_same_node():
    change = only_change(standing(numa_inventory(), (0, 0)), MigrateIntent(nf_id="web.router", host="big-1", core=1))
    assert change.gain_mpps is None
    assert change.no_gain == "it stays on its NUMA node, and the predictor does not tell cores of a node apart"


def test_nor_where_cores_are_shared():
    inventory = demo_inventory()
    cores = tuple(
        core.model_copy(update={"reserved_for": ReservedFor.MANAGER}) if core.id == 0 else core
        for core in inventory.cores
    )
    shared = inventory.model_copy(update={"cores": cores})
    change = only_change(standing(shared, (0, 0)), ReplaceIntent())
    assert change.gain_mpps is None
    assert change.no_gain is not None and "core" in change.no_gain


@pytest.mark.parametrize("rate", [9.0, 1.0])
def test_a_move_to_another_node_gains_what_its_chain_carries_more(rate):
    """A remote firewall comes home: 6.56 of 9 Mpps, and all of 1."""
    asked = chain("web-edge", "router", "firewall", rate=rate)
    given = standing(numa_inventory(), (0, 0), (4, 0), asked=asked)
    change = only_change(given, MigrateIntent(nf_id="web-edge.firewall", host="big-1", core=1))
    assert change.gain_mpps == pytest.approx(max(0.0, rate - 6.56))
    assert change.no_gain is None
