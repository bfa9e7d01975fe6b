"""Studies of NUMASFP as files and as results, beside those of placements: told apart by `kind`."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from sextant_domain.studies.numasfp import NumasfpScenario
from sextant_domain.studies.numasfp_result import NumasfpResult, numasfp_summary
from sextant_domain.studies.origin import Origin
from sextant_domain.studies.paper_figure import Expected, StudyLine, allowed, checked, verdict
from sextant_domain.studies.result import STUDY_RESULT, compared
from sextant_domain.studies.scenario import BadScenario, understood
from sextant_domain.studies.summary import STUDY_SUMMARY, StudyFound, summarised, summary_lines

EXAMPLES = Path(__file__).parents[2] / "examples" / "studies"
ORIGIN = Origin.model_validate(dict.fromkeys(Origin.model_fields, "1"))
TREE: dict[str, Any] = {
    "name": "small",
    "summary": "One NF.",
    "kind": "numasfp",
    "figure": "Fig. 3",
    "run": {
        "what": "rates",
        "rates_gbps": [5.0],
        "lines": [{"name": "local", "chain": ["onvm-router"], "nodes": [0]}],
    },
    "expect": [{"what": "local at 5 Gbps", "paper": 5.0, "tolerance": 0.5, "if_missed": "the port is slow"}],
}


def tree(**changes: Any) -> dict[str, Any]:
    return {**TREE, **changes}


def run_of(**changes: Any) -> dict[str, Any]:
    return tree(run={**TREE["run"], **changes})


def result(ours: float) -> NumasfpResult:
    scenario = understood(TREE)
    assert isinstance(scenario, NumasfpScenario)
    check = checked("local at 5 Gbps", "Gbps", ours, scenario.expect[0])
    line = StudyLine(name="local", unit="Gbps", x=(5.0,), y=(ours,))
    return NumasfpResult(
        kind="numasfp", scenario=scenario, origin=ORIGIN, checks=(check,), x="offered, Gbps", lines=(line,)
    )


LOOP = tomllib.loads((EXAMPLES / "numasfp-fig13.toml").read_text())["run"]
MOVE = tomllib.loads((EXAMPLES / "numasfp-fig4.toml").read_text())["run"]
LINE = {"name": "local", "chain": ["onvm-router"], "nodes": [0]}


@pytest.mark.parametrize(
    ("given", "field", "reported"),
    [
        (tree(speed=3), "speed", "is unknown"),
        (tree(run={"what": "dance"}), "run", "must have one of these as its 'what': 'rates'"),
        (tree(run=3), "run", "an object"),
        (tree(run=None), "run", "an object"),
        (run_of(rates_gbps=[]), "run.rates_gbps", "needs 1 or more"),
        (run_of(rates_gbps=[1.0] * 33), "run.rates_gbps", "32 at most"),
        (run_of(rates_gbps=[float("nan")]), "run.rates_gbps.0", "finite number"),
        (run_of(rates_gbps=["fast"]), "run.rates_gbps.0", "must be a number"),
        (run_of(lines=[{**LINE, "nodes": [0, 1]}]), "run.lines.0", "1 NFs, and 2 nodes"),
        (run_of(lines=[LINE, LINE]), "run", "two are called local"),
        (run_of(lines=[{**LINE, "against": "remote"}]), "run", "which is no earlier line"),
        (run_of(lines=[{**LINE, "chain": ["../etc"]}]), "run.lines.0.chain.0", "must match ^"),
        (tree(run={**LOOP, "seconds": 10**9}), "run.seconds", "must be at most 600"),
        (tree(run={**LOOP, "start": {"sfc1": "local"}}), "run", "names each chain once"),
        (tree(run={**LOOP, "changes": LOOP["changes"][1:]}), "run", "each chain has a rate from second 0 on"),
        (tree(run={**LOOP, "changes": [*LOOP["changes"], LOOP["changes"][0]]}), "run", "two of one chain"),
        (tree(run={**MOVE, "changes": [{"at_s": 1, "gbps": 1.0}]}), "run", "each chain has a rate from second 0 on"),
        (tree(run={**MOVE, "move_at_s": 20}), "run", "comes after the last second"),
        (tree(run={**LOOP, "nfs": {"router": "onvm-router"}}), "run", "basic-monitor is none of them"),
        (tree(expect=[{"what": "x", "paper": 1.0, "tolerance": -1.0}]), "expect.0.tolerance", "must be at least 0"),
        (tree(frame_bytes=63), "frame_bytes", "must be at least 64"),
        (tree(machine="../../etc/passwd"), "machine", "must match ^"),
    ],
)  # fmt: skip
def test_refused_with_its_field(given: dict[str, Any], field: str, reported: str) -> None:
    with pytest.raises(BadScenario) as refusal:
        understood(given)
    assert refusal.value.field == field
    assert reported in refusal.value.message


def test_ranges_are_those_of_their_family() -> None:
    traces = tomllib.loads((EXAMPLES / "numasfp-fig10.toml").read_text())["run"]
    wrong = {**traces["servers"][0], "ranges": {"mean": [3.0, 7.0]}}
    with pytest.raises(BadScenario, match="of diurnal are drawn mean, period, swing"):
        understood(tree(run={**traces, "servers": [wrong]}))
    turned = {**traces["servers"][0], "ranges": {**traces["servers"][0]["ranges"], "mean": [7.0, 3.0]}}
    with pytest.raises(BadScenario, match="the least of mean is above its most"):
        understood(tree(run={**traces, "servers": [turned]}))


@pytest.mark.parametrize(
    ("bound", "ours", "passed"),
    [
        ("within", 4.4, False),
        ("within", 4.6, True),
        ("within", 5.6, False),
        ("least", 5.6, True),
        ("least", 4.4, False),
        ("most", 4.4, True),
        ("most", 5.6, False),
    ],
)
def test_a_value_passes_within_its_tolerance(bound: Any, ours: float, passed: bool) -> None:
    """5 +- 0.5."""
    expected = Expected(what="x", paper=5.0, tolerance=0.5, bound=bound, if_missed="the port is slow")
    check = checked("x", "Gbps", ours, expected)
    assert (check.passed, check.reason) == (passed, None if passed else "the port is slow")
    assert verdict(check) == ("passed" if passed else "failed: the port is slow")


def test_what_the_paper_says_in_words() -> None:
    def said(bound: Any, tolerance: float) -> str:
        return allowed(checked("x", "Gbps", 5, Expected(what="x", paper=5.0, tolerance=tolerance, bound=bound)))

    assert said("within", 0.5) == "5 ± 0.5 Gbps"
    assert said("least", 0.0) == "at least 5 Gbps"
    assert said("most", 0.5) == "at most 5 (± 0.5) Gbps"
    unnamed = checked("x", "Gbps", 5, None)
    assert (allowed(unnamed), verdict(unnamed), unnamed.passed) == ("-", "-", None)


def test_results_and_summaries_are_read_by_their_kind() -> None:
    found = result(4.0)
    assert STUDY_RESULT.validate_json(found.model_dump_json()) == found
    summary = summarised(found)
    assert summary == numasfp_summary(found)
    assert STUDY_SUMMARY.validate_json(summary.model_dump_json()) == summary
    whole = StudyFound(summary=summary, repeated=None)
    assert StudyFound.model_validate_json(whole.model_dump_json()) == whole
    assert (summary.kind, summary.machine) == ("numasfp", "xeon-gold-6126")
    lines = "\n".join(summary_lines(summary))
    assert "0 passed, 1 failed" in lines and "failed: the port is slow" in lines and "simulated" in lines


@pytest.mark.parametrize("kind", [3, None, "dance", ["numasfp"]])
def test_a_result_of_no_known_kind_is_refused(kind: object) -> None:
    tree = result(5.0).model_dump(mode="json")
    with pytest.raises(ValidationError, match="kind_of"):
        STUDY_RESULT.validate_python({**tree, "kind": kind})


def test_a_result_without_a_kind_is_of_placements() -> None:
    """Results of 0.1 have none; one of NUMASFP lacks what those need."""
    tree = result(5.0).model_dump(mode="json")
    del tree["kind"]
    with pytest.raises(ValidationError, match="fits"):
        STUDY_RESULT.validate_python(tree)


def test_a_repetition_is_compared_figure_by_figure() -> None:
    assert compared(result(5.0), result(5.0)).equal
    assert not compared(result(5.0), result(5.000001)).equal


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("numasfp-*.toml")), ids=lambda path: path.stem)
def test_published_studies_are_read(path: Path) -> None:
    scenario = understood(tomllib.loads(path.read_text()))
    assert isinstance(scenario, NumasfpScenario)
    assert scenario.name == path.stem
    assert scenario.figures < 100_000
