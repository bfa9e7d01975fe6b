"""One question a second says whether a sweep would find anything; each sweep rings for what it finds."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, plan
from outcome_world import judge
from race_world import changed, turns
from recommendation_world import AT_ONCE, a_far_firewall, decided, move, recommendations, set_policy, tick
from sextant_backend import sweep as sweeping
from sextant_backend.kit import tasks
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.plans import planner

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""

LEASES_END = "UPDATE {table} SET rung_at = clock_timestamp() - interval '1 minute'"


@pytest.fixture
def rings(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Tasks that were rung for, in order."""
    sent: list[tuple[Any, ...]] = []
    monkeypatch.setattr(tasks, "send", lambda task, *ids: sent.append((task, *ids)))
    return sent


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    """Plan 1 placed the chain, plan 2 moved its firewall; what came of them is all taken up."""
    with a_far_firewall(client, tmp_path) as made:
        judge()
        changed("DELETE FROM kept_snapshots")
        yield made


def due() -> bool:
    with session_scope() as session:
        return sweeping.due(session).sweep


def swept(rings: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    rings.clear()
    with session_scope() as session:
        sweeping.sweep(session)
    return list(rings)


def test_at_rest_nothing_is_due(fleet: Fleet, rings: list[tuple[Any, ...]]) -> None:
    assert not due()
    assert swept(rings) == []


def test_a_plan_that_nobody_makes_is_rung_for_once_a_lease(
    client: TestClient, fleet: Fleet, rings: list[tuple[Any, ...]]
) -> None:
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}}).json()["id"]
    assert due()
    assert swept(rings) == [(TaskName.PLAN, asked)]
    assert not due(), "it was rung for: a worker has a lease's time to begin"
    changed(LEASES_END.format(table="plans"))
    assert due()
    assert swept(rings) == [(TaskName.PLAN, asked)]
    planner.make(asked)
    assert plan(client, asked).state == "proposed"
    assert not due()


def test_what_came_of_an_applied_plan_is_due_until_it_is_taken_up(
    client: TestClient, fleet: Fleet, rings: list[tuple[Any, ...]]
) -> None:
    """Its predictions are tested and other algorithms race it; then its first window is waited for."""
    move(client, core=2)
    assert due()
    assert swept(rings) == [(TaskName.JUDGE,), (TaskName.RACE,)]
    judge()
    assert swept(rings) == [(TaskName.RACE,)]
    turns()
    assert swept(rings) == [(TaskName.RACE,)], "a race that is measured is looked at once a lease"
    assert not due()
    assert swept(rings) == []
    changed("UPDATE tested_predictions SET window_from = clock_timestamp() - interval '20 s'")
    assert due()
    assert swept(rings) == [(TaskName.JUDGE,)]


def test_an_open_race_is_looked_at_again_after_a_lease(
    client: TestClient, fleet: Fleet, rings: list[tuple[Any, ...]]
) -> None:
    move(client, core=2)
    judge()
    turns()
    swept(rings)
    assert not due()
    changed(LEASES_END.format(table="races"))
    assert due()
    assert swept(rings) == [(TaskName.RACE,)]


def test_laws_are_due_as_their_policy_says_and_while_a_recommendation_is_open(client: TestClient, fleet: Fleet) -> None:
    def control_is_due() -> bool:
        with session_scope() as session:
            return sweeping.due(session).control

    assert control_is_due(), "no law was ever evaluated"
    tick()
    assert not control_is_due()
    changed("UPDATE control_laws SET evaluated_at = evaluated_at - interval '14 s'")
    assert not control_is_due(), "15 s, by default"
    changed("UPDATE control_laws SET evaluated_at = evaluated_at - interval '1 s'")
    assert control_is_due()
    set_policy(client, **AT_ONCE)
    tick()
    [made] = recommendations(client)
    changed("UPDATE control_laws SET evaluated_at = clock_timestamp()")
    assert control_is_due(), "its plan may be applied or rejected elsewhere"
    decided(client, made.id, "dismiss")
    assert not control_is_due()
