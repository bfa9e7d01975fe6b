"""Assigners of sfc2cpu by worked examples and against a search through everything."""

import json
import random
from itertools import product

import pytest
from sextant_engine.laws.sfc2cpu.check import check
from sextant_engine.laws.sfc2cpu.problem import Assigned, Solve
from sextant_engine.laws.sfc2cpu.solve import answer
from sextant_engine.stop import Stop

RULES = ("rr", "llf", "ffd", "gen", "lpt")


def solved(loads, cores, assigner, **more):
    return json.loads(answer("solve", json.dumps({"loads": loads, "cores": cores, "assigner": assigner, **more})))


@pytest.mark.parametrize(
    ("assigner", "cores"),
    [
        ("rr", [0, 1, 0, 1]),
        ("llf", [0, 1, 1, 0]),
        ("lpt", [0, 0, 1, 1]),
        ("ffd", [0, 0, 1, 1]),
        ("min_max", [0, 0, 1, 1]),
    ],
)
def test_worked_examples(assigner, cores):
    """LLF: .6 to core 0, .3 to 1, .5 to 1 (.3 is less than .6), .7 to 0 (.6 is less than .8): 1.3. LPT: .7 to 0, .6 to
    1, .5 to 1 (.6 is less than .7), .3 to 0: 1.1 and 1.0. FFD: the same, since neither .5 nor .3 fits anywhere."""
    loads = [0.6, 0.3, 0.5, 0.7] if assigner in {"rr", "llf"} else [0.7, 0.3, 0.6, 0.5]
    assert solved(loads, 2, assigner)["cores"] == cores


def test_ffd_takes_the_first_core_that_stays_within_1_and_lpt_the_least_loaded():
    assert solved([0.5, 0.3, 0.2], 3, "ffd")["cores"] == [0, 0, 0]
    assert solved([0.5, 0.3, 0.2], 3, "lpt")["cores"] == [0, 1, 2]
    assert solved([0.2, 0.5, 0.4], 2, "ffd")["cores"] == [1, 0, 0]


def test_equal_ones_go_earliest_first_to_the_lowest_core():
    for assigner in ("rr", "llf", "lpt", "min_max"):
        assert solved([0.4] * 5, 3, assigner)["cores"] == [0, 1, 2, 0, 1]


def test_gen_draws_cores_with_room_by_its_seed():
    loads = [0.3] * 12
    drawn = {tuple(solved(loads, 4, "gen", seed=seed)["cores"]) for seed in range(20)}
    assert len(drawn) > 1
    assert all(cores.count(core) <= 3 for cores in drawn for core in range(4))  # 3 x .3 has no room for a fourth
    assert solved([0.7, 0.7, 0.7], 2, "gen")["max_load"] == pytest.approx(1.4)


def brute(loads, cores, placed, max_moves):
    best = None
    for at in product(range(cores), repeat=len(loads)):
        moves = sum(at[vnf] != core for vnf, core in placed.items())
        if moves <= max_moves:
            reached = max(
                sum(load for load, core in zip(loads, at, strict=True) if core == one) for one in range(cores)
            )
            best = min(best or (reached, moves), (reached, moves), key=lambda pair: (round(pair[0], 9), pair[1]))
    return best


@pytest.mark.parametrize("seed", range(60))
def test_min_max_with_placed_ones_is_the_least_of_all_with_the_fewest_moves(seed):
    dice = random.Random(seed)
    cores = dice.randint(2, 3)
    loads = [dice.choice([dice.uniform(0.05, 0.9), 0.25, 0.5]) for _ in range(dice.randint(2, 6))]
    placed = {vnf: dice.randrange(cores) for vnf in range(len(loads)) if dice.random() < 0.6}
    max_moves = dice.choice([0, 0, 1, 2, 6])
    found = solved(
        loads, cores, "min_max", placed={str(vnf): core for vnf, core in placed.items()}, max_moves=max_moves
    )
    reached, moves = brute(loads, cores, placed, max_moves)
    assert (found["status"], found["max_load"], found["moves"]) == ("optimal", pytest.approx(reached), moves)
    assert found["bound"] == pytest.approx(reached)


@pytest.mark.parametrize("assigner", [*RULES, "min_max"])
@pytest.mark.parametrize("seed", range(20))
def test_what_stands_stays_unless_moves_are_given(assigner, seed):
    dice = random.Random(seed)
    vnfs = [{"cycles": dice.uniform(100, 2000), "rate_pps": dice.uniform(1e5, 1e6)} for _ in range(10)]
    question = {
        "vnfs": vnfs,
        "chains": [[0, 1, 2], [3], [4, 5, 6, 7, 8, 9]],
        "cores": [{"id": name, "socket": name == "d"} for name in "abcd"],
        "clock_hz": 2e9,
        "gamma": 0.97,
        "placed": {str(vnf): dice.choice("abcd") for vnf in dice.sample(range(10), 6)},
        "assigner": assigner,
    }
    for core in question["cores"]:
        core["socket"] = int(core["socket"])
    stays = json.loads(answer("solve", json.dumps(question)))
    assert all(stays["cores"][int(vnf)] == core for vnf, core in question["placed"].items())
    moved = json.loads(answer("solve", json.dumps({**question, "max_moves": 2})))
    assert moved["moves"] <= 2
    assert moved["max_load"] <= stays["max_load"] + 1e-9
    for asked, found in ((question, stays), ({**question, "max_moves": 2}, moved)):
        assert (
            check(Solve.model_validate_json(json.dumps(asked)), Assigned.model_validate_json(json.dumps(found))) == ()
        )


def test_round_robin_goes_on_where_it_was():
    """VNFs 0 to 2 stand on 0, 1, 2 of four cores: the next go to 3 and 0."""
    placed = {"0": 0, "1": 1, "2": 2}
    assert solved([0.1] * 5, 4, "rr", placed=placed)["cores"] == [0, 1, 2, 3, 0]


def test_a_search_that_is_stopped_says_so_and_bounds():
    """24 loads on four cores: ten steps prove nothing; LPT stands, between the even spread and itself."""
    dice = random.Random(3)
    loads = [dice.uniform(0.05, 0.5) for _ in range(24)]
    question = json.dumps({"loads": loads, "cores": 4, "assigner": "min_max"})
    found = json.loads(answer("solve", question, Stop(evaluations=10)))
    assert found["status"] == "feasible"
    assert sum(loads) / 4 - 1e-9 <= found["bound"] <= found["max_load"] <= solved(loads, 4, "lpt")["max_load"]


def test_many_vnfs_begin_from_exchanges():
    """60 loads on 8 cores: nothing is proven in ten steps, but exchanges come close to the even spread."""
    dice = random.Random(4)
    loads = [dice.uniform(0.05, 0.5) for _ in range(60)]
    placed = {str(vnf): vnf % 8 for vnf in range(30)}
    for more in ({}, {"placed": placed}, {"placed": placed, "max_moves": 5}):
        question = json.dumps({"loads": loads, "cores": 8, "assigner": "min_max", **more})
        found = json.loads(answer("solve", question, Stop(evaluations=10)))
        assert sum(loads) / 8 - 1e-9 <= found["max_load"] <= solved(loads, 8, "lpt", **more)["max_load"]
        assert found["moves"] <= more.get("max_moves", 0)
        assert found["max_load"] <= 1.005 * sum(loads) / 8


def test_the_check_finds_what_is_wrong():
    question = Solve.model_validate_json(
        json.dumps({"loads": [0.5, 0.4], "cores": 2, "assigner": "lpt", "placed": {"0": 1}})
    )
    good = Assigned(cores=(1, 0), max_load=0.5, system_mpps=None, moves=0, status="optimal", bound=0.5, seconds=0.0)
    assert check(question, good) == ()
    for change in (
        {"cores": (1,)},
        {"cores": (1, 2)},
        {"cores": (0, 1)},
        {"max_load": 0.4},
        {"bound": 0.6},
        {"bound": 0.4},
    ):
        assert check(question, good.model_copy(update=change))
