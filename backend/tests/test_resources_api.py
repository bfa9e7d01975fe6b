"""A plan that changes resources of NFs that run: asked, reviewed, applied, rolled back and undone; and refused."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from adjust_world import stored
from console_world import an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, placed, plan, press, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.operations import tasks
from sextant_backend.modules.plans import planner
from sextant_domain.base import digest_of
from sextant_domain.hosts.desired import ChainResources
from sextant_domain.hosts.host import Capability, HostInventory, LlcInfo
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import ChangeKind, Plan, PlanState
from sextant_domain.plans.resources import resource_differences

FIREWALL, ROUTER = "web-edge.firewall", "web-edge.router"


def able() -> HostInventory:
    """The host of the tests with CAT and MBA: 11 ways, three steps."""
    inventory = an_inventory()
    llc = LlcInfo(size_bytes=30 * 2**20, ways=11)
    nodes = tuple(
        node.model_copy(update={"llc": llc, "memory_bandwidth_steps_percent": (10, 50, 100)})
        for node in inventory.nodes
    )
    more = tuple(Capability(name=name, available=True, reason="always") for name in ("resctrl-cat", "resctrl-mba"))
    return inventory.model_copy(update={"nodes": nodes, "capabilities": (*inventory.capabilities, *more)})


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        with session_scope() as session:
            hosts.register(session, able(), made.edge.url)
        placed(client, "web-edge")
        yield made


def ask(client: TestClient, **intent: Any) -> Plan:
    """The plan, made."""
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert answer.status_code == 202, answer.text
    planner.make(answer.json()["id"])
    return plan(client, answer.json()["id"])


def give(client: TestClient, resources: dict[str, dict[str, Any]]) -> Plan:
    return ask(client, kind="resources", resources=resources)


def test_a_plan_of_resources_goes_the_whole_way_and_back(client: TestClient, fleet: Fleet) -> None:
    before = fleet.edge.ledger
    made = give(client, {FIREWALL: {"llc_ways": 4}, ROUTER: {"cpu_quota_percent": 40}})
    assert made.body is not None and made.intent == made.body.intent
    changes = [(one.kind, one.source, one.target) for one in made.body.changes]
    assert [(kind, source and target and resource_differences(source, target)) for kind, source, target in changes] == [
        (ChangeKind.RESOURCES, [("cpu_quota_percent", None, 40.0)]),
        (ChangeKind.RESOURCES, [("llc_ways", None, 4)]),
    ]
    assert fleet.edge.ledger == before, "nothing is carried out before it is applied"
    done = work(apply(client, made).id)
    assert (done.state, done.kind, done.title) == (
        OperationState.COMPLETED, "resources", "Change resources of 2 NFs of web-edge on edge-1"
    )  # fmt: skip
    seats = {nf["nf_id"]: nf["seat"] for nf in client.get(f"{API}/nfs").json()["items"]}
    assert (seats[FIREWALL]["llc_ways"], seats[ROUTER]["cpu_quota_percent"]) == (4, 40)
    assert stored().nfs["router"].cpu_quota_percent == 40, "the chain's settings follow the order"
    assert [one["action"] for one in client.get(f"{API}/audit").json()["items"]][:2] == ["plan.apply", "plan.ask"]
    back = ask(client, kind="restore", operation_id=done.id)
    assert back.body is not None and {one.kind for one in back.body.changes} == {ChangeKind.RESOURCES}
    assert work(apply(client, back).id).state is OperationState.COMPLETED
    assert fleet.edge.ledger.content == before.content
    assert digest_of(fleet.edge.ledger.content) == before.digest


def test_ways_of_a_chain_go_the_whole_way_and_back(client: TestClient, fleet: Fleet) -> None:
    before = fleet.edge.ledger
    made = ask(client, kind="resources", chains={"web-edge": {"llc_ways": 4, "memory_bandwidth_percent": 50}})
    assert made.body is not None and made.intent == made.body.intent
    assert [one.nf_id for one in made.body.changes] == [
        nf.nf_id for chain in before.content.chains if chain.chain == "web-edge" for nf in chain.nfs
    ]
    done = work(apply(client, made).id)
    assert (done.state, done.title) == (OperationState.COMPLETED, "Change resources of web-edge on edge-1")
    (ordered,) = [chain for chain in fleet.edge.ledger.content.chains if chain.chain == "web-edge"]
    assert ordered.resources == ChainResources(llc_ways=4, memory_bandwidth_percent=50)
    seats = [nf["seat"] for nf in client.get(f"{API}/nfs").json()["items"] if nf["chain"] == "web-edge"]
    assert {(one["chain_llc_ways"], one["chain_memory_bandwidth_percent"], one["llc_ways"]) for one in seats} == {
        (4, 50, None)
    }
    back = ask(client, kind="restore", operation_id=done.id)
    assert work(apply(client, back).id).state is OperationState.COMPLETED
    assert digest_of(fleet.edge.ledger.content) == before.digest
    seats = [nf["seat"] for nf in client.get(f"{API}/nfs").json()["items"]]
    assert not any("chain_llc_ways" in one for one in seats)


@pytest.mark.usefixtures("quick_tries")
def test_a_host_that_gives_a_chain_fewer_ways_is_not_verified_and_is_undone(client: TestClient, fleet: Fleet) -> None:
    before, fleet.edge.given_memory = fleet.edge.ledger, {"chain_llc_ways": 2}
    begun = apply(client, ask(client, kind="resources", chains={"web-edge": {"llc_ways": 4}}))
    failed = work(begun.id)
    assert failed.error is not None
    assert f"{ROUTER} has LLC ways of its chain 2, not 4" in failed.error.detail
    fleet.edge.given_memory = {}
    press(client, begun.id, "rollback")
    assert work(begun.id).state is OperationState.ROLLED_BACK
    assert fleet.edge.ledger.content == before.content


def test_an_adjustment_makes_the_same_kind_of_change(client: TestClient, fleet: Fleet) -> None:
    """Shares and quotas by `chains adjust` differ from those of a plan in who looked first, and in nothing else."""
    made = give(client, {ROUTER: {"cpu_share": 300}})
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    asked = {"nfs": {"router": {"cpu_share": 300}}}
    done = client.patch(f"{API}/chains/web-edge/settings", json=asked, headers={"If-Match": tag}).json()
    adjusted = plan(client, done["plan_id"])
    assert made.body is not None and adjusted.body is not None
    assert adjusted.body.adjustments == ()
    assert adjusted.body.target == made.body.target
    both = [(one.kind, one.source, one.target) for body in (made.body, adjusted.body) for one in body.changes]
    assert both[0] == both[1] and len(both) == 2


def test_what_waits_for_approval_is_superseded_by_another_order(client: TestClient, fleet: Fleet) -> None:
    first, second = (give(client, {FIREWALL: {"llc_ways": ways}}) for ways in (4, 5))
    work(apply(client, first).id)
    answer = client.post(f"{API}/plans/{second.id}/apply", headers={"If-Match": f'"{second.digest}"'})
    assert answer.status_code == 409, answer.text
    assert plan(client, second.id).state is PlanState.SUPERSEDED


@pytest.mark.usefixtures("quick_tries")
def test_a_host_that_runs_an_nf_with_another_quota_is_not_verified_and_is_undone(
    client: TestClient, fleet: Fleet
) -> None:
    """It says 'converged' and 'running', and holds the NF to nothing: three tries, then the way back."""
    before, fleet.edge.given = fleet.edge.ledger, {"cpu_quota_percent": None}
    begun = apply(client, give(client, {FIREWALL: {"cpu_quota_percent": 40}}))
    failed = work(begun.id)
    assert failed.state is OperationState.FAILED_TEMP and failed.error is not None
    steps = {step.name: step.state for step in failed.hosts[0].steps}
    assert (steps["converge"], steps["verify"]) == ("done", "failed")
    assert failed.error.detail == f"edge-1 differs from generation 2: {FIREWALL} has CPU quota all, not 40 %"
    press(client, begun.id, "rollback")
    assert work(begun.id).state is OperationState.ROLLED_BACK
    assert fleet.edge.ledger.content == before.content
    assert client.get(f"{API}/nfs/{FIREWALL}").json()["seat"].get("cpu_quota_percent") is None


def test_what_does_not_converge_is_taken_back(client: TestClient, fleet: Fleet) -> None:
    before, fleet.edge.stuck = fleet.edge.ledger, True
    begun = apply(client, give(client, {FIREWALL: {"llc_ways": 4}}))
    tasks.operate(begun.id)
    assert fleet.edge.ledger.content != before.content
    press(client, begun.id, "cancel")
    fleet.edge.stuck = False
    assert work(begun.id).state is OperationState.ROLLED_BACK
    assert fleet.edge.ledger.content == before.content
    seats = {nf["nf_id"]: nf["seat"] for nf in client.get(f"{API}/nfs").json()["items"]}
    assert seats[FIREWALL]["llc_ways"] is None


@pytest.mark.parametrize(
    ("resources", "field"),
    [
        ({}, "intent.resources"),
        ({FIREWALL: {}}, f"intent.resources.resources.{FIREWALL}"),
        ({FIREWALL: {"host": "edge-1"}}, f"intent.resources.resources.{FIREWALL}"),
        ({FIREWALL: {"cpu_quota_percent": 101}}, f"intent.resources.resources.{FIREWALL}.cpu_quota_percent"),
        ({FIREWALL: {"cpu_quota_percent": 0.5}}, f"intent.resources.resources.{FIREWALL}.cpu_quota_percent"),
        ({FIREWALL: {"cpu_share": 10_001}}, f"intent.resources.resources.{FIREWALL}.cpu_share"),
        ({FIREWALL: {"llc_ways": 0}}, f"intent.resources.resources.{FIREWALL}.llc_ways"),
        ({FIREWALL: {"llc_ways": "4"}}, f"intent.resources.resources.{FIREWALL}.llc_ways"),
        ({FIREWALL: {"memory_bandwidth_percent": 101}},
         f"intent.resources.resources.{FIREWALL}.memory_bandwidth_percent"),
        ({FIREWALL: {"core": 1}}, f"intent.resources.resources.{FIREWALL}.core"),
        ({"web-edge.ghost": {"llc_ways": 4}}, "intent.resources.web-edge.ghost"),
        ({"web-edge": {"llc_ways": 4}}, "intent.resources.resources.web-edge.[key]"),
        ({f"web-edge.nf{number}": {"llc_ways": 1} for number in range(1001)}, "intent.resources.resources"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_with_its_field(
    client: TestClient, fleet: Fleet, resources: dict[str, Any], field: str
) -> None:
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "resources", "resources": resources}})
    assert answer.status_code == 422, answer.text
    assert field in {error["field"] for error in answer.json()["errors"]}


@pytest.mark.parametrize(
    ("chains", "field"),
    [
        ({"web-edge": {}}, "intent.resources.chains.web-edge"),
        ({"web-edge": {"cpu_share": 100}}, "intent.resources.chains.web-edge.cpu_share"),
        ({"web-edge": {"llc_ways": 65}}, "intent.resources.chains.web-edge.llc_ways"),
        ({"ghost": {"llc_ways": 4}}, "intent.chains.ghost"),
        ({f"c{number}": {"llc_ways": 1} for number in range(1001)}, "intent.resources.chains"),
    ],
)
def test_what_cannot_be_asked_for_a_chain_is_refused_with_its_field(
    client: TestClient, fleet: Fleet, chains: dict[str, Any], field: str
) -> None:
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "resources", "chains": chains}})
    assert answer.status_code == 422, answer.text
    assert field in {error["field"] for error in answer.json()["errors"]}


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        ({"llc_ways": 11}, "has 11 ways, one at least for all others"),
        ({"memory_bandwidth_percent": 35}, "edge-1 has no step of 35 %"),
        ({"llc_ways": None}, "nothing changes"),
        ({"host": "edge-2", "llc_ways": 4}, "runs on edge-1, not on edge-2"),
    ],
)
def test_what_the_host_cannot_give_is_a_plan_that_says_so(
    client: TestClient, fleet: Fleet, asked: dict[str, Any], reason: str
) -> None:
    made = give(client, {FIREWALL: asked})
    assert made.body is not None and not made.applicable
    assert reason in made.body.rejected[0].reason and made.body.rejected[0].relax


def test_a_host_without_cat_says_why(client: TestClient, fleet: Fleet) -> None:
    with session_scope() as session:
        hosts.register(session, an_inventory(), fleet.edge.url)
    made = give(client, {FIREWALL: {"llc_ways": 4}})
    assert made.body is not None
    assert made.body.rejected[0].reason == (
        f"llc_ways of {FIREWALL}: edge-1 cannot give LLC ways: its driver does not offer it"
    )


def test_a_request_means_the_same_once_it_was_stored(client: TestClient, fleet: Fleet) -> None:
    """What is left out stays left out, and null stays null."""
    asked = {FIREWALL: {"llc_ways": 4}, ROUTER: {"host": "edge-1", "cpu_share": None, "cpu_quota_percent": 40.0}}
    made = client.get(f"{API}/plans/{give(client, asked).id}").json()
    assert made["intent"]["resources"] == asked == made["body"]["intent"]["resources"]
    listed = client.get(f"{API}/plans").json()["items"][0]
    assert (listed["kind"], listed["subject"], listed["changes"]) == ("resources", "2 NFs of web-edge", 2)
