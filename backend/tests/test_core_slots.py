"""How many NFs share a core, set by an operator: checked, audited, kept over a registration, followed by plans."""

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
from sextant_backend.modules.models import in_use
from sextant_backend.modules.outcomes import trust
from sextant_backend.modules.plans import planner
from sextant_backend.modules.snapshots import service as snapshots
from sextant_domain.hosts.host import SHARED_SLOTS, Capability, Core, HostInventory, ReservedFor
from sextant_domain.hosts.sharing import sharing_of
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan, PlanState

HOST = f"{API}/hosts/edge-1"


def exclusive() -> HostInventory:
    """Core 0 for source and sink, 1 and 2 with one NF each."""
    kept = Core(id=0, node=0, socket=0, physical_core=0, slots=0, reserved_for=ReservedFor.RX)
    others = (Core(id=n, node=0, socket=0, physical_core=n) for n in (1, 2))
    return an_inventory("edge-1").model_copy(update={"cores": (kept, *others)})


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    """edge-1, which offers one NF a core."""
    with a_fleet(tmp_path, "edge-1", cores=3) as made:
        register(made, exclusive())
        yield made


def register(fleet: Fleet, inventory: HostInventory) -> None:
    with session_scope() as session:
        hosts.register(session, inventory, fleet.edge.url)


def put(client: TestClient, slots: int | None, reason: str | None = "small NFs", tag: str | None = None) -> Any:
    tag = tag or client.get(HOST).headers["ETag"]
    return client.put(f"{HOST}/core-slots", json={"slots": slots, "reason": reason}, headers={"If-Match": tag})


def offered(client: TestClient) -> dict[int, int]:
    return {core["id"]: core["slots"] for core in client.get(HOST).json()["inventory"]["cores"]}


def cores_of(made: Plan) -> list[int]:
    assert made.body is not None
    return [nf.seat.core for nf in made.body.after]


def replaced(client: TestClient) -> Plan:
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}})
    assert asked.status_code == 202, asked.text
    planner.make(asked.json()["id"])
    return plan(client, asked.json()["id"])


def test_they_are_set_audited_and_left_to_the_agent_again(client: TestClient, fleet: Fleet) -> None:
    first = put(client, 4)
    assert first.status_code == 200, first.text
    assert client.get(HOST).headers["ETag"] == f'"{first.json()["version"]}"'
    shown = first.json()["core_slots"]
    assert (shown["slots"], shown["reason"], shown["by"], shown["not_met"]) == (4, "small NFs", "ada", None)
    assert offered(client) == {0: 0, 1: 4, 2: 4}, "what its agent keeps from NFs stays so"
    assert put(client, 4).json()["version"] == first.json()["version"], "nothing has changed"
    assert put(client, 2, "fewer").json()["inventory"]["cores"][1]["agent_slots"] == 1
    back = put(client, None, None)
    assert (back.json()["core_slots"], offered(client)) == (None, {0: 0, 1: 1, 2: 1})

    found = client.get(f"{API}/audit", params={"action": "host.set-core-slots"}).json()["items"][::-1]
    assert [(one["before"]["core_slots"], one["after"]["core_slots"]) for one in found] == [
        (None, "4: small NFs (ada)"),
        ("4: small NFs (ada)", "2: fewer (ada)"),
        ("2: fewer (ada)", None),
    ]


@pytest.mark.parametrize(
    ("slots", "reason", "field", "message"),
    [
        (0, "none", "slots", None),
        (65, "many", "slots", None),
        (4, None, "reason", "say why; it is shown with the host"),
        (4, " ", "reason", None),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(
    client: TestClient, fleet: Fleet, slots: int, reason: str | None, field: str, message: str | None
) -> None:
    answer = put(client, slots, reason)
    assert answer.status_code == 422, answer.text
    [error] = [one for one in answer.json()["errors"] if one["field"] == field]
    assert message in (None, error["message"])
    assert offered(client) == {0: 0, 1: 1, 2: 1}


def test_a_change_needs_the_present_version_and_an_operator(client: TestClient, fleet: Fleet, sign_in: SignIn) -> None:
    assert client.put(f"{HOST}/core-slots", json={"slots": 2, "reason": "x"}).status_code == 428
    tag = client.get(HOST).headers["ETag"]
    assert put(client, 2, tag=tag).status_code == 200
    assert put(client, 3, tag=tag).status_code == 412, "somebody else has changed it since"
    assert put(sign_in(Role.VIEWER, "vera"), 3).status_code == 403
    assert offered(client)[1] == 2


def test_a_driver_that_cannot_says_why_also_where_its_agent_came_later(client: TestClient, fleet: Fleet) -> None:
    put(client, 4)
    polling = Capability(name=SHARED_SLOTS, available=False, reason="its NFs poll")
    kept = tuple(one for one in exclusive().capabilities if one.name != SHARED_SLOTS)
    register(fleet, exclusive().model_copy(update={"capabilities": (*kept, polling)}))
    assert (offered(client)[1], client.get(HOST).json()["core_slots"]["not_met"]) == (1, "its NFs poll")
    answer = put(client, 5)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["message"] == "edge-1 cannot have 5 a core: its NFs poll"
    register(fleet, exclusive())
    assert (offered(client)[1], client.get(HOST).json()["core_slots"]["not_met"]) == (4, None)


def test_nfs_are_not_alone_beside_source_and_sink(client: TestClient, fleet: Fleet) -> None:
    register(fleet, an_inventory("edge-1", 3))  # which takes NFs on every core; source and sink run on the last
    answer = put(client, 1)
    assert answer.status_code == 422
    assert "chains' source and sink run on core 2, which NFs may have too" in answer.json()["errors"][0]["message"]
    tag = client.get(HOST).headers["ETag"]
    body = {"cores": [2], "reason": "source and sink"}
    assert client.put(f"{HOST}/reserved-cores", json=body, headers={"If-Match": tag}).status_code == 200
    assert put(client, 1).status_code == 200
    assert offered(client) == {0: 1, 1: 1, 2: 1}


def test_a_registration_keeps_them_and_says_nothing_of_them_in_the_log(client: TestClient, fleet: Fleet) -> None:
    put(client, 4)
    before = client.get(HOST).json()["version"]
    register(fleet, exclusive())
    assert (client.get(HOST).json()["version"], offered(client)[1]) == (before, 4)
    actions = [one["action"] for one in client.get(f"{API}/audit", params={"object_kind": "host"}).json()["items"]]
    assert actions.count("host.register") == 2, "the two of the fixture"


def test_two_chains_share_a_core(client: TestClient, fleet: Fleet) -> None:
    first = submit(client, "first", "router", "firewall", "nat")
    assert first.body is not None and first.body.rejected, "three NFs on two cores"
    put(client, 4)
    for name in ("long", "other"):
        assert work(apply(client, submit(client, name, "router", "firewall", "nat")).id).state is (
            OperationState.COMPLETED
        )
    placed = client.get(f"{API}/nfs", params={"host": "edge-1"}).json()["items"]
    assert len({(nf["seat"]["core"], nf["seat"]["slot"]) for nf in placed}) == 6
    chains = {core: {nf["chain"] for nf in placed if nf["seat"]["core"] == core} for core in (1, 2)}
    assert chains == {1: {"long", "other"}, 2: {"long", "other"}}


def test_nfs_beyond_the_slots_stay_until_re_placing_parts_them(client: TestClient, fleet: Fleet) -> None:
    put(client, 4)
    work(apply(client, submit(client, "long", "router", "firewall", "nat")).id)
    one_more = Core(id=3, node=0, socket=0, physical_core=3)
    register(fleet, exclusive().model_copy(update={"cores": (*exclusive().cores, one_more)}))
    put(client, 1, "a core each")
    placed = client.get(f"{API}/nfs", params={"host": "edge-1"}).json()["items"]
    assert {nf["seat"]["core"] for nf in placed} == {1, 2}, "they go on running there"

    moved = replaced(client)
    assert moved.body is not None
    [change] = [one for one in moved.body.changes if one.chain == "long"]
    assert "holds more NFs than it has slots" in change.reason
    assert sorted(cores_of(moved)) == [1, 2, 3]
    assert work(apply(client, moved).id).state is OperationState.COMPLETED


def test_a_plan_in_flight_is_refused_at_apply_until_its_slot_is_back(client: TestClient, fleet: Fleet) -> None:
    put(client, 4)
    made = submit(client, "long", "router", "firewall", "nat")
    put(client, 1, "a core each")
    answer = client.post(f"{API}/plans/{made.id}/apply", headers={"If-Match": f'"{made.digest}"'})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:slots-gone")
    assert "has 1 slot (on edge-1)" in answer.json()["detail"]
    assert plan(client, made.id).state is PlanState.PROPOSED
    put(client, 4)
    assert work(apply(client, made).id).state is OperationState.COMPLETED


def test_hosts_of_one_model_that_share_cores_and_that_do_not_have_their_own_predictor(
    client: TestClient, fleet: Fleet
) -> None:
    """As where an operator has set slots of one of two equal machines: either predictor may be trusted, or not."""
    other = exclusive().model_copy(update={"host_id": "edge-2"})
    sharing = sharing_of([exclusive().with_slots(4), other])
    assert sharing == {exclusive().host_model: frozenset({False, True})}
    with session_scope() as session:
        found = snapshots.take(session)
        models = in_use.predictors(session, in_use.cores_of([exclusive()]), found.nf_types)
    assert {key.predictor for key in trust.keys(models, sharing)} == {"octans", "time-sharing"}
    assert {key.predictor for key in trust.keys(models, sharing_of([other]))} == {"octans"}
