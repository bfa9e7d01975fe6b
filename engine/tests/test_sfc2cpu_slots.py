"""Slots of cores, VNFs that stay, and moves, in every assigner: against all assignments of small problems."""

import json
import random
from itertools import product

import pytest
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu.check import check
from sextant_engine.laws.sfc2cpu.problem import Assigned, Solve
from sextant_engine.laws.sfc2cpu.solve import answer

GAMMA = 0.9


class Crowded:
    """Up to six VNFs on up to four cores of one to three slots; some stand, and some of those stay."""

    def __init__(self, seed):
        dice = random.Random(seed)
        vnfs, self.cores = dice.randint(1, 6), dice.randint(1, 4)
        self.loads = [round(dice.uniform(0.05, 1), 3) for _ in range(vnfs)]
        self.placed = {vnf: dice.randrange(self.cores) for vnf in range(vnfs) if dice.random() < 0.4}
        standing = [list(self.placed.values()).count(core) for core in range(self.cores)]
        self.slots = [max(dice.randint(1, 3), count) for count in standing]
        while sum(self.slots) < vnfs:
            self.slots[dice.randrange(self.cores)] += 1
        self.stays = [vnf for vnf in self.placed if dice.random() < 0.3]
        self.moves = dice.randint(0, 2)

    def question(self, assigner):
        return {
            "vnfs": [{"cycles": load, "rate_pps": 1.0} for load in self.loads],
            "clock_hz": 1.0,
            "cores": [{"id": core, "slots": slots} for core, slots in enumerate(self.slots)],
            "placed": {str(vnf): core for vnf, core in self.placed.items()},
            "stays": self.stays,
            "max_moves": self.moves,
            "gamma": GAMMA,
            "assigner": assigner,
        }

    def allowed(self):
        for at in product(range(self.cores), repeat=len(self.loads)):
            moved = [vnf for vnf, core in self.placed.items() if at[vnf] != core]
            fits = all(at.count(core) <= slots for core, slots in enumerate(self.slots))
            if fits and len(moved) <= self.moves and not set(moved) & set(self.stays):
                yield at

    def asked(self, at):
        return [
            sum(load for load, one in zip(self.loads, at, strict=True) if one == core) for core in range(self.cores)
        ]

    def served(self, at):
        """Each VNF is a chain of one packet a second."""
        asked = self.asked(at)
        return sum(min(1, GAMMA / asked[core]) for core in at)


@pytest.mark.parametrize("seed", range(60))
def test_every_assigner_keeps_to_them_and_the_exact_ones_find_the_best(seed):
    world = Crowded(seed)
    every = list(world.allowed())
    for assigner in ("rr", "llf", "ffd", "gen", "lpt", "min_max", "throughput"):
        raw = json.dumps(world.question(assigner))
        found = json.loads(answer("solve", raw))
        assert tuple(found["cores"]) in every
        assert check(Solve.model_validate_json(raw), Assigned.model_validate(found)) == ()
        if assigner == "min_max":
            assert found["max_load"] == pytest.approx(min(max(world.asked(at)) for at in every))
        if assigner == "throughput":
            assert found["system_mpps"] * 1e6 == pytest.approx(max(map(world.served, every)))


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"stays": [0]}, "stays.0"),
        ({"cores": [{"id": 0, "slots": 1}]}, "cores"),
        ({"cores": [{"id": 0, "slots": -1}]}, "cores.0.slots"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(given, field):
    with pytest.raises(BadEngineInput) as refused:
        answer("solve", json.dumps({"loads": [0.1, 0.2], "cores": 2, "assigner": "lpt", **given}))
    assert refused.value.field == field


def test_the_checker_finds_a_full_core_and_one_that_was_to_stay():
    question = {"loads": [0.1, 0.2], "cores": [{"id": 0, "slots": 1}, {"id": 1}], "assigner": "lpt"}
    question |= {"placed": {"0": 1}, "stays": [0], "max_moves": 1}
    given = {"cores": [0, 0], "max_load": 0.3, "system_mpps": None, "moves": 1, "status": "feasible"}
    wrong = Assigned.model_validate({**given, "bound": 0.1, "seconds": 0.0})
    found = check(Solve.model_validate(question), wrong)
    assert "VNF 0 moves, and is to stay" in found
    assert "core 0 holds 2 VNFs, and takes 1" in found
