"""Studies of figures of sfc2cpu's paper, as files and as results."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from sextant_domain.studies.origin import Origin
from sextant_domain.studies.paper_figure import StudyLine, checked
from sextant_domain.studies.result import STUDY_RESULT, compared
from sextant_domain.studies.scenario import BadScenario, scenario_of, understood
from sextant_domain.studies.sfc2cpu import Sfc2cpuScenario
from sextant_domain.studies.sfc2cpu_result import Sfc2cpuResult
from sextant_domain.studies.summary import STUDY_SUMMARY, summarised, summary_lines

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "studies").glob("sfc2cpu-*.toml"))
ORIGIN = Origin.model_validate(dict.fromkeys(Origin.model_fields, "1"))
VALUE = "ffd, 16 cores: throughput"
RUN: dict[str, Any] = {"what": "served", "cores": [4, 16], "assigners": ["min_max", "ffd"]}
TREE: dict[str, Any] = {
    "name": "small",
    "summary": "Two assigners.",
    "kind": "sfc2cpu",
    "figure": "Fig. 5b",
    "run": RUN,
    "expect": [{"what": VALUE, "paper": 1.38, "tolerance": 0.2, "if_missed": "no ring overflows"}],
}


def result(ours: float) -> Sfc2cpuResult:
    scenario = understood(TREE)
    assert isinstance(scenario, Sfc2cpuScenario)
    check = checked(VALUE, "Mpps", ours, scenario.expect[0])
    line = StudyLine(name="ffd", unit="Mpps", x=(4.0, 16.0), y=(1.9, ours))
    return Sfc2cpuResult(kind="sfc2cpu", scenario=scenario, origin=ORIGIN, checks=(check,), x="cores", lines=(line,))


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.stem)
def test_examples_are_read(file: Path) -> None:
    found = scenario_of(file.read_text())
    assert isinstance(found, Sfc2cpuScenario)
    assert (found.name, found.run.cores) == (file.stem, (4, 8, 12, 16))
    assert len({one.what for one in found.expect}) == len(found.expect) > 7


def test_there_are_examples_of_all_that_can_be_run() -> None:
    assert {tomllib.loads(file.read_text())["run"]["what"] for file in EXAMPLES} == {"loads", "served", "shares"}


@pytest.mark.parametrize(
    ("run", "field", "reported"),
    [
        ({"what": "dance"}, "run", "must have one of these as its 'what': 'loads'"),
        ({**RUN, "assigners": ["calibrated"]}, "run.assigners.0", "'rr'"),
        ({**RUN, "assigners": []}, "run.assigners", "1 or more"),
        ({**RUN, "cores": [1]}, "run.cores.0", "2"),
        ({**RUN, "cores": [4.0]}, "run.cores.0", "whole number"),
        ({**RUN, "instances": 0}, "run.instances", "1"),
        ({**RUN, "system_mpps": 0.0}, "run.system_mpps", "0"),
        ({**RUN, "kinds": []}, "run.kinds", "1 or more"),
        ({**RUN, "without_packets": ["poll"]}, "run.without_packets", "is unknown"),
        ({**RUN, "what": "loads", "kinds": ["router"]}, "run.kinds", "is unknown"),
        ({**RUN, "what": "shares", "without_packets": ["spin"]}, "run.without_packets.0", "'sleep'"),
    ],
)
def test_what_cannot_be_is_refused_by_its_field(run: dict[str, Any], field: str, reported: str) -> None:
    with pytest.raises(BadScenario) as refused:
        understood({**TREE, "run": run})
    assert refused.value.field == field
    assert reported in refused.value.message


def test_of_loads_no_machine_is_simulated() -> None:
    loads = understood({**TREE, "run": {**RUN, "what": "loads"}})
    assert (loads.simulated_server, understood(TREE).simulated_server) == ("ideal model", "epyc-7301")


def test_a_result_is_read_compared_and_told() -> None:
    missed, same = result(1.97), STUDY_RESULT.validate_json(result(1.97).model_dump_json())
    assert same == missed and compared(same, missed).equal and not compared(result(1.5), missed).equal
    summary = summarised(missed)
    assert STUDY_SUMMARY.validate_json(summary.model_dump_json()) == summary
    lines = list(summary_lines(summary))
    assert lines[1:3] == ["sfc2cpu, Fig. 5b; epyc-7301; simulated", "0 passed, 1 failed"]
    assert "1.97 Mpps" in lines[-1] and lines[-1].endswith("paper 1.38 ± 0.2 Mpps    failed: no ring overflows")
