"""What other algorithms' plans would have given, with the arithmetic."""

import pytest
from race_world import an_outcome
from sextant_backend.modules.outcomes.outcome_evaluation import Key
from sextant_backend.modules.races import ranking, scoring
from sextant_backend.modules.races.race_legs import contenders
from sextant_backend.modules.races.ranking import Score
from sextant_backend.modules.races.scoring import Leg, MeasuredRates
from sextant_domain.base import Provenance
from sextant_domain.plans.algorithm_kinds import CHOOSES_CORES
from sextant_domain.plans.algorithms import ALGORITHMS
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.race import RaceEntry
from sextant_domain.plans.trust import OutcomeTest

FIREWALL = Key("firewall", "xeon-2x16", "octans", "assumed-1")


def a_leg(algorithm: Algorithm | None, node: int, mpps: float, port: str = "nic0") -> Leg:
    """Chain `a` on edge-1 with its firewall on that node; chain `b` on edge-2 alone, as ever."""
    return Leg(
        algorithm=algorithm,
        nodes={"a.firewall": node, "b.router": 0},
        host_of={"a": "edge-1", "b": "edge-2"},
        ports={"a": port, "b": "nic0"},
        predicted={"a": mpps, "b": 4.0},
        bottleneck={"a": "firewall", "b": "router"},
        tested_as=dict.fromkeys("ab", (FIREWALL.host_model, FIREWALL.predictor, FIREWALL.version)),
        offered={"a": 9.0, "b": 9.0},
        values={"a": 2.0, "b": 1.0},
    )


RAN = a_leg(None, 0, 8.0)
WINDOWS = {"a": an_outcome("a", "firewall", 8.0, 6.0), "b": an_outcome("b", "router", 4.0, 3.9)}


def outcomes(*ratios: float) -> list:
    return [an_outcome("x", "firewall", 5.0, 5.0 * ratio) for ratio in ratios]


def test_the_same_placement_is_measured_and_another_is_corrected() -> None:
    """`a` was predicted to carry 8 and carried 6: predictions with firewalls are 0.75 of what they say. On the other
    node it is predicted 5, so 3.75 came of it; `b` stands the same and carried 3.9. 2 x 3.75 + 3.9 = 11.4, where the
    plan carried 2 x 6 + 3.9 = 15.9: 28.3 % less."""
    found = scoring.entry(a_leg(Algorithm.NODE_FIRST, 1, 5.0), RAN, MeasuredRates(WINDOWS, {}))
    first, second = found.chains
    assert (first.same, first.mpps, first.basis) == (False, pytest.approx(3.75), "predicted")
    assert (second.same, second.mpps, second.basis) == (True, 3.9, "measured")
    assert (found.differs, found.predicted_mpps, found.later_mpps) == (1, 14.0, pytest.approx(11.4))
    assert found.margin_percent == pytest.approx(100 * (11.4 - 15.9) / 15.9)
    assert (found.low_mpps, found.high_mpps) == (None, None), "one outcome says nothing of the next"


def test_only_windows_of_the_predictor_that_plans_show_count() -> None:
    """Curves and a process are tested on the same chains: what they said is no part of what the plan carried."""
    shown = an_outcome("a", "firewall", 8.0, 6.0, number=3)
    beside = [
        an_outcome("a", "firewall", 7.0, 6.0, number=number).model_copy(update={"predictor": name})
        for number, name in ((1, "curves"), (2, "gaussian-process"))
    ]
    assert scoring.first_windows([*beside, shown]) == {"a": shown}


def test_the_predictors_own_error_makes_the_interval() -> None:
    """Firewalls carried 0.70, 0.75 and 0.80 of what was predicted: mean 0.75, deviation 0.05, and the next lies within
    4.303 x 0.05 x sqrt(1 + 1/3) = 0.2484 of it. Of 5 Mpps: 3.75 +- 1.242. `b` was measured and adds nothing, so the
    sum is 11.4 +- 2 x 1.242."""
    found = scoring.entry(
        a_leg(Algorithm.NODE_FIRST, 1, 5.0), RAN, MeasuredRates(WINDOWS, {FIREWALL: outcomes(0.7, 0.75, 0.8)})
    )
    half = 4.30265 * 0.05 * (4 / 3) ** 0.5 * 5
    assert half == pytest.approx(1.242, abs=1e-3)
    first = found.chains[0]
    assert (first.low_mpps, first.high_mpps) == (pytest.approx(3.75 - half), pytest.approx(3.75 + half))
    assert (found.low_mpps, found.high_mpps) == (pytest.approx(11.4 - 2 * half), pytest.approx(11.4 + 2 * half))


def test_two_outcomes_correct_without_an_interval() -> None:
    found = scoring.entry(
        a_leg(Algorithm.NODE_FIRST, 1, 5.0), RAN, MeasuredRates(WINDOWS, {FIREWALL: outcomes(0.7, 0.8)})
    )
    assert (found.later_mpps, found.low_mpps) == (pytest.approx(11.4), None)


def test_no_chain_is_reckoned_to_carry_more_than_it_is_offered() -> None:
    """Predicted 8.8 of an offer of 9, by a predictor that says too little: 8.8 x 1.5 = 13.2, but 9 is all there is."""
    found = scoring.entry(
        a_leg(Algorithm.NODE_FIRST, 1, 8.8), RAN, MeasuredRates(WINDOWS, {FIREWALL: outcomes(1.5, 1.5, 1.5)})
    )
    assert (found.chains[0].mpps, found.chains[0].high_mpps) == (9.0, 9.0)


def test_another_port_is_another_placement() -> None:
    found = scoring.entry(a_leg(Algorithm.EXACT, 0, 8.0, port="nic1"), RAN, MeasuredRates(WINDOWS, {}))
    assert (found.chains[0].same, found.chains[0].basis, found.differs) == (False, "predicted", 0)


def test_what_was_offered_too_little_corrects_only_where_nothing_else_is_informative() -> None:
    """`a` carried all it was offered, 8 of 8: nothing is known against its 5 on the other node. Where another firewall
    chain of the plan was informative, 6 of 8, that counts alone: 3.75. Of routers nothing is known."""
    other = a_leg(Algorithm.NODE_FIRST, 1, 5.0)
    met = an_outcome("a", "firewall", 8.0, 8.0, OutcomeTest.OFFERED_TOO_LITTLE)
    found = scoring.entry(other, RAN, MeasuredRates({"a": met}, {}))
    assert [(one.mpps, one.basis) for one in found.chains] == [(5.0, "predicted"), (None, None)]
    assert (found.later_mpps, found.margin_percent) == (None, None)
    both = MeasuredRates({"c": an_outcome("c", "firewall", 8.0, 6.0), "a": met}, {})
    assert both.correction_of(other, "a") == scoring.Correction(0.75, None)


def test_a_chain_without_a_place_counts_for_nothing() -> None:
    """Without `b`, `a` stands as it ran: 2 x 6 = 12 of 15.9."""
    leg = a_leg(Algorithm.NODE_BALANCE, 0, 8.0)
    small = leg.model_copy(update={"predicted": {"a": 8.0}, "nodes": {"a.firewall": 0}, "host_of": {"a": "edge-1"}})
    small = small.model_copy(update={"ports": {"a": "nic0"}})
    found = scoring.entry(small, RAN, MeasuredRates(WINDOWS, {}))
    assert (found.left_out, found.later_mpps, found.low_mpps) == (("b",), 12.0, None)


# -- ranks


def an_entry(algorithm: Algorithm, later: float, half: float | None = None, error: str | None = None) -> RaceEntry:
    return RaceEntry(
        algorithm=algorithm,
        error=error,
        predicted_mpps=later,
        later_mpps=None if error else later,
        low_mpps=None if half is None else later - half,
        high_mpps=None if half is None else later + half,
        provenance=Provenance.PREDICTED,
        later_provenance=None if error else Provenance.PREDICTED,
        margin_percent=None if error else 100 * (later - 10) / 10,
        moves=0,
        differs=0,
        seconds=0.5,
        chains=(),
    )


def a_score(*entries: RaceEntry) -> Score:
    return Score(measured_mpps=10.0, provenance=Provenance.SIMULATED, entries=entries)


EXACT, FIRST, BALANCE = Algorithm.EXACT, Algorithm.NODE_FIRST, Algorithm.NODE_BALANCE


def test_they_are_ranked_by_their_mean_margin() -> None:
    """Over what ran, 10: `exact` 0 and +2 %, mean 1; `node_first` 0 and -4 %, mean -2. By the two alone Student's t
    (12.706) makes 1 +- 12.706 x 1 of the first: they differ by 2, so the error of the mean is 1. Both won the first
    race, `exact` the other."""
    found = ranking.ranks(
        [a_score(an_entry(EXACT, 10.0), an_entry(FIRST, 10.0)), a_score(an_entry(EXACT, 10.2), an_entry(FIRST, 9.6))],
        (FIRST, EXACT, BALANCE),
    )
    first, second, last = found
    assert (first.algorithm, first.wins, first.races, first.margin_percent) == (EXACT, 2, 2, pytest.approx(1.0))
    assert first.low_percent == pytest.approx(1 - 12.706, abs=1e-3)
    assert (second.algorithm, second.wins, second.margin_percent) == (FIRST, 1, pytest.approx(-2.0))
    assert (last.algorithm, last.races, last.margin_percent, last.seconds) == (BALANCE, 0, None, None)


def test_how_far_each_prediction_may_be_off_widens_the_interval() -> None:
    """Both races say +2 %, so their spread is 0; each may be off by 3 and 4 % of what ran: sqrt(9 + 16) / 2 = 2.5."""
    scores = [a_score(an_entry(EXACT, 10.2, half=0.3)), a_score(an_entry(EXACT, 10.2, half=0.4))]
    [found] = ranking.ranks(scores, (EXACT,))
    assert (found.low_percent, found.high_percent) == (pytest.approx(-0.5), pytest.approx(4.5))
    [alone] = ranking.ranks(scores[:1], (EXACT,))
    assert (alone.low_percent, alone.high_percent) == (pytest.approx(-1.0), pytest.approx(5.0))


def test_what_was_measured_has_no_error_of_its_own() -> None:
    """One race as it ran, one predicted with +- 4 %: sqrt(0 + 16) / 2 = 2."""
    ran = an_entry(EXACT, 10.0).model_copy(update={"later_provenance": Provenance.SIMULATED})
    [found] = ranking.ranks([a_score(ran), a_score(an_entry(EXACT, 10.0, half=0.4))], (EXACT,))
    assert (found.races, found.predicted) == (2, 1)
    assert (found.low_percent, found.high_percent) == (pytest.approx(-2.0), pytest.approx(2.0))
    [alone] = ranking.ranks([a_score(ran)], (EXACT,))
    assert (alone.predicted, alone.low_percent, alone.high_percent) == (0, 0.0, 0.0)


def test_who_has_no_plan_is_counted_and_not_judged() -> None:
    """Its time says nothing, either: 0.5 s is of the race in which it planned."""
    failed = an_entry(EXACT, 0.0, error="3 workers died while it planned").model_copy(update={"seconds": 9.0})
    [found] = ranking.ranks([a_score(failed), a_score(an_entry(EXACT, 11.0))], (EXACT,))
    assert (found.failed, found.races, found.margin_percent, found.seconds) == (1, 1, pytest.approx(10.0), 0.5)
    assert (found.low_percent, found.high_percent) == (None, None)


def test_an_algorithm_races_where_it_is_declared_to_whatever_its_name() -> None:
    """Octans to the letter is offered, but refuses most fleets; brute force is declared, but takes far too long; CoCo's
    place NFs on shared cores, which no race has."""
    idle = {Algorithm.OCTANS, Algorithm.BRUTE, *CHOOSES_CORES}
    assert {*contenders(ALGORITHMS)} == {*Algorithm} - idle
    racing = tuple(one.model_copy(update={"races": True}) for one in ALGORITHMS)
    assert contenders(racing) == tuple(Algorithm)
    assert contenders(tuple(one.model_copy(update={"races": False}) for one in ALGORITHMS)) == ()
