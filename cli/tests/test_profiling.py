"""`sextant profile`: what is asked for, what is shown while a job measures, and how it ends."""

import json
from typing import Any

import pytest
from sextant_cli.errors import Exit
from sextant_cli.show_profiling import JOB_COLUMNS, beside_text, chain_text, job_line, job_row
from sextant_domain.base import Provenance
from sextant_domain.problem import Problem, problem_type
from sextant_domain.profiling.job import (
    JobAction,
    JobOffer,
    JobState,
    PointPurpose,
    PointSetting,
    PointState,
    ProfileRecord,
    ProfilingAsk,
    ProfilingDesign,
    ProfilingJob,
    ProfilingPoint,
    StandingNf,
)
from sextant_domain.profiling.profile import Estimate, ProfiledNf, ProfileMode, ProfileRequest, ProfileResult

from .answers import NOW
from .console import FakeConsole
from .console_state import Answer, Asked, Refusal

SETTING = PointSetting(
    purpose=PointPurpose.LOCAL,
    ingress_node=0,
    chain=(StandingNf(nf_type="firewall", node=0),),
    others=(StandingNf(nf_type="router", node=0),) * 2,
)


class ProfilingWorld:
    """Before the small console: one job, which measures a point whenever it is looked at."""

    def __init__(self, console: FakeConsole) -> None:
        self._rest = console.handle
        self.asked: dict[str, Any] = {}
        self.done = 0
        self.state = JobState.PROCESSING
        self.error: Problem | None = None
        self.actions: list[str] = []

    def handle(self, asked: Asked) -> Answer:
        match asked.method, asked.path:
            case "POST", ["profiling", "designs"]:
                return 200, self._design(asked.body), None
            case "POST", ["profiling", "jobs"]:
                self.asked = asked.body
                return 202, self.job(), '"1"'
            case "GET", ["profiling", "jobs", "4"]:
                self._measure()
                return 200, self.job(), '"1"'
            case "GET", ["profiling", "jobs"]:
                return 200, {"items": [self.job().model_dump(mode="json")], "next": None}, None
            case "GET", ["profiling", "jobs", "4", "points"]:
                return 200, {"items": [a_point().model_dump(mode="json")], "next": None}, None
            case "POST", ["profiling", "jobs", "4", "actions"]:
                return self._steer(asked.body["action"])
            case "GET", ["profiling", "records"]:
                assert asked.query.get("nf_type") == "firewall"
                return 200, {"items": [a_record().model_dump(mode="json")] * 2, "next": None}, None
        return self._rest(asked)

    def _design(self, body: Any) -> ProfilingDesign:
        return ProfilingDesign(
            ask=ProfilingAsk.model_validate(body),
            host_model="test-cpu 1x2",
            points=(SETTING, SETTING),
            known=3,
            expected_s=61.0,
            most_s=7500.0,
            left_out=("crossing: the host has one NUMA node",),
        )

    def _measure(self) -> None:
        self.done = min(2, self.done + 1)
        if self.done == 2 and self.state is JobState.PROCESSING:
            self.state = JobState.COMPLETED if self.error is None else JobState.FAILED

    def _steer(self, action: str) -> Answer:
        if action == "retry":
            raise Refusal(409, "action-not-allowed", "no point has failed, and none was not measurable")
        self.actions.append(action)
        self.state = JobState.PAUSED
        return 202, self.job(), None

    def job(self) -> ProfilingJob:
        return ProfilingJob(
            id=4,
            state=self.state,
            ask=ProfilingAsk(nf_type="firewall", host="edge-1"),
            nf_version=2,
            host_model="test-cpu 1x2",
            points=2,
            done=self.done,
            failed=0,
            seconds_left=30.0 * (2 - self.done),
            note="core 1 runs edge.router" if self.state is JobState.PAUSED else None,
            error=self.error,
            actions=(JobOffer(action=JobAction.PAUSE, allowed=True, reason="sends no further point"),),
            created_at=NOW,
            created_by="ada",
            started_at=NOW,
            finished_at=None,
            version=1,
        )


def a_point() -> ProfilingPoint:
    drop = Estimate(value=10.0, half_width=0.4, count=8)
    mpps = Estimate(value=9.0, half_width=0.05, count=3)
    return ProfilingPoint(
        id=1, job_id=4, number=0, setting=SETTING, state=PointState.DONE, mpps=mpps, drop_percent=drop, samples=3
    )


def a_record() -> ProfileRecord:
    nf = ProfiledNf(nf_type="firewall", core=1)
    request = ProfileRequest(mode=ProfileMode.SOLO, nf=nf)
    result = ProfileResult(
        request=request, provenance=Provenance.MEASURED, ended="not-measurable", not_measurable="no L3 is shared"
    )
    return ProfileRecord(
        id=1,
        job_id=4,
        point_id=1,
        host="edge-1",
        host_model="test-cpu 1x2",
        versions={"firewall": 2},
        setting=SETTING,
        request=request,
        result=result,
        stored_at=NOW,
        provenance=Provenance.MEASURED,
    )


@pytest.fixture
def world(console: FakeConsole, monkeypatch: pytest.MonkeyPatch) -> ProfilingWorld:
    made = ProfilingWorld(console)
    monkeypatch.setattr(console, "handle", made.handle)
    return made


def test_a_design_says_how_much_and_how_long(sextant, world) -> None:
    result = sextant("profile", "design", "firewall", "--host", "edge-1")
    assert result.exit_code == 0, result.output
    assert "packets of 64 bytes, 100000 flows" in result.stdout
    assert "2 points, 3 more were measured before and are not repeated; about 61 s, 2 h 5 min at most" in result.stdout
    assert "left out: crossing: the host has one NUMA node" in result.stdout


def test_a_design_of_which_no_model_can_come_says_so_and_where_there_is_more_room(sextant, world, monkeypatch) -> None:
    plain = world._design
    thin = {"no_model": "too few samples: 0 of 2 'local'", "roomier_host": "edge-2"}
    monkeypatch.setattr(world, "_design", lambda body: plain(body).model_copy(update=thin))
    shown = sextant("profile", "design", "firewall", "--host", "edge-1").stdout
    assert "it will give no model: too few samples: 0 of 2 'local'" in shown
    assert "edge-2, of the same model, has more free cores on the node where packets arrive" in shown


@pytest.mark.parametrize(
    ("options", "mpps"),
    [((), 14.88), (("--packet-bytes", "1518"), 0.8127), (("--packet-bytes", "1518", "--rate", "2"), 2.0)],
)
def test_competitors_are_offered_what_fills_a_link_unless_a_rate_is_named(sextant, world, options, mpps) -> None:
    """10 Gbps / (8 x 84 bytes) = 14.88 Mpps, / (8 x 1538 bytes) = 0.8127."""
    assert sextant("profile", "start", "firewall", "--host", "edge-1", *options).exit_code == 0
    assert ProfilingAsk.model_validate(world.asked).rate_mpps == mpps


@pytest.mark.parametrize(
    ("options", "flows"), [((), None), (("--flows", "500"), 500), (("--flows", "100000"), 100_000)]
)
def test_flows_are_asked_for_only_where_they_are_named(sextant, world, options, flows) -> None:
    """Else the console chooses, by what the host can play."""
    assert sextant("profile", "start", "firewall", "--host", "edge-1", *options).exit_code == 0
    assert world.asked.get("flows") == flows


def test_what_the_host_could_not_measure_is_no_measured_point(sextant, world) -> None:
    """Of 13 points that are done 9 have no figures."""
    job = world.job().model_copy(update={"points": 13, "done": 13, "not_measurable": 9})
    assert job_line(job).startswith("job 4  PROCESSING  firewall on edge-1, 13 of 13 points, 9 not measurable")
    shown = dict(zip(JOB_COLUMNS, job_row(job), strict=True))
    assert (shown["POINTS>"], shown["MEASURED>"], shown["NOT MEASURABLE>"], shown["FAILED>"]) == ("13", "4", "9", "0")


def test_a_job_is_asked_for_as_the_options_say_and_followed_to_its_end(sextant, world) -> None:
    options = ("--beside", "nat", "--beside", "router", "--rate", "0", "--half-width", "2", "--fresh", "--wait")
    result = sextant("profile", "start", "firewall", "--host", "edge-1", *options)
    assert result.exit_code == 0, result.output
    assert ProfilingAsk.model_validate(world.asked) == ProfilingAsk(
        nf_type="firewall",
        host="edge-1",
        competitors=("nat", "router"),
        rate_mpps=None,
        half_width_percent=2.0,
        fresh=True,
    )
    assert "job 4  PROCESSING  firewall on edge-1, 1 of 2 points, 30 s left" in result.stderr
    assert "job 4  COMPLETED  firewall on edge-1, 2 of 2 points" in result.stdout


def test_a_job_that_fails_ends_with_its_cause_and_status_1(sextant, world) -> None:
    world.error = Problem(
        type=problem_type("profiling-failed"), title="Not profiled", status=500, detail="the NF crashed"
    )
    result = sextant("profile", "watch", "4")
    assert result.exit_code == 1
    assert "the NF crashed" in result.stderr


def test_a_paused_job_is_shown_with_its_reason_and_a_refusal_with_its_own(sextant, world) -> None:
    assert "job 4  PAUSED" in sextant("profile", "pause", "4").stdout
    assert "core 1 runs edge.router" in sextant("profile", "watch", "4").stdout
    assert world.actions == ["pause"]
    refused = sextant("profile", "retry", "4")
    assert refused.exit_code == Exit.REFUSED and "no point has failed" in refused.stderr


def test_points_and_jobs_are_described_in_words(sextant, world) -> None:
    shown = sextant("profile", "points", "4").stdout
    assert "2 router@0" in shown and "9.00 +- 0.05 Mpps" in shown and "10.00 +- 0.40 %" in shown
    assert "firewall" in sextant("profile", "jobs").stdout


def test_records_come_one_a_line_for_other_programs(sextant, world) -> None:
    result = sextant("profile", "records", "--nf-type", "firewall", "--json")
    lines = result.stdout.splitlines()
    assert [ProfileRecord.model_validate(json.loads(line)) for line in lines] == [a_record()] * 2
    assert "edge-1" in sextant("profile", "records", "--nf-type", "firewall").stdout


def test_slower_competitors_and_neighbours_of_the_chain_are_described():
    fed = SETTING.model_copy(update={"rate_mpps": 0.93, "others_a_chain": 2, "downstream": SETTING.others[:1]})
    assert beside_text(fed) == "2 router@0 in chains of 2 at 0.93 Mpps"
    assert chain_text(fed).endswith("> (router@0)")
