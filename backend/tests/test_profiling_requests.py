"""What is asked of a job: types that change or bring files, and what is refused with its field or reason."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from artefact_world import uploaded
from console_world import an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet
from profiling_world import JOBS, an_ask, points, started, turn, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.profiling import tasks
from sextant_domain.hosts.host import Capability
from sextant_domain.profiling.job import JobState, PointPurpose


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", "edge-2") as made:
        yield made


def test_a_type_that_gets_a_new_version_ends_the_job(client: TestClient, fleet: Fleet) -> None:
    made = {"name": "edge-firewall", "implementation": "firewall", "short_name": "EFW", "config": {}}
    answer = client.post(f"{API}/nf-types", json={**made, "config": {"synthetic_rules": 50}})
    assert answer.status_code == 201, answer.text
    job = started(client, nf_type="edge-firewall")
    turn(job.id)
    tag = client.get(f"{API}/nf-types/edge-firewall").headers["ETag"]
    del made["name"], made["implementation"]
    changed = client.put(
        f"{API}/nf-types/edge-firewall", json={**made, "config": {"synthetic_rules": 60}}, headers={"If-Match": tag}
    )
    assert changed.status_code == 200, changed.text
    failed = turn(job.id)
    assert (failed.state, failed.done) == (JobState.FAILED, 1)
    assert failed.error is not None
    assert failed.error.detail.startswith(
        "edge-firewall is at version 2 now, the job began with version 1; start a new job."
    )
    assert started(client, nf_type="edge-firewall").done == 1, "router alone: firewall's own points are stale"


def test_files_of_a_registered_type_are_on_the_host_before_its_points(client: TestClient, fleet: Fleet) -> None:
    digest = uploaded(client)
    made = {"name": "edge-router", "implementation": "router", "short_name": "ERT", "config": {"routes_file": digest}}
    assert client.post(f"{API}/nf-types", json=made).status_code == 201
    job = started(client, nf_type="edge-router")
    assert work(job.id).state is JobState.COMPLETED
    assert list(fleet.edge.files) == [digest]
    assert not fleet.edge.refused


@pytest.mark.parametrize(
    ("ask", "status", "field"),
    [
        ({"nf_type": "nobody"}, 422, "nf_type"),
        ({"host": "nobody"}, 422, "host"),
        ({"competitors": ["router", "nobody"]}, 422, "competitors.1"),
        ({"seconds": 0}, 422, "seconds"),
        ({"surprise": 1}, 422, "surprise"),
    ],
)
def test_what_cannot_be_profiled_is_refused_with_the_field(
    client: TestClient, fleet: Fleet, ask: dict[str, Any], status: int, field: str
) -> None:
    for path in (JOBS, f"{API}/profiling/designs"):
        answer = client.post(path, json={**an_ask(), **ask})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (status, field), answer.text
    assert client.get(JOBS).json()["items"] == []


def test_a_host_that_cannot_is_refused_with_its_reason(client: TestClient, fleet: Fleet) -> None:
    with session_scope() as session:
        blind = Capability(name="profiling", available=False, reason="sextant-measure is not built")
        inventory = an_inventory("edge-1").model_copy(update={"capabilities": (blind,)})
        hosts.register(session, inventory, fleet.edge.url)
        hosts.revoke(session, "edge-2", "stolen", "ada")
    for host, reason in (("edge-1", "sextant-measure is not built"), ("edge-2", "edge-2 is revoked")):
        answer = client.post(JOBS, json=an_ask(host))
        assert answer.status_code == 409, answer.text
        assert answer.json()["type"].endswith(":host-cannot-profile")
        assert answer.json()["errors"][0]["field"] == "host"
        assert reason in answer.json()["detail"]


def test_points_are_measured_in_the_order_in_which_ideals_come_first(client: TestClient, fleet: Fleet) -> None:
    purposes = [point.setting.purpose for point in points(client, started(client).id)]
    assert purposes[:2] == [PointPurpose.IDEAL] * 2 and PointPurpose.IDEAL not in purposes[2:]


def test_a_ring_for_a_job_that_is_not_there_does_nothing(client: TestClient) -> None:
    tasks.measure(77)
    assert client.get(f"{JOBS}/77").status_code == 404
