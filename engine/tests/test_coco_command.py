"""`python -m sextant_engine coco`, as a process of its own."""

import json
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.coco import problem
from sextant_engine.laws.coco.command import _VERBS
from sextant_engine.stop import Stop

PLACE = {
    "chains": [{"elements": ["a", "b", "c"], "rate": 2}],
    "cpu": {"a": 0.5, "b": 0.4, "c": 0.3},
    "cores": 2,
    "t_d": 1,
}
PUSH = {
    "cores": {"vm1": ["fw", "mon"], "vm2": ["log", "ana"]},
    "chains": [["fw", "mon", "log", "ana"]],
    "cpu": {"fw": 0.2, "mon": 0.3, "log": 0.3, "ana": 0.6},
    "overloaded": "ana",
    "needs": 0.9,
}
SCHEDULE = {
    "buffer": [100, 100],
    "buffer_before": [0, 100],
    "share": [0.5, 0.5],
    "slope": 0.001,
    "intercept": 0.1,
    "T": 1,
}


def asked(verb, question, *options):
    raw = question if isinstance(question, bytes) else json.dumps(question).encode()
    command = [sys.executable, "-m", "sextant_engine", "coco", verb, *options]
    return subprocess.run(command, input=raw, capture_output=True, timeout=120, check=False)


def answered(verb, question):
    return json.loads(_VERBS[verb][1](json.dumps(question).encode(), Stop()))


def test_it_reads_and_writes_json():
    """a and b (.9) stand together; c on the other core: one hop of 2 x 1. a with c (.8) would part both hops."""
    done = asked("place", PLACE)
    assert (done.returncode, done.stderr) == (0, b"")
    found = json.loads(done.stdout)
    assert found["delayed_bytes"] == 2
    assert answered("check", {"question": PLACE, "answer": found}) == {"findings": []}


@pytest.mark.parametrize("rule", ["literal", "exact"])
def test_figure_4_of_the_paper(rule):
    """D = .9 - .6 - (1 - .9) = .2: the logger goes to VM1, which has .5."""
    found = answered("push_aside", {**PUSH, "rule": rule})
    assert (found["action"], found["move"]) == ("push_aside", [["log", "vm1"]])
    assert (found["D"], found["freed"]) == (pytest.approx(0.2), 0.3)


@pytest.mark.parametrize("rule", ["literal", "exact"])
@pytest.mark.parametrize(
    ("change", "action"),
    [({"needs": 0.7}, "raise_share"), ({"needs": 1.2}, "scale_out"), ({"since_last_s": 3, "hold_s": 10}, "wait")],
)
def test_other_actions(rule, change, action):
    found = answered("push_aside", {**PUSH, "rule": rule, **change})
    assert (found["action"], found["move"], found["freed"]) == (action, [], 0)


def test_two_borders_may_not_share_the_room_of_one():
    """Both ends of the analyzer's core border on vm1, which has .3 of room; .2 each are not reserved twice. D = .4."""
    question = {
        "cores": {"vm1": ["x"], "vm2": ["p", "ana", "q"]},
        "chains": [["x", "p", "ana"], ["ana", "q", "x"]],
        "cpu": {"x": 0.7, "p": 0.2, "ana": 0.6, "q": 0.2},
        "overloaded": "ana",
        "needs": 1.0,
    }
    assert answered("push_aside", question)["action"] == "scale_out"
    roomy = {**question, "cpu": {**question["cpu"], "x": 0.6}}
    assert answered("push_aside", roomy)["move"] == [["p", "vm1"], ["q", "vm1"]]


def test_lanes():
    """Shares 1.2, .5 and .3: the first is divided (.6, .6). With .6 each in two lanes .5 fits neither, so there are
    three; .5 + .3 = .8 is less than .6 + .3 = .9."""
    found = answered("split", {"slope": 0.1, "rates": [12, 5, 3]})
    assert found == {"replicas": 3, "assignment": [[0, 1], [2], [2]], "max_load": pytest.approx(0.8)}
    assert answered("split", {"slope": 0.1, "rates": [25]})["assignment"] == [[0, 1, 2]]
    assert answered("split", {"slope": 0.1, "rates": [10]})["replicas"] == 1
    # 4 + 3 + 3 and 5 + 5 fill two lanes, which first fit by falling share finds too; 6 + 3 | 5 + 4 by the least maximum
    assert answered("split", {"slope": 0.1, "rates": [6, 5, 4, 3]})["max_load"] == pytest.approx(0.9)


def test_the_scheduler():
    found = answered("schedule", SCHEDULE)
    assert found["next_share"] == pytest.approx([0.1 + 0.5 / 1.125, 0.1 + 0.4 / 1.125])
    still = {**SCHEDULE, "buffer": [0, 0], "buffer_before": [0, 0], "share": [0.1, 0.05]}
    assert answered("schedule", still) == {"arrival": [0, 0], "c": None, "next_share": [0.1, 0.05]}
    points = [[[0, 0.1], [1000, 1.1]]] * 2
    by_points = {key: SCHEDULE[key] for key in SCHEDULE.keys() - {"slope", "intercept"}} | {"points": points}
    assert answered("schedule", by_points)["next_share"] == pytest.approx(found["next_share"])


@pytest.mark.parametrize(("need", "to"), [(0.3, "b"), (0.31, "c"), (0.5, "a"), (0.51, "new")])
def test_scale_out_takes_the_least_that_suffices(need, to):
    assert answered("scale_out", {"residual": {"a": 0.5, "b": 0.3, "c": 0.35}, "need": need}) == {"to": to}


MANY = [f"e{index}" for index in range(10**6)]
BAD = [
    ("place", {**PLACE, "chains": [{"elements": ["a", "b", "a"], "rate": 1}]}, "chains.0.elements"),
    ("place", {**PLACE, "chains": [{"elements": MANY, "rate": 1}]}, "chains.0.elements"),
    ("place", {**PLACE, "chains": [{"elements": ["a", "b", "c"], "rate": -1}]}, "chains.0.rate"),
    ("place", {**PLACE, "chains": [{"elements": ["a", "b", "c"], "rate": 1e300}]}, "chains.0.rate"),
    ("place", {**PLACE, "cpu": {"a": 0, "b": 0.4, "c": 0.3}}, "cpu.a"),
    ("place", {**PLACE, "cpu": {"a": 0.5, "b": 0.4}}, "cpu.c"),
    ("place", {**PLACE, "cpu": {"a": 0.5, "b": 0.4, "c": 0.3, "x": 0.1}}, "cpu.x"),
    ("place", {**PLACE, "cpu": {"slope": -0.1, "intercept": 0.5}}, "cpu.slope"),
    ("place", {**PLACE, "cpu": {"slope": 0, "intercept": 0}}, "cpu"),
    ("place", {**PLACE, "cores": 0}, "cores"),
    ("place", {**PLACE, "cores": [{"id": 1}, {"id": 1}]}, "cores.1.id"),
    ("place", {**PLACE, "t_d": {"same_core": 0}}, "t_d.same_node"),
    ("place", {**PLACE, "algorithm": "best"}, "algorithm"),
    ("place", {**PLACE, "extra": 1}, "extra"),
    ("place", b'{"chains": NaN}', "chains"),
    ("split", {"slope": 0, "rates": [1]}, "slope"),
    ("split", {"slope": 1, "rates": [1], "intercept": 1}, "intercept"),
    ("split", {"slope": 1, "rates": [1e9]}, "rates"),
    ("push_aside", {**PUSH, "chains": [["fw", "mon", "fw"]]}, "chains.0.2"),
    ("push_aside", {**PUSH, "chains": [["fw", "moon"]]}, "chains.0.1"),
    ("push_aside", {**PUSH, "chains": [MANY]}, "chains.0"),
    ("push_aside", {**PUSH, "cores": {"vm1": ["fw", "mon"], "vm2": ["log", "ana", "fw"]}}, "cores.vm2.2"),
    ("push_aside", {**PUSH, "overloaded": "x"}, "overloaded"),
    ("push_aside", {**PUSH, "cpu": {**PUSH["cpu"], "ana": -0.1}}, "cpu.ana"),
    ("push_aside", {**PUSH, "cpu": {"fw": 0.2}}, "cpu.ana"),
    ("push_aside", {**PUSH, "rates": [1, 2]}, "rates"),
    ("push_aside", {**PUSH, "needs": 1e300}, "needs"),
    ("push_aside", json.dumps(PUSH).replace("0.9", "NaN").encode(), "needs"),
    ("schedule", {**SCHEDULE, "intercept": 0.5}, "intercept"),
    ("schedule", {**SCHEDULE, "slope": -1}, "slope"),
    ("schedule", {**SCHEDULE, "share": [0.5]}, "share"),
    ("schedule", {**SCHEDULE, "T": 0}, "T"),
    ("schedule", {**SCHEDULE, "slope": None}, "slope"),
    ("schedule", {**SCHEDULE, "points": [[[0, 0.1], [1, 0.2]]] * 2}, "points"),
    ("scale_out", {"residual": {"a": 2}, "need": 0.1}, "residual.a"),
    ("scale_out", {"residual": {}, "need": 0}, "need"),
    ("check", {"question": PLACE}, "answer"),
]  # fmt: skip


@pytest.mark.parametrize(("verb", "question", "field"), BAD)
def test_bad_input_names_its_field(verb, question, field):
    raw = question if isinstance(question, bytes) else json.dumps(question).encode()
    with pytest.raises(BadEngineInput) as refused:
        _VERBS[verb][1](raw, Stop())
    assert refused.value.field == field
    assert refused.value.message


def test_falling_points_and_many_borders_are_refused():
    falling = {key: SCHEDULE[key] for key in SCHEDULE.keys() - {"slope", "intercept"}}
    with pytest.raises(BadEngineInput, match="rising"):
        answered("schedule", {**falling, "points": [[[0, 0.2], [5, 0.1]]] * 2})
    names = [f"b{index}" for index in range(21)]
    question = {
        "cores": {"one": ["e", *names], "two": ["out"]},
        "chains": [["e", name, "out"] for name in names],
        "cpu": {**dict.fromkeys(names, 0.04), "e": 0.1, "out": 0.1},
        "overloaded": "e",
        "needs": 0.3,
    }
    with pytest.raises(BadEngineInput, match="21 border elements"):
        answered("push_aside", question)
    assert answered("push_aside", {**question, "rule": "exact"})["action"] == "push_aside"


def test_a_process_ends_with_status_2_and_one_line():
    done = asked("place", {**PLACE, "t_d": "x"})
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    assert json.loads(line)["field"] == "t_d"


def test_the_schema_takes_what_the_verbs_take():
    done = asked("place", b"", "--schema")
    schema = json.loads(done.stdout)
    Draft202012Validator.check_schema(schema)
    document = Draft202012Validator(schema)
    for question in (PLACE, PUSH, SCHEDULE, {"slope": 1, "rates": [1]}, {"residual": {"a": 0.1}, "need": 0.2}):
        assert document.is_valid(question)
    assert not document.is_valid({**PLACE, "extra": 1})
    assert {model.__name__ for model in (problem.Placed, problem.Pushed)} <= schema["$defs"].keys()
    assert b"push_aside" in asked("--help", b"").stdout
