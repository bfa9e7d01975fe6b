"""Games by a fitted cost: the arithmetic, loads and packets as the engine has them, costs that are refused."""

import json
import random

import numpy as np
import pytest
from sextant_domain.profiling.inflation import HandOff, InflationModel
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu.solve import answer
from sextant_lab.school import __main__ as command
from sextant_lab.school.costs import Beside, Cost, read_cost
from sextant_lab.school.games import Games
from sextant_lab.school.instances import Drawing

KINDS = ("dpi", "nat", "router")

TWO_KINDS = InflationModel(
    kinds=("dpi", "nat"),
    core=((0.0, 0.5, 0.5), (0.2, 0.0, 0.2), (0.2, 0.5, 0.5)),
    socket=((0.0, 0.1, 0.1), (0.0, 0.0, 0.0), (0.0, 0.1, 0.1)),
    weight="load",
    hand_off=HandOff(from_socket=100.0, from_remote=400.0, to_socket=50.0, to_remote=200.0),
)

THREE = {
    "vnfs": [
        {"cycles": 400.0, "rate_pps": 1e6, "kind": "dpi"},
        {"cycles": 800.0, "rate_pps": 1e6, "kind": "nat"},
        {"cycles": 1000.0, "rate_pps": 2e5, "kind": "nat"},
    ],
    "chains": [[0, 1], [2]],
    "cores": 2,
    "clock_hz": 1e9,
    "gamma": 0.9,
}
"""Loads .4, .8 and .2 alone."""


def a_cost(numbers, served, weight, socket_cores):
    def table():
        return tuple(map(tuple, numbers.uniform(0, 0.5, (4, 4)).tolist()))

    hand_off = HandOff(from_socket=60.0, from_remote=240.0, to_socket=20.0, to_remote=80.0)
    model = InflationModel(
        kinds=KINDS, core=table(), socket=table(), weight=weight, hand_off=hand_off, served=served, errors={}
    )
    return Cost(model, socket_cores)


def played_at(given, at, cost):
    turns = iter(range(at.shape[1]))

    def choose(_):
        turn = next(turns)
        return at[[index for index, one in enumerate(given) if len(one["vnfs"]) > turn], turn]

    return Games(given, at.shape[1], cost).play(choose)


def test_a_game_by_hand():
    """0 and 2 on core 0, 1 on core 1. 0 asks for .4 x (1 + .5 x .2 + .1 x .8) = .472 and hands its packets over: 50
    cycles of 1 M are .05, so .522. 1 asks for .8 (nobody hurts a nat from another core) and takes them over: .1, so .9.
    2 asks for .2 x (1 + .2 x .4) = .216. Core 0: .738, all of it served; core 1: .9 of .9."""
    at = np.array([[0, 1, 0]])
    alone = np.array([[0.4, 0.8, 0.2]])
    assert Beside(Cost(TWO_KINDS), [THREE], alone).loads(at, 2)[0].tolist() == pytest.approx([0.522, 0.9, 0.216])
    assert played_at([THREE], at, Cost(TWO_KINDS)).payoffs.tolist() == pytest.approx([1, 1, 1])


def test_what_stands_on_another_socket_hurts_nobody_and_takes_longer():
    """A core a socket: 0 asks for .4 x (1 + .5 x .2) + .2 = .64, 1 for .8 + .4 = 1.2, of which core 1 serves .9."""
    at = np.array([[0, 1, 0]])
    found = played_at([THREE], at, Cost(TWO_KINDS, socket_cores=1))
    assert found.payoffs.tolist() == pytest.approx([1, 0.75, 1])
    assert found.served[0] == pytest.approx((0.75 * 1e6 + 2e5) / 1.2e6)


def test_the_network_sees_what_it_sees_without_a_cost():
    at = np.array([[0, 1, 0]])
    plain, beside = (played_at([THREE], at, cost).states for cost in (None, Cost(TWO_KINDS)))
    assert all(np.array_equal(getattr(plain, name), getattr(beside, name)) for name in ("cores", "vnfs", "there"))


@pytest.mark.parametrize("served", ["literal", "extended"])
@pytest.mark.parametrize("weight", ["load", "presence"])
@pytest.mark.parametrize("socket_cores", [None, 2])
def test_games_are_worth_what_the_engine_says(served, weight, socket_cores):
    """Forty instances, choices by chance, beside `solve` where all VNFs stand already: packets, and the fullest core.
    Some VNFs are of a kind that the model does not know."""
    dice, numbers = random.Random(3), np.random.default_rng(3)
    cost = a_cost(numbers, served, weight, socket_cores)
    given = [cost.with_kinds(Drawing().instance(dice, 4), dice) for _ in range(40)]
    for one in given[::4]:
        one["vnfs"][-1]["kind"] = "vpn"
    at = numbers.integers(0, 4, (40, 16))
    found = played_at(given, at, cost).served
    cores = [{"id": core, "socket": int(socket)} for core, socket in enumerate(cost.sockets(4))]
    for game, one in enumerate(given):
        stands = {str(vnf): int(at[game, vnf]) for vnf in range(len(one["vnfs"]))}
        model = cost.model.model_dump(mode="json")
        asked = {**one, "cores": cores, "placed": stands, "assigner": "calibrated", "model": model}
        said = json.loads(answer("solve", json.dumps(asked)))
        offered = sum(one["vnfs"][chain[0]]["rate_pps"] for chain in one["chains"])
        assert found[game] == pytest.approx(said["system_mpps"] * 1e6 / offered, rel=1e-9)
        alone = np.array([[vnf["cycles"] * vnf["rate_pps"] / one["clock_hz"] for vnf in one["vnfs"]]])
        here = at[game : game + 1, : len(one["vnfs"])]
        loads = np.bincount(here[0], Beside(cost, [one], alone).loads(here, 4)[0])
        if served == "literal":
            assert loads.max() == pytest.approx(said["max_load"], rel=1e-9)


def test_kinds_are_drawn_after_the_instance():
    """So instances are the same ones with a cost and without."""
    cost = Cost(TWO_KINDS)
    drawn = Drawing().instance(random.Random(1), 4)
    with_kinds = cost.with_kinds(drawn, random.Random(2))
    assert {vnf.pop("kind") for vnf in with_kinds["vnfs"]} == {"dpi", "nat"}
    assert with_kinds == drawn


def a_file(**changed):
    return json.dumps({"model": {**TWO_KINDS.model_dump(mode="json"), **changed}})


def test_a_cost_is_read_as_fit_answers_it():
    assert read_cost(a_file()) == TWO_KINDS


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        ("[", "document"),
        ("{}", "model"),
        (a_file(kinds=[]), "model.kinds"),
        (a_file(core=[[0.0]]), "model.core"),
        (a_file(socket=[[0, 0, -1], [0, 0, 0], [0, 0, 0]]), "model.socket.0.2"),
        (a_file(core=[[0, 0, float("nan")], [0, 0, 0], [0, 0, 0]]), "model.core.0.2"),
        (a_file(weight="age"), "model.weight"),
    ],
)
def test_other_costs_are_refused_by_field(raw, field):
    with pytest.raises(BadEngineInput) as refused:
        read_cost(raw)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("text", "said"),
    [(None, "No such file"), ("{}", "model: Field required: give what the engine's verb fit answers")],
)
def test_the_command_says_what_a_cost_lacks(tmp_path, monkeypatch, capsys, text, said):
    path = tmp_path / "cost.json"
    if text is not None:
        path.write_text(text)
    given = ["school", "--cores", "4", "--out", str(tmp_path / "out"), "--cost", str(path)]
    monkeypatch.setattr("sys.argv", given)
    assert command.main() == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_sockets_without_a_cost_are_refused(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["school", "--cores", "4", "--out", "x", "--socket-cores", "2"])
    with pytest.raises(SystemExit):
        command.main()
    assert "says nothing without --cost" in capsys.readouterr().err
