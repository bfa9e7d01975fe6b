"""Maintenance windows: within one no control law acts, outside of it as ever; operators may act all the while."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from console_world import SignIn
from enrolment_world import audited
from fastapi.testclient import TestClient
from fleet_world import API, Fleet
from recommendation_world import AT_ONCE, a_far_firewall, decided, recommendations, set_policy, tick
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.control import policy_table, service
from sextant_backend.modules.control.errors import PolicyChanged
from sextant_backend.modules.control.recommending import SYSTEM
from sextant_backend.modules.maintenance import service as maintenance
from sextant_domain.console.access import Role
from sextant_domain.laws.recommendation import RecommendationState
from sqlalchemy import text

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""

WINDOWS = f"{API}/maintenance-windows"


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_far_firewall(client, tmp_path) as one:
        yield one


def moment(minutes: float) -> str:
    return (datetime.now(UTC) + timedelta(minutes=minutes)).isoformat()


def planned(client: TestClient, until: float = 60.0, **more: Any) -> dict[str, Any]:
    answer = client.post(WINDOWS, json={"ends_at": moment(until), "reason": "new memory", **more})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def refused(client: TestClient, **body: Any) -> dict[str, str]:
    answer = client.post(WINDOWS, json={"ends_at": moment(60), "reason": "new memory", **body})
    assert answer.status_code == 422, answer.text
    return {one["field"]: one["message"] for one in answer.json()["errors"]}


def over(window_id: int) -> None:
    """As if its time were up."""
    with session_scope() as session:
        past = "UPDATE maintenance_windows SET starts_at = starts_at - interval '2 hours', ends_at = clock_timestamp()"
        session.execute(text(f"{past} WHERE id = :id"), {"id": window_id})


@pytest.mark.parametrize("host", [None, "edge-1"])
def test_what_is_open_is_withdrawn_and_comes_again_once_the_window_is_over(
    client: TestClient, fleet: Fleet, host: str | None
) -> None:
    set_policy(client, **AT_ONCE)
    tick()
    window = planned(client, host=host)
    assert (window["host"], window["active"], window["created_by"]) == (host, True, "ada")
    tick()
    [now] = recommendations(client)
    assert now.state is RecommendationState.WITHDRAWN
    assert now.reason.startswith("maintenance until ") and now.reason.endswith(" UTC, by ada: new memory")
    tick()
    assert len(recommendations(client)) == 1, "nothing is recommended meanwhile"
    over(window["id"])
    tick()
    assert recommendations(client)[0].state is RecommendationState.OPEN


def test_a_window_of_another_host_or_of_a_later_time_holds_nothing_back(client: TestClient, fleet: Fleet) -> None:
    set_policy(client, **AT_ONCE)
    later = planned(client, starts_at=moment(30))
    assert not later["active"]
    tick()
    assert recommendations(client)[0].state is RecommendationState.OPEN


def test_the_page_of_the_host_says_why_nothing_happens(client: TestClient, fleet: Fleet) -> None:
    planned(client, host="edge-1")
    (law,) = [one for one in client.get(f"{API}/automation/hosts/edge-1").json()["laws"] if one["law"] == "octans"]
    assert law["policy"].startswith("Rests: maintenance until ")
    assert law["held_back"] == []


def test_nothing_is_applied_by_itself_once_maintenance_has_begun_but_an_operator_may(
    client: TestClient, fleet: Fleet
) -> None:
    set_policy(client, **AT_ONCE)
    tick()
    [made] = recommendations(client)
    with session_scope() as session:
        version = policy_table.law_row(session, "octans").version
    planned(client, host="edge-1")
    with pytest.raises(PolicyChanged, match="maintenance until"), session_scope() as session:
        service.accept(session, made.id, SYSTEM, decided_under=version)
    assert decided(client, made.id, "accept").state is RecommendationState.ACCEPTED


def test_a_window_is_ended_early_or_before_it_begins_and_only_once(client: TestClient, fleet: Fleet) -> None:
    now, later = planned(client), planned(client, until=90, starts_at=moment(30))
    for window in (now, later):
        ended = client.post(f"{WINDOWS}/{window['id']}/end")
        assert (ended.status_code, ended.json()["ended_by"], ended.json()["active"]) == (200, "ada", False)
    again = client.post(f"{WINDOWS}/{now['id']}/end")
    assert (again.status_code, again.json()["type"]) == (409, "urn:sextant:problem:maintenance-window-ended")
    assert client.post(f"{WINDOWS}/999/end").status_code == 404
    assert [subject for _, subject, _ in audited("maintenance.end")] == ["fleet", "fleet"]


def test_windows_are_listed_newest_first_and_by_host_with_those_of_the_fleet(client: TestClient, fleet: Fleet) -> None:
    first, second = planned(client)["id"], planned(client, host="edge-1")["id"]
    assert [one["id"] for one in client.get(WINDOWS).json()["items"]] == [second, first]
    assert [one["id"] for one in client.get(WINDOWS, params={"host": "edge-1"}).json()["items"]] == [second, first]
    assert [one["id"] for one in client.get(WINDOWS, params={"host": "edge-9"}).json()["items"]] == [first]


def test_what_is_wrong_is_named(client: TestClient, fleet: Fleet) -> None:
    assert refused(client, ends_at=moment(-1)) == {"ends_at": "it must lie after the start, and ahead"}
    assert refused(client, starts_at=moment(61)) == {"ends_at": "it must lie after the start, and ahead"}
    assert refused(client, host="nowhere") == {"host": "no host nowhere is enrolled"}
    assert list(refused(client, ends_at="2036-01-01T00:00:00")) == ["ends_at"]
    assert refused(client, ends_at=moment(60 * 24 * 31))["ends_at"].startswith("at most 30 days")
    assert list(refused(client, reason="  ")) == ["reason"]
    assert client.get(WINDOWS).json()["items"] == []


def test_no_more_are_planned_than_can_be_looked_through(
    client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maintenance, "MOST_OPEN", 1)
    planned(client)
    answer = client.post(WINDOWS, json={"ends_at": moment(60), "reason": "another"})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:maintenance-windows-full")


def test_a_viewer_looks_and_plans_none(fleet: Fleet, sign_in: SignIn) -> None:
    viewer = sign_in(Role.VIEWER, "vera")
    assert viewer.get(WINDOWS).status_code == 200
    assert viewer.post(WINDOWS, json={"ends_at": moment(60), "reason": "new memory"}).status_code == 403
    assert viewer.post(f"{WINDOWS}/1/end").status_code == 403
