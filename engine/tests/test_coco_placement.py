"""CoCo's placement (Eq. 3) by worked examples, and against a search through everything."""

import json
import os

import pytest
from coco_problems import brute, cost, drawn, placed
from sextant_engine.laws.coco.check import check
from sextant_engine.laws.coco.problem import Place, Placed
from sextant_engine.laws.coco.solve import answer
from sextant_engine.stop import Stop

SEEDS = int(os.environ.get("SEXTANT_COCO_SEEDS", "400"))
TOPOLOGY_1 = {
    "chains": [
        {"elements": ["E1", "E2", "E5", "E6"], "rate": 2},
        {"elements": ["E3", "E4", "E5", "E6"], "rate": 1},
    ],
    "cpu": {"slope": 0.1, "intercept": 0.1},
    "cores": 2,
    "t_d": 1,
}
"""CoCo, Fig. 2(a). f: E1, E2 = .1 x 2 + .1 = .3; E3, E4 = .2; E5, E6, at 2 + 1, once each: .4."""


def test_topology_1_of_the_paper():
    """All take .3 + .3 + .2 + .2 + .4 + .4 = 1.8 of 2 cores. With E5 and E6 (.8) only E3 or E4 (.2) has room: then
    chain 1 changes at E2-E5 (2) and chain 2 inside E3-E4 (1): 3. To part E5 and E6 costs 2 + 1 = 3 at least."""
    found = placed(TOPOLOGY_1)
    assert (found["delayed_bytes"], found["status"], found["bound"]) == (3, "optimal", 3)
    assert found["cpu"] == pytest.approx({"E1": 0.3, "E2": 0.3, "E3": 0.2, "E4": 0.2, "E5": 0.4, "E6": 0.4})


def test_first_fit_in_chain_order():
    """E1, E2 and E5 (1.0) fill core 0; E6, E3 and E4 (.8) stand on core 1. Changes: E5-E6 (2 + 1) and E4-E5 (1)."""
    found = placed(TOPOLOGY_1, "greedy")
    assert found["placement"] == {"E1": 0, "E2": 0, "E5": 0, "E6": 1, "E3": 1, "E4": 1}
    assert found["delayed_bytes"] == 4


def test_random_is_its_seed():
    one, again = placed(TOPOLOGY_1, "random", 3), placed(TOPOLOGY_1, "random", 3)
    assert one == again
    assert len({json.dumps(placed(TOPOLOGY_1, "random", seed)) for seed in range(20)}) > 1


def test_distances():
    """Three elements of .6 need three cores, of which two share node n0: one hop of 1 and one of 5, whatever order."""
    cores = [{"id": "a", "node": "n0"}, {"id": "b", "node": "n1"}, {"id": "c", "node": "n0"}]
    question = {
        "chains": [{"elements": ["x", "y", "z"], "rate": 1}],
        "cpu": dict.fromkeys("xyz", 0.6),
        "cores": cores,
        "t_d": {"same_core": 0, "same_node": 1, "other_node": 5},
    }
    found = placed(question)
    assert found["delayed_bytes"] == 6
    assert found["placement"]["y"] in ("a", "c")


def test_a_rate_of_0_costs_nothing_and_still_takes_its_intercept():
    found = placed(
        {**TOPOLOGY_1, "chains": [{"elements": ["x", "y"], "rate": 0}], "cpu": {"slope": 1, "intercept": 0.6}}
    )
    assert (found["delayed_bytes"], found["cpu"]) == (0, {"x": 0.6, "y": 0.6})
    assert found["placement"]["x"] != found["placement"]["y"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cpu": {"slope": 0.4, "intercept": 0}}, "'E5' takes 120.0 % of a core: split it into lanes first"),
        ({"cores": 1}, "all elements together take 180.0 % of a core; there are 100.0 % of a core"),
        (
            {"chains": [{"elements": ["x", "y", "z"], "rate": 1}], "cpu": {"slope": 0, "intercept": 0.6}},
            "no placement keeps every core within its time: all were tried",
        ),
    ],
)
def test_what_cannot_be_placed_is_refused_with_its_reason(change, reason):
    assert placed({**TOPOLOGY_1, **change}) == {"refused": reason}


@pytest.mark.parametrize("seed", range(0, SEEDS, 100))
def test_exact_is_as_good_as_trying_everything(seed):
    for each in range(seed, seed + 100):
        problem = drawn(each)
        best, found = brute(problem), placed(problem)
        if best is None:
            assert "refused" in found, each
            continue
        assert found["status"] == "optimal"
        assert found["delayed_bytes"] == pytest.approx(best, abs=1e-9), each
        assert cost(problem, found["placement"]) == pytest.approx(best, abs=1e-9), each
        assert check(Place.model_validate(problem), Placed.model_validate(found)) == ()
        for algorithm in ("greedy", "random"):
            other = placed(problem, algorithm, each)
            if "refused" not in other:
                assert other["delayed_bytes"] >= best - 1e-9
                assert other["bound"] <= best + 1e-9
                assert check(Place.model_validate(problem), Placed.model_validate(other)) == ()


def test_a_search_that_is_ended_has_a_bound_that_holds():
    """Elements of one chain, .3 each: three stand on a core (.9), so that 12 need 4 cores and 3 changes."""
    names = [f"e{index}" for index in range(12)]
    question = {
        "chains": [{"elements": names, "rate": 1}, {"elements": names[::5], "rate": 1}],
        "cpu": dict.fromkeys(names, 0.3),
        "cores": 4,
        "t_d": 1,
    }
    proven = placed(question)
    ended = json.loads(answer("place", json.dumps(question), Stop(evaluations=1)))
    assert proven["status"] == "optimal"
    assert 3 <= ended["bound"] <= proven["delayed_bytes"] <= ended["delayed_bytes"]


def test_the_checker_finds_what_is_changed():
    found = placed(TOPOLOGY_1)
    question = Place.model_validate(TOPOLOGY_1)

    def findings(**change):
        return check(question, Placed.model_validate({**found, **change}))

    assert findings() == ()
    assert findings(delayed_bytes=2.5)[0] == "3 bytes are delayed, not 2.5"
    assert findings(bound=3.5) == ("the bound is 3.5, above what is reached",)
    assert findings(bound=2.0) == ("the bound is 2, which does not prove it",)
    assert findings(placement={**found["placement"], "E1": 7}) == ("E1 stands on 7, which is no core",)
    assert findings(placement={"E1": 0}) == ("placement is not of the question's elements",)
    assert findings(cpu={**found["cpu"], "E6": 0.3}) == ("E6 takes 0.4 of a core, not what cpu says",)
    one_core = dict.fromkeys(found["placement"], 0)
    assert "core 0: 180 % of its time is taken" in findings(placement=one_core)
