"""A plan under assumptions: what it shows, and that nothing can apply it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, plan, submit
from sextant_backend.modules.plans import planner


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def _ask(client: TestClient, *assume: dict[str, str]) -> Any:
    return client.post(f"{API}/plans", json={"intent": {"kind": "place", "chain": "web-edge", "assume": assume}})


def test_what_a_rejection_names_can_be_previewed_and_never_applied(client: TestClient, fleet: Fleet) -> None:
    """edge-1 is cordoned; as if it were not, the chain's three NFs start there."""
    assert client.post(f"{API}/hosts/edge-1/cordon", json={"reason": "new memory"}).status_code == 200
    waits = submit(client, "web-edge")
    assert waits.body is not None
    (rejected,) = waits.body.rejected
    assert rejected.conflict == ("edge-1 is cordoned (new memory)",)
    (way,) = rejected.relaxations

    asked = _ask(client, *(one.model_dump(mode="json") for one in way.assume))
    assert asked.status_code == 202, asked.text
    planner.make(asked.json()["id"])
    preview = plan(client, asked.json()["id"])
    assert preview.body is not None
    assert (preview.source, preview.body.rejected, len(preview.body.changes)) == ("preview", (), 3)
    assert not preview.applicable

    answer = client.post(f"{API}/plans/{preview.id}/apply", headers={"If-Match": f'"{preview.digest}"'})
    assert answer.status_code == 409
    assert answer.json()["detail"] == (
        f"Plan {preview.id} is a preview, as if uncordoned edge-1. "
        "Make it so, then plan web-edge again. Nothing was changed."
    )
    chain = client.get(f"{API}/chains/web-edge").json()
    assert (chain["plan_id"], chain["state"]) == (waits.id, "submitted"), "the chain still waits by its own plan"


@pytest.mark.parametrize(
    ("assumed", "message"),
    [
        ({"kind": "up", "name": "edge-9"}, "no host edge-9 is enrolled"),
        ({"kind": "removed", "name": "mail"}, "there is no chain mail"),
        ({"kind": "removed", "name": "web-edge"}, "web-edge is to be placed, so it cannot be removed, too"),
        ({"kind": "without", "name": "packets"}, "only cpu-share, pause, run-to-completion can be done without"),
    ],
)
def test_what_is_assumed_must_be_there(client: TestClient, fleet: Fleet, assumed: dict[str, str], message: str) -> None:
    submit(client, "web-edge")
    answer = _ask(client, assumed)
    assert answer.status_code == 422
    assert answer.json()["errors"] == [{"field": "intent.assume.0.name", "message": message}]
