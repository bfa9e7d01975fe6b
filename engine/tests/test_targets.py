"""Every core of the host as a target of one move: what is predicted there, ranked, or why not."""

import pytest
from engine_fleets import chain, demo_inventory, host, numa_inventory, running, snapshot
from sextant_domain.plans.intents import MigrateIntent
from sextant_engine.plan import make_plan
from sextant_engine.targets import targets_of


def test_each_core_reports_what_the_plan_of_that_move_would_predict():
    """As in test_migrate: 9 Mpps at home, 6.56 with the firewall on the remote node. Remote cores are alike; core 3,
    the free local one, is as good as where it stands."""
    inventory, asked = numa_inventory(), chain("web-edge", rate=9.0, slo={"min_throughput_mpps": 8.0})
    given = snapshot([host(inventory, [running(asked, inventory, [(0, 0), (1, 0), (2, 0)])])], [asked])
    targets = targets_of(given, "web-edge.firewall", "big-1")
    assert (targets.core, targets.now_mpps, targets.predictor, targets.note) == (1, pytest.approx(9.0), "octans", None)
    by_core = {one.core: one for one in targets.cores}
    assert sorted(by_core) == list(range(8))
    assert by_core[0].why_not == "core 0 is full: an NF stands on its physical core" and by_core[0].rank is None
    assert by_core[1].why_not == "web-edge.firewall stands on core 1 already"
    assert (by_core[3].rank, by_core[3].chain_mpps, by_core[3].change_mpps) == (
        1,
        pytest.approx(9.0),
        pytest.approx(0.0),
    )
    for core in (4, 5, 6, 7):
        assert (by_core[core].rank, by_core[core].change_mpps) == (2, pytest.approx(6.56 - 9.0))
        plan = make_plan(given, MigrateIntent(nf_id="web-edge.firewall", host="big-1", core=core), clock=lambda: 0.0)
        assert plan.predictions[0].throughput_mpps == by_core[core].chain_mpps
        assert plan.worse == by_core[core].worse


def test_a_core_that_other_work_uses_comes_last_and_says_so():
    """Cores 3 and 7 are like the others of their nodes but for other work, which no prediction takes into account."""
    inventory, asked = numa_inventory(), chain("web-edge", rate=9.0)
    running_now = [running(asked, inventory, [(0, 0), (1, 0), (2, 0)])]
    targets = targets_of(
        snapshot([host(inventory, running_now, other={3: 63, 7: 30})], [asked]), "web-edge.firewall", "big-1"
    )
    ranks = {one.core: (one.rank, one.other_percent) for one in targets.cores if one.why_not is None}
    assert ranks == {4: (1, None), 5: (1, None), 6: (1, None), 7: (2, 30), 3: (3, 63)}


def test_shared_cores_are_predicted_each_and_a_crowded_one_is_not_the_first():
    inventory = demo_inventory()
    web, dns = chain("web-edge"), chain("dns", "router")
    chains = [running(web, inventory, [(1, 0), (1, 1), (1, 2)]), running(dns, inventory, [(0, 0)])]
    targets = targets_of(snapshot([host(inventory, chains)], [web, dns]), "dns.router", "edge-1")
    (crowded,) = [one for one in targets.cores if one.why_not is None]
    assert crowded.core == 1
    assert any("share cores with 3 more NFs" in one.detail for one in crowded.worse)
