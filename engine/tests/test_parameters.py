"""The assumed models: one for every type of the first catalogue, scaled to the host, marked as assumed."""

import pytest
from sextant_domain.base import Provenance
from sextant_domain.profiling.model import ASSUMED_VERSION
from sextant_engine.parameters import assumed_models


def test_every_model_says_that_it_is_assumed():
    models = assumed_models("any")
    assert [model.nf_type for model in models] == [
        "basic-monitor",
        "bubble",
        "dpi",
        "firewall",
        "load-balancer",
        "nat",
        "nft-firewall",
        "nids",
        "router",
        "simple-forward",
        "vpn",
    ]
    assert {(model.version, model.provenance) for model in models} == {(ASSUMED_VERSION, Provenance.ASSUMED)}
    assert ASSUMED_VERSION == "assumed-1"


@pytest.mark.parametrize("cores", [1, 4, 10, 32, 128])
def test_the_weights_of_a_full_node_sum_to_at_most_about_one(cores):
    """The heaviest aggressors have 12 stalls: 10 cores weigh 10 / 12 = .83, and so does a larger node."""
    heaviest = max(1 / model.stalls for model in assumed_models("any", cores))
    assert cores * heaviest <= 10 / 12 + 1e-9


def test_every_type_is_faster_on_the_local_node():
    assert all(model.ideal_mpps.local > model.ideal_mpps.remote for model in assumed_models("any"))
