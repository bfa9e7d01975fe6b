"""Early reports: SRv6-INT's global loop counts the hold time from them, and acts when it is over, without another
second (the world: srv6_world). Time is made to pass in the tables: what was heard was heard earlier."""

import re
from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from sextant_backend.kit import tasks
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.kit.tasks import TaskName
from sextant_backend.laws import registry
from sextant_backend.laws.srv6 import observe
from sextant_backend.laws.srv6.observe import Measured
from sextant_backend.modules.control import each_second
from sextant_backend.modules.telemetry.models import EarlyReportRow
from sextant_domain.plans.intents import LaneIntent
from sextant_engine.control.srv6.chains import ChainSeen, LaneSeen
from sqlalchemy import text
from srv6_world import HOST, OTHER, early, placed, second, time_passes
from test_srv6_law import FULL, WELL, host, open_ones, planned, short_times

pytestmark = pytest.mark.as_admin
"""Parameters are an administrator's."""

SATURATED = {"mpps": 0.03, "carried": 0.025, "p95_us": 4000.0, "stood_s": 30.0}
HOLD_S = 100
"""Of a test: what passes while it runs is little beside it."""


@pytest.fixture(autouse=True)
def later(monkeypatch: pytest.MonkeyPatch) -> list[tuple[float, TaskName, str]]:
    """Tasks that were rung for, for a later moment."""
    sent: list[tuple[float, TaskName, str]] = []
    monkeypatch.setattr(tasks, "send_later", lambda after_s, task, *ids: sent.append((after_s, task, *ids)))
    return sent


@pytest.fixture(autouse=True)
def world(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(each_second, "AGAIN_WITHIN_S", float(HOLD_S))
    monkeypatch.setattr(observe, "WHOLE_S", timedelta(minutes=1))
    short_times(client, hold_s=HOLD_S, late_s=3600)


def stood(client: TestClient) -> float:
    """For how long its NF has been saturated, as the page says."""
    found = re.search(r"for ([\d.]+) of 100 s", host(client).reason)
    assert found is not None, host(client).reason
    return float(found[1])


def due(*names: str) -> None:
    """What the worker does with a task of these hosts."""
    each_second.note_due(names)
    each_second.tick_early()


def test_a_lane_is_recommended_when_the_hold_time_is_over(
    client: TestClient, later: list[tuple[float, TaskName, str]]
) -> None:
    """Saturated for 30 s of 100: 70 s later, without another second, a lane. Of .03 Mpps one lane was well at .02, and
    carries .025 when full: .03 / (.8 x .025) = 1.5, two lanes."""
    placed()
    second(web=WELL)
    assert early("web", **SATURATED)
    due(HOST)
    assert 30 <= stood(client) < 50 and open_ones(client) == []
    [(after_s, task, name)] = later
    assert (task, name) == (TaskName.CONTROL_EARLY, HOST) and 50 < after_s <= 70
    time_passes(70)
    due(HOST)
    [found] = open_ones(client)
    intent = planned(found).intent
    assert isinstance(intent, LaneIntent)
    assert (intent.weights, intent.hosts) == ((1, 1), {"web-lane-2": OTHER})


def test_the_turn_of_the_second_acts_where_the_later_ring_is_lost(client: TestClient) -> None:
    placed()
    second(web=WELL)
    early("web", **SATURATED)
    due(HOST)
    time_passes(70)
    each_second.tick()
    assert len(open_ones(client)) == 1


def test_where_the_report_itself_is_lost_seconds_act_as_before(client: TestClient) -> None:
    placed()
    second(web=WELL)
    second(web={**FULL, "stood_s": 120.0})
    assert len(open_ones(client)) == 1


def test_of_a_second_alone_nothing_goes_on(client: TestClient, later: list[tuple[float, TaskName, str]]) -> None:
    """Its host does not say when it is over."""
    placed()
    second(web=WELL)
    second(web={**FULL, "stood_s": 60.0})
    time_passes(90)
    each_second.tick()
    assert open_ones(client) == [] and later == []


def test_a_second_that_says_the_same_lets_it_go_on_with_the_rates_of_the_report(client: TestClient) -> None:
    """Half of it was of before: .025 Mpps on average, of .03 that are offered since."""
    placed()
    second(web=WELL)
    early("web", **SATURATED)
    due(HOST)
    second(web={**FULL, "mpps": 0.025, "stood_s": 30.0})
    assert 30 <= stood(client) < 50
    [chain] = host(client).chains
    assert chain.lanes[0].offered_mpps == 0.03
    time_passes(70)
    due(HOST)
    assert len(open_ones(client)) == 1


def test_a_second_that_shows_no_violation_ends_it(client: TestClient) -> None:
    placed()
    second(web=WELL)
    early("web", **SATURATED)
    due(HOST)
    second(web=WELL)
    assert host(client).reason == "no NF needs more than its host has"
    time_passes(90)
    due(HOST)
    second(web={**FULL, "stood_s": 10.0})
    assert 10 <= stood(client) < 25 and open_ones(client) == []


def test_a_report_that_says_it_is_over_ends_it(client: TestClient) -> None:
    placed()
    second(web=WELL)
    early("web", **SATURATED)
    due(HOST)
    assert early("web", **WELL)
    due(HOST)
    time_passes(90)
    due(HOST)
    assert host(client).reason == "no NF needs more than its host has" and open_ones(client) == []


def test_what_was_reported_early_is_no_second_of_calm(client: TestClient) -> None:
    """A recommendation is taken back after five seconds without a reason; early reports are none of these."""
    placed()
    second(web=WELL)
    second(web={**FULL, "stood_s": 120.0})
    assert len(open_ones(client)) == 1
    for number in range(8):
        early("web", **WELL, after_s=number / 1000)
        due(HOST)
    assert len(open_ones(client)) == 1


def test_a_clock_that_is_ahead_is_not_believed(client: TestClient) -> None:
    """By an hour: it is taken for now, and for how long it has stood as it is said. By 4 s: it is not acted on."""
    short_times(client, hold_s=HOLD_S, late_s=2.5)
    placed()
    second(web=WELL)
    assert early("web", **SATURATED, after_s=3600)
    with session_scope() as session:
        assert session.get_one(EarlyReportRow, HOST).taken_at <= db_now(session)
    due(HOST)
    assert 30 <= stood(client) < 50
    early("web", **{**SATURATED, "stood_s": 900.0}, after_s=4.5)
    due(HOST)
    assert "the host's clock is wrong" in host(client).reason and open_ones(client) == []


def test_a_clock_that_is_behind_ends_no_hold_time_sooner(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """By 200 s: what has passed since is counted from when it was heard, not from when the host says it measured."""
    placed()
    second(web=WELL)
    with session_scope() as session:
        for table in ("latest_hosts", "latest_chains"):
            session.execute(text(f"UPDATE {table} SET taken_at = taken_at - interval '300 s'"))
    monkeypatch.setattr(each_second, "_had", None)  # what it saw before, by a right clock, is forgotten
    early("web", **SATURATED, after_s=-200)
    due(HOST)
    due(HOST)
    assert 30 <= stood(client) < 50 and open_ones(client) == []


def test_where_laws_are_stopped_nothing_is_done(client: TestClient) -> None:
    placed()
    second(web=WELL)
    path = "/api/v1/automation"
    tag = {"If-Match": client.get(path).headers["ETag"]}
    assert client.put(path, json={"stopped": True}, headers=tag).status_code == 200
    early("web", **SATURATED)
    due(HOST)
    time_passes(90)
    due(HOST)
    assert open_ones(client) == []


def test_another_hosts_report_wakes_the_host_of_the_first_lane(client: TestClient) -> None:
    """It decides for all lanes, and the turn reads all of them: nothing is unseen. What it measured itself is as old as
    before, and the report counts all the same, from when the other host says: no further second is waited for."""
    placed(HOST, OTHER)
    second(web=WELL, web_lane_2=WELL)
    early("web-lane-2", OTHER, **SATURATED)
    due(OTHER)
    assert "nothing is known" not in host(client).reason
    [chain] = host(client).chains
    assert [(lane.chain, lane.host, lane.saturated) for lane in chain.lanes] == [
        ("web", HOST, None), ("web-lane-2", OTHER, "web-lane-2.fw"),
    ]  # fmt: skip
    assert host(client).reason.startswith("web-lane-2.fw has its packets longer than tolerated")
    assert 30 <= stood(client) < 60
    time_passes(HOLD_S - 30)
    due(OTHER)
    [found] = open_ones(client)
    intent = planned(found).intent
    assert isinstance(intent, LaneIntent) and len(intent.weights) == 3


def test_an_early_turn_knows_other_hosts_as_the_turn_of_the_second_does(client: TestClient) -> None:
    """`web` runs on the first host and a lane on the second: an early turn of the first still has the second's room."""
    placed(HOST, OTHER)
    second(web=WELL, web_lane_2=WELL)
    law = next(one for one in registry.each_second() if one.name == "srv6")
    with session_scope() as session:
        every, only = law.read(session), law.read(session, frozenset({HOST}))
    assert set(every.hosts) == {HOST, OTHER} and set(only.hosts) == {HOST}
    assert law.takers(only) == {OTHER: ("web-lane-2",)}
    assert (only.where, only.rates, only.cores, only.nfs) == (every.where, every.rates, every.cores, every.nfs)


def test_moments_of_two_hosts() -> None:
    """One lane was measured at 100.0, another at 100.6, saturated for .3 s by then, which was heard at 200.7 of another
    clock. By 100.0 that had stood for -.3 s; at 200.9 it has gone on for .6 + .2 s since 100.0."""
    lanes = LaneSeen(0.02, 0.02, 0.3), LaneSeen(0.03, 0.025, 4.0, "web-lane-2.fw", stood_s=0.3)
    measured = Measured(ChainSeen(lanes, 0.5, 1), (100.0, 100.6), (None, 200.7))
    found = measured.as_of(measured.oldest_s, 200.9)
    assert found.lanes[1].stood_s == pytest.approx(-0.3) and found.lanes[0] == lanes[0]
    assert found.goes_on_s == pytest.approx(0.8)
    assert Measured(ChainSeen(lanes, 0.5, 1), (100.0, 100.6), (None, None)).as_of(100.0, 200.9).goes_on_s is None


def test_of_a_second_that_began_with_the_violation_the_rates_are_its_own(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A report that says .9 s, and a second that ends any time later than .1 s after: here all that do."""
    monkeypatch.setattr(observe, "WHOLE_S", timedelta(seconds=0.9))
    placed()
    second(web=WELL)
    early("web", **{**SATURATED, "stood_s": 0.9})
    due(HOST)
    second(web={**FULL, "mpps": 0.029, "stood_s": 0.9})
    [chain] = host(client).chains
    assert chain.lanes[0].offered_mpps == 0.029
