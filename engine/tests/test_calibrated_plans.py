"""Plans by costs that were fitted on a host, with the arithmetic; never worse than min_max by its own model; who is
refused, and what the checker does not believe."""

from datetime import timedelta

import pytest
from engine_fleets import NOW, chain
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.intents import PlaceIntent, ReplaceIntent
from sextant_domain.plans.snapshot import CoreWork
from sextant_domain.profiling.host_cost import FittedCost
from sextant_domain.profiling.inflation import HandOff, InflationModel
from sextant_engine.checks.fitted_costs import needs_beside
from sextant_engine.checks.view import View
from sextant_engine.fleet_view import FleetView
from test_assigned import cores, finding, planned, said
from test_compact import IDEALS, fleet, shared

KINDS = tuple(sorted(IDEALS))
WEB = chain("web", rate=3.0)
"""Router, firewall, monitor: alone 30, 60 and 15 % of a core."""


def fitted(pairs=(), host="edge-1", weight="load", socket=(), kinds=KINDS, **hand_off):
    """`pairs`: (type, of the other on its core) -> coefficient; likewise `socket`. A type that is not known costs and
    is cost nothing."""

    def table(pairs):
        of = dict(pairs)
        return tuple(tuple(of.get((one, other), 0.0) for other in (*kinds, None)) for one in (*kinds, None))

    none = dict.fromkeys(HandOff.model_fields, 0.0)
    model = InflationModel(
        kinds=kinds, core=table(pairs), socket=table(socket), weight=weight, hand_off=HandOff(**{**none, **hand_off})
    )
    return FittedCost(
        host=host,
        version=3,
        fitted_at=NOW - timedelta(hours=2),
        placements=4,
        left_out_error=0.05,
        model=model,
    )


def with_costs(given_fleet, *costs):
    return given_fleet.model_copy(update={"costs": costs})


HURT = {("router", "basic-monitor"): 8.0}
"""A router takes 8 x 15 % = 120 % more beside the monitor: 66 % of the core, not 30."""


def test_who_hurts_whom_decides_and_not_the_load_alone():
    """min_max: firewall 60 | router, monitor 45; by what was fitted these ask for 66 + 15 = 81. Calibrated: router 30 |
    firewall, monitor 75, the least of all: router and firewall would be 90."""
    given_fleet = with_costs(fleet([shared()], [WEB]), fitted(HURT))
    assert cores(planned(given_fleet, PlaceIntent(chain="web")), "web") == [1, 0, 1]
    body = planned(given_fleet, PlaceIntent(chain="web"), Algorithm.CALIBRATED)
    router, firewall, monitor = cores(body, "web")
    assert firewall == monitor != router
    one = said(body)
    assert one.fullest_percent == pytest.approx(75.0)
    assert (one.served_mpps, one.offered_mpps, one.bound_mpps) == (pytest.approx(3.0), 3.0, pytest.approx(3.0))
    assert (one.bound_percent, body.evidence.status) == (None, "optimal")
    assert one.cost is not None
    assert (one.cost.version, one.cost.age_s, one.cost.left_out_error) == (3, 7200.0, 0.05)
    assert one.cost.guessed == ()
    assert not any("fitted" in warning for warning in body.warnings)


def test_a_hand_off_costs_time_on_the_core_that_takes_the_packet():
    """.01 us x 3 Mpps = 3 % of the firewall's core: 78, not 75."""
    given_fleet = with_costs(fleet([shared()], [WEB]), fitted(HURT, from_socket=0.01))
    one = said(planned(given_fleet, PlaceIntent(chain="web"), Algorithm.CALIBRATED))
    assert one.fullest_percent == pytest.approx(78.0)
    assert sorted(core.nfs_percent for core in one.cores) == pytest.approx([30.0, 78.0])


def test_packets_are_lost_where_costs_leave_no_time():
    """One core: 30 x (1 + 8 x .15) + 60 + 15 = 141 %, of which 97 can be used."""
    body = planned(
        with_costs(fleet([shared(cores=1)], [WEB]), fitted(HURT)), PlaceIntent(chain="web"), Algorithm.CALIBRATED
    )
    assert said(body).served_mpps == pytest.approx(3 * 97 / 141)
    assert any("asked for 141 %" in warning for warning in body.warnings)


def test_where_others_weigh_the_same_each_counts_once():
    """Presence: router 30 x (1 + .5) beside a monitor, whatever that carries; 45 + 15 = 60 beside the firewall's 60."""
    given_fleet = with_costs(fleet([shared()], [WEB]), fitted({("router", "basic-monitor"): 0.5}, weight="presence"))
    assert said(planned(given_fleet, PlaceIntent(chain="web"), Algorithm.CALIBRATED)).fullest_percent == pytest.approx(
        60
    )


def test_chains_without_packets_cost_nobody_anything():
    """`idle` shares the core with a router of 70 %; by presence it would cost it half as much again, and 105 % are more
    than there is. It has no packets."""
    idle = chain("idle", "basic-monitor", rate=0.0)
    given_fleet = fleet([shared(cores=1, slots=4)], [chain("web", "router", rate=7.0)], [(idle, 0, [(0, 0)])])
    cost = fitted({("router", "basic-monitor"): 0.5}, weight="presence")
    one = said(planned(with_costs(given_fleet, cost), PlaceIntent(chain="web"), Algorithm.CALIBRATED))
    assert (one.fullest_percent, one.served_mpps) == (pytest.approx(70.0), pytest.approx(7.0))


def test_other_work_costs_nobody_anything_and_is_cost_nothing():
    """25 % of the core beside a router of 70 %: 95, of which all is served. No fit has seen what such work does; by
    that of an unknown type (1 x load on either side) it would be 70 x 1.25 + 25 x 1.7 = 130."""
    given_fleet = fleet([shared(cores=1, slots=4)], [chain("web", "router", rate=7.0)])
    busy = given_fleet.hosts[0].model_copy(update={"other_work": (CoreWork(core=0, percent=25.0),)})
    kinds = ("router",)
    cost = fitted({(one, other): 1.0 for one in (*kinds, None) for other in (*kinds, None)}, kinds=kinds)
    given_fleet = with_costs(given_fleet.model_copy(update={"hosts": (busy,)}), cost)
    one = said(planned(given_fleet, PlaceIntent(chain="web"), Algorithm.CALIBRATED))
    assert (one.fullest_percent, one.served_mpps) == (pytest.approx(95.0), pytest.approx(7.0))


def test_what_runs_moves_only_as_often_as_the_plan_says():
    """`old` stands as min_max has it, 81 % by what was fitted. One move: the monitor to the firewall, 75."""
    old = chain("old", rate=3.0)
    given_fleet = with_costs(fleet([shared()], [], [(old, 0, [(1, 0), (0, 0), (1, 1)])]), fitted(HURT))
    assert planned(given_fleet, ReplaceIntent(), Algorithm.CALIBRATED).changes == ()
    body = planned(given_fleet, ReplaceIntent(), Algorithm.CALIBRATED, max_moves=1)
    assert cores(body, "old") == [1, 0, 0]
    before = {core.core: core.before_percent for core in said(body).cores}
    assert before == pytest.approx({0: 60.0, 1: 81.0})


def test_types_that_were_not_there_are_guessed_and_named():
    known = ("firewall", "router")
    given_fleet = with_costs(fleet([shared()], [WEB]), fitted(kinds=known))
    body = planned(given_fleet, PlaceIntent(chain="web"), Algorithm.CALIBRATED)
    cost = said(body).cost
    assert cost is not None and cost.guessed == ("basic-monitor",)
    assert any("edge-1 do not know basic-monitor" in warning for warning in body.warnings)


def test_a_doubtful_fit_is_gone_by_where_it_is_asked_for_and_that_is_said():
    cost = fitted().model_copy(update={"left_out_error": 0.3, "placements": 1})
    body = planned(with_costs(fleet([shared()], [WEB]), cost), PlaceIntent(chain="web"), Algorithm.CALIBRATED)
    assert any("up to 30 % off" in warning for warning in body.warnings)
    assert any("one placement" in warning for warning in body.warnings)


@pytest.mark.parametrize(
    ("costs", "why"),
    [
        ((), "never fitted on edge-1"),
        ((fitted().model_copy(update={"drifted_at": NOW}),), "has left version 3 of its fitted costs since 2026-01-02"),
    ],
)
def test_a_host_without_costs_that_hold_is_refused_with_what_to_do(costs, why):
    given_fleet = with_costs(fleet([shared()], [WEB]), *costs)
    [rejection] = planned(given_fleet, PlaceIntent(chain="web"), Algorithm.CALIBRATED).rejected
    assert why in rejection.reason
    assert "sextant sfc2cpu fit edge-1" in (rejection.relax or "")
    old = chain("old", rate=3.0)
    standing = with_costs(fleet([shared()], [], [(old, 0, [(1, 0), (0, 0), (1, 1)])]), *costs)
    body = planned(standing, ReplaceIntent(), Algorithm.CALIBRATED, max_moves=2)
    assert body.changes == ()
    assert any(why in warning and "sextant sfc2cpu fit edge-1" in warning for warning in body.warnings)


def test_of_two_hosts_the_one_with_costs_takes_the_chain():
    given_fleet = with_costs(fleet([shared(), shared("edge-2")], [WEB]), fitted(host="edge-2"))
    body = planned(given_fleet, PlaceIntent(chain="web"), Algorithm.CALIBRATED)
    assert {nf.seat.host for nf in body.after} == {"edge-2"}


COEFFICIENTS = st.dictionaries(st.tuples(st.sampled_from(KINDS), st.sampled_from(KINDS)), st.floats(0, 6), max_size=9)


def predicted_mpps(body, given_fleet, model):
    """What the model says that a plan's cores serve."""
    view = View(body, given_fleet)
    needs = needs_beside(view, "edge-1", view.after["edge-1"], model)
    assert needs is not None
    served = 0.0
    for one in view.after["edge-1"].chains:
        fullest = max(needs[nf.core] for nf in one.nfs)
        served += one.traffic.rate_mpps * min(1.0, 97 / fullest)
    return served


@settings(max_examples=40, deadline=None)
@given(
    core=COEFFICIENTS,
    socket=COEFFICIENTS,
    hand_off=st.floats(0, 0.05),
    weight=st.sampled_from(("load", "presence")),
    rates=st.lists(st.floats(0.2, 4.0), min_size=1, max_size=3),
    nodes=st.integers(1, 2),
)
def test_by_its_own_model_it_is_never_worse_than_min_max(core, socket, hand_off, weight, rates, nodes):
    waiting = [chain(f"c{at}", rate=rate) for at, rate in enumerate(rates)]
    cost = fitted(
        core, weight=weight, socket=socket, from_remote=2 * hand_off, from_socket=hand_off, to_remote=hand_off
    )
    given_fleet = with_costs(fleet([shared(slots=6, nodes=nodes)], waiting), cost)
    intent = PlaceIntent(chain="c0", more=tuple(one.name for one in waiting[1:]))
    flat, best = (planned(given_fleet, intent, one) for one in (Algorithm.MIN_MAX, Algorithm.CALIBRATED))
    assert said(best).served_mpps == pytest.approx(predicted_mpps(best, given_fleet, cost.model))
    assert said(best).served_mpps >= predicted_mpps(flat, given_fleet, cost.model) * (1 - 1e-9)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"served_mpps": 2.0}, "3 of 3 Mpps are served"),
        ({"fullest_percent": 60.0}, "the fullest core is asked for 75 %"),
        ({"bound_mpps": 2.0}, "below what is reached"),
        ({"cost": None}, "named where none were asked for"),
        ({"cost.version": 2}, "its fitted costs are version 3"),
        ({"cost.left_out_error": 0.01}, "not what is said"),
        ({"cost.age_s": 60.0}, "7200 s old"),
        ({"cost.guessed": ("router",)}, "do not know none"),
    ],
)
def test_the_checker_reckons_for_itself(change, expected):
    given_fleet = with_costs(fleet([shared()], [WEB]), fitted(HURT))
    body = planned(given_fleet, PlaceIntent(chain="web"), Algorithm.CALIBRATED)
    [(field, value)] = change.items()
    one = said(body)
    if field.startswith("cost."):
        assert one.cost is not None
        value = one.cost.model_copy(update={field.removeprefix("cost."): value})
        field = "cost"
    [host] = body.evidence.hosts
    wrong = host.model_copy(update={"assigned": one.model_copy(update={field: value})})
    found = finding(
        body.model_copy(update={"evidence": body.evidence.model_copy(update={"hosts": (wrong,)})}), given_fleet
    )
    assert not found.ok
    assert expected in found.detail


@pytest.mark.parametrize("costs", [(), (fitted(HURT).model_copy(update={"drifted_at": NOW}),), (fitted(),)])
def test_the_checker_does_not_believe_costs_that_the_host_has_not(costs):
    """None, some that have drifted, and others: by these the cores are asked for other shares."""
    given_fleet = with_costs(fleet([shared(cores=1)], [WEB]), fitted(HURT))
    body = planned(given_fleet, PlaceIntent(chain="web"), Algorithm.CALIBRATED)
    assert not finding(body, with_costs(given_fleet, *costs)).ok


def test_a_later_view_of_the_fleet_has_the_costs_that_are_the_newest_then():
    """The host is as it was, and taken over as long as its costs are, too."""
    first = FleetView.of(with_costs(fleet([shared()], [WEB]), fitted(HURT)))
    same, later = (
        FleetView.of(first.snapshot.model_copy(update={"costs": (cost,)}), former=first)
        for cost in (fitted(HURT), fitted())
    )
    assert same.hosts["edge-1"] is first.hosts["edge-1"]
    assert later.hosts["edge-1"].cost == fitted()
