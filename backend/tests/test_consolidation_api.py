"""What sharing fewer cores would free, under a plan and before it."""

import large_world
import pytest
from fastapi.testclient import TestClient
from fleet_world import API, plan
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.plans import planner
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent
from sextant_domain.plans.consolidation import Consolidation


@pytest.fixture
def planned(client: TestClient) -> int:
    """Two hosts with cores of their own; a plan moves c00000.n0 to core 20 of h0000."""
    large_world.fill(2, 4, placed=True)
    intent = {"kind": "migrate", "nf_id": "c00000.n0", "host": "h0000", "core": 20}
    plan_id = int(client.post(f"{API}/plans", json={"intent": intent}).json()["id"])
    planner.make(plan_id)
    assert plan(client, plan_id).body is not None
    return plan_id


def preview(client: TestClient, plan_id: int, **query: str) -> Consolidation:
    answer = client.get(f"{API}/plans/{plan_id}/consolidation", params={"host": "h0000", **query})
    assert answer.status_code == 200, answer.text
    return Consolidation.model_validate_json(answer.content)


def test_where_nothing_can_be_said_it_says_why(client: TestClient, planned: int) -> None:
    """Its models are assumed, or its driver shares no cores: no figure is made up."""
    for when in ("after", "before"):
        found = preview(client, planned, when=when)
        assert (found.host, found.freed, found.cores, found.chains) == ("h0000", (), (), ())
        assert found.note


def test_a_host_that_the_plan_does_not_touch_is_refused_and_so_is_a_past_that_is_gone(
    client: TestClient, planned: int
) -> None:
    answer = client.get(f"{API}/plans/{planned}/consolidation", params={"host": "h0001"})
    assert (answer.status_code, answer.json()["type"]) == (404, "urn:sextant:problem:not-found")
    with session_scope() as session:
        hosts.set_desired(session, DesiredHostConfig.of(2, HostContent(host_id="h0000")))
    answer = client.get(f"{API}/plans/{planned}/consolidation", params={"host": "h0000", "when": "before"})
    assert answer.status_code == 409
    assert preview(client, planned).host == "h0000", "after it is still known"
