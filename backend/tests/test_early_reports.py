"""Early reports: CoCo's law acts on them at once, each wakes it once, and a flood does not (the world: coco_world)."""

from typing import Any

import pytest
from coco_world import CALM, GROWN, HOST, early, host, open_ones, placed, report, second
from fastapi.testclient import TestClient
from fleet_world import API
from sextant_backend.faults import InjectedFaultError
from sextant_backend.kit import tasks
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.tasks import TaskName
from sextant_backend.laws import registry
from sextant_backend.modules.control import each_second
from sextant_backend.modules.telemetry import early as early_reports
from sextant_backend.modules.telemetry.models import EarlyReportRow
from sqlalchemy import text

pytestmark = pytest.mark.as_admin
"""Parameters are an administrator's."""
STOOD = {"a": 0.2}


@pytest.fixture
def rung(monkeypatch: pytest.MonkeyPatch) -> list[TaskName]:
    """Tasks that were rung for, in order."""
    sent: list[TaskName] = []
    monkeypatch.setattr(tasks, "send", lambda task, *_ids: sent.append(task))
    return sent


def hold(client: TestClient, seconds: float) -> None:
    path = f"{API}/control/coco/parameters"
    answer = client.patch(
        path, json={"hold_intervals": seconds}, headers={"If-Match": client.get(path).headers["ETag"]}
    )
    assert answer.status_code == 200, answer.text


def overloaded(**changes: Any) -> bool:
    """web is offered 1.2 Mpps and carries 1, and a's ring is full; core 0 lacks .3."""
    return early(GROWN, 1.2, 1.0, STOOD, **changes)


def test_a_neighbour_goes_aside_at_once_where_the_hold_time_is_short(client: TestClient) -> None:
    placed()
    hold(client, 0.2)
    second(CALM)
    assert overloaded()
    each_second.tick_early()
    [found] = open_ones(client)
    assert "core 0 lacks 30 % of its time, since web.a has grown; web.b to core 1 frees 48 %" in (found.because or "")


def test_the_hold_time_is_counted_on_from_what_the_host_says(client: TestClient) -> None:
    """.2 s by the early report. It came within the first second, which adds what of it is left, and the next one adds
    one: less than the hold time of 3 s; with two more it is over."""
    placed()
    second(CALM)
    overloaded()
    each_second.tick_early()
    assert "for 0.2 of 3 s" in host(client).reason and open_ones(client) == []
    for _ in range(2):
        second(GROWN, 1.2, 1.0)
        assert open_ones(client) == []
    for _ in range(2):
        second(GROWN, 1.2, 1.0)
    assert len(open_ones(client)) == 1


def test_what_was_reported_early_is_not_counted_twice(client: TestClient) -> None:
    """The same report in two turns."""
    placed()
    second(CALM)
    overloaded()
    for _ in range(5):
        each_second.tick_early()
    each_second.tick()
    assert "for 0.2 of 3 s" in host(client).reason


def test_a_report_that_says_it_has_recovered_ends_the_overload(client: TestClient) -> None:
    placed()
    second(CALM)
    overloaded()
    each_second.tick_early()
    assert early(CALM, 1.0, 1.0, {})
    each_second.tick_early()
    assert host(client).reason == "no core needs more time than it has"


def test_where_an_early_report_is_lost_the_turn_of_the_second_acts(client: TestClient) -> None:
    """Nobody rings, or nothing comes at all: the second says the same."""
    placed()
    hold(client, 0.2)
    second(CALM)
    second(GROWN, 1.2, 1.0)
    assert len(open_ones(client)) == 1


def test_where_a_ring_is_lost_the_turn_of_the_second_reads_the_report(client: TestClient) -> None:
    placed()
    hold(client, 0.2)
    second(CALM)
    overloaded()
    each_second.tick()
    assert len(open_ones(client)) == 1


def test_a_worker_that_dies_in_an_early_turn_leaves_the_host_as_it_was(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it was about to store is not, and its lease ends: the next turn, of another process, acts."""
    placed()
    hold(client, 0.2)
    second(CALM)
    overloaded()
    with monkeypatch.context() as patch:
        patch.setattr("sextant_backend.kit.leases.work.fault_point", _dies)
        with pytest.raises(InjectedFaultError):
            each_second.tick_early()
    assert open_ones(client) == []
    with session_scope() as session:
        session.execute(text("UPDATE paced_turns SET claim_token = NULL"))
    monkeypatch.setattr(each_second, "_had", None)
    each_second.tick()
    assert len(open_ones(client)) == 1


def _dies(point: str) -> None:
    if point == "control_each_second.before_store":
        raise InjectedFaultError(point)


def test_laws_that_are_stopped_stay_so(client: TestClient) -> None:
    placed()
    hold(client, 0.2)
    second(CALM)
    tag = {"If-Match": client.get(f"{API}/automation").headers["ETag"]}
    assert client.put(f"{API}/automation", json={"stopped": True}, headers=tag).status_code == 200
    overloaded()
    each_second.tick_early()
    assert open_ones(client) == []


def test_a_report_wakes_the_law_once_after_its_commit(client: TestClient, rung: list[TaskName]) -> None:
    placed()
    report(CALM)
    rung.clear()
    assert overloaded()
    assert rung == [TaskName.CONTROL_EARLY]


def test_a_flood_wakes_it_as_often_as_the_budget_says(client: TestClient, rung: list[TaskName]) -> None:
    """Ten at once, and then one in 2.5 s: 5 s later two more, however many come."""
    placed()
    report(CALM)
    rung.clear()
    taken = [overloaded(after_s=number / 1000) for number in range(100)]
    assert sum(taken) == len(rung) == early_reports.BURST
    with session_scope() as session:
        session.execute(text("UPDATE early_reports SET heard_at = heard_at - interval '5 s'"))
    rung.clear()
    taken = [overloaded(after_s=1 + number / 1000) for number in range(100)]
    assert sum(taken) == len(rung) == 2


def test_one_that_is_older_than_the_last_or_came_twice_is_passed_over(client: TestClient, rung: list[TaskName]) -> None:
    placed()
    report(CALM)
    assert overloaded()
    assert not overloaded(after_s=-1)
    with session_scope() as session:
        row = session.get_one(EarlyReportRow, HOST)
        taken_at = row.taken_at
    assert not overloaded(taken_at=taken_at)
    assert rung.count(TaskName.CONTROL_EARLY) == 1


def test_an_older_report_than_the_newest_second_says_nothing(client: TestClient) -> None:
    placed()
    hold(client, 0.2)
    overloaded()
    second(CALM)
    overloaded(after_s=-2)
    each_second.tick_early()
    assert open_ones(client) == []


def test_an_early_turn_without_news_does_nothing(client: TestClient) -> None:
    placed()
    second(CALM)
    each_second.tick_early()
    with session_scope() as session:
        assert session.scalar(text("SELECT turns FROM paced_turns")) == 1


def test_other_hosts_keep_what_they_had(client: TestClient) -> None:
    """Their rows, the fleet's status, and how long cores have been overloaded: an early turn is of one host."""
    placed()
    second(GROWN, 1.2, 1.0)
    second(GROWN, 1.2, 1.0)
    assert "for 2 of 3 s" in host(client).reason
    query = text("SELECT status, evaluated_at FROM control_laws WHERE law = 'coco' AND host = ''")
    with session_scope() as session:
        before = session.execute(query).all()
    early_laws = tuple(law for law in registry.each_second() if law.reads_early)
    assert each_second._PacedWork(early_laws, frozenset({"another"})).run()
    with session_scope() as session:
        assert session.execute(query).all() == before
    assert "for 2 of 3 s" in host(client).reason
    second(GROWN, 1.2, 1.0)
    assert len(open_ones(client)) == 1
