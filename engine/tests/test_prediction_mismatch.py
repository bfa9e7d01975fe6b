"""Whether what runs speaks against what is predicted of it."""

from sextant_domain.laws.octans import MeasuredChain, PredictedChain
from sextant_engine.control.octans.mismatch import prediction_mismatch

BAND = 5.0


def predicted(chain, nf_type, mpps, high_mpps, nf_types=None):
    return PredictedChain(chain=chain, nf_type=nf_type, mpps=mpps, high_mpps=high_mpps, nf_types=nf_types or {})


def measured(offered_mpps, mpps, limited_by=None):
    return MeasuredChain(offered_mpps=offered_mpps, mpps=mpps, limited_by=limited_by)


def wrong(mpps, carried, offered=6.6, high=None):
    found = prediction_mismatch([predicted("web", "nids", mpps, high)], {"web": measured(offered, carried)}, BAND)
    return found is not None


def test_a_chain_that_carries_what_was_predicted_to_be_impossible():
    """0 predicted, 6.10 measured; the chain next to it agrees, the third was not measured."""
    chains = [
        predicted("late", "nids", 0.0, None),
        predicted("web", "router", 1.0, None),
        predicted("new", None, 2.0, 2.1),
    ]
    found = {"late": measured(6.6, 6.1), "web": measured(1.0, 1.0)}
    assert prediction_mismatch(chains, found, BAND) == (
        "the model is wrong about what runs: late carries 6.10 Mpps, 0.00 are predicted; profile nids"
    )


def test_the_band_ends_at_so_many_percent_or_with_the_interval():
    """5 % above 4 Mpps are 4.2, and an interval up to 4.5 is wider."""
    assert not wrong(4.0, 4.2)
    assert wrong(4.0, 4.21)
    assert not wrong(4.0, 4.5, high=4.5)
    assert wrong(4.0, 4.51, high=4.5)


def test_a_chain_that_carries_less_gains_no_less_unless_hardly_anything_comes_through():
    """6.15 predicted, and 4.48 measured: more than the half, 3.075. Half of 1.0 is asked where no more arrives."""
    assert not wrong(6.15, 4.48)
    assert wrong(6.15, 3.0)
    assert not wrong(6.15, 0.9, offered=1.0)
    assert wrong(6.15, 0.4, offered=1.0)


def test_the_worst_is_reported():
    """1 Mpps too much is more than .5."""
    chains = [predicted("a", "nids", 1.0, None), predicted("b", "dpi", 1.0, None)]
    mismatch = prediction_mismatch(chains, {"a": measured(9.0, 1.5), "b": measured(9.0, 2.0)}, BAND)
    assert mismatch is not None and "profile dpi" in mismatch


def test_the_model_that_is_wrong_is_of_the_nf_that_is_measured_to_limit():
    """2 of 6.2 Mpps come through, and the nids is measured to hold them up: the firewall's 6.2 were not tested. 7 Mpps
    are more than the firewall can carry by its model, whichever NF limits the chain now."""
    types = {"dmz.firewall": "firewall", "dmz.nids": "nids"}
    chains = [predicted("dmz", "firewall", 6.2, None, types)]

    def step(carried, limited_by):
        mismatch = prediction_mismatch(chains, {"dmz": measured(9.0, carried, limited_by)}, BAND)
        assert mismatch is not None
        return mismatch.rsplit("; ")[-1]

    assert step(2.0, "dmz.nids") == "profile nids"
    assert step(2.0, "dmz.firewall") == step(2.0, None) == "profile firewall"
    assert step(7.0, "dmz.nids") == "profile firewall"
