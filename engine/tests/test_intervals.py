"""Intervals of what chains will carry, from those of their NFs' drops."""

import pytest
from engine_fleets import chain, host, numa_inventory, snapshot
from sextant_domain.base import Provenance
from sextant_domain.plans.intents import PlaceIntent
from sextant_domain.plans.trust import Spread
from sextant_domain.profiling.model import DropCoefficients, HalfWidths, LocalRemote
from sextant_engine.parameters import assumed_models
from sextant_engine.plan import make_plan

NOTHING = DropCoefficients(alpha=0, beta=0, c=0.02)


def predicted(rate, *nfs, spreads=(), fitted=(), **widths):
    """Nothing but the constant is lost: 2 points of 14 Mpps (router) and of 10 (firewall), or as `fitted` has it."""
    models = [
        model.model_copy(
            update={"local": NOTHING, "half_width": widths.get(model.nf_type), **dict(fitted).get(model.nf_type, {})}
        )
        for model in assumed_models("big-2x4")
    ]
    spec = chain("web", *nfs, rate=rate)
    fleet = snapshot([host(numa_inventory())], [spec], models=models).model_copy(update={"spreads": spreads})
    (prediction,) = make_plan(fleet, PlaceIntent(chain="web"), clock=lambda: 0.0).predictions
    return prediction


def test_a_half_width_is_a_share_of_the_ideal_throughput_either_side_of_the_drop():
    """14 x (1 - 0.02 - 0.05) = 13.02; 14 x (1 - 0.02 + 0.05) = 14.42, and no NF is faster than alone: 14."""
    prediction = predicted(20.0, "router", router=HalfWidths(local=0.05, remote=0.2))
    assert (prediction.low_mpps, prediction.throughput_mpps, prediction.high_mpps) == pytest.approx(
        (13.02, 13.72, 14.0)
    )
    assert (prediction.predictor, prediction.interval_source) == ("octans", "held-out")


def test_a_chain_is_between_the_least_of_its_nfs_on_each_side():
    """Router 13.58 to 13.86 Mpps, firewall 9.3 to 10.3, which is 10 alone: 9.3 to 10."""
    widths = {"router": HalfWidths(local=0.01, remote=0.2), "firewall": HalfWidths(local=0.05, remote=0.2)}
    prediction = predicted(20.0, "router", "firewall", **widths)
    assert (prediction.low_mpps, prediction.throughput_mpps, prediction.high_mpps) == pytest.approx((9.3, 9.8, 10.0))


def test_no_more_is_served_than_is_offered():
    """It could carry 9.3 to 10; 9.5 are offered."""
    prediction = predicted(9.5, "firewall", firewall=HalfWidths(local=0.05, remote=0.2))
    assert (prediction.low_mpps, prediction.throughput_mpps, prediction.high_mpps) == pytest.approx((9.3, 9.5, 9.5))
    assert prediction.capacity_mpps == pytest.approx(9.8)


KNOWN = {"provenance": Provenance.PREDICTED}
"""Of a model whose throughput alone was measured."""


def test_an_nf_with_room_to_spare_needs_no_interval():
    """The firewall carries 9.8 Mpps, 9.3 to 10 by its own errors. A router of 40 Mpps alone gives 39.2, four times as
    much: whatever it loses, it hardly holds the chain up."""
    firewall = HalfWidths(local=0.05, remote=0.2)
    fast = {"ideal_mpps": LocalRemote(local=40.0, remote=40.0), **KNOWN}
    prediction = predicted(20.0, "router", "firewall", fitted={"router": fast}, firewall=firewall)
    assert (prediction.low_mpps, prediction.throughput_mpps, prediction.high_mpps) == pytest.approx((9.3, 9.8, 10.0))
    assert prediction.interval_source == "held-out"
    assert prediction.interval_note == "of firewall; router, 4.0 times as quick as the slowest, has none"
    both = predicted(20.0, "router", "firewall", fitted={"router": fast}, router=firewall, firewall=firewall)
    assert both.interval_note is None


@pytest.mark.parametrize(
    "case",
    [
        ("firewall", {}, {**KNOWN, "ideal_mpps": LocalRemote(local=19.9, remote=19.9)}),
        ("firewall", {}, {"ideal_mpps": LocalRemote(local=40.0, remote=40.0)}),
        ("router", KNOWN, {}),
    ],
    ids=["less than twice as quick", "its throughput was never measured", "it is the slowest"],
)
def test_an_nf_that_may_hold_it_up_leaves_the_chain_without(case):
    """Beside a firewall of 9.8 Mpps a router has room from 19.6 on, of 20 alone; 19.9 x 0.98 = 19.5."""
    known, firewall, router = case
    width = {known: HalfWidths(local=0.05, remote=0.2)}
    prediction = predicted(20.0, "router", "firewall", fitted={"firewall": firewall, "router": router}, **width)
    assert (prediction.low_mpps, prediction.high_mpps, prediction.interval_note) == (None, None, None)


def test_where_a_model_has_none_earlier_predictions_of_the_host_model_decide():
    """They were off by 5 %: the chain's 9.8 Mpps -+ 0.49, and no NF is faster than alone: 9.31 to 10. Held-out mixes
    are preferred where every model has them."""
    spreads = (Spread(host_model="big-2x4", predictor="octans", half_width=0.05, outcomes=19),)
    width = HalfWidths(local=0.01, remote=0.2)
    prediction = predicted(20.0, "router", "firewall", spreads=spreads, router=width)
    assert (prediction.low_mpps, prediction.high_mpps) == pytest.approx((9.31, 10.0))
    assert prediction.interval_source == "outcomes"
    known = predicted(20.0, "router", "firewall", spreads=spreads, router=width, firewall=width)
    assert known.interval_source == "held-out"
