"""Assumed models beside promoted ones: brought to their scale, or an index would sum weights of two."""

import pytest
from engine_fleets import chain, host, numa_inventory, running, snapshot
from hypothesis import given
from hypothesis import strategies as st
from sextant_engine.interference import interference_of
from sextant_engine.parameters import assumed_models, at_scale_of, rescaled

TYPES = ("basic-monitor", "firewall", "router", "simple-forward")
CORES = 8
ONE_NODE = numa_inventory(nodes=1, cores=CORES)
ASSUMED = {model.nf_type: model for model in assumed_models(ONE_NODE.host_model)}


def at_part(model, part, ideal=1.0):
    """What a fit would find where the assumed drops are true: weights of another scale, other throughput alone."""
    ideals = model.ideal_mpps
    changes = {
        "version": "fit-1",
        "stalls": model.stalls / part,
        "ideal_mpps": ideals.model_copy(update={"local": ideals.local * ideal, "remote": ideals.remote * ideal}),
        **rescaled(model, part),
    }
    return model.model_copy(update=changes)


def in_use(promoted):
    """As plans use them: promoted ones, the others at their scale."""
    others = at_scale_of(promoted, ASSUMED.values())
    return (*promoted.values(), *(model for model in others if model.nf_type not in promoted))


def shares_left(nfs, models):
    """What every NF of a chain on one node does, as a share of what it does alone."""
    asked = chain("web", *nfs)
    given_fleet = snapshot(
        [host(ONE_NODE, [running(asked, ONE_NODE, [(core, 0) for core in range(len(nfs))])])], [asked], models
    )
    found = interference_of(given_fleet, ONE_NODE.host_id, given_fleet.hosts[0].content)
    return [victim.mpps / victim.ideal_mpps for victim in found.victims]


MIXES = st.lists(st.sampled_from(TYPES), min_size=2, max_size=CORES)
PARTS = st.floats(1 / 64, 4)
PROMOTED = st.sets(st.sampled_from(TYPES), min_size=1)


def test_an_assumed_model_takes_the_scale_of_those_in_use():
    """firewall was fitted at an eighth: 16 -> 128 stalls. nat follows, 13 -> 104; beside others it lost (.32 + .13) f
    and now loses .32 f / 8 + beta f / 8: beta = 8 x .45 - .32 = 3.28; elsewhere 8 x .26 = 2.08 of the memory's."""
    found = {
        one.nf_type: one for one in at_scale_of({"firewall": at_part(ASSUMED["firewall"], 1 / 8)}, ASSUMED.values())
    }
    nat = found["nat"]
    assert nat.stalls == pytest.approx(104.0)
    assert (nat.local.alpha, nat.local.beta, nat.local.c) == pytest.approx((0.32, 3.28, 0.02))
    assert (nat.remote.alpha, nat.remote.beta, nat.remote.c) == pytest.approx((0.22, 2.08, 0.02))
    assert nat.version == "assumed-1"


def test_the_median_of_what_both_know_decides():
    """Fitted at 1/8, 1/4 and 1/2 of the assumed weights: a quarter, so that nat has 13 x 4 = 52 stalls."""
    promoted = {
        name: at_part(ASSUMED[name], part) for name, part in [("dpi", 1 / 8), ("vpn", 1 / 4), ("router", 1 / 2)]
    }
    assert {one.nf_type: one for one in at_scale_of(promoted, ASSUMED.values())}["nat"].stalls == pytest.approx(52.0)


def test_without_a_type_that_both_know_nothing_changes():
    assert at_scale_of({}, ASSUMED.values()) == tuple(ASSUMED.values())
    stranger = ASSUMED["router"].model_copy(update={"nf_type": "strange", "stalls": 1.0})
    assert at_scale_of({"strange": stranger}, ASSUMED.values()) == tuple(ASSUMED.values())


def test_larger_weights_take_from_what_a_lost_cache_costs_not_from_nothing():
    """At four times the weights nat's (.32 + .13) f is (.1125) 4 f: alpha alone, and beta 0, not below."""
    local = rescaled(ASSUMED["nat"], 4.0)["local"]
    assert (local.alpha, local.beta) == pytest.approx((0.1125, 0.0))


@given(nfs=MIXES, promoted=PROMOTED, part=PARTS, ideal=st.floats(0.2, 5))
def test_promoting_changes_a_mixed_host_by_no_more_than_the_ideals_do(nfs, promoted, part, ideal):
    """Fits that find the assumed drops, whatever their scale and their throughput alone, leave every NF the share of
    it that it had."""
    before = shares_left(nfs, ASSUMED.values())
    after = shares_left(nfs, in_use({name: at_part(ASSUMED[name], part, ideal) for name in promoted}))
    assert after == pytest.approx(before)


@given(nfs=MIXES, promoted=PROMOTED, part=PARTS, other=PARTS)
def test_the_scale_of_the_models_in_use_changes_no_prediction(nfs, promoted, part, other):
    one = {name: at_part(ASSUMED[name], part) for name in promoted}
    same = {name: at_part(model, other) for name, model in one.items()}
    assert shares_left(nfs, in_use(same)) == pytest.approx(shares_left(nfs, in_use(one)))
