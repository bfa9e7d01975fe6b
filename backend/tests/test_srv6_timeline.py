"""What hosts' local loops change by themselves stands in Automation's timeline, of each chain once a minute (the world:
srv6_world)."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.laws.srv6.within_bounds import QuotaTimeline
from sextant_domain.hosts.bounded_quotas import MOST_CHANGES, BoundedResource, QuotaChange, QuotaReason
from srv6_world import HOST, placed, second

pytestmark = pytest.mark.as_admin
WEB = {"mpps": 0.02, "p95_us": 300.0}
CAUSE = "p95 2 ms > 1 ms in 2 windows running"


@pytest.fixture
def began(client: TestClient) -> datetime:
    """Now, by the database: of an entry in the past nothing is known otherwise."""
    placed()
    with session_scope() as session:
        return db_now(session)


def change(at: datetime, before: float, after: float, nf_id: str = "web.fw") -> QuotaChange:
    reason = QuotaReason.RAISED if after > before else QuotaReason.RECLAIMED
    return QuotaChange(
        at=at, nf_id=nf_id, reason=reason, before_percent=before, after_percent=after, cause=CAUSE, took_us=900
    )


def of_memory(at: datetime, resource: BoundedResource, **values: Any) -> QuotaChange:
    return QuotaChange.model_validate({
        "at": at, "nf_id": "web.fw", "reason": "raised", "before_percent": 0, "after_percent": 18.2, "cause": CAUSE,
        "took_us": 900, "resource": resource, **values,
    })  # fmt: skip


def test_ways_and_bandwidth_stand_beside_quotas(client: TestClient, began: datetime) -> None:
    """Of ways the numbers, and that it shared them."""
    ways = of_memory(began, BoundedResource.LLC_WAYS, before_ways=0, after_ways=2)
    more = of_memory(began + timedelta(milliseconds=40), BoundedResource.LLC_WAYS, before_ways=2, after_ways=3)
    less = of_memory(began, BoundedResource.MEMORY_BANDWIDTH, before_percent=100, after_percent=60)
    second(web=WEB, changes=[change(began, 20, 30), ways, more, less])
    [entry] = entries(client)
    assert entry["text"] == (
        f"{HOST} changed CPU quotas and LLC ways and memory bandwidth by itself, 4 times: web.fw 20 to 30 %, "
        f"web.fw shared ways to 3 ways of its own, web.fw 100 to 60 %; last since {CAUSE}"
    )


def test_where_ways_alone_were_changed_nothing_is_said_of_quotas(client: TestClient, began: datetime) -> None:
    second(web=WEB, changes=[of_memory(began, BoundedResource.LLC_WAYS, before_ways=2, after_ways=0)])
    [entry] = entries(client)
    text = f"{HOST} changed LLC ways by itself, once: web.fw 2 ways of its own to shared ways; last since {CAUSE}"
    assert entry["text"] == text


def entries(client: TestClient) -> list[dict[str, Any]]:
    found = client.get(f"{API}/automation/timeline?law=srv6").json()["items"]
    return [one for one in found if one["event"] == "chain.within_bounds"]


def looked(timeline: QuotaTimeline, now: datetime) -> None:
    with session_scope() as session:
        timeline.enter(session, [HOST], now)


def test_a_turn_of_the_global_loop_enters_what_a_host_changed(client: TestClient, began: datetime) -> None:
    raised = [change(began, 20, 30), change(began + timedelta(milliseconds=40), 30, 45)]
    second(web=WEB, changes=raised)
    [entry] = entries(client)
    assert (entry["actor"], entry["law"], entry["plan_id"]) == (f"host/{HOST}", "srv6", None)
    assert entry["text"] == (f"{HOST} changed CPU quotas by itself, 2 times: web.fw 20 to 45 %; last since {CAUSE}")
    second(web=WEB, changes=raised)
    assert len(entries(client)) == 1
    trail = client.get(f"{API}/audit", params={"object": "web", "action": "chain.within_bounds"}).json()["items"]
    assert [(one["actor"], one["actor_kind"]) for one in trail] == [(f"host/{HOST}", "host")]


def test_changes_of_a_minute_are_one_entry(client: TestClient, began: datetime) -> None:
    """One at once; of the twenty that follow in its minute, 45 to 25 %, one a minute after it."""
    timeline = QuotaTimeline()
    changes = [change(began, 20, 45)]
    second(web=WEB, changes=changes)
    looked(timeline, began + timedelta(seconds=1))
    for step in range(20):
        at = began + timedelta(seconds=2 + step)
        changes.append(change(at, 45 - step, 44 - step))
        second(web=WEB, changes=changes)
        looked(timeline, at + timedelta(seconds=1))
    assert len(entries(client)) == 1
    looked(timeline, began + timedelta(seconds=61))
    newest, _ = entries(client)
    assert newest["text"].startswith(f"{HOST} changed CPU quotas by itself, 20 times: web.fw 45 to 25 %;")


def test_each_chain_has_an_entry_of_its_own(client: TestClient, began: datetime) -> None:
    changes = [change(began, 20, 30), change(began, 60, 40, "dns.cache"), change(began, 10, 15, "web.nat")]
    second(web=WEB, changes=changes)
    texts = {one["text"].partition(";")[0] for one in entries(client)}
    assert texts == {
        f"{HOST} changed CPU quotas by itself, once: dns.cache 60 to 40 %",
        f"{HOST} changed CPU quotas by itself, 2 times: web.fw 20 to 30 %, web.nat 10 to 15 %",
    }


def test_whoever_has_the_next_turn_enters_nothing_twice_and_nothing_of_long_ago(
    client: TestClient, began: datetime
) -> None:
    old = change(began - timedelta(hours=2), 5, 10)
    second(web=WEB, changes=[old, change(began, 20, 30)])
    looked(QuotaTimeline(), began + timedelta(minutes=5))
    [entry] = entries(client)
    assert "once: web.fw 20 to 30 %" in entry["text"]


def test_where_all_that_a_host_reports_is_new_there_may_have_been_more(client: TestClient, began: datetime) -> None:
    many = [change(began + timedelta(milliseconds=at), 10 + at, 11 + at) for at in range(MOST_CHANGES)]
    second(web=WEB, changes=many)
    [entry] = entries(client)
    assert f"{MOST_CHANGES} or more times: web.fw 10 to 42 %" in entry["text"]
