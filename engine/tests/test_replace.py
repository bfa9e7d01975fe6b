"""Re-placing the fleet: only for a gain above the margin, never without a prediction, never all or nothing."""

import pytest
from engine_fleets import chain, demo_inventory, host, numa_inventory, running, snapshot
from sextant_domain.hosts.host import HostStatus, ReservedFor
from sextant_domain.plans.evidence import Algorithm, Solving
from sextant_domain.plans.intents import ReplaceIntent
from sextant_engine.check import check
from sextant_engine.fleet_view import MoveThresholds
from sextant_engine.plan import make_plan


def replace(given, thresholds=None, algorithm=Algorithm.BRUTE):
    body = make_plan(given, ReplaceIntent(), Solving(algorithm=algorithm), clock=lambda: 0.0, thresholds=thresholds)
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
    return body


def far_firewall(rate):
    """Router on node 0, its firewall on node 1 (8.2 (1 - .2) = 6.56 Mpps); at home 10 (1 - .38/12 - .02) = 9.4833."""
    inventory, asked = numa_inventory(), chain("web-edge", "router", "firewall", rate=rate)
    return snapshot([host(inventory, [running(asked, inventory, [(0, 0), (4, 0)])])], [asked])


def test_a_move_that_gains_is_proposed_with_its_gain():
    """9 Mpps offered: 6.56 -> 9.0, a gain of 2.44, worth .05 for the move and above the margin of .1."""
    body = replace(far_firewall(9.0))
    (change,) = body.changes
    assert (change.nf_id, change.target.node, change.target.core) == ("web-edge.firewall", 0, 1)
    assert change.gain_mpps == pytest.approx(2.44)
    assert change.reason == (
        "from node 1 to node 0; core 1 is the lowest free core of node 0; on node 1 the score would be 2.39 lower"
    )
    assert body.evidence.status == "optimal"


def two_far_firewalls():
    """Two chains of the kind above on one host; each firewall would rather be on node 0."""
    inventory = numa_inventory()
    web, mail = (chain(name, "router", "firewall", rate=9.0) for name in ("web", "mail"))
    cores = {"web": [(0, 0), (4, 0)], "mail": [(1, 0), (5, 0)]}
    return snapshot(
        [host(inventory, [running(spec, inventory, cores[spec.name]) for spec in (mail, web)])], [mail, web]
    )


@pytest.mark.parametrize("algorithm", [Algorithm.BRUTE, Algorithm.EXACT, Algorithm.ANYTIME, Algorithm.OCTANS_EXTENDED])
def test_a_chain_that_is_kept_stays_and_the_others_are_placed_around_it(algorithm):
    """Kept or not, mail counts: where it may move, both firewalls come home; where it is kept, that of web alone."""
    given = two_far_firewalls()
    solving = Solving(algorithm=algorithm)
    for keep, moved in (
        ((), {"web.firewall", "mail.firewall"}),
        (("mail",), {"web.firewall"}),
        (("mail", "web"), set()),
    ):
        body = make_plan(given, ReplaceIntent(keep=keep), solving, clock=lambda: 0.0)
        assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
        assert {change.nf_id for change in body.changes} == moved


def test_the_checker_refuses_a_plan_that_moves_what_is_kept():
    given = two_far_firewalls()
    free = make_plan(given, ReplaceIntent(), clock=lambda: 0.0)
    kept = free.model_copy(update={"intent": ReplaceIntent(keep=("mail",))})
    (wrong,) = [finding for finding in check(kept, given) if not finding.ok]
    assert (wrong.check, wrong.detail) == ("scope", "big-1: chain mail is changed, which was to stay as it is")


def test_a_kept_chain_that_cannot_stay_leaves_its_host_alone():
    """Core 5, where the firewall of mail runs, is reserved: an order that moves web would have to say so of mail."""
    given = two_far_firewalls()
    (edge,) = given.hosts
    cores = tuple(
        core.model_copy(update={"reserved_for": ReservedFor.MANAGER}) if core.id == 5 else core
        for core in edge.inventory.cores
    )
    edge = edge.model_copy(update={"inventory": edge.inventory.model_copy(update={"cores": cores})})
    given = given.model_copy(update={"hosts": (edge,)})
    body = make_plan(given, ReplaceIntent(keep=("mail",)), clock=lambda: 0.0)
    assert body.changes == () and body.rejected == ()
    assert any("mail.firewall cannot stay (core 5 is reserved for manager)" in text for text in body.warnings)


def test_nothing_moves_while_all_that_is_offered_is_served():
    assert replace(far_firewall(6.0)).changes == ()


def test_nothing_moves_for_less_than_the_margin():
    """6.65 Mpps offered: a gain of .09, less .05 for the move, is under the margin of .1; without price and margin
    it moves."""
    assert replace(far_firewall(6.65)).changes == ()
    assert len(replace(far_firewall(6.65), MoveThresholds(margin_mpps=0.0, move_price_mpps=0.0)).changes) == 1


def test_on_shared_cores_nothing_is_rebalanced():
    inventory, asked = demo_inventory(), chain("web-edge")
    given = snapshot([host(inventory, [running(asked, inventory, [(0, 0), (0, 1), (1, 2)])])], [asked])
    assert replace(given).changes == ()


def reserved_later(core):
    inventory = demo_inventory()
    cores = tuple(
        c.model_copy(update={"reserved_for": ReservedFor.MANAGER}) if c.id == core else c for c in inventory.cores
    )
    return inventory.model_copy(update={"cores": cores})


def test_an_nf_that_cannot_stay_is_moved_even_on_shared_cores():
    inventory, asked = reserved_later(0), chain("web-edge")
    given = snapshot([host(inventory, [running(asked, inventory, [(0, 0), (1, 1), (1, 2)])])], [asked])
    (change,) = replace(given).changes
    assert (change.nf_id, change.target.core, change.target.slot) == ("web-edge.router", 1, 0)
    assert change.reason.startswith("core 0 is reserved for manager; ")


def test_an_nf_that_cannot_stay_and_finds_no_seat_is_a_rejection_and_the_rest_goes_on():
    """Core 1 is reserved now: of the three NFs there two find the slots of core 0. edge-2 gets the chain that waits."""
    inventory, asked, waits = reserved_later(1), chain("web-edge"), chain("waits", "router")
    given = snapshot(
        [
            host(inventory, [running(asked, inventory, [(1, 0), (1, 1), (1, 2)])]),
            host(demo_inventory("edge-2")),
        ],
        [asked, waits],
    )
    body = replace(given)
    assert [rejected.chain for rejected in body.rejected] == ["web-edge"]
    assert body.rejected[0].short.cores == 1
    assert {change.nf_id for change in body.changes} == {"web-edge.router", "web-edge.firewall", "waits.router"}


def test_hosts_that_are_not_up_are_left_alone():
    asked, inventory = chain("web-edge", "router", "firewall", rate=9.0), numa_inventory()
    down = host(inventory, [running(asked, inventory, [(0, 0), (4, 0)])], status=HostStatus.STALE)
    body = replace(snapshot([down], [asked]))
    assert body.changes == ()
    assert body.warnings == ("big-1 is stale: no telemetry for longer than the limit, so its chains stay as they are",)


def test_chains_that_wait_are_placed_by_falling_value_and_one_that_does_not_fit_voids_nothing():
    """Ten slots: big (8 NFs, value 3) first, then low (2 NFs); mid (3 NFs, value 2) finds 2 slots of 3."""
    eight = chain("big", *[{"type": "router", "name": f"r{number}"} for number in range(8)], value=3.0)
    given = snapshot([host(demo_inventory())], [chain("low", "router", "firewall"), chain("mid", value=2.0), eight])
    body = replace(given)
    assert [rejected.chain for rejected in body.rejected] == ["mid"]
    assert [chain.chain for chain in body.target[0].content.chains] == ["big", "low"]


def test_a_gain_in_mpps_is_of_packets_whatever_a_chain_is_worth():
    """6.56 -> 9.0 of a chain of value 10: 2.44 Mpps more, which count 24.4 in the score, as the frontier has them."""
    inventory, asked = numa_inventory(), chain("web-edge", "router", "firewall", rate=9.0, value=10.0)
    body = replace(snapshot([host(inventory, [running(asked, inventory, [(0, 0), (4, 0)])])], [asked]))
    (change,) = body.changes
    assert change.gain_mpps == pytest.approx(2.44)
    assert change.weighted_gain == pytest.approx(24.4) == body.evidence.frontier[1].gain_mpps
    (prediction,) = body.predictions
    assert prediction.before_mpps == pytest.approx(6.56)
    assert prediction.throughput_mpps - prediction.before_mpps == pytest.approx(change.gain_mpps)


def test_gains_of_several_moves_add_up_to_the_whole():
    """Two chains at 9 Mpps with a far firewall each: the plan's gains sum to the difference of the predictions."""
    inventory = numa_inventory(cores=6)
    asked = [chain(name, "router", "firewall", rate=9.0) for name in ("a", "b")]
    there = [running(asked[0], inventory, [(0, 0), (6, 0)]), running(asked[1], inventory, [(1, 0), (7, 0)])]
    given = snapshot([host(inventory, there)], asked)
    body = replace(given)
    assert len(body.changes) >= 2
    # before: both firewalls are heads on node 1: llc 1, mem 1/16: 8.2 (1 - .18 - .22/16 - .02) = 6.44725 each
    after = sum(prediction.throughput_mpps for prediction in body.predictions)
    assert sum(change.gain_mpps for change in body.changes) == pytest.approx(after - 2 * 6.44725)
    assert sum(prediction.before_mpps for prediction in body.predictions) == pytest.approx(2 * 6.44725)


def test_one_host_is_re_placed_and_no_other_is_touched():
    """Two hosts, each with its chain across the link, where both would move home; the plan is about b alone, and the
    chain that waits is not placed by it."""
    hosts, specs = [], []
    for name in ("a", "b"):
        inventory = numa_inventory(name)
        spec = chain(f"web-{name}", rate=9.0)
        specs.append(spec)
        hosts.append(host(inventory, [running(spec, inventory, [(4, 0), (5, 0), (6, 0)])]))
    fleet = snapshot(hosts, [*specs, chain("waits")])
    whole = make_plan(fleet, ReplaceIntent(), clock=lambda: 0.0)
    assert {base.host for base in whole.base} == {"a", "b"}
    body = make_plan(fleet, ReplaceIntent(host="b"), clock=lambda: 0.0)
    assert [base.host for base in body.base] == ["b"]
    assert {change.chain for change in body.changes} == {"web-b"} and body.rejected == ()
    assert all(finding.ok for finding in body.checks), [f for f in body.checks if not f.ok]
