"""The paper's network, against the same equations in NumPy; and the game that it plays."""

import json

import numpy as np
import pytest
from sextant_engine.errors import BadEngineInput
from sfc2cpu_worlds import World, asked


def weights(seed, cores):
    """Any, in the form that training would leave."""
    dice = np.random.default_rng(seed)
    shapes = {"query": (4, 12), "key": (4, 12), "value": (4, 12), "dense": (12, 16)}
    shapes |= {"first": (2 * cores + 16, 48), "second": (48, 48), "head": (48, cores + 1)}
    found = {name: dice.normal(0, 0.4, shape).tolist() for name, shape in shapes.items()}
    biases = {f"{name}_bias": dice.normal(0, 0.2, shapes[name][1]).tolist() for name in list(shapes)[3:]}
    return {"cores": cores, **found, **biases}


def state(seed, cores, vnfs):
    dice = np.random.default_rng(seed)
    rows = np.column_stack([dice.random((vnfs, 3)), dice.integers(0, 2, vnfs)])
    rows[vnfs // 2, 3] = 0
    return {
        "cores": np.column_stack([dice.random(cores), dice.integers(0, 5, cores)]).tolist(),
        "vnfs": rows.tolist(),
    }


def by_numpy(w, state):
    """Sec. IV-C: attention of the current VNF over all, dense 16, with the cores through 48 and 48, dueling."""
    w = {name: np.array(matrix) for name, matrix in w.items()}
    rows = np.array(state["vnfs"])
    current = state.get("current", int(np.argmin(rows[:, 3])))
    heads = []
    for head in range(3):
        part = slice(4 * head, 4 * head + 4)
        scores = (rows @ w["key"][:, part]) @ (rows[current] @ w["query"][:, part]) / 2
        attention = np.exp(scores - scores.max())
        heads.append(attention / attention.sum() @ (rows @ w["value"][:, part]))
    dense = np.maximum(0, np.concatenate(heads) @ w["dense"] + w["dense_bias"])
    layer = np.concatenate([np.ravel(state["cores"]), dense])
    for name in ("first", "second"):
        layer = np.maximum(0, layer @ w[name] + w[f"{name}_bias"])
    value, *advantage = layer @ w["head"] + w["head_bias"]
    return value + np.array(advantage) - np.mean(advantage)


@pytest.mark.parametrize(("cores", "vnfs"), [(4, 16), (16, 16), (1, 1), (8, 5), (4, 200)])
@pytest.mark.parametrize("seed", range(8))
def test_it_is_what_its_equations_say(seed, cores, vnfs):
    w, now = weights(seed, cores), state(seed, cores, vnfs)
    found = asked("network", {"weights": w, "state": now})
    assert found["q"] == pytest.approx(by_numpy(w, now).tolist(), abs=1e-5, rel=1e-5)
    last = {**now, "current": vnfs - 1}
    assert asked("network", {"weights": w, "state": last})["q"] == pytest.approx(
        by_numpy(w, last).tolist(), abs=1e-5, rel=1e-5
    )


@pytest.mark.parametrize(("cores", "parameters"), [(4, 4032), (16, 5760)])
def test_it_has_the_size_of_the_brief(cores, parameters):
    drawn = {"weights": {"seed": 1, "cores": cores}, "state": state(0, cores, 8)}
    found = asked("network", drawn)
    assert (len(found["q"]), found["parameters"]) == (cores, parameters)
    assert found == asked("network", drawn)
    assert found["q"] != asked("network", {**drawn, "weights": {"seed": 2, "cores": cores}})["q"]


def test_the_order_of_the_others_does_not_matter():
    w, now = weights(3, 4), state(3, 4, 9)
    turned = {**now, "vnfs": now["vnfs"][::-1], "current": 8 - int(np.argmin([row[3] for row in now["vnfs"]]))}
    first, second = (asked("network", {"weights": w, "state": one})["q"] for one in (now, turned))
    assert first == pytest.approx(second, abs=1e-5)


def test_newcomers_choose_in_turn_what_it_expects_most_of():
    """The game, played outside with the same network: VNF after VNF, the core of the highest payoff."""
    world, w = World(8), weights(8, 4)
    question = {**world.question(), "placed": {"2": 1, "7": 3}}
    rows = [
        [min(1, vnf["cycles"] / 8030), vnf["rate_pps"] / 1e6, vnf["cycles"] * vnf["rate_pps"] / world.clock_hz, 0]
        for vnf in question["vnfs"]
    ]
    cores, chosen = [[0.0, 0] for _ in range(4)], {2: 1, 7: 3}
    for turn in [2, 7, *(vnf for vnf in range(12) if vnf not in chosen)]:
        if turn not in chosen:
            q = asked("network", {"weights": w, "state": {"cores": cores, "vnfs": rows, "current": turn}})["q"]
            chosen[turn] = int(np.argmax(q))
        cores[chosen[turn]][0] += rows[turn][2]
        cores[chosen[turn]][1] += 1
        rows[turn][3] = 1
    found = asked("solve", {**question, "assigner": "network", "weights": w})
    assert found["cores"] == [chosen[vnf] for vnf in range(12)]
    assert found["moves"] == 0
    moved = asked("solve", {**question, "assigner": "network", "weights": w, "max_moves": 1})
    assert moved["moves"] <= 1
    assert moved["max_load"] <= found["max_load"] + 1e-9


GOOD = {"weights": weights(0, 4), "state": state(0, 4, 6)}


def otherwise(**change):
    return {**GOOD, "weights": {**GOOD["weights"], **change}}


@pytest.mark.parametrize(
    ("question", "field"),
    [
        ({**GOOD, "weights": {"seed": 1, "cores": 8}}, "weights"),
        ({**GOOD, "weights": {"seed": 1}}, "weights.cores"),
        ({**GOOD, "weights": {"seed": -1, "cores": 4}}, "weights.seed"),
        ({**GOOD, "weights": {"seed": 1, "cores": 4, "most_vnfs": 5}}, "state.vnfs"),
        (otherwise(seed=1), "weights.query"),
        (otherwise(head=[[0.0] * 4] * 48), "weights.head.0"),
        (otherwise(second=[[0.0] * 48] * 47), "weights.second"),
        (otherwise(query_bias=[0.0] * 12), "weights.query_bias"),
        (otherwise(dense_bias=[1e30] * 16), "weights.dense_bias.0"),
        ({**GOOD, "state": {**GOOD["state"], "cores": [[0, 0]] * 3}}, "weights"),
        ({**GOOD, "state": {**GOOD["state"], "vnfs": [[0, 0, 0]]}}, "state.vnfs.0"),
        ({**GOOD, "state": {**GOOD["state"], "vnfs": [[0, 0, float("nan"), 0]]}}, "state.vnfs.0.2"),
        ({**GOOD, "state": {**GOOD["state"], "vnfs": [[0, 0, 0, 1]]}}, "state.vnfs"),
        ({**GOOD, "state": {**GOOD["state"], "current": 6}}, "state.current"),
        ({"state": GOOD["state"]}, "weights"),
    ],
)
def test_bad_input_names_its_field(question, field):
    with pytest.raises(BadEngineInput) as refused:
        asked("network", question)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("w", "field"),
    [(None, "weights"), ({"seed": 0, "cores": 8}, "weights"), ({"seed": 0, "cores": 4, "most_vnfs": 11}, "vnfs")],
)
def test_weights_that_do_not_suit_are_refused(w, field):
    question = {**World(0).question(), "assigner": "network", "weights": w}
    with pytest.raises(BadEngineInput) as refused:
        asked("solve", json.loads(json.dumps(question)))
    assert refused.value.field == field
