"""The frame around the algorithms: dispatch, margin, status, rejections, evaluate."""

import pytest
from engine_problems import chain, nodes, problem
from sextant_domain.plans.algorithm_kinds import CHOOSES_NODES
from sextant_engine.errors import BadEngineInput
from sextant_engine.solve import evaluate, solve

ALL = pytest.mark.parametrize("algorithm", [name for name in CHOOSES_NODES if name != "octans"])
"""`octans` is the paper to the letter and refuses what the paper does not know."""


def test_an_unknown_algorithm_is_refused():
    names = ", ".join(sorted(CHOOSES_NODES))
    with pytest.raises(BadEngineInput, match=f"algorithm: 'best' is not one of {names}"):
        solve(problem(nodes(1)), "best")


@pytest.mark.parametrize(("initial", "field"), [
    ({"x": ("n0",)}, "start.x"), ({"c": ("n0",)}, "start.c"), ({"c": ("n0", "n7")}, "start.c.1"),
])  # fmt: skip
def test_a_start_that_does_not_match_is_refused(initial, field):
    with pytest.raises(BadEngineInput) as caught:
        solve(problem(nodes(2), chain("c", "AB")), "brute", initial=initial)
    assert caught.value.field == field


@ALL
def test_an_empty_problem_is_optimal_with_nothing(algorithm):
    found = solve(problem(nodes(4)), algorithm)
    assert (found.status, found.objective, found.score, found.assignment) == ("optimal", 0.0, 0.0, {})


@ALL
def test_infeasible_only_if_no_chain_can_be_placed(algorithm):
    none = solve(problem(nodes(1), chain("c", "AB")), algorithm)
    some = solve(problem(nodes(1), chain("c", "AB"), chain("d", "A")), algorithm)
    assert none.status == "infeasible"
    assert some.status in {"feasible", "optimal"}
    assert list(some.assignment) == ["d"]


@ALL
def test_a_placement_as_good_as_its_bound_is_optimal_whoever_found_it(algorithm):
    """One A: 10 Mpps alone on the local node is all it can do."""
    assert solve(problem(nodes(1), chain("c", "A")), algorithm).status == "optimal"


@ALL
def test_a_rejection_says_what_is_short_and_the_cheapest_way_out(algorithm):
    """2 cores hold d and e (value 9 each); c needs 2 and has 0; giving up d frees only 1, so cores must be added."""
    given = problem(nodes(2), chain("c", "AA"), chain("d", "A", value=9.0), chain("e", "A", value=8.0))
    rejected = solve(given, algorithm).rejected[0]
    assert rejected.chain == "c"
    assert rejected.reason == "needs 2 cores on node n0, 0 are free"
    assert rejected.short is not None
    assert (rejected.short.node, rejected.short.cores) == ("n0", 2)
    assert rejected.relax == "add 2 cores on node n0"


def test_the_relaxation_names_the_chain_of_least_value_that_frees_enough():
    given = problem(nodes(2), chain("c", "A"), chain("d", "A", value=9.0), chain("e", "A", value=8.0))
    assert solve(given, "node_first").rejected[0].relax == "remove chain 'e' (value 8), or add 1 core on node n0"


def test_price_and_moves_enter_the_score():
    """AA from n1 to n0: 2 moves at .25: 9.7 - .5 = 9.2."""
    found = solve(problem(nodes(4, 4), chain("c", "AA"), initial={"c": ("n1", "n1")}, move_price_mpps=0.25), "brute")
    assert (found.moves, found.score) == (2, pytest.approx(9.2))
    assert found.objective == pytest.approx(9.7)


# AA on n1: head: llc 1, mem .1: 8 (1 - .1 - .02) = 7.04; second: llc 0, mem .1: 8 x .98 = 7.84. So 7.04 -> 9.7: +2.66.
@pytest.mark.parametrize(("margin", "moves"), [(2.6, 2), (2.7, 0)])
def test_the_initial_placement_stays_unless_it_is_beaten_by_the_margin(margin, moves):
    found = solve(problem(nodes(4, 4), chain("c", "AA"), initial={"c": ("n1", "n1")}, margin_mpps=margin), "brute")
    assert found.moves == moves


@pytest.mark.parametrize("initial", [
    {"c": ("n1", "n1"), "gone": ("n0",)},  # a chain is gone
    {"d": ("n0",)},  # c is new
])  # fmt: skip
def test_the_margin_protects_nothing_where_chains_came_or_went(initial):
    given = problem(nodes(4, 4), chain("c", "AA"), chain("d", "A"), initial=initial, margin_mpps=99.0)
    assert solve(given, "brute").assignment["c"] == ("n0", "n0")


def test_an_initial_placement_that_is_not_feasible_does_not_stay():
    """n1 has one core for two NFs."""
    found = solve(problem(nodes(4, 1), chain("c", "AA"), initial={"c": ("n1", "n1")}, margin_mpps=99.0), "brute")
    assert found.assignment == {"c": ("n0", "n0")}


def test_reports_are_clamped_and_the_objective_is_not():
    """test_model: ten Bs with background 1 reach -2.46 Mpps."""
    given = problem(nodes(10, background=1.0), chain("c", "B" * 10))
    found = solve(given, "node_first")
    assert found.chains["c"].mpps == 0.0
    assert found.objective == pytest.approx(-2.46)


def test_evaluate_reports_every_nf_with_its_shares():
    """Chain AB on n0, as in test_model: A loses .2 x .2 = .04 to the cache and .1 x .2 = .02 to memory."""
    found = evaluate(problem(nodes(4), chain("c", "AB")), {"c": ("n0", "n0")})
    first = found.nfs["c"][0]
    assert (first.mpps, first.llc, first.mem) == (pytest.approx(9.4), pytest.approx(0.2), pytest.approx(0.2))
    assert (first.llc_drop, first.mem_drop) == (pytest.approx(0.04), pytest.approx(0.02))
    assert (found.algorithm, found.status, found.violations) == ("evaluate", "feasible", ())


def test_evaluate_names_what_a_placement_breaks():
    given = problem(nodes(1, 4), chain("c", "AB", nf_pins=(None, "n1")), initial={"c": ("n1", "n1")}, max_moves=1)
    found = evaluate(given, {"c": ("n0", "n0")})
    assert found.status == "infeasible"
    assert found.violations == (
        "chain 'c', NF 1: pinned, but placed on 'n0'",
        "node 'n0': 2 NFs for 1 free cores",
        "2 moves, 1 allowed",
    )
