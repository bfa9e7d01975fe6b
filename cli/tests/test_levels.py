"""`sextant levels`: listed, shown, measured with progress, promoted and retired."""

import json
from typing import Any

import pytest
from sextant_cli.errors import Exit
from sextant_cli.show_profiling import beside_text, job_line
from sextant_domain.base import Provenance
from sextant_domain.hosts.levels import Level, TypeLevels
from sextant_domain.hosts.measured_levels import LevelsState, LevelsVersion, MeasuredLevels, NodeLevels, RateFront
from sextant_domain.profiling.job import JobState, PointPurpose, PointSetting, ProfilingAsk, ProfilingJob, StandingNf

from .answers import NOW
from .console import FakeConsole
from .console_state import Answer, Asked, Refusal

FRONTS = (RateFront(gbps=4.0, points=((1, 60), (2, 20))), RateFront(gbps=9.0, points=()))


def a_version(**changes: Any) -> LevelsVersion:
    node = NodeLevels(kind="local", fronts=FRONTS, points_measured=31, points_of_grid=100)
    values: dict[str, Any] = {
        "id": 3,
        "host_model": "test-cpu 2x8",
        "nf_type": "firewall",
        "nf_version": 2,
        "version": 1,
        "state": LevelsState.DRAFT,
        "measured": MeasuredLevels(
            levels=TypeLevels(local=(Level(gbps=4.0, ways=2, mb_percent=20),)),
            nodes=(node,),
            noise_percent=0.5,
            packet_bytes=64,
            flows=100_000,
        ),
        "provenance": Provenance.SIMULATED,
        "job_id": 4,
        "host": "sim-1",
        "created_at": NOW,
        "created_by": "ada",
    }
    return LevelsVersion(**{**values, **changes})


class LevelsWorld:
    """Before the small console: one version, and the job that finds it, done when it is looked at twice."""

    def __init__(self, console: FakeConsole) -> None:
        self._rest = console.handle
        self.asked: dict[str, Any] = {}
        self.looks = 0
        self.decided: list[str] = []

    def handle(self, asked: Asked) -> Answer:
        match asked.method, asked.path:
            case "GET", ["levels"]:
                return 200, {"items": [a_version().model_dump(mode="json")], "next": None}, None
            case "GET", ["levels", "3"]:
                return 200, a_version(), '"draft"'
            case "POST", ["levels", "3", what]:
                self.decided.append(what)
                state = LevelsState.PROMOTED if what == "promotion" else LevelsState.RETIRED
                return 200, a_version(state=state, table_version=1), None
            case "POST", ["levels", "9", "promotion"]:
                raise Refusal(409, "not-promotable", "Levels 9 were not promoted: they are in use already")
            case "POST", ["profiling", "jobs"]:
                self.asked = asked.body
                return 202, self.job(), '"1"'
            case "GET", ["profiling", "jobs", "4"]:
                self.looks += 1
                return 200, self.job(), '"1"'
        return self._rest(asked)

    def job(self) -> ProfilingJob:
        ended = self.looks > 1
        return ProfilingJob(
            id=4,
            state=JobState.COMPLETED if ended else JobState.PROCESSING,
            ask=ProfilingAsk.model_validate(self.asked),
            nf_version=2,
            host_model="test-cpu 2x8",
            points=31 if ended else 12,
            done=31 if ended else 11,
            grid_points=100,
            levels_id=3 if ended else None,
            failed=0,
            seconds_left=None if ended else 20.0,
            created_at=NOW,
            created_by="ada",
            started_at=NOW,
            finished_at=NOW if ended else None,
            version=1,
        )


@pytest.fixture
def world(console: FakeConsole, monkeypatch: pytest.MonkeyPatch) -> LevelsWorld:
    made = LevelsWorld(console)
    monkeypatch.setattr(console, "handle", made.handle)
    return made


def test_the_list_says_how_far_levels_go_and_where_they_come_from(sextant, world) -> None:
    shown = sextant("levels").stdout
    assert "simulated" in shown and "4 Gbps" in shown and "31 of 100" in shown and "draft" in shown
    assert json.loads(sextant("levels", "list", "-o", "json").stdout)["items"][0]["id"] == 3


def test_a_version_shows_what_each_rate_takes_and_what_else_carries_it(sextant, world) -> None:
    shown = sextant("levels", "show", "3").stdout
    assert "simulated by job 4 on sim-1" in shown
    assert "packets of 64 bytes, 100000 flows, error of a measurement 0.5 %, 31 of 100 points" in shown
    rows = [line.split() for line in shown.splitlines() if line.strip().startswith(("4 ", "9 "))]
    assert rows[0][:5] == ["4", "2", "ways,", "20", "%"]
    assert "1 way, 60 %" in shown, "the other point of the front"
    assert rows[1][1] == "-", "nothing carries 9 Gbps"
    assert "sextant levels promote 3" in shown


def test_a_job_is_asked_for_as_the_options_say_and_followed_to_its_levels(sextant, world) -> None:
    options = ("--rate", "2", "--rate", "4.5", "--node", "local", "--half-width", "2", "--fresh", "--wait")
    result = sextant("levels", "measure", "firewall", "--host", "sim-1", *options)
    assert result.exit_code == 0, result.output
    ask = ProfilingAsk.model_validate(world.asked)
    assert ask.levels is not None
    assert (ask.levels.rates_gbps, ask.levels.nodes, ask.half_width_percent, ask.fresh) == (
        (2.0, 4.5),
        ("local",),
        2,
        True,
    )
    assert "flows" not in world.asked, "the console chooses, by what the host can play"
    assert "levels of firewall on sim-1, 11 of the grid's 100 points, 20 s left" in result.stderr
    assert "it found levels 3" in result.stdout and "2 ways, 20 %" in result.stdout


def test_rates_are_1_to_10_gbps_unless_they_are_named(sextant, world) -> None:
    result = sextant("levels", "measure", "firewall", "--host", "sim-1")
    assert "sextant profile watch 4" in result.stderr
    assert world.asked["levels"] == {"rates_gbps": [float(rate) for rate in range(1, 11)], "nodes": ["local", "remote"]}


def test_promoting_and_retiring_say_what_laws_go_by(sextant, world) -> None:
    assert (
        "control laws go by levels 3 (version 1) of firewall on test-cpu 2x8"
        in sextant("levels", "promote", "3").stdout
    )
    assert "control laws go no more by levels 3" in sextant("levels", "retire", "3").stdout
    assert world.decided == ["promotion", "retirement"]
    refused = sextant("levels", "promote", "9")
    assert refused.exit_code == Exit.REFUSED and "in use already" in refused.stderr


@pytest.mark.parametrize("options", [("--node", "near"), ("--rate", "-1"), ("--rate", "fast"), ("--half-width", "0")])
def test_what_cannot_be_is_refused_at_once(sextant, world, options) -> None:
    assert sextant("levels", "measure", "firewall", "--host", "sim-1", *options).exit_code == 2
    assert world.asked == {}


def test_a_point_is_described_by_what_the_nf_has() -> None:
    setting = PointSetting(
        purpose=PointPurpose.LEVEL, ingress_node=0, chain=(StandingNf(nf_type="firewall", node=0),), llc_ways=3,
        memory_bandwidth_percent=40,
    )  # fmt: skip
    assert beside_text(setting) == "(with 3 ways, 40 %)"


def test_the_line_of_a_job_counts_points_of_its_grid(world) -> None:
    world.asked = {"nf_type": "firewall", "host": "sim-1", "levels": {}}
    world.looks = 2
    assert job_line(world.job()) == "job 4  COMPLETED  levels of firewall on sim-1, 31 of the grid's 100 points"
