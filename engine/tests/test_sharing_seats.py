"""Cores on a host that shares them: the placement of the highest predicted value, not the core of fewest NFs."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from sextant_domain.base import Provenance
from sextant_domain.hosts.host import Port
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.profiling.model import LocalRemote
from sextant_engine.parameters import assumed_models
from sextant_engine.plan import make_plan

IDEALS = {"router": 10.0, "firewall": 5.0, "basic-monitor": 20.0}


def shared(cores=2, **changes):
    """One node, whose cores take 4 NFs each; packets come by a NIC. `changes`: c0={...} changes core 0."""
    inventory = numa_inventory(nodes=1, cores=cores)
    four_slots = tuple(
        core.model_copy(update={"slots": 4, **changes.get(f"c{core.id}", {})}) for core in inventory.cores
    )
    return inventory.model_copy(update={"cores": four_slots, "ports": (Port(name="nic0", node=0, kind="nic"),)})


def models(inventory, measured=IDEALS):
    return [
        one.model_copy(
            update={
                "version": "fit-1",
                "ideal_mpps": LocalRemote(local=measured[one.nf_type], remote=measured[one.nf_type]),
                "ideal_provenance": Provenance.MEASURED,
            }
        )
        if one.nf_type in measured
        else one
        for one in assumed_models(inventory.host_model)
    ]


HEAVY = chain("heavy", "router", rate=99.0)
LIGHT = [chain(name, "router", rate=0.5) for name in ("light-a", "light-b")]
NEW = chain("new", "router", rate=99.0)


def placed(inventory, standing, new=NEW, measured=IDEALS):
    content = [running(spec, inventory, seats) for spec, seats in standing]
    fleet = snapshot([host(inventory, content)], [new, *(spec for spec, _ in standing)], models(inventory, measured))
    body = make_plan(fleet, PlaceIntent(chain=new.name))
    return body, [nf.seat.core for nf in body.after if nf.chain == new.name]


def crowd():
    """A heavy chain on core 0, two light ones on core 1: fewest NFs stand on core 0, most time is left on core 1."""
    return [(HEAVY, [(0, 0)]), *((spec, [(1, slot)]) for slot, spec in enumerate(LIGHT))]


def test_a_core_with_more_nfs_and_more_time_left_is_taken():
    """On core 0 both have half of it: 5 + 5, and the light ones 1. On core 1 these leave 0.9 of it: 10 + 1 + 9."""
    body, cores = placed(shared(), crowd())
    assert cores == [1]
    assert sum(one.throughput_mpps for one in body.predictions) == pytest.approx(20.0)
    [change] = body.changes
    assert (
        "core 1: 20.00 value x Mpps of all chains here by time sharing, 11.00 where fewest NFs stand" in change.reason
    )
    assert all(finding.ok for finding in body.checks)


@pytest.mark.parametrize(("value", "core"), [(1.0, 0), (50.0, 1)])
def test_a_chain_of_high_value_is_left_alone(value, core):
    """Beside the first chain the new one takes 5 of its 10 Mpps, beside the others as much of theirs: equal but for
    values, so that the rule takes the core of fewest NFs."""
    first = chain("heavy", "router", rate=99.0, value=value)
    other = chain("other", "router", rate=99.0)
    assert placed(shared(), [(first, [(0, 0)]), (other, [(1, 0)]), (LIGHT[0], [(1, 1)])])[1] == [core]


def test_where_no_core_is_better_the_rule_stays():
    """Fewest NFs, then the lowest core."""
    assert placed(shared(), [])[1] == [0]
    assert placed(shared(), [(chain("a", "router", rate=0.1), [(0, 0)])], chain("new", "router", rate=0.1))[1] == [1]


def test_nfs_of_a_chain_go_where_it_carries_most():
    """Not on core 0, half of which the heavy chain would lose."""
    body, cores = placed(shared(cores=3), [*crowd()], chain("new", "router", "firewall", rate=99.0))
    assert 0 not in cores
    assert all(finding.ok for finding in body.checks)


def test_a_last_choice_stays_the_last_choice():
    inventory = shared(c1={"last_choice": True})
    assert placed(inventory, crowd())[1] == [0]


def test_what_is_not_predicted_is_seated_by_the_rule():
    """A throughput alone that is assumed only."""
    body, cores = placed(shared(), crowd(), measured={})
    assert cores == [0]
    assert "time sharing" not in body.changes[0].reason


def test_a_busier_sibling_is_not_taken():
    """What a sibling thread takes is not predicted: core 2 is free, but its sibling works."""
    inventory = shared(cores=4, c0={"siblings": (2,)}, c2={"siblings": (0,)})
    busy = [(HEAVY, [(0, 0)]), (chain("b", "router", rate=99.0), [(1, 0)]), (chain("c", "router", rate=99.0), [(3, 0)])]
    _, cores = placed(inventory, busy)
    assert cores == [2], "nobody stands there, so that the rule takes it"
    full = [*busy, (chain("d", "router", rate=0.1), [(2, 0)])]
    assert placed(inventory, full)[1] != [2]
