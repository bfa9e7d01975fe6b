"""`sextant shares`: listed, shown, measured with progress, promoted and retired."""

import json
from typing import Any

import pytest
from sextant_cli.errors import Exit
from sextant_cli.show_profiling import beside_text, job_line
from sextant_domain.base import Provenance
from sextant_domain.hosts.measured_shares import (
    HopDelay,
    MeasuredShares,
    ShareLine,
    SharePoint,
    SharesState,
    SharesVersion,
)
from sextant_domain.profiling.job import JobState, PointPurpose, PointSetting, ProfilingAsk, ProfilingJob, StandingNf

from .answers import NOW
from .console import FakeConsole
from .console_state import Answer, Asked, Refusal

LINE = ShareLine(slope=0.1, intercept=0.05, slope_half_width=0.001, intercept_half_width=0.01, r_squared=0.9987)


def a_version(**changes: Any) -> SharesVersion:
    points = tuple(SharePoint(mpps=mpps, share=0.1 * mpps + 0.05, half_width=0.002) for mpps in (1.0, 2.0, 4.5))
    values: dict[str, Any] = {
        "id": 3,
        "host_model": "test-cpu 2x8",
        "nf_type": "firewall",
        "nf_version": 2,
        "version": 1,
        "state": SharesState.DRAFT,
        "measured": MeasuredShares(
            line=LINE, refused=None, points=points, carries_mpps=9.0, packet_bytes=64, flows=100_000
        ),
        "provenance": Provenance.SIMULATED,
        "job_id": 4,
        "host": "sim-1",
        "created_at": NOW,
        "created_by": "ada",
    }
    return SharesVersion(**{**values, **changes})


class SharesWorld:
    """Before the small console: one version, and the job that finds it, done when it is looked at twice."""

    def __init__(self, console: FakeConsole) -> None:
        self._rest = console.handle
        self.asked: dict[str, Any] = {}
        self.looks = 0
        self.decided: list[str] = []
        self.version = a_version()

    def handle(self, asked: Asked) -> Answer:
        match asked.method, asked.path:
            case "GET", ["shares"]:
                return 200, {"items": [self.version.model_dump(mode="json")], "next": None}, None
            case "GET", ["shares", "3"]:
                return 200, self.version, '"draft"'
            case "POST", ["shares", "3", what]:
                self.decided.append(what)
                state = SharesState.PROMOTED if what == "promotion" else SharesState.RETIRED
                return 200, a_version(state=state), None
            case "POST", ["shares", "9", "promotion"]:
                raise Refusal(409, "not-promotable", "Shares 9 were not promoted: they are in use already")
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
            points=7 if ended else 3,
            done=7 if ended else 2,
            grid_points=7,
            shares_id=3 if ended else None,
            failed=0,
            seconds_left=None if ended else 20.0,
            created_at=NOW,
            created_by="ada",
            started_at=NOW,
            finished_at=NOW if ended else None,
            version=1,
        )


@pytest.fixture
def world(console: FakeConsole, monkeypatch: pytest.MonkeyPatch) -> SharesWorld:
    made = SharesWorld(console)
    monkeypatch.setattr(console, "handle", made.handle)
    return made


def test_the_list_says_the_line_and_where_it_comes_from(sextant, world) -> None:
    shown = sextant("shares").stdout
    assert "simulated" in shown and "0.99870" in shown and "draft" in shown
    assert json.loads(sextant("shares", "list", "-o", "json").stdout)["items"][0]["id"] == 3


def test_a_version_shows_its_line_and_its_points(sextant, world) -> None:
    shown = sextant("shares", "show", "3").stdout
    assert "simulated by job 4 on sim-1" in shown and "of a full line it carried 9 Mpps" in shown
    assert "10 % of a core an Mpps (+/- 0.1), and 5 % besides (+/- 1): R^2 0.99870" in shown
    row = next(line.split() for line in shown.splitlines() if line.strip().startswith("4.5"))
    assert row == ["4.5", "50", "0.2", "50", "#" * 20]
    assert "sextant shares promote 3" in shown


def test_a_version_with_hops_shows_what_they_cost(sextant, world) -> None:
    hop = HopDelay(distance="same_node", us=12.9, half_width_us=1.25, mpps=0.5)
    world.version = a_version(measured=world.version.measured.model_copy(update={"hops": (hop,)}))
    shown = sextant("shares", "show", "3").stdout
    row = next(line.split() for line in shown.splitlines() if "another core" in line)
    assert row == ["another", "core", "12.9", "1.2", "0.5"]


def test_hops_are_asked_for(sextant, world) -> None:
    assert sextant("shares", "measure", "firewall", "--host", "sim-1", "--hops").exit_code == 0
    assert world.asked["shares"]["hops"] is True


def test_a_version_without_a_line_says_why_and_offers_no_promotion(sextant, world) -> None:
    measured = world.version.measured.model_copy(update={"line": None, "refused": "the share does not rise"})
    world.version = a_version(measured=measured)
    shown = sextant("shares", "show", "3").stdout
    assert "no line: the share does not rise" in shown and "promote" not in shown


def test_a_job_is_asked_for_as_the_options_say_and_followed_to_its_shares(sextant, world) -> None:
    options = ("--points", "8", "--most-percent", "80", "--half-width", "2", "--fresh", "--wait")
    result = sextant("shares", "measure", "firewall", "--host", "sim-1", *options)
    assert result.exit_code == 0, result.output
    ask = ProfilingAsk.model_validate(world.asked)
    assert ask.shares is not None
    assert (ask.shares.points, ask.shares.most_percent, ask.half_width_percent, ask.fresh) == (8, 80, 2, True)
    assert "shares of firewall on sim-1, 2 of 7 points, 20 s left" in result.stderr
    assert "it found shares 3" in result.stdout and "R^2" in result.stdout


def test_promoting_and_retiring_say_what_laws_go_by(sextant, world) -> None:
    promoted = sextant("shares", "promote", "3").stdout
    assert "control laws go by shares 3 (version 1) of firewall on test-cpu 2x8" in promoted
    assert "control laws go no more by shares 3" in sextant("shares", "retire", "3").stdout
    assert world.decided == ["promotion", "retirement"]
    refused = sextant("shares", "promote", "9")
    assert refused.exit_code == Exit.REFUSED and "in use already" in refused.stderr


@pytest.mark.parametrize("options", [("--points", "2"), ("--most-percent", "96"), ("--half-width", "0")])
def test_what_cannot_be_is_refused_at_once(sextant, world, options) -> None:
    assert sextant("shares", "measure", "firewall", "--host", "sim-1", *options).exit_code == 2
    assert world.asked == {}


def test_a_point_is_described_by_what_it_is_offered(world) -> None:
    chain = (StandingNf(nf_type="firewall", node=0),)
    setting = PointSetting(purpose=PointPurpose.SHARE, ingress_node=0, chain=chain, rate_mpps=2.5)
    assert beside_text(setting) == "(offered 2.5 Mpps)"
    world.asked, world.looks = {"nf_type": "firewall", "host": "sim-1", "shares": {}}, 2
    assert job_line(world.job()) == "job 4  COMPLETED  shares of firewall on sim-1, 7 of 7 points"
