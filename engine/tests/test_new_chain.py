"""What a chain would do that is being drawn is what its plan says, as long as the fleet stays as it is."""

import random

import pytest
from engine_fleets import chain, demo_inventory, host, measured, numa_inventory, running, snapshot
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.host import PROFILING, Capability
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.plans.new_chain import NewChainPrediction
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_engine.errors import PlanningCancelled
from sextant_engine.fleet_view import FleetView
from sextant_engine.new_chain import predict_new_chain
from sextant_engine.plan import make_plan

NFS = ("router", "firewall", "basic-monitor", "simple-forward")


def predicted(given: FleetSnapshot, spec: ChainSpec) -> NewChainPrediction:
    return predict_new_chain(FleetView.of(given), spec, Solving())


def test_it_is_what_the_plan_of_the_chain_says():
    """On 30 fleets of two hosts with up to four chains each, of one to six NFs, some of which do not fit."""
    fits = 0
    for seed in range(30):
        dice = random.Random(seed)
        inventories = [numa_inventory(name) for name in ("big-1", "big-2")]
        specs, hosts = [], []
        for inventory in inventories:
            cores = [(core.id, 0) for core in inventory.cores]
            dice.shuffle(cores)
            there = [
                chain(f"{inventory.host_id}-{number}", *dice.choices(NFS, k=2), rate=dice.choice((1.0, 9.0)))
                for number in range(dice.randint(0, 3))
            ]
            specs += there
            hosts.append(host(inventory, [running(one, inventory, [cores.pop(), cores.pop()]) for one in there]))
        new = chain("new", *dice.choices(NFS, k=dice.randint(1, 6)), rate=9.0)
        answer = predicted(snapshot(hosts, specs), new)
        plan = make_plan(snapshot(hosts, [*specs, new]), PlaceIntent(chain="new"))
        assert (answer.rejected,) == (plan.rejected or (None,))
        assert answer.prediction == next((one for one in plan.predictions if one.chain == "new"), None)
        seats = {change.nf_id: change.target for change in plan.changes}
        assert {nf.nf_id: nf.seat for nf in answer.nfs} == seats
        assert {one.chain for one in answer.affected} == {one.chain for one in plan.worse}
        assert answer.warnings == plan.warnings
        fits += bool(answer.nfs)
    assert 10 < fits < 30


def test_it_says_which_hops_are_remote_and_whom_it_slows_down():
    """Packets arrive on node 0, where `old` takes two of four cores; node 1 has two: `new`'s four NFs take them all,
    packets cross to reach some, and `old` loses to those beside it what it is predicted to lose."""
    inventory, old = numa_inventory(reserved=(6, 7)), chain("old", "firewall", "router", rate=14.0)
    given = snapshot([host(inventory, [running(old, inventory, [(0, 0), (1, 0)])])], [old])
    answer = predicted(given, chain("new", "router", "firewall", "basic-monitor", "router", rate=9.0))
    assert answer.host == "big-1" and answer.prediction is not None
    nodes = [nf.seat.node for nf in answer.nfs]
    assert [nf.local for nf in answer.nfs] == [node == 0 for node in nodes]
    assert [nf.crosses for nf in answer.nfs] == [here != then for here, then in zip(nodes, [0, *nodes], strict=False)]
    assert sorted(nodes) == [0, 0, 1, 1]
    [hurt] = answer.affected
    assert (hurt.chain, hurt.breaks_slo, hurt.longer) == ("old", False, None)
    assert hurt.before_mpps is not None and hurt.after_mpps is not None
    assert answer.others_mpps == pytest.approx(hurt.after_mpps - hurt.before_mpps)
    assert answer.others_mpps < 0


def test_what_was_never_measured_is_named_and_not_guessed():
    """On shared cores nothing is predicted without throughputs alone, those of the neighbours on the core included."""
    inventory = demo_inventory()
    able = inventory.model_copy(
        update={"capabilities": (*inventory.capabilities, Capability(name=PROFILING, available=True, reason="always"))}
    )
    old = chain("old", "basic-monitor")
    there = host(able, [running(old, able, [(1, 0)])])
    answer = predicted(snapshot([there], [old], models=[measured("router", 10.0)]), chain("new", "router"))
    assert answer.prediction is not None and answer.prediction.throughput_mpps is None
    assert (answer.unmeasured, answer.doubt, answer.others_mpps) == (("basic-monitor",), None, None)
    assert [one.command for one in answer.next_actions] == ["sextant profile start basic-monitor --host edge-1"]
    assert [nf.shares_with for nf in answer.nfs] == [1]
    cannot = predicted(snapshot([host(inventory, [])], []), chain("new", "router"))
    assert (cannot.unmeasured, cannot.next_actions) == (("router",), ())


def test_whoever_waits_too_long_ends_it():
    given = snapshot([host(numa_inventory(), [])], [])
    with pytest.raises(PlanningCancelled):
        predict_new_chain(FleetView.of(given), chain("new"), Solving(), lambda _: True)


def test_a_view_takes_over_hosts_that_have_not_changed():
    """Of a second snapshot in which one of two hosts runs another chain: the other is the same object."""
    one, two = numa_inventory("big-1"), numa_inventory("big-2")
    old = chain("old")
    still, before = host(one, []), host(two, [])
    first = FleetView.of(snapshot([still, before], [old]))
    after = host(two, [running(old, two, [(0, 0), (1, 0), (2, 0)])])
    second = FleetView.of(snapshot([still, after], [old]), former=first)
    assert second.hosts["big-1"] is first.hosts["big-1"]
    assert second.hosts["big-2"].chains.keys() == {"old"}
    other = measured("router", 1.0, one.host_model)
    third = FleetView.of(snapshot([still, after], [old], models=[other]), former=second)
    assert third.hosts["big-1"].models["router"].ideal_mpps.local == 1.0
