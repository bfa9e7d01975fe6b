"""`sextant sfc2cpu`: networks are listed with their exams, trained as studies, promoted and reverted by some digits."""

import json
from typing import Any
from urllib.parse import unquote

import pytest
from sextant_cli.errors import Exit
from sextant_domain.profiling.estimates import estimate
from sextant_domain.studies.networks import (
    GATE_C,
    NetworkPromotion,
    NetworkVerdict,
    PromotionEnd,
    TrainedNetwork,
    WatchedHost,
)
from sextant_domain.studies.origin import Origin
from sextant_domain.studies.scenario import scenario_of
from sextant_domain.studies.school import SchoolCurve, SchoolExam, SchoolMark, SchoolReport, SchoolSummary
from sextant_domain.studies.school_costs import GamesCost
from sextant_domain.studies.study import Study, StudyProgress, StudyState

from .answers import NOW
from .console import FakeConsole
from .console_state import Answer, Asked

ONE, OTHER = f"sha256:664f{'0' * 60}", f"sha256:91ab{'0' * 60}"
ORIGIN = Origin(**dict.fromkeys(Origin.model_fields, "0"))
EXAM = SchoolExam(
    machine="epyc-7301",
    kinds=("nat",),
    instances=2,
    network=0.9123,
    rr=0.8083,
    lpt=0.9308,
    min_max=0.9284,
    over_rr=estimate([13.0, 15.0]),
    over_lpt=estimate([-2.0, -1.0]),
    over_min_max=estimate([-2.0, -1.0]),
)
CURVE = SchoolCurve(
    rr=0.8368,
    lpt=0.9757,
    marks=(SchoolMark(steps=0, served=0.37, loss=None), SchoolMark(steps=61_051, served=0.9388, loss=0.15)),
)
REPORT = SchoolReport(cores=4, seed=1, steps=61_051, seconds=82.0, curve=CURVE, exam=EXAM, origin=ORIGIN)
PROMOTION = NetworkPromotion(
    id=1,
    cores=4,
    weights=ONE,
    before=None,
    promoted_at=NOW,
    promoted_by="ada",
    hosts={"edge-1": WatchedHost(plan=3, since=NOW, worse=0, at=NOW, served=0.99, round_robin=0.93)},
    ended=None,
    ended_at=None,
    ended_by=None,
    verdict=None,
    rests_until=None,
)
SUMMARY = SchoolSummary(
    kind="school", name="school-4-cores", summary="A training.", machine="epyc-7301", report=REPORT, weights=ONE
)


class NetworkWorld:
    """Before the small console: two networks, and a training that goes a step further whenever it is looked at."""

    def __init__(self, console: FakeConsole) -> None:
        self._rest = console.handle
        self.asked: Any = None
        self.changed: list[tuple[str, str]] = []
        self.promotions = (PROMOTION,)
        self.report = REPORT
        self.done = 0

    def handle(self, asked: Asked) -> Answer:
        match asked.method, asked.path:
            case "GET", ["control", "sfc2cpu", "networks"]:
                items = [self.network(ONE), self.network(OTHER)]
                return 200, {"items": [one.model_dump(mode="json") for one in items], "next": None}, None
            case "GET", ["control", "sfc2cpu", "promotions"]:
                return 200, {"items": [one.model_dump(mode="json") for one in self.promotions], "next": None}, None
            case "PUT" | "DELETE", ["control", "sfc2cpu", "networks", weights, "promotion"]:
                self.changed.append((asked.method, unquote(weights)))
                return 200, PROMOTION, None
            case "POST", ["studies"]:
                self.asked = asked.body
                return 202, self.study(), '"1"'
            case "GET", ["studies", "4"]:
                self.done += 1
                return 200, self.study(), '"7"'
            case "GET", ["studies", "4", "summary"]:
                return 200, SUMMARY, None
        return self._rest(asked)

    def network(self, weights: str) -> TrainedNetwork:
        return TrainedNetwork(
            weights=weights, report=self.report, study=4, trained_at=NOW, trained_by="ada", in_force=weights == ONE
        )

    def study(self) -> Study:
        ended = self.done >= 2
        progress = StudyProgress(done=30, of=60, what="30 of 60 choices", seconds_left=40.0, curve=CURVE)
        return Study(
            id=4,
            name="school-4-cores",
            summary="A training.",
            kind="school",
            machine="epyc-7301",
            runs=1,
            state=StudyState.DONE if ended else StudyState.RUNNING,
            progress=progress,
            cancel_requested=False,
            error=None,
            repeat_of=None,
            repeated=None,
            attempts=1,
            created_by="ada",
            created_at=NOW,
            started_at=NOW,
            finished_at=NOW if ended else None,
            version=1,
        )


@pytest.fixture
def world(console: FakeConsole, monkeypatch: pytest.MonkeyPatch) -> NetworkWorld:
    made = NetworkWorld(console)
    monkeypatch.setattr(console, "handle", made.handle)
    return made


def _words(text: str) -> str:
    return " ".join(text.split())


def test_networks_are_listed_with_what_they_served_in_their_exams(world, sextant) -> None:
    shown = _words(sextant("sfc2cpu", "networks").stdout)
    assert "664f00000000 4 the ideal model 1 61,051 93.9 % 83.7 % 97.6 % 91.2 % 80.8 % 93.1 % in force ada" in shown
    assert "91ab00000000" in shown and "93.1 % trained ada" in shown
    assert len(json.loads(sextant("sfc2cpu", "networks", "-o", "json").stdout)["items"]) == 2


def test_a_training_is_a_study_whose_curve_is_followed(world, sextant) -> None:
    ran = sextant("sfc2cpu", "train", "--cores", "4", "--seed", "7", "--steps", "9000", "--wait")
    assert ran.exit_code == 0, ran.output
    scenario = scenario_of(world.asked["scenario_toml"])
    assert (scenario.kind, scenario.cores, scenario.seed, scenario.lessons.steps) == ("school", 4, 7, 9000)
    assert "30 of 60 choices, 40 s left: 93.9 % of packets served in the last exam, round robin 83.7 %" in ran.stderr
    assert "School, 4 cores, seed 1, 61,051 steps in 82 s; simulated" in ran.stdout
    assert "the network serves -1.50 +- 6.35 % more than lpt" in ran.stdout
    sextant("sfc2cpu", "train", "--cores", "8", "--long")
    assert scenario_of(world.asked["scenario_toml"]).lessons.steps == 500_000


def test_games_go_by_the_costs_of_a_host(world, sextant) -> None:
    sextant("sfc2cpu", "train", "--cores", "12", "--cost-of", "edge-1")
    scenario = scenario_of(world.asked["scenario_toml"])
    assert scenario.cost is not None
    assert (scenario.cores, scenario.cost.host, scenario.cost.model) == (12, "edge-1", None)
    curve = CURVE.model_copy(update={"cost": GamesCost(host="edge-1", version=3, digest=ONE)})
    world.report = REPORT.model_copy(update={"curve": curve})
    assert "664f00000000 4 the costs of edge-1, version 3 1" in _words(sextant("sfc2cpu", "networks").stdout)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("--cost-of", "Edge 1"), "--cost-of must match"),
        (("--seed", str(2**31)), "--seed must be less than 2147483648"),
    ],
)
def test_what_no_training_is_is_refused_by_option(world, sextant, given, said) -> None:
    refused = sextant("sfc2cpu", "train", "--cores", "4", *given)
    assert refused.exit_code == Exit.BAD_INPUT
    assert said in _words(refused.stderr) and world.asked is None


def test_one_is_promoted_and_reverted_by_its_first_digits(world, sextant) -> None:
    promoted = sextant("sfc2cpu", "promote", "664f")
    assert "network 664f00000000 is in force for hosts with 4 cores that NFs may share" in _words(promoted.stdout)
    assert _words(GATE_C) in _words(promoted.stdout)
    reverted = sextant("sfc2cpu", "revert", ONE)
    assert "in force for 4 cores is calibrated or min_max, as each host has it" in _words(reverted.stdout)
    assert world.changed == [("PUT", ONE), ("DELETE", ONE)]


@pytest.mark.parametrize(("digits", "said"), [("", "2 networks' digests begin"), ("abc", "No network's digest begins")])
def test_digits_that_name_none_or_several_are_refused(world, sextant, digits, said) -> None:
    refused = sextant("sfc2cpu", "promote", digits)
    assert refused.exit_code == Exit.BAD_INPUT and said in _words(refused.stderr)
    assert world.changed == []


def test_why_one_is_not_in_force_any_more_is_said(world, sextant) -> None:
    verdict = NetworkVerdict(host="edge-1", served=0.82, round_robin=1.0, at=NOW)
    ended = {"ended": PromotionEnd.WORSE, "ended_at": NOW, "ended_by": "system", "verdict": verdict, "rests_until": NOW}
    shown = _words(sextant("sfc2cpu", "promotions").stdout)
    assert "in force edge-1 edge-1: 99.0 % of packets, round robin 93.0 %" in shown
    world.promotions = (NetworkPromotion.model_validate(PROMOTION.model_copy(update=ended).model_dump()),)
    shown = _words(sextant("sfc2cpu", "promotions").stdout)
    assert "worse" in shown and "by system, rests until" in shown
