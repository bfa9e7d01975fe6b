"""Cores that an operator keeps from NFs: checked, audited, kept over a registration, respected by plans, taken back."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from console_world import SignIn, an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, submit, work
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.principal import Role
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.plans import planner
from sextant_domain.hosts.host import HostInventory, ReservedFor
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan, PlanState

HOST = f"{API}/hosts/edge-1"


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    """edge-1 with cores 0 (2 slots, last choice), 1 and 2 (8 slots each)."""
    with a_fleet(tmp_path, "edge-1", cores=3) as made:
        yield made


def put(client: TestClient, cores: list[int], reason: str | None = "packet capture", tag: str | None = None) -> Any:
    tag = tag or client.get(HOST).headers["ETag"]
    return client.put(f"{HOST}/reserved-cores", json={"cores": cores, "reason": reason}, headers={"If-Match": tag})


def reserved(client: TestClient) -> dict[int, str | None]:
    return {core["id"]: core["reserved_for"] for core in client.get(HOST).json()["inventory"]["cores"]}


def register(fleet: Fleet, inventory: HostInventory) -> None:
    with session_scope() as session:
        hosts.register(session, inventory, fleet.edge.url)


def cores_of(made: Plan, chain: str) -> set[int]:
    assert made.body is not None
    return {nf.seat.core for nf in made.body.after if nf.nf_id.startswith(f"{chain}.")}


def test_reserved_cores_are_shown_audited_and_taken_back(client: TestClient, fleet: Fleet) -> None:
    first = put(client, [2])
    assert first.status_code == 200, first.text
    assert client.get(HOST).headers["ETag"] == f'"{first.json()["version"]}"'
    [one] = first.json()["reserved_cores"]
    assert (one["core"], one["reason"], one["by"]) == (2, "packet capture", "ada")
    assert reserved(client) == {0: None, 1: None, 2: "operator"}

    both = put(client, [0, 2, 2], "console")
    kept = {one["core"]: (one["reason"], one["since"]) for one in both.json()["reserved_cores"]}
    assert kept[2] == ("packet capture", one["since"]), "what is reserved already keeps its reason"
    assert kept[0][0] == "console"
    assert put(client, [2, 0], None).json()["version"] == both.json()["version"], "nothing has changed"
    assert put(client, [], None).json()["reserved_cores"] == []
    assert reserved(client) == {0: None, 1: None, 2: None}

    found = client.get(f"{API}/audit", params={"object_kind": "host", "actor": "ada"}).json()["items"][::-1]
    assert [one["action"] for one in found] == ["host.reserve-cores"] * 3
    assert [(one["before"]["reserved_cores"], one["after"]["reserved_cores"]) for one in found] == [
        ({}, {"2": "packet capture (ada)"}),
        ({"2": "packet capture (ada)"}, {"0": "console (ada)", "2": "packet capture (ada)"}),
        ({"0": "console (ada)", "2": "packet capture (ada)"}, {}),
    ]


@pytest.mark.parametrize(
    ("cores", "reason", "field", "message"),
    [
        ([7], "capture", "cores.0", "edge-1 has no core 7; it has cores 0, 1, 2"),
        ([1], None, "reason", "say why; it is shown with the host"),
        ([2, -1], "capture", "cores.1", None),
        ([2, 2**16], "capture", "cores.1", None),
        (list(range(4097)), "capture", "cores", None),
        ([1], "x" * 201, "reason", None),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(
    client: TestClient, fleet: Fleet, cores: list[int], reason: str | None, field: str, message: str | None
) -> None:
    answer = put(client, cores, reason)
    assert answer.status_code == 422, answer.text
    [error] = [one for one in answer.json()["errors"] if one["field"] == field]
    assert message in (None, error["message"])
    assert client.get(HOST).json()["reserved_cores"] == []


def test_a_core_that_its_agent_reserves_is_not_an_operators(client: TestClient, fleet: Fleet) -> None:
    inventory = an_inventory("edge-1", 3)
    held = inventory.cores[2].model_copy(update={"reserved_for": ReservedFor.RX})
    register(fleet, inventory.model_copy(update={"cores": (*inventory.cores[:2], held)}))
    answer = put(client, [2])
    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert error["message"] == "core 2 is reserved for rx by its agent, so no NF gets it anyway"


def test_the_last_core_is_not_taken_without_a_word(client: TestClient, fleet: Fleet) -> None:
    assert put(client, [0, 2]).status_code == 200
    answer = put(client, [0, 1, 2])
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:no-core-left")
    assert answer.json()["detail"].startswith("edge-1 would have no core left for NFs: core 1 would be the last.")
    assert reserved(client) == {0: "operator", 1: None, 2: "operator"}


def test_a_change_needs_the_present_version_and_an_operator(client: TestClient, fleet: Fleet, sign_in: SignIn) -> None:
    assert client.put(f"{HOST}/reserved-cores", json={"cores": [2], "reason": "x"}).status_code == 428
    tag = client.get(HOST).headers["ETag"]
    assert put(client, [2], tag=tag).status_code == 200
    assert put(client, [], None, tag=tag).status_code == 412, "somebody else has changed it since"
    vera = sign_in(Role.VIEWER, "vera")
    assert put(vera, [], None).status_code == 403
    assert reserved(client)[2] == "operator"


def test_a_registration_keeps_them_and_says_nothing_of_them_in_the_log(client: TestClient, fleet: Fleet) -> None:
    put(client, [2])
    before = client.get(HOST).json()["version"]
    register(fleet, an_inventory("edge-1", 3))
    shown = client.get(HOST).json()
    assert (shown["version"], reserved(client)[2]) == (before, "operator"), "the agent reports what it always did"
    claims = an_inventory("edge-1", 3).reserving([1])
    register(fleet, claims)
    assert reserved(client) == {0: None, 1: None, 2: "operator"}, "an agent does not speak for operators"
    actions = [one["action"] for one in client.get(f"{API}/audit", params={"object_kind": "host"}).json()["items"]]
    assert actions.count("host.register") == 1


def test_a_core_that_the_machine_has_lost_stays_listed_until_it_is_taken_back(client: TestClient, fleet: Fleet) -> None:
    put(client, [2])
    register(fleet, an_inventory("edge-1", 2))
    assert [one["core"] for one in client.get(HOST).json()["reserved_cores"]] == [2]
    assert reserved(client) == {0: None, 1: None}
    assert [one["core"] for one in put(client, [0, 2]).json()["reserved_cores"]] == [0, 2], "it may be kept"
    register(fleet, an_inventory("edge-1", 3))
    assert reserved(client) == {0: "operator", 1: None, 2: "operator"}, "the core is back"
    register(fleet, an_inventory("edge-1", 2))
    assert put(client, [0], None).status_code == 200
    assert put(client, [0, 2]).status_code == 422, "once taken back it is a core that the host does not have"


def test_new_chains_go_elsewhere_and_what_stands_is_moved_by_re_placing(client: TestClient, fleet: Fleet) -> None:
    work(apply(client, submit(client, "web-edge", "router")).id)
    [nf] = client.get(f"{API}/nfs", params={"host": "edge-1"}).json()["items"]
    stood = nf["seat"]["core"]
    assert put(client, [stood]).status_code == 200
    [nf] = client.get(f"{API}/nfs", params={"host": "edge-1"}).json()["items"]
    assert nf["seat"]["core"] == stood, "it goes on running there"

    new = submit(client, "other", "router", "firewall")
    assert stood not in cores_of(new, "other") and cores_of(new, "web-edge") <= {stood}
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}})
    assert asked.status_code == 202, asked.text
    planner.make(asked.json()["id"])
    moved = plan(client, asked.json()["id"])
    assert moved.body is not None
    [change] = [one for one in moved.body.changes if one.chain == "web-edge"]
    assert change.reason.startswith(f"core {stood} is reserved by an operator; ")
    assert stood not in cores_of(moved, "web-edge")


def test_a_plan_in_flight_is_refused_at_apply_until_the_core_is_given_back(client: TestClient, fleet: Fleet) -> None:
    made = submit(client, "web-edge", "router")
    [core] = cores_of(made, "web-edge")
    put(client, [core])
    answer = client.post(f"{API}/plans/{made.id}/apply", headers={"If-Match": f'"{made.digest}"'})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:cores-reserved")
    assert f"(on edge-1, core {core} is reserved by an operator)" in answer.json()["detail"]
    assert f"sextant hosts unreserve edge-1 --cores {core}" in [
        action.get("command") for action in answer.json()["next_actions"]
    ]
    assert plan(client, made.id).state is PlanState.PROPOSED
    put(client, [], None)
    assert work(apply(client, made).id).state is OperationState.COMPLETED
