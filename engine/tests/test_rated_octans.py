"""Octans' equations with competitors at their rates: equal to Octans where nobody shows a rate, and worked examples."""

import pytest
from modelling_samples import SCALE, STALLS, TRUE, designed, octans_samples, profiles, sample, setting
from sextant_domain.profiling.job import PointPurpose, StandingNf
from sextant_engine.modelling.octans import Equations, Octans
from sextant_engine.modelling.rated_octans import RatedOctans
from sextant_engine.modelling.settling import FedChain
from sextant_engine.modelling.validation import cross_validate
from sextant_engine.modelling.weights import weights_of

WEIGHTS = {nf_type: SCALE / stalls for nf_type, stalls in STALLS.items()}
"""a .1, b .2, d .25; alone a does 10 Mpps on the local node, b 15, d 16, and 4 less on a remote one."""
IDEAL = {"a": 10.0, "b": 15.0, "d": 16.0}


def rated(asked, mpps):
    return asked.model_copy(update={"purpose": PointPurpose.RATES, "rate_mpps": mpps})


def fed_by_themselves():
    return [one for one in octans_samples() if len(one.setting.chain) == 1]


def samples_with_rates(exponent=1.0):
    """The same, and beside one competitor at parts of its ideal rate, which presses with that part to the power of the
    exponent."""
    found = fed_by_themselves()
    for subject in sorted(TRUE):
        for other in sorted(TRUE):
            for part in (1 / 4, 1 / 16):
                alpha, beta, c = TRUE[subject][0]
                presses = WEIGHTS[other] * part**exponent
                asked = rated(setting(f"{subject}0", f"{other}0"), IDEAL[other] * part)
                found.append(sample(len(found) + 1000, asked, (alpha + beta) * presses + c))
    return found


def fitted(samples, exponent=None):
    return RatedOctans(WEIGHTS, exponent).fit(profiles(samples))


def test_without_samples_with_rates_it_is_octans():
    known = profiles(octans_samples(noise=0.01))
    octans = Octans(Equations(known), weights_of(known, "stalls", SCALE)).fit(known)
    found = RatedOctans(WEIGHTS).fit(known)
    assert found.exponent == 0
    for asked in [*designed(), setting("a1 b1 d1", "a1 b0"), setting("d0 a1 b1", "d1")]:
        assert found.drop(asked) == pytest.approx(octans.drop(asked), abs=1e-9)


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_samples_with_rates_show_how_much_less_a_slow_competitor_presses(exponent):
    found = fitted(samples_with_rates(exponent))
    assert found.exponent == exponent
    beside_half_a_b = rated(setting("a0", "b0"), 7.5)
    assert found.drop(beside_half_a_b) == pytest.approx(0.8 * 0.2 * 0.5**exponent + 0.01, abs=1e-6)
    assert found.drop(setting("a0", "b0")) == pytest.approx(0.8 * 0.2 + 0.01, abs=1e-6)


def test_its_own_chain_presses_at_the_rate_of_the_nf():
    """d does 16 Mpps, of which a takes 10: .25 (10 / 16) on the LLC and on memory."""
    found = fitted(samples_with_rates())
    assert found.drop(setting("d0 a0")) == pytest.approx(0.8 * 0.25 * 10 / 16 + 0.01, abs=1e-6)


def chains(*texts, offered=99.0):
    nfs = [tuple(StandingNf(nf_type=one[:-1], node=int(one[-1])) for one in text.split()) for text in texts]
    return [FedChain(one, 0, offered) for one in nfs]


def test_a_chain_is_at_rest_where_its_nfs_go_as_fast_as_it_lets_them():
    """b before a. If both went as fast as they can, b would lose .7 (.1) = .07 and go at 13.95, a .8 (.2) + .01 = .17
    and go at 8.3: so Octans has it. But b goes at what the chain carries:
    x = 10 (1 - .01 - .8 (.2) x / 13.95), x = 9.9 / (1 + 1.6 / 13.95) = 8.881."""
    found = fitted(samples_with_rates())
    [(mpps, slowest)] = found.at_rest(chains("b0 a0"))
    assert (mpps, slowest) == (pytest.approx(8.881, rel=2e-4), 1)
    [(mpps, _)] = fitted(fed_by_themselves()).at_rest(chains("b0 a0"))
    assert mpps == pytest.approx(8.3, abs=1e-6)


def test_nfs_that_are_fed_each_by_itself_press_as_they_were_profiled():
    found = fitted(samples_with_rates())
    [(a, _), (b, _)] = found.at_rest(chains("a0", "b0"))
    assert a == pytest.approx(10 * (1 - 0.17), rel=1e-4)
    assert b == pytest.approx(15 * (1 - 0.07), rel=1e-4)


def test_what_is_offered_is_all_that_presses():
    """b is offered a tenth of the 13.95 Mpps that it could: it presses .02 on a."""
    found = fitted(samples_with_rates())
    fed = [*chains("a0"), *chains("b0", offered=1.395)]
    [(a, _), (b, _)] = found.at_rest(fed)
    assert (a, b) == (pytest.approx(10 * (1 - 0.8 * 0.02 - 0.01), rel=1e-4), 1.395)


def test_what_was_not_measured_is_not_predicted():
    found = fitted(samples_with_rates())
    assert found.drop(setting("a0", "z0")) is None
    assert found.at_rest(chains("a0", "z0")) is None
    assert found.drop(setting("a0", "b0", purpose=PointPurpose.SENSITIVITY, bubble_kib=64)) is None


def test_a_fold_sees_nothing_of_what_it_leaves_out():
    """Neither of a mix at any rate nor, where a type is left out, of the type at any rate."""
    known = profiles(samples_with_rates())
    for split in ("mix", "nf"):
        for one in cross_validate(RatedOctans(WEIGHTS), known, split):
            assert one.predicted == pytest.approx(one.sample.drop, abs=1e-6)
    left = RatedOctans(WEIGHTS, 1.0).fit(known, without_types=frozenset({"b", "d"}))
    assert left.drop(setting("a0", "a0")) == pytest.approx(0.8 * 0.1 + 0.01, abs=1e-6)
    noisy = [*known.every_sample(), sample(9999, rated(setting("a0", "b0"), 3.0), 0.9)]
    again = RatedOctans(WEIGHTS, 1.0).fit(profiles(noisy), without=frozenset({9999}))
    assert again.drop(setting("a0", "b0")) == pytest.approx(0.17, abs=1e-6)
