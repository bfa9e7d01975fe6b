"""School with JAX: the engine computes the same network; what is learned; a training that is ended goes on as if it
never had been. Skipped where the extra `learn` is not installed: CI leaves it out, as JAX alone is 100 MB."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from sextant_domain.base import digest_of
from sextant_domain.profiling.inflation import HandOff, InflationModel
from sextant_engine.laws.sfc2cpu.solve import answer
from sextant_engine.laws.sfc2cpu.trained import read_trained
from sextant_lab.school.costs import Cost
from sextant_lab.school.games import Games
from sextant_lab.school.instances import Drawing
from sextant_lab.school.weights import as_weights

jax = pytest.importorskip("jax", reason="the extra learn is not installed: make setup SEXTANT_LEARN=1")

from sextant_lab.school.network import payoffs, untrained  # noqa: E402 - where JAX is
from sextant_lab.school.training import TRAINED, Course, Pupil, train  # noqa: E402

SHORT = Course(cores=4, seed=5, steps=9_000, explores=4_000, every=256, replay=8_192)
MODEL = InflationModel(
    kinds=("dpi", "nat"),
    core=((0.3, 0.6, 0.6), (0.1, 0.2, 0.2), (0.3, 0.6, 0.6)),
    socket=((0.0, 0.1, 0.1), (0.0, 0.0, 0.0), (0.0, 0.1, 0.1)),
    weight="load",
    hand_off=HandOff(from_socket=60.0, from_remote=240.0, to_socket=20.0, to_remote=80.0),
)
BY_COST = replace(SHORT, cost=Cost(MODEL))


def states_of(cores, seed):
    dice, numbers = random.Random(seed), np.random.default_rng(seed)
    given = [Drawing().instance(dice, cores) for _ in range(20)]
    played = Games(given, most_vnfs=16).play(lambda states: numbers.integers(0, cores, len(states.current)))
    return played.states


@pytest.mark.parametrize("cores", [4, 8, 16])
def test_the_engine_computes_the_same(cores):
    """Within 1e-5 in double precision, in which the engine computes; biases drawn, too."""
    parameters = untrained(1, cores)
    dice = np.random.default_rng(1)
    parameters |= {
        name: dice.normal(0, 0.2, value.shape).astype(np.float32)
        for name, value in parameters.items()
        if name.endswith("_bias")
    }
    states = states_of(cores, 7)
    with jax.enable_x64(True):
        wide = {name: value.astype(np.float64) for name, value in parameters.items()}
        expected = payoffs(wide, replace(states, cores=states.cores.astype(float), vnfs=states.vnfs.astype(float)))
    weights = as_weights(parameters, cores).model_dump(mode="json")
    for index in range(0, len(states.current), 9):
        there = states.there[index]
        state = {
            "cores": states.cores[index].tolist(),
            "vnfs": states.vnfs[index][there].tolist(),
            "current": int(states.current[index]),
        }
        found = json.loads(answer("network", json.dumps({"weights": weights, "state": state})))["q"]
        assert found == pytest.approx(expected[index].tolist(), abs=1e-5)


def test_it_learns_what_cores_serve():
    """On 4 cores a network that was not trained serves far less than one that was for some thousand choices."""
    pupil = Pupil(SHORT, Drawing())
    before = pupil.examined().served
    errors = [pupil.lesson() for _ in range(12)]
    assert pupil.examined().served > before
    assert errors[-1] < 0.7 * errors[0]


def test_a_training_that_was_ended_goes_on_as_if_it_never_had_been(tmp_path):
    """Every lesson is kept here; the first run is ended after two exams."""
    whole = list(train(SHORT, Drawing(), tmp_path / "whole", exam_every_s=0))
    part = train(SHORT, Drawing(), tmp_path / "part", exam_every_s=0)
    first = [next(part), next(part)]
    part.close()
    rest = list(train(SHORT, Drawing(), tmp_path / "part", exam_every_s=0))
    assert [mark.served for mark in (*first, *rest)] == [mark.served for mark in whole]
    one, other = (read_trained((tmp_path / name / TRAINED).read_bytes()) for name in ("whole", "part"))
    assert (one.digest, one.training.samples) == (other.digest, other.training.samples)


def test_another_course_is_refused(tmp_path):
    next(train(SHORT, Drawing(), tmp_path, exam_every_s=0))
    other = Course(cores=4, seed=6, steps=9_000)
    with pytest.raises(ValueError, match="checkpoint of another course"):
        next(train(other, Drawing(), tmp_path))


def test_by_a_fitted_cost_it_learns_it_goes_on_and_says_so(tmp_path):
    """Other weights than by the ideal model, which the document and its digest of games tell apart."""
    part = train(BY_COST, Drawing(), tmp_path / "part", exam_every_s=0)
    next(part)
    part.close()
    rest = list(train(BY_COST, Drawing(), tmp_path / "part", exam_every_s=0))
    whole = list(train(BY_COST, Drawing(), tmp_path / "whole", exam_every_s=0))
    assert [mark.served for mark in rest][-1] == whole[-1].served
    list(train(SHORT, Drawing(), tmp_path / "ideal", exam_every_s=0))
    one, other, ideal = (read_trained((tmp_path / name / TRAINED).read_bytes()) for name in ("whole", "part", "ideal"))
    assert one.digest == other.digest != ideal.digest
    assert one.training.host_models == (f"fitted {digest_of(MODEL)}",)
    assert ideal.training.host_models == ("ideal",)
    assert one.training.data != ideal.training.data
    assert json.loads((tmp_path / "part" / "course.json").read_text())["cost"] == BY_COST.cost.facts()


@pytest.mark.parametrize(
    "other",
    [None, Cost(MODEL, socket_cores=2), Cost(MODEL.model_copy(update={"weight": "presence"}))],
    ids=["none", "other sockets", "other model"],
)
def test_a_folder_of_another_cost_is_refused(tmp_path, other):
    next(train(BY_COST, Drawing(), tmp_path, exam_every_s=0))
    with pytest.raises(ValueError, match="checkpoint of another course"):
        next(train(replace(BY_COST, cost=other), Drawing(), tmp_path))


def test_a_course_without_a_cost_is_written_as_before_there_were_costs():
    """So a training that was begun then goes on."""
    assert "cost" not in SHORT.facts()
