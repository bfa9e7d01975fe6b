"""What an outcome shows and what outcomes together say: pure, with the arithmetic."""

import pytest
from sextant_backend.modules.outcomes.outcome_evaluation import (
    ChainExpected,
    Key,
    ModelTest,
    NfExpected,
    SpreadOutcome,
    judged,
    outcome_test,
    spread_of,
    trust_of,
)
from sextant_domain.plans.trust import OutcomeTest, TrustVerdict

KEY = Key("firewall", "test-cpu 1x2", "octans", "fit-1")


def an_outcome(predicted: float, measured: float, half_width: float | None = None, plan_id: int = 1) -> ModelTest:
    return ModelTest(
        plan_id=plan_id,
        chain="web",
        predicted_mpps=predicted,
        low_mpps=None if half_width is None else predicted - half_width,
        high_mpps=None if half_width is None else predicted + half_width,
        measured_mpps=measured,
    )


def trust(*informative: ModelTest, uninformative: int = 0, band: float = 5.0):  # type: ignore[no-untyped-def]
    """Each of another plan."""
    return of_plans(
        *(one._replace(plan_id=number) for number, one in enumerate(informative)),
        band=band,
        uninformative=uninformative,
    )


def of_plans(*informative: ModelTest, uninformative: int = 0, band: float = 5.0):  # type: ignore[no-untyped-def]
    return trust_of(KEY, informative, uninformative, None, band)


@pytest.mark.parametrize(
    ("capacity", "offered", "measured", "expected"),
    [
        (10.0, 12.0, 9.5, OutcomeTest.INFORMATIVE),  # more was offered than it can carry
        (10.0, 10.0, 10.0, OutcomeTest.INFORMATIVE),  # as much
        (10.0, 4.0, 4.0, OutcomeTest.OFFERED_TOO_LITTLE),  # all of it carried: it might carry 10, or 4.1
        (10.0, 4.0, 3.97, OutcomeTest.OFFERED_TOO_LITTLE),  # 0.75 % lacking: a burst
        (10.0, 4.0, 3.9, OutcomeTest.INFORMATIVE),  # 2.5 % lacking: it cannot carry 4, let alone 10
    ],
)
def test_a_prediction_is_tested_where_enough_is_offered_or_too_little_arrives(
    capacity: float, offered: float, measured: float, expected: OutcomeTest
) -> None:
    assert outcome_test(capacity, None, offered, measured) is expected


@pytest.mark.parametrize(
    ("line", "offered", "measured", "expected"),
    [
        (4.73, 14.0, 4.73, OutcomeTest.PORT_FULL),  # the port brings 4.73 of 14: whether it carries 10 is not known
        (4.73, 14.0, 4.6, OutcomeTest.PORT_FULL),  # 2.7 % less: the line's arithmetic is not exact
        (4.73, 14.0, 4.0, OutcomeTest.INFORMATIVE),  # 15 % less than arrives: the chain itself holds packets up
        (12.0, 14.0, 9.5, OutcomeTest.INFORMATIVE),  # more arrives than it can carry
        (4.73, 4.0, 4.0, OutcomeTest.OFFERED_TOO_LITTLE),  # the port has room
    ],
)
def test_a_full_port_tests_no_prediction(line: float, offered: float, measured: float, expected: OutcomeTest) -> None:
    """Of a chain that is predicted to be able to carry 10 Mpps."""
    assert outcome_test(10.0, line, offered, measured) is expected


def test_before_three_outcomes_there_is_no_verdict() -> None:
    found = trust(an_outcome(10.0, 9.0), an_outcome(10.0, 9.0), uninformative=5)
    assert (found.verdict, found.informative, found.uninformative) == (TrustVerdict.UNTESTED, 2, 5)
    assert found.error_percent == pytest.approx(10.0)
    assert "2 of the 3" in found.why


def test_the_error_is_the_mean_without_sign_and_the_bias_with_it() -> None:
    """10.2, 9.8 and 9.5 of 10 that were predicted: 2, 2 and 5 % are 3 %; 2 - 2 - 5 are -5 / 3 %."""
    found = trust(an_outcome(10.0, 10.2), an_outcome(10.0, 9.8), an_outcome(10.0, 9.5))
    assert found.error_percent == pytest.approx(3.0)
    assert found.bias_percent == pytest.approx(-5 / 3)
    assert (found.verdict, found.coverage_percent, found.why) == (
        TrustVerdict.TRUSTED,
        None,
        "3 outcomes, mean error 3.0 %",
    )


def test_the_error_is_of_what_was_predicted_as_on_every_page() -> None:
    """4.38 Mpps of 6 predicted: 1.62 less, 27 % of what was predicted (and 37 % of what was measured)."""
    found = trust(an_outcome(6.0, 4.38))
    assert (found.error_percent, found.bias_percent) == (pytest.approx(27.0), pytest.approx(-27.0))


def test_an_error_above_the_band_is_distrusted() -> None:
    found = trust(*[an_outcome(10.0, 9.0)] * 3)
    assert (found.verdict, found.why) == (
        TrustVerdict.DISTRUSTED,
        "3 outcomes, mean error 10.0 %, more than 5 %",
    )
    assert trust(*[an_outcome(10.0, 9.0)] * 3, band=12.0).verdict is TrustVerdict.TRUSTED


def test_windows_of_one_placement_do_not_make_trust() -> None:
    """Three windows, two of them of the same chain as one plan placed it: 2 of 3 placements, though the error is 2 %.
    What is wrong of one placement is wrong all the same."""
    right = [an_outcome(10.0, 9.8, plan_id=plan) for plan in (1, 1, 2)]
    found = of_plans(*right)
    assert (found.verdict, found.why) == (
        TrustVerdict.UNTESTED,
        "3 outcomes, mean error 2.0 %, of 2 of the 3 placed chains that are needed",
    )
    assert of_plans(*right, an_outcome(10.0, 9.8, plan_id=3)).verdict is TrustVerdict.TRUSTED
    assert of_plans(*[an_outcome(10.0, 5.0)] * 3).verdict is TrustVerdict.DISTRUSTED


def test_intervals_that_hold_too_seldom_are_distrusted_though_the_error_is_small() -> None:
    """Three intervals of 95 %: no more than 1 inside has the chance 0.05^3 + 3 x 0.95 x 0.05^2 = 0.7 %; no more than 2
    has 1 - 0.95^3 = 14 %."""
    inside, outside = an_outcome(10.0, 9.8, 0.5), an_outcome(10.0, 9.8, 0.1)
    found = trust(inside, outside, outside)
    assert (found.verdict, found.coverage_percent) == (TrustVerdict.DISTRUSTED, pytest.approx(100 / 3))
    assert found.why == "1 of 3 outcomes inside their intervals, mean error 2.0 %: too few inside"
    assert trust(inside, inside, outside).verdict is TrustVerdict.TRUSTED


@pytest.mark.parametrize(("predicted", "measured"), [(1.0, 0.0), (0.0, 1.0), (0.1, 10.0)])
def test_no_outcome_counts_as_more_than_wholly_wrong(predicted: float, measured: float) -> None:
    """100 %, not 10^11: (100 + 0 + 0) / 3. It carried nothing, or much where nothing or little was predicted."""
    found = trust(an_outcome(predicted, measured), an_outcome(10.0, 10.0), an_outcome(10.0, 10.0))
    assert found.error_percent == pytest.approx(100 / 3)


def off_by(*percent_off: float) -> list[SpreadOutcome]:
    """A chain each, that carried so much more than 10 Mpps."""
    return [SpreadOutcome(number, "web", 10.0, 10.0 + percent / 10) for number, percent in enumerate(percent_off)]


def test_nineteen_placed_chains_determine_how_far_off_the_next_may_be() -> None:
    """Off by 1 to 19 %: rank ceil(0.95 x 20) = 19, the largest. Of 1 to 39 %: rank ceil(0.95 x 40) = 38. Of 18 no rank
    reaches 95 %."""
    assert spread_of("small", "time-sharing", off_by(*range(1, 19))) is None
    spread = spread_of("small", "time-sharing", off_by(*range(1, 20)))
    assert spread is not None
    assert (spread.host_model, spread.predictor, spread.outcomes) == ("small", "time-sharing", 19)
    assert spread.half_width == pytest.approx(0.19)
    most = spread_of("small", "time-sharing", off_by(*(-percent for percent in range(1, 40))))
    assert most is not None
    assert (most.half_width, most.outcomes) == (pytest.approx(0.38), 39)


def test_a_placed_chain_counts_once_with_its_newest_window() -> None:
    """Eighteen chains that were 1 % off, and one with many windows of which the newest was 5 % off."""
    windows = [SpreadOutcome(99, "web", 10.0, 10.5), *[SpreadOutcome(99, "web", 10.0, 20.0)] * 30]
    spread = spread_of("small", "time-sharing", [*windows, *off_by(*[1.0] * 18)])
    assert spread is not None
    assert (spread.half_width, spread.outcomes) == (pytest.approx(0.05), 19)
    assert spread_of("small", "time-sharing", windows) is None


EXPECTED = ChainExpected("dmz.firewall", "firewall", "fit-1", 6.2, 6.0, 6.4)
"""The firewall was predicted to limit the chain, at 6.2 of the 6.6 Mpps that are offered."""
NIDS = NfExpected("dmz.nids", "nids", "fit-3", 6.6)
"""All of the offer, by its own model."""


def laid_beside(
    limit: NfExpected | None, measured: float, what: OutcomeTest = OutcomeTest.INFORMATIVE
) -> list[tuple[str, float, bool]]:
    """(NF type, predicted, counts) of each model."""
    found = judged(EXPECTED, limit, what, measured, band_percent=5.0)
    return [(one.nf_type, one.predicted_mpps, one.counts) for one in found]


def test_what_another_nf_limits_counts_against_its_model() -> None:
    """The firewall passed all, the nids carried 4.5 of 6.6 Mpps: its model is off by 2.1 / 6.6 = 31.8 %, and that the
    firewall carries 6.2 was not tested. Where nothing was predicted of the nids alone, it was to carry 6.2 at least."""
    assert laid_beside(NIDS, 4.5) == [("nids", 6.6, True), ("firewall", 6.2, False)]
    (of_nids, _) = judged(EXPECTED, NIDS, OutcomeTest.INFORMATIVE, 4.5, 5.0)
    assert (of_nids.version, of_nids.low_mpps, of_nids.high_mpps) == ("fit-3", None, None), "not its interval"
    unknown = NfExpected("dmz.nids", "nids", "fit-3", None)
    assert laid_beside(unknown, 4.5) == [("nids", 6.2, True), ("firewall", 6.2, False)]


def test_what_carries_more_than_was_predicted_counts_against_the_predicted_one_as_well() -> None:
    """5 % above 6.2 are 6.51, and the interval ends at 6.4: 6.5 says nothing of the firewall, 6.55 does. The nids, of
    which 6.6 were predicted, is right within 1 %. Of a nids that was to carry 6.2 at least, more says nothing."""
    assert laid_beside(NIDS, 6.5) == [("nids", 6.6, True), ("firewall", 6.2, False)]
    assert laid_beside(NIDS, 6.55) == [("nids", 6.6, True), ("firewall", 6.2, True)]
    unknown = NfExpected("dmz.nids", "nids", "fit-3", None)
    assert laid_beside(unknown, 6.55) == [("nids", 6.2, False), ("firewall", 6.2, True)]


def test_the_predicted_one_is_judged_where_it_limits_or_nothing_speaks_against_any() -> None:
    own = NfExpected("dmz.firewall", "firewall", "fit-1", 6.2)
    assert laid_beside(own, 4.5) == laid_beside(None, 4.5) == [("firewall", 6.2, True)]
    assert laid_beside(NIDS, 4.0, OutcomeTest.OFFERED_TOO_LITTLE) == [("firewall", 6.2, False)]


def test_an_nf_without_a_model_is_judged_by_none() -> None:
    assert laid_beside(NfExpected("dmz.own", "own", None, None), 4.5) == [("firewall", 6.2, False)]
