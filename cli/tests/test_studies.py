"""`sextant studies`: a scenario is checked here, run there, reported step by step, and drawn."""

import json
from pathlib import Path
from typing import Any

import pytest
from sextant_cli.errors import Exit
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.problem import Problem, problem_type
from sextant_domain.profiling.estimates import estimate
from sextant_domain.studies.result import Repeated
from sextant_domain.studies.scenario import MAX_SCENARIO_BYTES, scenario_of
from sextant_domain.studies.study import Study, StudyProgress, StudyScenario, StudyState
from sextant_domain.studies.summary import Gain, PlacedTotal, PlacementSummary, SetSummary

from .answers import NOW
from .console import FakeConsole
from .console_state import Answer, Asked, Refusal

TOML = (Path(__file__).parents[2] / "examples" / "studies" / "placement-gains.toml").read_text(encoding="utf-8")
SUMMARY = PlacementSummary(
    name="placement-gains",
    summary="Four chains.",
    kind="placement",
    machine="xeon-e5-2650-v4",
    runs=3,
    metric="stalls",
    qualifies=True,
    refused=(),
    sets=(
        SetSummary(
            set="edge",
            chains=4,
            nfs=10,
            totals=tuple(
                PlacedTotal(algorithm=algorithm, carried_mpps=estimate([mpps]), predicted_mpps=estimate([mpps]))
                for algorithm, mpps in ((Algorithm.EXACT, 20.0), (Algorithm.NODE_BALANCE, 10.0))
            ),
        ),
    ),
    gains=(Gain(over=Algorithm.NODE_BALANCE, percent=estimate([100.0])),),
)


class StudyWorld:
    """Before the small console: one study, which goes a step further whenever it is looked at."""

    def __init__(self, console: FakeConsole) -> None:
        self._rest = console.handle
        self.asked: Any = None
        self.done = 0
        self.ends = StudyState.DONE
        self.error: Problem | None = None
        self.repeated: Repeated | None = None
        self.removed_as: str | None = None

    def handle(self, asked: Asked) -> Answer:
        match asked.method, asked.path:
            case "POST", ["studies"]:
                self.asked = asked.body
                return 202, self.study(), '"1"'
            case "POST", ["studies", "4", "repetition"]:
                return 202, self.study(), '"1"'
            case "POST", ["studies", "4", "cancellation"]:
                raise Refusal(409, "action-not-allowed", "it is done")
            case "GET", ["studies"]:
                return 200, {"items": [self.study().model_dump(mode="json")], "next": None}, None
            case "GET", ["studies", "4"]:
                self.done = min(2, self.done + 1)
                return 200, self.study(), '"7"'
            case "GET", ["studies", "4", "summary"]:
                return 200, SUMMARY, None
            case "GET", ["studies", "4", "result"]:
                return 200, {"figures": 3}, None
            case "GET", ["studies", "4", "scenario"]:
                return 200, StudyScenario(toml=TOML, scenario=scenario_of(TOML)), None
            case "DELETE", ["studies", "4"]:
                self.removed_as = asked.headers.get("if-match")
                return 204, None, None
        return self._rest(asked)

    def study(self) -> Study:
        ended = self.done == 2
        return Study(
            id=4,
            name="placement-gains",
            summary="Four chains.",
            kind="placement",
            machine="xeon-e5-2650-v4",
            runs=3,
            state=self.ends if ended else StudyState.RUNNING,
            progress=StudyProgress(done=self.done, of=2, what="draw centre, seed 1: edge", seconds_left=40.0),
            cancel_requested=False,
            error=self.error if ended else None,
            repeat_of=None if self.repeated is None else 3,
            repeated=self.repeated if ended else None,
            attempts=1,
            created_by="ada",
            created_at=NOW,
            started_at=NOW,
            finished_at=NOW if ended else None,
            version=1,
        )


@pytest.fixture
def world(console: FakeConsole, monkeypatch: pytest.MonkeyPatch) -> StudyWorld:
    made = StudyWorld(console)
    monkeypatch.setattr(console, "handle", made.handle)
    return made


@pytest.fixture
def scenario(tmp_path: Path) -> str:
    path = tmp_path / "study.toml"
    path.write_text(TOML, encoding="utf-8")
    return str(path)


def test_a_study_is_run_printed_and_drawn(sextant, world, scenario) -> None:
    """20 of 20 Mpps is the whole bar of 40 signs, 10 Mpps half of it."""
    ran = sextant("studies", "run", scenario, "--wait")
    assert ran.exit_code == 0, ran.output
    assert world.asked == {"scenario_toml": TOML}
    assert "step 1 of 2: draw centre, seed 1: edge, 40 s left" in ran.stderr
    assert "study 4  done  placement-gains" in ran.stdout
    assert f"exact            {'#' * 40} 20.00 Mpps" in ran.stdout
    assert f"node_balance     {'#' * 20}{' ' * 20} 10.00 Mpps" in ran.stdout


def test_it_may_come_from_stdin(sextant, world) -> None:
    assert sextant("studies", "run", "-", stdin=TOML).exit_code == 0
    assert world.asked == {"scenario_toml": TOML}


@pytest.mark.parametrize(
    ("toml", "message"),
    [
        (TOML.replace("seeds", "sedes"), "sedes: is unknown: remove it"),
        ("name =", "is no TOML"),
        (TOML + "#" * MAX_SCENARIO_BYTES, f"the most is {MAX_SCENARIO_BYTES}"),
    ],
)
def test_what_cannot_be_never_leaves_this_machine(sextant, world, toml, message) -> None:
    refused = sextant("studies", "run", "-", stdin=toml)
    assert refused.exit_code == Exit.BAD_INPUT and message in refused.stderr
    assert world.asked is None
    assert sextant("studies", "run", "none.toml").exit_code == Exit.BAD_INPUT


@pytest.mark.parametrize(("state", "status"), [(StudyState.FAILED, 1), (StudyState.REFUSED, 2)])
def test_one_that_ends_without_a_result_says_why(sextant, world, state, status) -> None:
    world.ends = state
    world.error = Problem(type=problem_type("study-failed"), title="It failed", status=500, detail="no room")
    watched = sextant("studies", "watch", "4")
    assert watched.exit_code == status and "no room" in watched.stderr


@pytest.mark.parametrize(
    ("repeated", "status", "line"),
    [
        (Repeated(equal=True), 0, "beside study 3: equal in every figure"),
        (Repeated(equal=False, differs=("numpy",)), 1, "figures differ, and so do numpy"),
        (Repeated(equal=False), 1, "figures differ, and nothing else does"),
    ],
)
def test_a_repetition_says_whether_it_is_equal(sextant, world, repeated, status, line) -> None:
    world.repeated = repeated
    again = sextant("studies", "repeat", "4", "--wait")
    assert again.exit_code == status and line in again.stdout


def test_what_it_was_and_what_it_found_can_be_taken_away(sextant, world, tmp_path) -> None:
    assert sextant("studies", "export", "4").stdout == TOML
    assert sextant("studies", "result", "4", "--out", str(tmp_path / "r.json")).exit_code == 0
    assert json.loads((tmp_path / "r.json").read_text()) == {"figures": 3}
    assert sextant("studies", "result", "4", "--out", str(tmp_path / "none" / "r.json")).exit_code == Exit.BAD_INPUT


def test_lists_refusals_and_removal(sextant, world) -> None:
    assert "placement-gains" in sextant("studies", "list").stdout
    refused = sextant("studies", "cancel", "4")
    assert refused.exit_code == Exit.REFUSED and "it is done" in refused.stderr
    assert sextant("studies", "remove", "4").exit_code == 0
    assert world.removed_as == '"7"', "as it was read"
