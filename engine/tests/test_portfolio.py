"""Candidates of several algorithms under a judge that is another predictor."""

import pytest
from engine_problems import chain, nodes, problem
from sextant_domain.plans.evidence import Algorithm
from sextant_engine import portfolio
from sextant_engine.errors import BadEngineInput
from sextant_engine.portfolio import CANDIDATES, solve_portfolio
from sextant_engine.solve import evaluate, solve
from sextant_engine.stop import Stop

TWO = problem(nodes(3, 3), chain("web", "AB"), chain("dns", "AB"))


def by_octans(one):
    return evaluate(TWO, one).score


def split(one):
    """The opposite of Octans' equations here: likes what they punish."""
    return sum(1.0 for nodes_ in one.values() for node in nodes_ if node == "n1")


def test_under_octans_equations_it_is_the_optimum():
    found = solve_portfolio(TWO, by_octans)
    assert found.found.score == pytest.approx(solve(TWO, "exact").score, rel=1e-3)
    assert found.found.begun_with == "exact"
    assert found.proved_by_octans[0] == "exact"
    assert set(found.found.candidates) == {one.value for one in CANDIDATES}


def test_another_judge_chooses_another_placement_and_is_never_worse_than_a_candidate():
    found = solve_portfolio(TWO, split)
    assert found.found.score == 3.0 > max(found.found.candidates.values())
    assert found.found.improved
    assert found.bound == 4.0
    assert not found.proved


@pytest.mark.parametrize(("percent", "stays"), [(0.0, False), (1.0, True), (2.0, False)])
def test_node_first_stays_unless_more_is_gained_than_a_judge_may_be_wrong_by(percent, stays):
    """A judge that likes every other placement by so much more."""
    first = solve(TWO, "node_first").assignment
    found = solve_portfolio(TWO, lambda one: 100.0 + (0 if one == first else percent))
    assert found.stays is stays
    assert (found.found.placement == first) is (percent < 1.5)
    assert found.found.score == (100.0 if percent < 1.5 else 102.0)
    if stays:
        assert (found.found.begun_with, found.found.improved, found.proved) == ("node_first", False, False)
    assert solve_portfolio(TWO, lambda one: 100.0 + (0 if one == first else percent), baseline=None).stays is False


def test_what_meets_the_bound_is_proved_under_the_judge():
    found = solve_portfolio(TWO, lambda one: 5.0 * len(one))
    assert (found.found.score, found.bound, found.proved) == (10.0, 10.0, True)


def test_candidates_at_hand_are_not_solved_again(monkeypatch):
    asked = []
    monkeypatch.setattr(
        portfolio, "solve", lambda problem, name, **more: asked.append(name) or solve(problem, name, **more)
    )
    solve_portfolio(TWO, split, known={"exact": solve(TWO, "exact").assignment})
    assert asked == [Algorithm.OCTANS_EXTENDED, Algorithm.NODE_FIRST]


def test_an_algorithm_that_refuses_a_problem_is_no_candidate(monkeypatch):
    def refusing(problem, name, **more):
        if name == Algorithm.OCTANS_EXTENDED:
            raise BadEngineInput("chains", "too many")
        return solve(problem, name, **more)

    monkeypatch.setattr(portfolio, "solve", refusing)
    assert set(solve_portfolio(TWO, split).found.candidates) == {"exact", "node_first"}


def test_equal_seeds_and_limits_give_equal_results():
    results = [solve_portfolio(TWO, split, seed=5, stop=Stop(evaluations=9)) for _ in range(2)]
    assert results[0] == results[1]
    assert results[0].found.evaluations <= 9


def test_without_time_the_best_candidate_is_the_result():
    found = solve_portfolio(TWO, split, stop=Stop(seconds=0.0))
    assert found.found.score == max(found.found.candidates.values())
    assert found.found.ended


def test_a_judge_that_cannot_predict_has_no_result():
    assert solve_portfolio(TWO, lambda _: None) is None
