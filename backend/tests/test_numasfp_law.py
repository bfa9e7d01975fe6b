"""NUMASFP's law in `control`: from reported seconds to a recommendation, and what becomes of it.

Levels (numasfp_world): a firewall carries up to 10 Gbps on node 0, where packets arrive, and up to 7 on node 1.
"""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API
from numasfp_world import HOST, placed, promoted, second
from recommendation_world import recommendations
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_domain.laws.numasfp_view import NumasfpHost
from sextant_domain.laws.recommendation import Recommendation, RecommendationState
from sextant_domain.plans.intents import ResourceIntent
from sextant_domain.plans.plan import PlanBody

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""


def host(client: TestClient) -> NumasfpHost:
    answer = client.get(f"{API}/control/numasfp/hosts/{HOST}")
    assert answer.status_code == 200, answer.text
    return NumasfpHost.model_validate_json(answer.content)


def the_open_one(client: TestClient) -> Recommendation:
    [found] = [one for one in recommendations(client) if one.state is RecommendationState.OPEN]
    return found


def body_of(plan_id: int) -> PlanBody:
    with session_scope() as session:
        row = plans.get(session, plan_id, body=True)
        assert row is not None
        return plan_views.body_of(row)


def intent_of(plan_id: int) -> ResourceIntent:
    intent = body_of(plan_id).intent
    assert isinstance(intent, ResourceIntent)
    return intent


def put_mode(client: TestClient, mode: str, scope: str = "host", name: str = HOST) -> None:
    answer = client.put(f"{API}/policies/numasfp/{scope}/{name}", json={"mode": mode})
    assert answer.status_code == 200, answer.text


def stop(client: TestClient, *, stopped: bool) -> None:
    found = client.get(f"{API}/automation")
    tag = {"If-Match": found.headers["ETag"]}
    assert client.put(f"{API}/automation", json={"stopped": stopped}, headers=tag).status_code == 200


RATES_SWAPPED: dict[str, Any] = {"web": 8.8, "nat": 6.0}


def swapped(times: int = 2, **changes: Any) -> None:
    """web, on node 1, is offered 8.8 Gbps and carries 7; nat, on node 0, 6 Gbps, which node 1 carries as well."""
    for _ in range(times):
        second(RATES_SWAPPED, {"web": 7.0}, **changes)


def test_a_chain_that_is_offered_more_than_its_node_carries_is_recommended_to_move(client: TestClient) -> None:
    """8.8 - 7 = 1.8 Gbps are gained once it is there."""
    placed({"web": 16, "nat": 0})
    promoted()
    swapped(1)
    assert recommendations(client) == []
    assert host(client).reason == "a gain of 1.80 Gbps stands for 1 of 2 s"
    swapped(1)
    made = the_open_one(client)
    assert (made.law, made.host, made.chains, made.gain_gbps) == ("numasfp", HOST, ("web",), 1.8)
    assert made.because == (
        "web is offered 8.8 Gbps and carries 7.0 on node 1; moved to node 0 it carries 8.8; a chain is assumed to lose"
        " 5 % of a second as it moves"
    )
    intent = intent_of(made.plan_id)
    assert intent.seats == {"web.n0": 1}, "core 0 is nat's"
    assert intent.law == "numasfp"
    assert [host(client).recommendation_id, host(client).mode] == [made.id, "recommend"]


def test_parameters_are_changed_with_their_version_and_audited(client: TestClient) -> None:
    path = f"{API}/control/numasfp/parameters"
    found = client.get(path)
    assert found.json()["hold_intervals"] == 2
    assert client.patch(path, json={"hold_intervals": 3}).status_code == 428
    answer = client.patch(path, json={"hold_intervals": 3}, headers={"If-Match": found.headers["ETag"]})
    assert (answer.status_code, answer.json()["hold_intervals"]) == (200, 3)
    assert answer.headers["ETag"] != found.headers["ETag"]
    again = client.patch(path, json={"hold_intervals": 4}, headers={"If-Match": found.headers["ETag"]})
    assert again.status_code == 412
    assert client.get(path).json()["hold_intervals"] == 3
    [entry] = client.get(f"{API}/automation/timeline", params={"event": "policy.set"}).json()["items"]
    assert (entry["law"], entry["actor"]) == ("numasfp", "ada")
