"""`python -m sextant_engine assign`, as a process of its own."""

import json
import subprocess
import sys
from typing import get_args

import pytest
from jsonschema import Draft202012Validator
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.sfc2cpu import problem
from sextant_engine.laws.sfc2cpu.command import _VERBS
from sextant_engine.stop import Stop

VNFS = [
    {"cycles": 1000, "rate_pps": 600_000, "kind": "nat"},
    {"cycles": 500, "rate_pps": 600_000},
    {"cycles": 2000, "rate_pps": 200_000},
]
SOLVE = {"vnfs": VNFS, "chains": [[0, 1], [2]], "cores": 2, "clock_hz": 1e9, "assigner": "min_max"}
EVALUATE = {"vnfs": VNFS, "chains": [[0, 1], [2]], "cores": 2, "clock_hz": 1e9, "assignment": [0, 1, 1]}
LOADS = {"loads": [0.6, 0.4, 0.3], "cores": 2, "assigner": "lpt"}
SHARES = {"vnfs": [[100, 2e5], [300, 1e5]]}
PRESSURE = {"ring": 4096, "fills": [0, 3500, 3000, 100]}


def asked(verb, question, *options):
    raw = question if isinstance(question, bytes) else json.dumps(question).encode()
    command = [sys.executable, "-m", "sextant_engine", "assign", verb, *options]
    return subprocess.run(command, input=raw, capture_output=True, timeout=120, check=False)


def answered(verb, question):
    return json.loads(_VERBS[verb][1](json.dumps(question).encode(), Stop()))


def test_it_reads_and_writes_json():
    """Loads .6, .3 and .4: .6 alone, .7 together; 1000 x .6 Mpps + .2 Mpps are served."""
    done = asked("solve", SOLVE)
    assert (done.returncode, done.stderr) == (0, b"")
    found = json.loads(done.stdout)
    assert found["cores"] == [0, 1, 1]
    assert (found["max_load"], found["bound"]) == (pytest.approx(0.7), pytest.approx(0.7))
    assert found["system_mpps"] == pytest.approx(0.8)
    assert (found["status"], found["moves"]) == ("optimal", 0)
    assert 0 < found["seconds"] < 1
    assert answered("check", {"question": SOLVE, "answer": found}) == {"findings": []}


def test_the_other_verbs():
    assert answered("solve", LOADS)["system_mpps"] is None
    assert answered("evaluate", EVALUATE)["payoffs"] == [1, 1, 1]
    assert answered("shares", SHARES)["shares"] == [819, 1229]  # 2 : 3 of 2048 = 819.2 and 1228.8
    assert answered("backpressure", PRESSURE)["on"] == [False, True, True, False]
    without_chains = {key: SOLVE[key] for key in SOLVE.keys() - {"chains"}}
    assert answered("solve", without_chains)["system_mpps"] == pytest.approx(1.4)


def test_cores_are_called_as_they_are_given():
    named = {**SOLVE, "cores": [{"id": 8, "socket": 0}, {"id": "left", "socket": 1}], "placed": {"2": "left"}}
    assert answered("solve", named)["cores"] == [8, "left", "left"]
    assert answered("evaluate", {**EVALUATE, "cores": named["cores"], "assignment": [8, 8, "left"]})["load"] == [
        pytest.approx(0.9),
        pytest.approx(0.4),
    ]


def vnf(**change):
    return {**SOLVE, "vnfs": [VNFS[0], {**VNFS[1], **change}, VNFS[2]]}


BAD = [
    ("solve", vnf(cycles=0), "vnfs.1.cycles"),
    ("solve", vnf(cycles=-5), "vnfs.1.cycles"),
    ("solve", vnf(rate_pps=0), "vnfs.1.rate_pps"),
    ("solve", vnf(rate_pps=-1), "vnfs.1.rate_pps"),
    ("solve", vnf(rate_pps=float("nan")), "vnfs.1.rate_pps"),
    ("solve", vnf(rate_pps="1"), "vnfs.1.rate_pps"),
    ("solve", vnf(kind=""), "vnfs.1.kind"),
    ("solve", vnf(color="red"), "vnfs.1.color"),
    ("solve", json.dumps(SOLVE).replace("1000", "NaN").encode(), "vnfs.0.cycles"),
    ("solve", json.dumps(SOLVE).replace("1000", "1e999").encode(), "vnfs.0.cycles"),
    ("solve", {**SOLVE, "vnfs": []}, "vnfs"),
    ("solve", {**SOLVE, "vnfs": VNFS * 200}, "vnfs"),
    ("solve", {key: SOLVE[key] for key in SOLVE.keys() - {"vnfs"}}, "vnfs"),
    ("solve", {key: SOLVE[key] for key in SOLVE.keys() - {"clock_hz"}}, "clock_hz"),
    ("solve", {**SOLVE, "clock_hz": 0}, "clock_hz"),
    ("solve", {**SOLVE, "chains": [[0, 1], [2, 3]]}, "chains.1.1"),
    ("solve", {**SOLVE, "chains": [[0, 1], [2, -1]]}, "chains.1.1"),
    ("solve", {**SOLVE, "chains": [[0, 1], [2], [0, 1]]}, "chains.2.0"),
    ("solve", {**SOLVE, "chains": [[0, 1, 0], [2]]}, "chains.0.2"),
    ("solve", {**SOLVE, "chains": [[0, 1]]}, "chains"),
    ("solve", {**SOLVE, "chains": [[0, 1], [], [2]]}, "chains.1"),
    ("solve", {**SOLVE, "cores": 0}, "cores"),
    ("solve", {**SOLVE, "cores": 1.5}, "cores"),
    ("solve", {**SOLVE, "cores": []}, "cores"),
    ("solve", {**SOLVE, "cores": [{"id": 1}, {"id": 1}]}, "cores.1.id"),
    ("solve", {**SOLVE, "gamma": 0}, "gamma"),
    ("solve", {**SOLVE, "gamma": 1.1}, "gamma"),
    ("solve", {**SOLVE, "assigner": "best"}, "assigner"),
    ("solve", {key: SOLVE[key] for key in SOLVE.keys() - {"assigner"}}, "assigner"),
    ("solve", {**SOLVE, "placed": {"3": 0}}, "placed.3"),
    ("solve", {**SOLVE, "placed": {"x": 0}}, "placed.x"),
    ("solve", {**SOLVE, "placed": {"0": 2}}, "placed.0"),
    ("solve", {**SOLVE, "max_moves": -1}, "max_moves"),
    ("solve", {**SOLVE, "loads": [1]}, "loads"),
    ("solve", {**SOLVE, "extra": 1}, "extra"),
    ("solve", {**LOADS, "loads": [0.5, -0.1]}, "loads.1"),
    ("solve", {**LOADS, "loads": []}, "loads"),
    ("solve", {**LOADS, "chains": [[0]]}, "chains"),
    ("solve", b"[", "(whole input)"),
    ("evaluate", {**EVALUATE, "assignment": [0, 1]}, "assignment"),
    ("evaluate", {**EVALUATE, "assignment": [0, 1, 2]}, "assignment.2"),
    ("evaluate", {**EVALUATE, "extended": 1}, "extended"),
    ("evaluate", {key: EVALUATE[key] for key in EVALUATE.keys() - {"assignment"}}, "assignment"),
    ("shares", {"vnfs": [[0, 1]]}, "vnfs.0.0"),
    ("shares", {"vnfs": [[100, -1]]}, "vnfs.0.1"),
    ("shares", {"vnfs": []}, "vnfs"),
    ("shares", b'{"vnfs": [[NaN, 1]]}', "vnfs.0.0"),
    ("backpressure", {**PRESSURE, "ring": 0}, "ring"),
    ("backpressure", {**PRESSURE, "fills": [0, 5000]}, "fills.1"),
    ("backpressure", {**PRESSURE, "fills": [-1]}, "fills.0"),
    ("check", {"question": SOLVE}, "answer"),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "question", "field"), BAD)
def test_bad_input_names_its_field(verb, question, field):
    raw = question if isinstance(question, bytes) else json.dumps(question).encode()
    with pytest.raises(BadEngineInput) as refused:
        _VERBS[verb][1](raw, Stop())
    assert refused.value.field == field
    assert refused.value.message


def test_a_process_ends_with_status_2_and_one_line():
    done = asked("solve", {**SOLVE, "assigner": "best"})
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    assert json.loads(line)["field"] == "assigner"
    assert asked("sort", SOLVE).returncode == 2


def test_the_schema_takes_what_the_verbs_take():
    done = asked("solve", b"", "--schema")
    schema = json.loads(done.stdout)
    Draft202012Validator.check_schema(schema)
    document = Draft202012Validator(schema)
    for question in (SOLVE, EVALUATE, LOADS, SHARES, PRESSURE):
        assert document.is_valid(question)
    assert not document.is_valid({**SOLVE, "extra": 1})
    assert {model.__name__ for model in (problem.Assigned, problem.Evaluated)} <= schema["$defs"].keys()
    assert b"backpressure" in asked("--help", b"").stdout


def test_the_schema_names_the_assigners_of_the_core():
    with pytest.raises(BadEngineInput) as refused:
        answered("solve", {**SOLVE, "assigner": "best"})
    assert refused.value.message == f"'best' is not one of {', '.join(get_args(problem.Assigner))}"
