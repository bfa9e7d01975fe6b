"""A cordoned host takes no new NF: shown, audited, respected by plans, and undone by uncordon."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from console_world import SignIn
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, submit, work
from sextant_backend.kit.principal import Role
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan, PlanState

HOST = f"{API}/hosts/edge-1"


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", "edge-2") as made:
        yield made


def cordon(client: TestClient, host: str = "edge-1", reason: str = "new memory") -> dict[str, Any]:
    answer = client.post(f"{API}/hosts/{host}/cordon", json={"reason": reason})
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def hosts_of(made: Plan) -> set[str]:
    assert made.body is not None
    return {nf.seat.host for nf in made.body.after}


def test_a_cordon_is_shown_and_audited_with_before_and_after(client: TestClient, fleet: Fleet) -> None:
    assert client.get(HOST).json()["cordon"] is None
    shown = cordon(client)
    assert (shown["cordon"]["reason"], shown["cordon"]["by"]) == ("new memory", "ada")
    again = cordon(client, reason="new memory and a new NIC")
    assert again["cordon"]["since"] == shown["cordon"]["since"], "it has been cordoned all the time"
    assert again["version"] == shown["version"] + 1
    assert cordon(client, reason="new memory and a new NIC")["version"] == again["version"], "nothing has changed"
    assert client.post(f"{HOST}/uncordon").json()["cordon"] is None
    assert client.post(f"{HOST}/uncordon").status_code == 200, "a host in service stays as it is"
    found = client.get(f"{API}/audit", params={"object_kind": "host", "actor": "ada"}).json()["items"][::-1]
    assert [one["action"] for one in found] == ["host.cordon", "host.cordon", "host.uncordon"]
    assert [(_reason(one["before"]), _reason(one["after"])) for one in found] == [
        (None, "new memory"),
        ("new memory", "new memory and a new NIC"),
        ("new memory and a new NIC", None),
    ]
    assert [one["reason"] for one in found] == ["new memory", "new memory and a new NIC", None]


def _reason(content: dict[str, Any]) -> str | None:
    cordon = content["cordon"]
    return None if cordon is None else cordon["reason"]


def test_a_viewer_may_not(fleet: Fleet, sign_in: SignIn) -> None:
    viewer = sign_in(Role.VIEWER, "vera")
    assert viewer.post(f"{HOST}/cordon", json={"reason": "new memory"}).status_code == 403
    assert viewer.post(f"{HOST}/uncordon").status_code == 403
    assert viewer.get(HOST).json()["cordon"] is None


def test_a_reason_and_a_host_are_demanded(client: TestClient, fleet: Fleet) -> None:
    assert client.post(f"{HOST}/cordon", json={"reason": "  "}).status_code == 422
    assert client.post(f"{API}/hosts/nowhere/cordon", json={"reason": "new memory"}).status_code == 404
    assert client.get(HOST).json()["cordon"] is None


def test_a_new_chain_goes_to_the_host_in_service_or_is_rejected_with_the_reason(
    client: TestClient, fleet: Fleet
) -> None:
    cordon(client, "edge-1")
    assert hosts_of(submit(client, "web-edge")) == {"edge-2"}
    cordon(client, "edge-2", "firmware")
    made = submit(client, "other", "router")
    assert made.body is not None
    [rejected] = made.body.rejected
    assert "edge-1 is cordoned (new memory); edge-2 is cordoned (firmware)" in rejected.reason
    assert rejected.relax is not None and rejected.relax.startswith("uncordon edge-1")


def test_a_plan_in_flight_is_refused_at_apply_until_the_host_is_uncordoned(client: TestClient, fleet: Fleet) -> None:
    made = submit(client, "web-edge")
    assert hosts_of(made) == {"edge-1"}
    cordon(client)
    answer = client.post(f"{API}/plans/{made.id}/apply", headers={"If-Match": f'"{made.digest}"'})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:host-cordoned")
    assert "edge-1 is cordoned (new memory) and would get web-edge." in answer.json()["detail"]
    assert "sextant hosts uncordon edge-1" in [action.get("command") for action in answer.json()["next_actions"]]
    assert plan(client, made.id).state is PlanState.PROPOSED
    client.post(f"{HOST}/uncordon")
    assert work(apply(client, made).id).state is OperationState.COMPLETED


def test_what_stands_on_a_cordoned_host_goes_on_and_may_be_taken_off(client: TestClient, fleet: Fleet) -> None:
    work(apply(client, submit(client, "web-edge")).id)
    cordon(client)
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    removal = client.delete(f"{API}/chains/web-edge", headers={"If-Match": tag})
    assert removal.status_code == 202, removal.text
    assert work(removal.json()["id"]).state is OperationState.COMPLETED
