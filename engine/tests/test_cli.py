"""`python -m sextant_engine`, as a process of its own."""

import json
import subprocess
import sys

import pytest
from sextant_domain.plans.algorithm_kinds import CHOOSES_NODES
from sextant_domain.plans.evidence import Algorithm

PROBLEM = {
    "nodes": [{"id": "n0", "local": True, "cores": 2}, {"id": "n1", "local": False, "cores": 2}],
    "nf_types": {
        "A": {
            "stalls": 10.0,
            "ideal": {"local": 10.0, "remote": 8.0},
            "local": {"alpha": 0.2, "beta": 0.1, "c": 0.0},
            "remote": {"alpha": 0.1, "beta": 0.2, "c": 0.0},
        }
    },
    "chains": [{"id": "c0", "nfs": ["A", "A"]}],
}


def run(*arguments, stdin):
    raw = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
    return subprocess.run(
        [sys.executable, "-m", "sextant_engine", *arguments], input=raw, capture_output=True, timeout=60, check=False
    )


@pytest.mark.parametrize("algorithm", [name for name in CHOOSES_NODES if name is not Algorithm.NODE_BALANCE])
def test_solve_writes_the_result_as_the_format_says(algorithm):
    """Two As together on n0: 10 (1 - .3 x .1) = 9.7 Mpps."""
    done = run("solve", "--algorithm", algorithm, "--seconds", "30", "--seed", "1", stdin=PROBLEM)
    assert (done.returncode, done.stderr) == (0, b"")
    result = json.loads(done.stdout)
    assert set(result) == {
        "algorithm", "status", "objective", "score", "bound", "unproven", "assignment", "rejected", "moves", "chains",
        "evaluations", "seconds",
    }  # fmt: skip
    assert result["assignment"] == {"c0": ["n0", "n0"]}
    assert result["chains"]["c0"] == {"mpps": pytest.approx(9.7), "bottleneck": 0}


def test_evaluate_adds_every_nf():
    done = run("evaluate", stdin={"problem": PROBLEM, "assignment": {"c0": ["n0", "n0"]}})
    assert json.loads(done.stdout)["nfs"]["c0"][1]["mpps"] == pytest.approx(9.7)


def test_a_time_limit_of_0_still_gives_a_placement():
    done = run("solve", "--algorithm", "exact", "--seconds", "0", stdin=PROBLEM)
    assert json.loads(done.stdout)["assignment"].keys() == {"c0"}


def test_explain_says_who_hurts_whom():
    """Two As on n0: each loses 10 x (.2 + .1) x .1 = .3 Mpps to the other."""
    done = run("explain", stdin={"problem": PROBLEM, "assignment": {"c0": ["n0", "n0"]}})
    explained = json.loads(done.stdout)
    assert explained["mpps"] == [[0.0, pytest.approx(0.3)], [pytest.approx(0.3), 0.0]]
    assert explained["nfs"][0]["causes"][0]["cause"] == "neighbour"


def test_what_generate_writes_solve_reads():
    recipe = ("--chains", "3", "--nodes", "2", "--cores", "6", "--length", "2", "--mode", "C", "--seed", "5")
    made = run("generate", *recipe, stdin=b"")
    assert run("generate", *recipe, stdin=b"").stdout == made.stdout
    solved = json.loads(run("solve", "--algorithm", "exact", stdin=made.stdout).stdout)
    assert (solved["status"], len(solved["assignment"])) == ("optimal", 3)


def test_an_algorithm_that_is_none_is_refused_with_the_names_as_they_are_written():
    error = json.loads(run("solve", "--algorithm", "best", stdin=PROBLEM).stderr)
    assert "'anytime', 'brute', 'exact'" in error["message"]
    assert "Algorithm." not in error["message"]


BAD = [
    (("solve", "--algorithm", "node_first"), {**PROBLEM, "extra": 1}, "extra"),
    (("solve", "--algorithm", "node_first"), b'{"nf_types": {}, "nf_types": {}}', "nf_types"),
    (("solve", "--algorithm", "node_first"), b'{"nf_types": {}, "margin_mpps": NaN}', "margin_mpps"),
    (("solve", "--algorithm", "node_first"), b"", "(whole input)"),
    (("solve", "--algorithm", "best"), PROBLEM, "arguments"),
    (("solve",), PROBLEM, "arguments"),
    (("solve", "--algorithm", "brute", "--seconds", "nan"), PROBLEM, "--seconds"),
    (("solve", "--algorithm", "brute", "--seconds", "-1"), PROBLEM, "--seconds"),
    (("solve", "--algorithm", "anytime", "--seed", "-1"), PROBLEM, "--seed"),
    (("solve", "--algorithm", "octans", "--params", '{"memory": 1}'), PROBLEM, "params.memory"),
    (("generate", "--nodes", "0"), b"", "nodes"),
    (("explain",), {"problem": PROBLEM, "assignment": {"c9": ["n0"]}}, "assignment.c9"),
    (
        ("solve", "--algorithm", "brute"),
        {**PROBLEM, "chains": [{"id": f"c{n}", "nfs": ["A"] * 9} for n in range(9)]},
        "algorithm",
    ),
    (("evaluate",), {"problem": PROBLEM, "assignment": {"c0": ["n0"]}}, "assignment.c0"),
    (("evaluate",), {"problem": {**PROBLEM, "nodes": []}, "assignment": {}}, "problem.nodes"),
]


@pytest.mark.parametrize(("arguments", "stdin", "field"), BAD)
def test_bad_input_ends_with_status_2_and_one_line_that_names_the_field(arguments, stdin, field):
    done = run(*arguments, stdin=stdin)
    assert (done.returncode, done.stdout) == (2, b"")
    (line,) = done.stderr.decode().splitlines()
    error = json.loads(line)
    assert error["field"] == field
    assert error["message"]
