"""What becomes of a recommendation whose host is cordoned: refused at apply, then withdrawn, and not made again."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet
from recommendation_world import AT_ONCE, a_far_firewall, recommendations, set_policy, tick
from sextant_domain.laws.recommendation import RecommendationState

pytestmark = pytest.mark.as_admin
"""Policies are an administrator's."""


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_far_firewall(client, tmp_path) as made:
        yield made


def test_a_recommendation_on_a_host_cordoned_since_is_refused_then_withdrawn(client: TestClient, fleet: Fleet) -> None:
    """The gain comes from a move within the host: once it is cordoned no plan makes that move."""
    set_policy(client, **AT_ONCE)
    tick()
    [made] = recommendations(client)
    assert client.post(f"{API}/hosts/edge-1/cordon", json={"reason": "new memory"}).status_code == 200

    answer = client.post(f"{API}/recommendations/{made.id}/actions", json={"action": "accept"})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:host-cordoned")
    assert "edge-1 is cordoned (new memory) and would get web.firewall." in answer.json()["detail"]
    [kept] = recommendations(client)
    assert kept.state is RecommendationState.OPEN

    tick()
    [gone] = recommendations(client)
    assert (gone.state, gone.reason) == (RecommendationState.WITHDRAWN, "edge-1 is cordoned (new memory)")
    tick()
    tick(after_s=120)
    assert [one.id for one in recommendations(client)] == [made.id], "it is not made again while the cordon stands"

    assert client.post(f"{API}/hosts/edge-1/uncordon").status_code == 200
    tick()
    again, _ = recommendations(client)
    assert again.state is RecommendationState.OPEN


def test_a_recommendation_to_a_core_reserved_since_is_withdrawn_with_the_core_as_reason(
    client: TestClient, fleet: Fleet
) -> None:
    set_policy(client, **AT_ONCE)
    tick()
    [made] = recommendations(client)
    body = client.get(f"{API}/plans/{made.plan_id}").json()["body"]
    [core] = {one["target"]["core"] for one in body["changes"]}
    host = client.get(f"{API}/hosts/edge-1")
    asked = {"cores": [core], "reason": "packet capture"}
    put = client.put(f"{API}/hosts/edge-1/reserved-cores", json=asked, headers={"If-Match": host.headers["ETag"]})
    assert put.status_code == 200, put.text
    tick()
    gone = next(one for one in recommendations(client) if one.id == made.id)
    assert gone.state is RecommendationState.WITHDRAWN
    assert gone.reason == (
        f"web.firewall would go to a reserved core of edge-1: core {core} is reserved by an operator"
    )
