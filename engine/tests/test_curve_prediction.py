"""Pressure curves on a placed host: pressures by node, roles by where the NF in front stands."""

import pytest
from engine_fleets import chain, demo_inventory, numa_inventory, running
from sextant_domain.hosts.desired import HostContent
from sextant_domain.profiling.curves import ChainRole, CurveModel, PressureCurve
from sextant_domain.profiling.model import LocalRemote
from sextant_engine.modelling import settling
from sextant_engine.parameters import assumed_models
from sextant_engine.planning.rest_prediction import rest_predictions, types_of
from sextant_engine.planning.rest_predictor import by_curves

MODELS = {
    model.nf_type: model.model_copy(update={"ideal_mpps": LocalRemote(local=10.0, remote=8.0)})
    for model in assumed_models("big-2x4")
}


def curve(role, slope, start=0.0, half_width=None):
    """From `start`, rising by `slope` for each unit of pressure."""
    return PressureCurve(
        role=role, pressures=(0.0, 10.0), drops=(start, start + 10 * slope), half_width=half_width, samples=5
    )


def model(nf_type, near, far, version="fit-1", half_width=None):
    roles = (
        (ChainRole.LOCAL, 0.02, 0.0),
        (ChainRole.CROSSING, 0.02, 0.1),
        (ChainRole.HEAD, 0.03, 0.0),
        (ChainRole.BEHIND, 0.03, -0.05),
    )
    return CurveModel(
        nf_type=nf_type,
        host_model="big-2x4",
        version=version,
        near=near,
        far=far,
        curves=tuple(curve(role, slope, start, half_width) for role, slope, start in roles),
    )


CURVES = {"router": model("router", 2.0, 1.0), "firewall": model("firewall", 1.0, 0.5)}


def judged(seats, *nfs, curves=CURVES, inventory=None, models=MODELS, rate=1.0):
    inventory = inventory or numa_inventory()
    spec = chain("web", *nfs, rate=rate)
    content = HostContent(host_id=inventory.host_id, chains=(running(spec, inventory, seats),))
    predictor = by_curves(types_of(content), models, curves)
    return rest_predictions(content, inventory, predictor).get("web")


def test_alone_an_nf_carries_its_ideal():
    assert judged([(0, 0)], "router").capacity_mpps == pytest.approx(10.0)


def test_pressures_of_a_node_add_up():
    """Both on node 0: the router has the firewall's 1.0, the firewall the router's 2.0. 10 x (1 - 0.04) = 9.6."""
    found = judged([(0, 0), (1, 0)], "router", "firewall")
    assert (found.capacity_mpps, found.bottleneck) == (pytest.approx(9.6), 1)


def test_of_another_node_less_comes_over_and_the_role_is_another():
    """Firewall on node 1, head there: far 1.0 of the router, 8 x (1 - 0.03) = 7.76. The router: 10 x (1 - 0.01)."""
    found = judged([(0, 0), (4, 0)], "router", "firewall")
    assert (found.capacity_mpps, found.bottleneck) == (pytest.approx(7.76), 1)


def test_an_nf_that_waits_for_memory_feels_other_nodes_more():
    """Far pressure counts three times for the firewall: 8 x (1 - 0.03 x 3 x 1.0) = 7.28."""
    waits = CURVES["firewall"].model_copy(
        update={"curves": tuple(one.model_copy(update={"far_share": 3.0}) for one in CURVES["firewall"].curves)}
    )
    found = judged([(0, 0), (4, 0)], "router", "firewall", curves={**CURVES, "firewall": waits})
    assert (found.capacity_mpps, found.bottleneck) == (pytest.approx(7.28), 1)


def test_behind_an_nf_of_its_chain_packets_are_there():
    """Router at the head of node 1: near 1.0, 8 x (1 - 0.03) = 7.76. Firewall behind it: 8 x (1 - 0.01) = 7.92."""
    assert judged([(4, 0), (5, 0)], "router", "firewall").bottleneck == 0


def test_back_on_the_local_node_packets_are_not_in_its_cache():
    """Router on node 1 (far 0.5: 8 x 0.985 = 7.88), then the firewall crossing: 10 x (1 - 0.1 - 0.02) = 8.8."""
    found = judged([(4, 0), (0, 0)], "router", "firewall")
    assert (found.capacity_mpps, found.bottleneck) == (pytest.approx(7.88), 0)


def test_intervals_are_the_least_of_the_chain_on_each_side():
    """Firewall 9.6 -+ 0.5 and router 9.8 -+ 0.1 (of 10): 9.1 to 9.9."""
    curves = {
        "router": model("router", 2.0, 1.0, half_width=0.01),
        "firewall": model("firewall", 1.0, 0.5, half_width=0.05),
    }
    found = judged([(0, 0), (1, 0)], "router", "firewall", curves=curves)
    assert (found.low_mpps, found.high_mpps) == pytest.approx((9.1, 9.9))
    assert judged([(0, 0)], "router").low_mpps is None


def test_nfs_press_with_the_rate_of_their_chain():
    """A router before a firewall with an ideal of 5, exponent 1. At full rate the router (2.0) had room for 9.8. The
    chain can go at x = 5 (1 - 0.02 x 2 x / 9.8) = 5 / (1 + 0.2 / 9.8) = 4.9, whatever it is offered, and not at 4.8."""
    half = MODELS["firewall"].model_copy(update={"ideal_mpps": LocalRemote(local=5.0, remote=4.0)})
    rated = {name: one.model_copy(update={"rate_exponent": 1.0}) for name, one in CURVES.items()}
    predictions = [
        judged([(0, 0), (1, 0)], "router", "firewall", curves=one, models={**MODELS, "firewall": half})
        for one in (CURVES, rated)
    ]
    assert [one.capacity_mpps for one in predictions] == pytest.approx([4.8, 4.9], rel=2e-4)


def test_where_rates_do_not_settle_the_interval_is_that_of_their_bounds(monkeypatch):
    """T(0) = 10 and T(10) = 9.6 bound the firewall, whose rate at rest is 10 / (1 + 0.4 / 9.8) = 9.608 -+ 0.01. One
    step from 9.6 does not get there."""
    monkeypatch.setattr(settling, "MOST_STEPS", 1)
    monkeypatch.setattr(settling, "BOUND_TURNS", 0)
    rated = {
        name: model(name, near, near / 2, half_width=0.001).model_copy(update={"rate_exponent": 1.0})
        for name, near in (("router", 2.0), ("firewall", 1.0))
    }
    found = judged([(0, 0), (1, 0)], "router", "firewall", curves=rated, rate=99.0)
    assert (found.low_mpps, found.high_mpps) == (0.0, 10.0)


def test_nothing_is_said_where_pressures_are_not_known():
    assert judged([(0, 0), (1, 0)], "router", "nat") is None
    mixed = {**CURVES, "firewall": model("firewall", 1.0, 0.5, version="fit-2")}
    assert judged([(0, 0), (1, 0)], "router", "firewall", curves=mixed) is None, "pressures of two scales"
    assert judged([(1, 0)], "router", inventory=demo_inventory()) is None, "shared cores"
