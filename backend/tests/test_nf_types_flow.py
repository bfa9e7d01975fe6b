"""Chains of registered NF types from submission to the host, and into snapshots and comparisons."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from artefact_world import uploaded
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, placed, plan, submit, work
from nf_types_world import RULES, TYPES, change, registered
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.plans import planner
from sextant_backend.modules.snapshots import service as snapshots
from sextant_domain.hosts.desired import DesiredNf
from sextant_domain.plans.comparison import Comparison
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import PlanState

REPLACE = {"kind": "replace"}


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def ordered(fleet: Fleet) -> dict[str, DesiredNf]:
    """What the agent holds."""
    return {nf.nf_id: nf for chain in fleet.edge.ledger.content.chains for nf in chain.nfs}


def moved(client: TestClient, nf_id: str, core: int) -> None:
    intent = {"kind": "migrate", "nf_id": nf_id, "host": "edge-1", "core": core}
    asked = client.post(f"{API}/plans", json={"intent": intent}).json()
    planner.make(asked["id"])
    assert work(apply(client, plan(client, asked["id"])).id).state is OperationState.COMPLETED


def test_the_host_is_ordered_the_program_with_the_types_defaults(client: TestClient, fleet: Fleet) -> None:
    digest = uploaded(client, RULES, "edge.rules", "rules")
    registered(client, short_name="edge", config={"synthetic_rules": 5000, "rules_file": digest})
    placed(client, "web", "router", "edge-firewall")
    nf = ordered(fleet)["web.edge-firewall"]
    assert (nf.nf_type, nf.runs, nf.nf_version) == ("edge-firewall", "firewall", 1)
    assert (nf.config["synthetic_rules"], nf.config["rules_file"], nf.config["default_action"]) == (
        5000,
        digest,
        "allow",
    )
    assert fleet.edge.files == {digest: RULES}, "the type's file is sent as a chain's own is"
    shown = client.get(f"{API}/nfs/web.edge-firewall").json()
    assert (shown["nf_type"], shown["nf_version"], shown["short_name"]) == ("edge-firewall", 1, "edge")
    router = client.get(f"{API}/nfs/web.router").json()
    assert (router["nf_version"], router["short_name"]) == (2, "router")


def test_what_runs_keeps_its_version_until_the_chain_is_submitted_again(client: TestClient, fleet: Fleet) -> None:
    registered(client, config={"synthetic_rules": 5000})
    placed(client, "web", "router", "edge-firewall")
    assert change(client, config={"synthetic_rules": 9000}).json()["version"] == 2
    before = ordered(fleet)["web.edge-firewall"]
    moved(client, "web.edge-firewall", 0)
    after = ordered(fleet)["web.edge-firewall"]
    assert after == before.model_copy(update={"core": 0, "slot": after.slot})
    assert (after.nf_version, after.config["synthetic_rules"]) == (1, 5000)
    assert client.get(f"{API}/nfs/web.edge-firewall").json()["nf_version"] == 1

    placed(client, "late", "edge-firewall")
    assert (ordered(fleet)["late.edge-firewall"].nf_version, ordered(fleet)["web.edge-firewall"].nf_version) == (2, 1)

    tag = client.get(f"{API}/chains/web").headers["ETag"]
    gone = client.delete(f"{API}/chains/web", headers={"If-Match": tag})
    assert work(gone.json()["id"]).state is OperationState.COMPLETED
    placed(client, "web", "router", "edge-firewall")
    again = ordered(fleet)["web.edge-firewall"]
    assert (again.nf_version, again.config["synthetic_rules"]) == (2, 9000)
    assert client.get(f"{API}/nfs/web.edge-firewall").json()["nf_version"] == 2


def test_what_was_approved_runs_though_the_type_has_changed_since(client: TestClient, fleet: Fleet) -> None:
    registered(client, config={"synthetic_rules": 5000})
    made = submit(client, "web", "edge-firewall")
    change(client, config={"synthetic_rules": 9000})
    assert work(apply(client, made).id).state is OperationState.COMPLETED
    nf = ordered(fleet)["web.edge-firewall"]
    assert (nf.nf_version, nf.config["synthetic_rules"]) == (1, 5000)


def test_a_snapshot_has_registered_types_with_the_models_of_their_programs(client: TestClient, fleet: Fleet) -> None:
    made = registered(client, config={"synthetic_rules": 5000})
    registered(client, "own-nat", implementation="nat")
    with session_scope() as session:
        snapshot = snapshots.take(session)
    types = {nf_type.name: nf_type.model_dump(mode="json") for nf_type in snapshot.nf_types}
    assert types["edge-firewall"] == made
    assert list(types) == sorted(types)
    models = {model.nf_type: model for model in snapshot.models}
    assert models.keys() == types.keys()
    assert models["edge-firewall"] == models["firewall"].model_copy(update={"nf_type": "edge-firewall"})
    assert models["own-nat"].ideal_mpps == models["nat"].ideal_mpps


def exported(client: TestClient) -> dict[str, Any]:
    answer = client.get(f"{API}/fleet/snapshot")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_file_of_a_fleet_with_registered_types_is_compared_elsewhere(client: TestClient, fleet: Fleet) -> None:
    """The other installation has no such type: what the file says of it is enough."""
    registered(client, config={"synthetic_rules": 5000})
    placed(client, "web", "router", "edge-firewall")
    submit(client, "late", "edge-firewall")
    file = exported(client)
    for name in ("late", "web"):
        tag = client.get(f"{API}/chains/{name}").headers["ETag"]
        gone = client.delete(f"{API}/chains/{name}", headers={"If-Match": tag})
        if gone.status_code == 202:
            work(gone.json()["id"])
    tag = client.get(f"{TYPES}/edge-firewall").headers["ETag"]
    assert client.delete(f"{TYPES}/edge-firewall", headers={"If-Match": tag}).status_code == 204
    asked = {"intent": REPLACE, "algorithms": ["node_first"], "snapshot": file}
    answer = client.post(f"{API}/comparisons", json=asked)
    assert answer.status_code == 202, answer.text
    started = Comparison.model_validate_json(answer.content)
    planner.make(started.plans[0].plan_id)
    study = plan(client, started.plans[0].plan_id)
    assert study.state is PlanState.PROPOSED, study.error
    assert study.body is not None
    nfs = {nf.nf_id: nf for chain in study.body.target[0].content.chains for nf in chain.nfs}
    assert (nfs["late.edge-firewall"].runs, nfs["late.edge-firewall"].config["synthetic_rules"]) == ("firewall", 5000)
    assert nfs["web.edge-firewall"].runs == "firewall"


@pytest.mark.parametrize("implementation", ["a/b", "", 7, "x" * 64])
def test_a_file_with_a_hostile_implementation_is_refused(
    client: TestClient, fleet: Fleet, implementation: object
) -> None:
    registered(client)
    file = exported(client)
    index = next(index for index, one in enumerate(file["nf_types"]) if one["name"] == "edge-firewall")
    file["nf_types"][index]["implementation"] = implementation
    answer = client.post(f"{API}/comparisons", json={"intent": REPLACE, "algorithms": ["node_first"], "snapshot": file})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == f"snapshot.nf_types.{index}.implementation"
