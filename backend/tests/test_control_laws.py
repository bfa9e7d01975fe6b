"""What every registered law has to fulfil; and a law that nobody knows by name is run like any other."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from control_world import CountingLaw, registered
from fastapi.testclient import TestClient
from fleet_world import API, Fleet
from recommendation_world import AT_ONCE, a_far_firewall, decided, recommendations, set_policy, tick
from sextant_backend.kit import tallies
from sextant_backend.kit.db import session_scope
from sextant_backend.laws import registry
from sextant_backend.laws.frame import LawInput, PlanningLaw
from sextant_backend.modules.control import decisions
from sextant_backend.modules.control.models import LawRow
from sextant_backend.modules.events.snapshot import snapshot_json
from sextant_backend.modules.snapshots import service as snapshots
from sextant_domain.laws.recommendation import RecommendationPolicy, RecommendationState
from sextant_engine.control.frame import LawMemory

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_far_firewall(client, tmp_path) as one:
        yield one


@pytest.mark.parametrize("law", [*registry.planning(), CountingLaw()], ids=lambda law: law.name)
def test_a_law_keeps_the_contract(law: PlanningLaw, fleet: Fleet) -> None:
    """What it remembers and observes is JSON; what it proposes follows from it alone; its plan passes the checker."""
    assert re.fullmatch(r"[a-z][a-z0-9_]{0,31}", law.name) and law.name == law.control().name
    assert law.title and law.summary.endswith(".")
    with session_scope() as session:
        snapshot = snapshots.take(session)
    observed = law.observe(LawInput(RecommendationPolicy(), snapshot))
    assert observed.draft is not None and all(finding.ok for finding in observed.draft.body.checks)
    assert {"edge-1"} >= set(observed.hosts)
    again = law.observation.model_validate_json(observed.observation.model_dump_json())
    assert again == observed.observation
    assert isinstance(law.refresh(again), law.observation)

    control = law.control()
    state, proposal = control.step(control.initial(), again, 7.0)
    assert (state, proposal) == control.step(control.initial(), observed.observation, 7.0)
    row = LawRow(law=law.name, host="", memory={})
    decisions.remember(law, row, LawMemory(state))
    assert decisions.memory_of(law, row) == LawMemory(state)


def status_of(client: TestClient, name: str) -> str:
    laws = client.get(f"{API}/automation").json()["laws"]
    [status] = [law["status"] for law in laws if law["name"] == name]
    return str(status)


def fleet_policy(client: TestClient, law: str, **changes: Any) -> None:
    path = f"{API}/policies/{law}/fleet"
    found = client.get(path)
    tag = {"If-Match": found.headers["ETag"]}
    answer = client.put(path, json={**found.json()["policy"], **changes}, headers=tag)
    assert answer.status_code == 200, answer.text


def test_a_registered_law_is_evaluated_held_recommended_and_withdrawn(client: TestClient, fleet: Fleet) -> None:
    """Its gain has to stand for 60 s; Octans, manual here, has no part in it."""
    set_policy(client, mode="manual")
    law = CountingLaw()
    with registered(law):
        fleet_policy(client, "counting", rest_s=0.0)
        tick()
        assert recommendations(client) == []
        with session_scope() as session:
            row = session.get_one(LawRow, ("counting", "edge-1"))
            assert row.status == "a gain of 1.00 value x Mpps stands for 0 s of 60 s"
            assert decisions.memory_of(law, row).law == 1
        tick(after_s=61)
        [made] = recommendations(client)
        assert (made.law, made.host, made.state) == ("counting", "edge-1", RecommendationState.OPEN)
        assert status_of(client, "counting") == "evaluated for each host"
        law.gain_mpps = 0.0
        tick()
        [now] = recommendations(client)
        assert now.state is RecommendationState.WITHDRAWN
        assert now.reason == "the gain has gone: loads, chains or models have changed"
        assert client.get(f"{API}/recommendations", params={"law": "octans"}).json()["items"] == []
    tallies.flush(every_s=0.0)
    counted = {
        tuple(labels): number
        for (name, *labels), number in tallies.read().items()
        if name == "law_evaluations" and labels[0] != "numasfp"
    }
    assert counted == {
        ("counting", "no-action"): 1,
        ("counting", "recommend"): 1,
        ("counting", "withdraw"): 1,
        ("octans", "no-action"): 3,
    }


def test_two_laws_have_one_open_recommendation_each(client: TestClient, fleet: Fleet) -> None:
    set_policy(client, **AT_ONCE)
    with registered(CountingLaw()):
        fleet_policy(client, "counting", **AT_ONCE)
        tick()
        tick()
        assert sorted((one.law, one.host) for one in recommendations(client)) == [
            ("counting", "edge-1"),
            ("octans", None),
        ]
        shown = json.loads(snapshot_json())["recommendations"]
        assert sorted((one["law"], one["host"]) for one in shown) == [("counting", "edge-1"), ("octans", None)]
        [octans] = [one for one in recommendations(client) if one.law == "octans"]
        decided(client, octans.id, "dismiss")
        assert [one["law"] for one in json.loads(snapshot_json())["recommendations"]] == ["counting"]


def test_an_unknown_law_is_answered_with_those_that_there_are(client: TestClient) -> None:
    answer = client.get(f"{API}/policies/nobody/fleet")
    assert answer.status_code == 404
    assert answer.json()["detail"] == "There is no control law nobody; there are coco, numasfp, octans, srv6."
