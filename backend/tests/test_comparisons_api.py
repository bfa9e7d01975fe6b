"""Comparisons through the API: several algorithms on one snapshot, of this fleet or from a file."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, placed, plan, submit, work
from network_world import document
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.comparisons import service
from sextant_backend.modules.nfs.catalogue import CATALOGUE
from sextant_backend.modules.plans import planner
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.snapshots.models import ComparisonRow
from sextant_domain.plans.comparison import Comparison
from sextant_domain.plans.evidence import Algorithm
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import PlanState
from sqlalchemy import update

COMPARISONS = f"{API}/comparisons"
REPLACE = {"kind": "replace"}
PLACE = {"kind": "place", "chain": "web-edge"}
TWO = ["node_balance", "node_first"]


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def start(client: TestClient, **asked: object) -> Comparison:
    answer = client.post(COMPARISONS, json={"intent": REPLACE, "algorithms": TWO, **asked})
    assert answer.status_code == 202, answer.text
    started = Comparison.model_validate_json(answer.content)
    assert answer.headers["Location"] == f"{COMPARISONS}/{started.id}"
    return started


def made(client: TestClient, started: Comparison) -> Comparison:
    """Every plan made, as workers would."""
    for compared in started.plans:
        planner.make(compared.plan_id)
    answer = client.get(f"{COMPARISONS}/{started.id}")
    assert answer.headers["ETag"]
    return Comparison.model_validate_json(answer.content)


def test_each_algorithm_plans_on_the_same_snapshot(client: TestClient, fleet: Fleet) -> None:
    """A chain that is submitted after the comparison was started is in none of its plans."""
    submit(client, "web-edge")
    started = start(client, label="before the move", time_limit_s=3, seed=4, max_moves=5)
    assert (started.label, started.source, started.hosts, started.chains) == ("before the move", "fleet", 1, 1)
    assert [(one.algorithm, one.state, one.status) for one in started.plans] == [
        (Algorithm.NODE_BALANCE, PlanState.PLANNING, None),
        (Algorithm.NODE_FIRST, PlanState.PLANNING, None),
    ]
    submit(client, "late", "router")
    done = made(client, started)
    assert [one.algorithm.value for one in done.plans] == TWO, "in the order asked for"
    for compared in done.plans:
        whole = plan(client, compared.plan_id)
        assert whole.body is not None
        assert (whole.source, whole.comparison_id) == ("fleet", done.id)
        solving = whole.solving
        assert (solving.algorithm, solving.time_limit_s, solving.seed, solving.max_moves) == (
            compared.algorithm,
            3,
            4,
            5,
        )
        assert {change.chain for change in whole.body.changes} == {"web-edge"}
        assert (compared.changes, compared.placed, compared.moves, compared.rejected) == (3, 1, 0, 0)
        assert (compared.state, compared.status) == (PlanState.PROPOSED, whole.body.evidence.status)
        assert (compared.score, compared.bound, compared.gap) == (
            whole.body.evidence.score,
            whole.body.evidence.bound,
            whole.body.evidence.gap,
        )
        assert compared.seconds == whole.body.evidence.seconds


def test_moves_are_counted_apart_from_chains_that_start(client: TestClient, fleet: Fleet) -> None:
    """Placing two chains of three NFs and one: 4 changes, 2 chains start. Moving an NF: 1 change, 1 move."""
    submit(client, "other", "router")
    placed(client, "web-edge")
    core = client.get(f"{API}/nfs/web-edge.router").json()["seat"]["core"]
    intent = {"kind": "migrate", "nf_id": "web-edge.router", "host": "edge-1", "core": 1 - core}
    moving = client.post(f"{API}/plans", json={"intent": intent}).json()["id"]
    planner.make(moving)
    with session_scope() as session:
        row = plans.get(session, moving)
        assert row is not None
        assert (row.changes, row.placed, row.moves) == (1, 0, 1)
    submit(client, "third")
    done = made(client, start(client))
    assert [(one.changes, one.placed, one.moves) for one in done.plans] == [(4, 2, 0), (4, 2, 0)]


def test_the_value_that_is_left_out_is_reported(client: TestClient, fleet: Fleet) -> None:
    """32 NFs fit no host of the fixture: with value 2.5 the plan leaves out 2.5, beside one chain that it places."""
    submit(client, "web-edge")
    submit(client, "crowd", *["router"] * 32)
    file = exported(client)
    file["chains"] = [{**spec, "value": 2.5 if spec["name"] == "crowd" else 1.0} for spec in file["chains"]]
    done = made(client, start(client, snapshot=file))
    assert [(one.placed, one.rejected, one.rejected_value) for one in done.plans] == [(1, 1, 2.5), (1, 1, 2.5)]


def test_one_of_its_plans_is_applied_like_any_other_and_the_rest_is_superseded(
    client: TestClient, fleet: Fleet
) -> None:
    first = submit(client, "web-edge")
    done = made(client, start(client, intent=PLACE))
    chosen, other = (plan(client, one.plan_id) for one in done.plans)
    assert client.get(f"{API}/chains/web-edge").json()["plan_id"] == first.id, "a comparison proposes nothing by itself"
    assert work(apply(client, chosen).id).state is OperationState.COMPLETED
    assert client.get(f"{API}/chains/web-edge").json()["plan_id"] == chosen.id
    assert [one.state for one in made(client, done).plans] == [PlanState.APPLIED, PlanState.SUPERSEDED]
    assert plan(client, other.id).state is PlanState.SUPERSEDED


def exported(client: TestClient) -> dict[str, Any]:
    answer = client.get(f"{API}/fleet/snapshot")
    assert answer.status_code == 200
    return dict(answer.json())


def test_a_snapshot_is_studied_elsewhere_and_never_applied(client: TestClient, fleet: Fleet) -> None:
    """The file outlives the chain: it is compared when the fleet has changed, and nothing here depends on it."""
    submit(client, "web-edge")
    file = exported(client)
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    assert client.delete(f"{API}/chains/web-edge", headers={"If-Match": tag}).status_code == 204
    submit(client, "web-edge", "router")
    newest = client.get(f"{API}/chains/web-edge").json()["plan_id"]

    done = made(client, start(client, intent=PLACE, snapshot=file, label="fleet-a.json"))
    assert (done.source, done.label, done.chains) == ("file", "fleet-a.json", 1)
    assert done.taken_at.isoformat() == file["taken_at"].replace("Z", "+00:00")
    study = plan(client, done.plans[0].plan_id)
    assert study.body is not None
    assert (study.source, study.applicable, len(study.body.changes)) == ("file", False, 3)
    answer = client.post(f"{API}/plans/{study.id}/apply", headers={"If-Match": f'"{study.digest}"'})
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:sextant:problem:plan-not-applicable"
    assert "study on the file" in answer.json()["detail"]
    assert client.get(f"{API}/chains/web-edge").json()["plan_id"] == newest
    assert client.get(f"{API}/plans", params={"chain": "web-edge"}).json()["items"][0]["source"] == "fleet"


def test_what_happens_to_our_fleet_leaves_a_study_alone(client: TestClient, fleet: Fleet) -> None:
    submit(client, "web-edge")
    done = made(client, start(client, intent=PLACE, snapshot=exported(client)))
    placed(client, "other", "router")
    assert [one.state for one in made(client, done).plans] == [PlanState.PROPOSED] * 2


def changed(path: str, value: object) -> Callable[[dict[str, Any]], None]:
    """Sets what stands at `path` of a snapshot."""

    def change(snapshot: dict[str, Any]) -> None:
        *way, last = [int(part) if part.isdecimal() else part for part in path.split(".")]
        at: Any = snapshot
        for part in way:
            at = at[part]
        at[last] = value

    return change


def doubled(name: str) -> Callable[[dict[str, Any]], None]:
    def change(snapshot: dict[str, Any]) -> None:
        snapshot[name] = [*snapshot[name], snapshot[name][0]]

    return change


def raw_weights() -> str:
    return json.dumps(json.loads(document())["weights"])


def network(count: int = 1, **changes: Any) -> Callable[[dict[str, Any]], None]:
    """A promoted network for two cores, but for what is said of it."""
    of = {"cores": 2, "weights": json.loads(document())["digest"], "steps": 1, "promoted_at": "2026-11-29T15:00:00Z"}
    return lambda snapshot: snapshot.update(networks=[{**of, "document": raw_weights(), **changes}] * count)


NO_HAND_OFF = dict.fromkeys(("from_socket", "from_remote", "to_socket", "to_remote"), 0.0)


def costs(count: int = 1, **model: Any) -> Callable[[dict[str, Any]], None]:
    """Fitted costs by which NFs cost nothing beside others, but for what is said of the model."""
    nothing = {"kinds": [], "core": [[0.0]], "socket": [[0.0]], "weight": "load", "hand_off": NO_HAND_OFF}
    of = {"host": "edge-1", "version": 1, "fitted_at": "2026-11-29T15:00:00Z", "placements": 2, "left_out_error": 0.05}
    return lambda snapshot: snapshot.update(costs=[{**of, "model": {**nothing, **model}}] * count)


CONTENT = "hosts.0.content.chains.0.nfs.0"
BAD = {
    "a host twice": (doubled("hosts"), "hosts.1"),
    "a chain twice": (doubled("chains"), "chains.1"),
    "an NF type twice": (doubled("nf_types"), f"nf_types.{len(CATALOGUE)}"),
    "no host": (changed("hosts", []), "hosts"),
    "a million hosts": (lambda snapshot: snapshot.update(hosts=snapshot["hosts"] * 5001), "hosts"),
    "a chain of a strange NF type": (changed("chains.0.nfs.1.type", "ghost"), "chains.0.nfs.1.type"),
    "a chain for a strange host": (changed("chains.0.ingress.host", "nowhere"), "chains.0.ingress.host"),
    "an NF that runs on no core": (changed(f"{CONTENT}.core", 99), f"{CONTENT}.core"),
    "an NF that runs in no slot": (changed(f"{CONTENT}.slot", 8), f"{CONTENT}.core"),
    "a strange NF that runs": (changed(f"{CONTENT}.nf_type", "ghost"), f"{CONTENT}.nf_type"),
    "content of another host": (changed("hosts.0.content.host_id", "edge-2"), "hosts.0.content.host_id"),
    "a core of number 2 ** 70": (changed("hosts.0.inventory.cores.0.id", 2**70), "hosts.0.inventory"),
    "a negative generation": (changed("hosts.0.generation", -1), "hosts.0.generation"),
    "a model without bound": (changed("models.0.ideal_mpps.local", 1e300), "models.0.ideal_mpps"),
    "coefficients without bound": (changed("models.0.local.alpha", 1e300), "models.0"),
    "a network twice": (network(2), "networks.1"),
    "a network of other weights": (network(weights=f"sha256:{'1' * 64}"), "networks.0.document"),
    "a network for other cores": (network(cores=3), "networks.0.document"),
    "a network that is no JSON": (network(document="["), "networks.0.document"),
    "a network that is no number": (network(document=raw_weights().replace("100.0", "NaN", 1)), "networks.0.document"),
    "costs of a host twice": (costs(2), "costs.1"),
    "costs without a row": (costs(core=[]), "costs.0.model.core"),
    "costs below nothing": (costs(socket=[[-1.0]]), "costs.0.model.socket"),
    "costs of a kind twice": (costs(kinds=["a", "a"]), "costs.0.model.kinds"),
    "a hand-off without bound": (costs(hand_off={**NO_HAND_OFF, "to_remote": 1e300}), "costs.0.model.hand_off"),
    "an unknown field": (changed("hosts.0.colour", "red"), "hosts.0.colour"),
    "NaN as text": (changed("models.0.stalls", "NaN"), "models.0.stalls"),
    "a list": (lambda snapshot: snapshot.clear(), "taken_at"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_hostile_file_is_refused_by_field_and_stores_nothing(client: TestClient, fleet: Fleet, case: str) -> None:
    placed(client, "web-edge")
    before = client.get(f"{API}/plans").json()
    spoil, field = BAD[case]
    file = exported(client)
    spoil(file)
    answer = client.post(COMPARISONS, json={"intent": REPLACE, "algorithms": TWO, "snapshot": file})
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == f"snapshot.{field}", answer.json()["errors"][:3]
    assert len(answer.json()["errors"]) <= 50
    assert client.get(COMPARISONS).json()["items"] == []
    assert client.get(f"{API}/plans").json() == before


def test_a_schema_from_a_file_is_not_carried_out(client: TestClient, fleet: Fleet) -> None:
    """`(a+)+$` against thirty a's and a b takes a regular expression hours; a $ref would reach another machine."""
    submit(client, "web-edge")
    file = exported(client)
    router = next(one for one in file["nf_types"] if one["name"] == "router")
    router["config_schema"] = {
        "$ref": "http://127.0.0.1:9/schema.json",
        "properties": {"text": {"type": "string", "pattern": "^(a+)+$", "default": "a" * 30 + "b"}, "odd": True},
    }
    done = made(client, start(client, snapshot=file, algorithms=["node_first"]))
    study = plan(client, done.plans[0].plan_id)
    assert study.state is PlanState.PROPOSED, study.error
    assert study.body is not None
    configs = [nf.config for chain in study.body.target[0].content.chains for nf in chain.nfs if nf.nf_type == "router"]
    assert configs == [{"text": "a" * 30 + "b"}]


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"algorithms": []}, "algorithms"),
        ({"algorithms": ["brute", "brute"]}, "algorithms"),
        ({"algorithms": ["magic"]}, "algorithms.0"),
        ({"algorithms": ["exact"] * 8}, "algorithms"),
        ({"intent": {"kind": "migrate", "nf_id": "a.b", "host": "edge-1", "core": 1}}, "intent"),
        ({"intent": {"kind": "place", "chain": "ghost"}}, "intent.chain"),
        ({"label": "x" * 121}, "label"),
        ({"time_limit_s": 700}, "time_limit_s"),
        ({"colour": "red"}, "colour"),
    ],
)
def test_what_does_not_fit_is_refused_by_field(
    client: TestClient, fleet: Fleet, asked: dict[str, object], field: str
) -> None:
    answer = client.post(COMPARISONS, json={"intent": REPLACE, "algorithms": TWO, **asked})
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == field
    assert client.get(COMPARISONS).json()["items"] == []


def test_a_body_that_is_no_json_is_refused(client: TestClient) -> None:
    for body in (b"", b"{", b"[" * 100_000, b"\xff\xfe"):
        answer = client.post(COMPARISONS, content=body)
        assert (answer.status_code, answer.json()["type"]) == (400, "urn:sextant:problem:malformed-body"), body[:9]


def test_only_this_route_takes_a_large_body(client: TestClient, fleet: Fleet) -> None:
    """2 MiB of white space around a comparison are read; around a chain they are too many."""
    padding = b" " * (2 << 20)
    body = b'{"intent": {"kind": "replace"}, "algorithms": ["node_first"]}'
    assert client.post(COMPARISONS, content=body + padding).status_code == 202
    assert client.post(f"{API}/plans", content=body + padding).status_code == 413
    assert client.post(COMPARISONS, content=b" " * ((64 << 20) + 1)).status_code == 413


def test_an_idempotency_key_starts_one_comparison(client: TestClient, fleet: Fleet) -> None:
    asked = {"intent": REPLACE, "algorithms": TWO}
    first, again = (client.post(COMPARISONS, json=asked, headers={"Idempotency-Key": "k"}) for _ in range(2))
    assert first.json() == again.json()
    assert len(client.get(f"{API}/plans").json()["items"]) == 2


def test_comparisons_are_listed_newest_first_with_few_queries(
    client: TestClient, fleet: Fleet, count_queries: Callable[[], AbstractContextManager[list[str]]]
) -> None:
    for number in range(5):
        start(client, label=f"number {number}")
    with count_queries() as seen:
        page = client.get(COMPARISONS, params={"limit": 3}).json()
    assert [one["label"] for one in page["items"]] == ["number 4", "number 3", "number 2"]
    assert [len(one["plans"]) for one in page["items"]] == [2, 2, 2]
    assert not [statement for statement in seen if ".snapshot" in statement]
    assert len(seen) <= 5, seen
    rest = client.get(COMPARISONS, params={"limit": 3, "after": page["next"]}).json()
    assert [one["label"] for one in rest["items"]] == ["number 1", "number 0"]
    assert client.get(f"{COMPARISONS}/99").status_code == 404


def test_old_comparisons_go_unless_one_of_their_plans_was_applied(client: TestClient, fleet: Fleet) -> None:
    submit(client, "web-edge")
    old, applied, young = (made(client, start(client, intent=PLACE, label=label)) for label in ("a", "b", "c"))
    work(apply(client, plan(client, applied.plans[0].plan_id)).id)
    with session_scope() as session:
        aged = update(ComparisonRow).where(ComparisonRow.id.in_([old.id, applied.id]))
        session.execute(aged.values(created_at=ComparisonRow.created_at - timedelta(days=31)))
    with session_scope() as session:
        assert service.forget_old(session) == 1
    assert [one["label"] for one in client.get(COMPARISONS).json()["items"]] == ["c", "b"]
    assert client.get(f"{API}/plans/{old.plans[0].plan_id}").status_code == 404
    assert plan(client, young.plans[0].plan_id).comparison_id == young.id


def test_what_an_operator_starts_is_audited(client: TestClient, fleet: Fleet) -> None:
    start(client)
    [entry] = [one for one in client.get(f"{API}/audit").json()["items"] if one["action"] == "comparison.start"]
    assert (entry["actor"], entry["subject"]) == ("ada", "comparison/1")
    assert entry["detail"] == {"source": "fleet", "label": "fleet", "algorithms": "node_balance, node_first"}
