"""Exhaustive search: best by the order of aims, proven, and guarded by size."""

import pytest
from engine_problems import chain, nodes, problem
from sextant_engine.errors import BadEngineInput
from sextant_engine.solve import solve
from sextant_engine.stop import Stop


def test_the_best_of_four_ways_to_place_two_nfs():
    """AB on two nodes (test_model): n0 n0 -> min(9.4, 5.64); n1 n0 -> 4.02; n0 n1 -> 3.9; n1 n1 -> 4.75."""
    found = solve(problem(nodes(4, 4), chain("c", "AB")), "brute")
    assert found.assignment == {"c": ("n0", "n0")}
    assert found.objective == pytest.approx(5.64)
    assert (found.status, found.bound) == ("optimal", pytest.approx(5.64))
    assert found.chains["c"].bottleneck == 1


def test_accepted_value_comes_before_throughput():
    """One core: B with value 2 (5.94 Mpps) is accepted before A with value 1 (10 Mpps)."""
    found = solve(problem(nodes(1), chain("c", "A"), chain("d", "B", value=2.0)), "brute")
    assert found.assignment == {"d": ("n0",)}
    assert found.score == pytest.approx(2 * 6 * 0.99)


def test_both_chains_are_accepted_even_where_one_alone_would_score_more():
    """Strong mutual harm: two chains of five Bs deliver less together than one alone, but value comes first."""
    crowded = nodes(10, background=1.0)
    together = solve(problem(crowded, chain("c", "BBBBB"), chain("d", "BBBBB")), "brute")
    alone = solve(problem(crowded, chain("c", "BBBBB")), "brute")
    assert len(together.assignment) == 2
    assert together.score < alone.score


def test_moves_are_limited():
    """Moving both NFs home would be best; with one move allowed the best is to move none or one."""
    free = problem(nodes(4, 4), chain("c", "AA"), initial={"c": ("n1", "n1")})
    assert solve(free, "brute").moves == 2
    limited = solve(free.model_copy(update={"max_moves": 1}), "brute")
    assert limited.moves <= 1
    assert limited.status == "optimal"


def test_a_problem_beyond_the_guard_is_refused_with_its_size_unless_it_has_a_limit():
    """Seven chains of four NFs on two nodes: (2^4 + 1)^7 = 4.1e8 placements."""
    big = problem(nodes(18, 18), *(chain(name, "AAAA") for name in "cdefghi"))
    with pytest.raises(BadEngineInput, match=r"4\.103e8 placements, at most 1e8"):
        solve(big, "brute")
    assert solve(big, "brute", stop=Stop(evaluations=10)).status == "feasible"


def test_when_stopped_it_returns_its_best_so_far_and_a_bound():
    """After one evaluation the start, node_first's placement, is the best; a bound is given, nothing is proven."""
    two = problem(nodes(4, 4), chain("c", "AB"), chain("d", "BA"))
    found = solve(two, "brute", stop=Stop(evaluations=1))
    assert found.status == "feasible"
    assert len(found.assignment) == 2
    assert found.bound >= found.score


def test_a_start_that_breaks_a_rule_is_not_returned():
    """n1 has one core: starting with both NFs there, a search stopped at once still returns something feasible."""
    tight = problem(nodes(4, 1), chain("c", "AB"))
    found = solve(tight, "brute", stop=Stop(evaluations=1), initial={"c": ("n1", "n1")})
    assert found.assignment["c"].count("n1") <= 1
