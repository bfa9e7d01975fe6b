"""School without JAX: games with the arithmetic, what is seen again, weights as the engine reads them."""

import json
import random
from datetime import UTC, datetime

import numpy as np
import pytest
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu.solve import answer
from sextant_engine.laws.sfc2cpu.trained import read_trained
from sextant_lab.school.games import Games
from sextant_lab.school.instances import Drawing
from sextant_lab.school.replay import Replay
from sextant_lab.school.weights import as_document, as_weights

SHAPES = {"query": (4, 12), "key": (4, 12), "value": (4, 12), "dense": (12, 16)}


def drawn_weights(cores, seed=0):
    dice = np.random.default_rng(seed)
    shapes = {**SHAPES, "first": (2 * cores + 16, 48), "second": (48, 48), "head": (48, cores + 1)}
    found = {name: dice.normal(0, 0.4, shape) for name, shape in shapes.items()}
    return found | {f"{name}_bias": dice.normal(0, 0.2, shapes[name][1]) for name in list(shapes)[3:]}


TWO = {
    "vnfs": [
        {"cycles": 803.0, "rate_pps": 1e6},
        {"cycles": 1606.0, "rate_pps": 1e6},
        {"cycles": 8030.0, "rate_pps": 2e5},
    ],
    "chains": [[0, 1], [2]],
    "cores": 2,
    "clock_hz": 1.606e9,
    "gamma": 0.9,
}
"""Loads .5, 1 and 1; costs .1, .2 and 1."""


def test_a_game_by_hand():
    """0 and 1 on core 0, which is asked for 1.5: it serves .9 / 1.5 = .6. 2 alone on core 1: .9. Packets: .6 x 1 M and
    .9 x .2 M of 1.2 M: .65."""
    choices = iter([[0], [0], [1]])
    played = Games([TWO], most_vnfs=4).play(lambda _: np.array(next(choices)))
    assert played.payoffs.tolist() == pytest.approx([0.6, 0.6, 0.9])
    assert played.served.tolist() == pytest.approx([0.65])
    last = played.states[np.array([2])]
    assert last.cores[0].tolist() == [[1.5, 2.0], [0.0, 0.0]]
    assert last.vnfs[0, :3].tolist() == [
        pytest.approx([0.1, 1.0, 0.5, 1.0]), pytest.approx([0.2, 1.0, 1.0, 1.0]), pytest.approx([1.0, 0.2, 1.0, 0.0]),
    ]  # fmt: skip
    assert (last.there[0].tolist(), last.current.tolist()) == ([True, True, True, False], [2])


def test_games_serve_what_the_engine_says():
    """Fifty instances, choices by chance, beside the verb `evaluate`; those with fewer VNFs end earlier."""
    dice, numbers = random.Random(3), np.random.default_rng(3)
    given = [Drawing().instance(dice, 4) for _ in range(50)]
    at = numbers.integers(0, 4, (50, 16))
    turns = iter(range(16))

    def choose(states):
        turn = next(turns)
        there = [index for index, one in enumerate(given) if len(one["vnfs"]) > turn]
        assert len(there) == len(states.current)
        return at[there, turn]

    played = Games(given, most_vnfs=16).play(choose)
    for index, instance in enumerate(given):
        asked = {**instance, "assignment": at[index, : len(instance["vnfs"])].tolist()}
        found = json.loads(answer("evaluate", json.dumps(asked)))
        offered = sum(instance["vnfs"][chain[0]]["rate_pps"] for chain in instance["chains"])
        assert played.served[index] == pytest.approx(found["system_mpps"] * 1e6 / offered, rel=1e-9)


def test_instances_are_as_the_paper_has_them():
    dice = random.Random(1)
    for cores in (4, 16):
        for _ in range(200):
            one = Drawing().instance(dice, cores)
            loads = [vnf["cycles"] * vnf["rate_pps"] / one["clock_hz"] for vnf in one["vnfs"]]
            assert 1 <= len(one["chains"]) <= 8 and len(loads) <= 16 and max(loads) <= 1 + 1e-9
            assert sum(loads) <= cores + 1e-9
            assert sorted(vnf for chain in one["chains"] for vnf in chain) == list(range(len(loads)))


def a_replay(games=64):
    dice = random.Random(2)
    numbers = np.random.default_rng(2)
    given = [Drawing().instance(dice, 4) for _ in range(games)]
    played = Games(given, most_vnfs=16).play(lambda states: numbers.integers(0, 4, len(states.current)))
    replay = Replay(100, 4, 16)
    replay.add(played)
    return replay, played


def test_what_surprised_is_seen_more_often_and_weighs_less():
    """128 places, all taken. One is wrong by 1, the others by 0: (1.001 / .001) ^ .6 = 63.2 times as often."""
    replay, played = a_replay()
    assert len(played.chosen) > 128
    assert replay.held == 128
    replay.surprise(np.arange(128), np.zeros(128))
    replay.surprise(np.array([5]), np.array([1.0]))
    places, states, chosen, payoffs, weights = replay.draw(np.random.default_rng(0), 19_000, 1.0)
    share = np.mean(places == 5)
    assert share == pytest.approx(63.2 / (63.2 + 127), abs=0.01)
    assert weights[places == 5].max() == pytest.approx(1 / 63.2, rel=0.01)
    assert weights.max() == 1
    assert np.unique(places).size == 128
    assert len(states.current) == len(chosen) == len(payoffs) == 19_000


def test_the_oldest_make_room_for_the_newest():
    replay, played = a_replay()
    newest = played.payoffs[-128:]
    _, _, _, payoffs, _ = replay.draw(np.random.default_rng(0), 2_000, 0.4)
    assert set(payoffs.tolist()) <= set(newest.tolist())


def document(**changed):
    at, drawing = datetime(2026, 1, 1, tzinfo=UTC), f"sha256:{'0' * 64}"
    raw = json.loads(as_document(as_weights(drawn_weights(4), 4), at, 1, 1000, drawing).model_dump_json())
    raw["weights"] |= changed
    return json.dumps(raw)


def test_the_engine_takes_what_school_leaves():
    trained = read_trained(document(), cores=4)
    asked = {**TWO, "cores": 4, "assigner": "network", "weights": trained.weights.model_dump(mode="json")}
    assert len(json.loads(answer("solve", json.dumps(asked)))["cores"]) == 3
    assert trained.training.samples == 1000


@pytest.mark.parametrize(
    ("raw", "cores", "field"),
    [
        (document(head_bias=[0.0] * 5), 4, "digest"),
        (document(), 8, "weights"),
        ("{}", 4, "weights"),
        ("[", 4, "document"),
    ],
)
def test_other_weights_are_refused(raw, cores, field):
    with pytest.raises(BadEngineInput) as refused:
        read_trained(raw, cores)
    assert refused.value.field == field


def test_weights_of_another_shape_are_refused_by_their_layer():
    """With a digest of their own: it is the shape that is wrong."""
    wrong = {**drawn_weights(4), "second": np.zeros((48, 47))}
    with pytest.raises(BadEngineInput) as refused:
        read_trained(
            as_document(
                as_weights(wrong, 4), datetime(2026, 1, 1, tzinfo=UTC), 1, 1, f"sha256:{'0' * 64}"
            ).model_dump_json()
        )
    assert (refused.value.field, refused.value.message) == ("weights.second", "is not 48 x 48")
