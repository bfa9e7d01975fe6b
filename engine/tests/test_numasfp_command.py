"""`python -m sextant_engine numasfp`, as a process of its own."""

import json
import subprocess
import sys

import pytest
from jsonschema import Draft202012Validator
from sextant_engine.errors import BadEngineInput
from sextant_engine.laws.numasfp.check import check
from sextant_engine.laws.numasfp.problem import StepAnswer, StepAsked
from sextant_engine.laws.numasfp.profile import profile
from sextant_engine.laws.numasfp.run import parameters_of

PAIR = ["router", "basic-monitor"]
NODE = {"ways": 11, "mb_percent": 100, "cores": 4}
RUN = {
    "table": "paper-table-1",
    "chains": {"sfc1": PAIR, "sfc2": PAIR},
    "nodes": {"local": NODE, "remote": NODE},
    "start": {"sfc1": "local", "sfc2": "remote"},
    "rates": [{"sfc1": 10, "sfc2": 5}] * 7 + [{"sfc1": 6, "sfc2": 10}] * 6,
    "algorithm": "numasfp",
    "max_limit": 3,
    "loss": 0,
}
STEP = {
    "table": "paper-table-1",
    "chains": RUN["chains"],
    "nodes": RUN["nodes"],
    "current": RUN["start"],
    "rates_gbps": {"sfc1": 6, "sfc2": 10},
    "loss": 0.5,
    "horizon": 2,
}


def asked(verb, question, *options):
    raw = question if isinstance(question, bytes) else json.dumps(question).encode()
    command = [sys.executable, "-m", "sextant_engine", "numasfp", verb, *options]
    return subprocess.run(command, input=raw, capture_output=True, timeout=120, check=False)


def answered(verb, question, *options):
    done = asked(verb, question, *options)
    assert (done.returncode, done.stderr) == (0, b"")
    return json.loads(done.stdout)


def totals(ran):
    return [sum(interval["throughput_gbps"].values()) for interval in ran["intervals"]]


def test_allocate_as_the_paper_has_it():
    """Sec. III: max((5, 30), (4, 40)) = (5, 40)."""
    asked_for = {"table": "paper-table-1", "chain": PAIR, "node": "remote", "rate_gbps": 7, "rule": "max"}
    assert answered("allocate", asked_for) == {"ways": 5, "mb_percent": 40}
    refused = answered("allocate", {**asked_for, "rate_gbps": 8})
    assert refused == {"refused": "the table ends at 7 Gbps on that node"}


def test_run_swaps_at_11_as_in_figure_13():
    ran = answered("run", RUN)
    assert totals(ran) == [15] * 7 + [13] * 3 + [16] * 3
    assert [interval["migrated"] for interval in ran["intervals"]].index(["sfc2", "sfc1"]) == 10  # t = 11
    assert ran["moves"] == 2
    assert ran["anat"] == pytest.approx((7 * 15 / 15 + 3 * 13 / 16 + 3 * 16 / 16) / 13)


def test_the_law_needs_one_move_and_two_seconds():
    """(3, 30) and (5, 50) fit the local node together: sfc2 comes at t = 9, and loses half of its 10 Gbps then."""
    ran = answered("run", {**RUN, "algorithm": "law", "loss": 0.5})
    assert totals(ran) == [15] * 7 + [13, 6 + 10 / 2] + [16] * 4
    assert (ran["intervals"][8]["migrated"], ran["moves"]) == (["sfc2"], 1)
    assert ran["intervals"][8]["violations"] == {"sfc1": 0, "sfc2": 0}
    assert ran["intervals"][7]["violations"] == {"sfc1": 0, "sfc2": 1}
    assert "clamped" not in ran["intervals"][0]


def test_the_law_marks_what_is_beyond_the_table():
    """12.5 Gbps are judged as 10, which the local node carries: no violation, and 10 of 12.5 come through."""
    ran = answered("run", {**RUN, "algorithm": "law", "rates": [{"sfc1": 12.5, "sfc2": 0}]})
    (interval,) = ran["intervals"]
    assert (interval["clamped"], interval["violations"]) == (["sfc1"], {"sfc1": 0, "sfc2": 0})
    assert ran["anat"] == pytest.approx(10 / 12.5)


@pytest.mark.parametrize(
    "algorithm", ["node_first", "node_balance", "rate_sorted", "octans", "clairvoyant", "exact", "law"]
)
def test_every_algorithm_places_by_itself(algorithm):
    ran = answered("run", {**RUN, "start": None, "algorithm": algorithm, "params": None})
    assert len(ran["intervals"]) == len(RUN["rates"])
    assert 0.8 < ran["anat"] <= 1


def test_octans_judges_whole_chains_by_its_own_equations():
    """A fast chain and a slow one, room for one each: the fast one loses more on the remote node (14 to 4 Mpps against
    3 to 2.9), so it is local."""
    flat = {"alpha": 0.0, "beta": 0.0, "c": 0.0}
    nf_types = {
        "router": {"stalls": 10.0, "ideal": {"local": 14.0, "remote": 4.0}, "local": flat, "remote": flat},
        "basic-monitor": {"stalls": 10.0, "ideal": {"local": 3.0, "remote": 2.9}, "local": flat, "remote": flat},
    }
    one = {"ways": 11, "mb_percent": 100, "cores": 1}
    question = {
        **RUN,
        "chains": {"sfc1": ["basic-monitor"], "sfc2": ["router"]},
        "nodes": {"local": one, "remote": one},
        "start": None,
        "algorithm": "octans",
        "rates": [{"sfc1": 10, "sfc2": 10}],
        "params": {"nf_types": nf_types},
    }
    assert answered("run", question)["intervals"][0]["placement"] == {"sfc1": "remote", "sfc2": "local"}


def test_step_weighs_what_a_move_loses():
    """Staying carries 6 + 7; sfc2 moving 6 + 10 (1 - .5 / 2) = 13.5."""
    step = answered("step", STEP)
    assert (step["objective_gbps"], step["moves"], step["proven"]) == (pytest.approx(13.5), 1, True)
    assert step["placement"] == {"sfc1": "local", "sfc2": "local"}
    assert step["allocation"]["sfc2"] == {"gbps": 10, "ways": 5, "mb_percent": 50}
    whole = answered("step", {**STEP, "horizon": 1})  # 6 + 10 x .5 = 11 < 13: nothing moves
    assert (whole["objective_gbps"], whole["moves"]) == (pytest.approx(13.0), 0)


def test_the_checker_agrees_and_finds_what_is_changed():
    step = answered("step", STEP)
    assert answered("check", {"question": STEP, "answer": step}) == {"findings": []}
    poorer = {**step, "allocation": {**step["allocation"], "sfc2": {"gbps": 10, "ways": 4, "mb_percent": 50}}}
    (finding,) = answered("check", {"question": STEP, "answer": poorer})["findings"]
    assert finding == "sfc2: 4 ways and 50 % do not make 10 Gbps, which takes 5 and 50 %"


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"objective_gbps": 14.0}, "the objective is 13.5 Gbps, not 14"),
        ({"moves": 2}, "1 chains change their node, not 2"),
        ({"placement": {"sfc1": "local", "sfc2": "moon"}}, "sfc2 stands on moon, which is no node"),
        ({"placement": {"sfc1": "local"}}, "placement is not of the question's chains"),
    ],
)
def test_the_checker_finds(change, finding):
    right = {
        "objective_gbps": 13.5,
        "moves": 1,
        "placement": {"sfc1": "local", "sfc2": "local"},
        "allocation": {
            "sfc1": {"gbps": 7, "ways": 3, "mb_percent": 30},
            "sfc2": {"gbps": 10, "ways": 5, "mb_percent": 50},
        },
        "proven": True,
    }
    question = StepAsked.model_validate(STEP)
    assert check(question, StepAnswer.model_validate(right)) == ()
    assert finding in check(question, StepAnswer.model_validate({**right, **change}))
    full = {**NODE, "ways": 7}
    narrow = StepAsked.model_validate({**STEP, "nodes": {"local": full, "remote": full}})
    assert check(narrow, StepAnswer.model_validate(right)) == ("local: 8 ways are given, 7 are there",)


BAD = [
    ("run", {**RUN, "table": "mine"}, "table"),
    ("run", {**RUN, "extra": 1}, "extra"),
    ("run", {**RUN, "algorithm": "best"}, "algorithm"),
    ("run", {**RUN, "algorithm": "law", "params": {"margin": 1}}, "params.margin"),
    ("run", {**RUN, "algorithm": "law", "params": {"margin_percent": -1.0}}, "params.margin_percent"),
    ("run", {**RUN, "algorithm": "law", "params": []}, "params"),
    ("run", {**RUN, "algorithm": "law", "params": False}, "params"),
    ("run", {**RUN, "algorithm": "law", "rates": [{"sfc1": 1}]}, "rates.0"),
    ("run", {**RUN, "algorithm": "octans", "start": None, "chains": {"sfc1": ["nat"], "sfc2": PAIR}}, "chains.sfc1.0"),
    ("run", {**RUN, "algorithm": "octans", "start": None, "params": {"nf_types": []}}, "params.nf_types"),
    ("run", {**RUN, "algorithm": ["law"]}, "algorithm"),
    ("run", [], "(whole input)"),
    ("step", {**STEP, "horizon": 0}, "horizon"),
    ("step", {**STEP, "rates_gbps": {"sfc1": 1, "sfc2": 1, "x": 1}}, "rates_gbps"),
    ("run", json.dumps({**RUN, "algorithm": "law"}).encode()[:-1] + b', "loss": 0.5}', "loss"),
    ("step", b"{", "(whole input)"),
    ("check", {"question": STEP}, "answer"),
    ("profile", {"surface": {"command": []}, "nodes": ["local"], "rates_gbps": [4]}, "surface.command"),
    ("profile", {"surface": {"command": ["/nowhere"]}, "nodes": ["local"], "rates_gbps": [4]}, "surface.command"),
    ("profile", {"surface": {"command": ["true"]}, "nodes": ["local"], "rates_gbps": [-4]}, "rates_gbps.0"),
    ("profile", {"surface": {"command": ["true"]}, "nodes": ["local", "local"], "rates_gbps": [4]}, "nodes"),
    ("profile", {"surface": {"command": ["a\0"]}, "nodes": ["local"], "rates_gbps": [4]}, "surface.command"),
    ("profile", {"surface": {"command": ["true"]}, "nodes": ["local"], "rates_gbps": [4, 4.0000001]}, "rates_gbps"),
    ("profile", {"surface": {"command": ["true"]}, "nodes": ["local"], "rates_gbps": [4], "noise": 2}, "noise"),
    ("check", {"question": {**STEP, "table": "mine"}, "answer": {}}, "question.table"),
    ("allocate", {"table": "paper-table-1", "chain": ["x"], "node": "local", "rate_gbps": 1}, "chain.0"),
    ("allocate", {"table": "paper-table-1", "chain": PAIR, "node": "far", "rate_gbps": 1}, "node"),
]


@pytest.mark.parametrize(("verb", "question", "field"), BAD)
def test_bad_input_ends_with_status_2_and_names_its_field(verb, question, field):
    done = asked(verb, question)
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    error = json.loads(line)
    assert error["field"] == field
    assert error["message"]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ('{"margin_percent": NaN}', "margin_percent: must be a finite number"),
        ('{"margin_percent": 1e308}', "margin_percent: must be at most 1000"),
        ('{"margin_percent": "2"}', "margin_percent: must be a number"),
        ('{"hold_intervals": true}', "hold_intervals: must be a whole number"),
        ('{"most_gbps": 0}', "most_gbps: must be more than 0"),
        ('{"rule": "max"}', "rule: is unknown: remove it"),
        ('{"law": "octans"}', "law: must be 'numasfp'"),
    ],
)
def test_parameters_out_of_range_are_refused_in_plain_words(params, message):
    with pytest.raises(BadEngineInput) as refused:
        parameters_of(json.loads(params))
    assert str(refused.value) == f"params.{message}"


@pytest.mark.parametrize("answer", ["NaN", "1e999", "-1", "true", '"4"', "9" * 400])
def test_a_surface_that_answers_no_rate_is_refused(answer):
    """A number of 400 digits, too, is no float."""
    surface = {"command": ["/bin/echo", f'{{"gbps": {answer}}}']}
    with pytest.raises(BadEngineInput, match="did not answer"):
        profile(json.dumps({"surface": surface, "nodes": ["local"], "rates_gbps": [4]}).encode())


def test_the_schema_takes_what_the_verbs_take():
    done = subprocess.run(
        [sys.executable, "-m", "sextant_engine", "numasfp", "--schema"], capture_output=True, check=True, timeout=60
    )
    schema = json.loads(done.stdout)
    Draft202012Validator.check_schema(schema)
    document = Draft202012Validator(schema)
    for question in (
        RUN,
        STEP,
        {"table": {"x": {"local": {"4": [2, 10]}}}, "chain": ["x"], "node": "local", "rate_gbps": 1},
    ):
        assert document.is_valid(question)
    assert not document.is_valid({**RUN, "extra": 1})
    assert asked("run", b"", "--schema").stdout == done.stdout
