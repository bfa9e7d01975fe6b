"""Settings of a chain that runs, changed without a restart: what is refused, what is ordered, and that the stored
specification is at every moment what the host was ordered."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from agent_peer import chain_json
from console_world import a_batch, an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, operation, placed, plan, press, submit, work
from httpx import Response
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.chains import service as chains
from sextant_backend.modules.hosts import repository as host_rows
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.operations.messages import StepDone
from sextant_backend.modules.plans import making
from sextant_backend.modules.plans import repository as plan_rows
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.chain import ChainSettings
from sextant_domain.desired import DesiredChain
from sextant_domain.operation import Operation, OperationState, StepName
from sextant_domain.plan import PlanState

SETTINGS = f"{API}/chains/web-edge/settings"
FASTER = {"rate_mpps": 0.9, "packet_bytes": 256}


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


@pytest.fixture
def running(client: TestClient, fleet: Fleet) -> Fleet:
    placed(client, "web-edge")
    return fleet


def patch(client: TestClient, **change: Any) -> Response:
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    return client.patch(SETTINGS, json=change, headers={"If-Match": tag})


def begun(client: TestClient, **change: Any) -> Operation:
    answer = patch(client, **change)
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"{API}/operations/{answer.json()['id']}"
    return Operation.model_validate_json(answer.content)


def adjusted(client: TestClient, **change: Any) -> Operation:
    done = work(begun(client, **change).id)
    assert done.state is OperationState.COMPLETED, done.error
    return done


def stored() -> ChainSettings:
    with session_scope() as session:
        return chains.one(session, "web-edge").spec.settings


def ordered(fleet: Fleet) -> DesiredChain:
    return next(chain for chain in fleet.edge.ledger.content.chains if chain.chain == "web-edge")


def booked() -> ChainSettings:
    """By the host's books."""
    with session_scope() as session:
        host = host_rows.get(session, "edge-1")
        assert host is not None
        return next(one for one in hosts.desired_of(host).content.chains if one.chain == "web-edge").settings


def same(fleet: Fleet) -> ChainSettings:
    """Stored, booked and ordered are one."""
    assert stored() == booked() == ordered(fleet).settings
    return stored()


def test_a_running_chain_gets_another_rate_at_once(client: TestClient, running: Fleet) -> None:
    seats = client.get(f"{API}/chains/web-edge").json()["placement"]
    done = adjusted(client, traffic=FASTER)
    assert (done.kind, done.title) == ("adjust", "Adjust web-edge on edge-1")
    assert [step.name for step in done.hosts[0].steps] == ["check", "put", "converge", "verify"]
    assert same(running).traffic.rate_mpps == 0.9
    chain = client.get(f"{API}/chains/web-edge").json()
    assert (chain["state"], chain["placement"]) == ("running", seats)
    made = plan(client, done.plan_id)
    assert made.state is PlanState.APPLIED and made.body is not None
    assert [(one.field, one.before, one.after) for one in made.body.adjustments] == [
        ("traffic.rate_mpps", "0.2", "0.9")
    ]
    entry = client.get(f"{API}/audit").json()["items"]
    assert "chain.adjust" in {one["action"] for one in entry}


def test_each_setting_reaches_the_host_and_can_be_taken_back(client: TestClient, running: Fleet) -> None:
    before = same(running)
    assert adjusted(client, paused=True).title == "Pause web-edge on edge-1"
    assert same(running).paused
    assert all(nf["paused"] for nf in client.get(f"{API}/nfs").json()["items"])
    assert adjusted(client, paused=False).title == "Resume web-edge on edge-1"
    adjusted(client, nfs={"router": {"cpu_share": 300, "cpu_quota_percent": 40}, "firewall": {"cpu_share": 50}})
    adjusted(client, nfs={"router": {"cpu_share": None}})
    wishes = same(running).nfs
    assert (wishes["router"].cpu_share, wishes["router"].cpu_quota_percent) == (None, 40)
    assert wishes["firewall"].cpu_share == 50
    share = {nf["nf_id"]: nf["seat"]["cpu_share"] for nf in client.get(f"{API}/nfs").json()["items"]}
    assert share == {"web-edge.router": None, "web-edge.firewall": 50, "web-edge.basic-monitor": None}
    adjusted(client, nfs={"router": {"cpu_quota_percent": None}, "firewall": {"cpu_share": None}})
    adjusted(client, execution="run-to-completion")
    adjusted(client, execution="isolated")
    assert same(running) == before


def test_what_is_as_asked_already_orders_nothing(client: TestClient, running: Fleet) -> None:
    answer = patch(client, paused=False, nfs={"router": {"cpu_share": None}})
    assert (answer.status_code, answer.json()["spec"]["paused"]) == (200, False)
    assert patch(client).status_code == 200
    assert len(running.edge.adopted) == 1


def test_the_same_key_has_one_effect(client: TestClient, running: Fleet) -> None:
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    headers = {"If-Match": tag, "Idempotency-Key": "once"}
    first = client.patch(SETTINGS, json={"paused": True}, headers=headers)
    work(first.json()["id"])
    again = client.patch(SETTINGS, json={"paused": True}, headers=headers)
    assert (again.status_code, again.json()["id"]) == (202, first.json()["id"])
    assert len(running.edge.adopted) == 2


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"traffic": {"rate_mpps": -1, "packet_bytes": 64}}, "traffic.rate_mpps"),
        ({"traffic": {"rate_mpps": 0.5}}, "traffic.packet_bytes"),
        ({"paused": "yes"}, "paused"),
        ({"execution": "threads"}, "execution"),
        ({"colour": "red"}, "colour"),
        ({"nfs": {"ghost": {"cpu_share": 5}}}, "nfs.ghost"),
        ({"nfs": {"router": {"cpu_share": 0}}}, "nfs.router.cpu_share"),
        ({"nfs": {"router": {"cpu_share": 10_001}}}, "nfs.router.cpu_share"),
        ({"nfs": {"router": {"cpu_quota_percent": 120}}}, "nfs.router.cpu_quota_percent"),
        ({"nfs": {"router": {"core": 1}}}, "nfs.router.core"),
        ({"nfs": {f"nf{number}": {} for number in range(40)}}, "nfs"),
        (
            {"traffic": {**FASTER, "payload": {"kind": "matches", "percent": 5, "strings": ["x" * 64], "x": 1}}},
            "traffic.payload.x",
        ),
        (
            {
                "traffic": {
                    "rate_mpps": 0.1,
                    "packet_bytes": 64,
                    "payload": {"kind": "matches", "percent": 5, "strings": ["longer than its packets"]},
                }
            },
            "traffic.payload.strings.0",
        ),
        (
            {"execution": "run-to-completion", "nfs": {"router": {"cpu_quota_percent": 50}}},
            "nfs.router.cpu_quota_percent",
        ),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(
    client: TestClient, running: Fleet, change: dict[str, Any], field: str
) -> None:
    answer = patch(client, **change)
    assert answer.status_code == 422, answer.text
    assert field in {error["field"] for error in answer.json()["errors"]}
    assert len(running.edge.adopted) == 1
    assert client.get(f"{API}/operations").json()["items"][0]["kind"] == "apply"


def test_a_shared_process_and_a_share_given_before_exclude_each_other(client: TestClient, running: Fleet) -> None:
    adjusted(client, nfs={"router": {"cpu_share": 300}})
    answer = patch(client, execution="run-to-completion")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "execution")
    assert "take it away" in answer.json()["errors"][0]["message"]
    adjusted(client, execution="run-to-completion", nfs={"router": {"cpu_share": None}})
    assert same(running).execution == "run-to-completion"


def backends(*numbers: int) -> list[dict[str, Any]]:
    return [{"address": f"10.200.0.{number}", "weight": 1} for number in numbers]


@pytest.fixture
def balanced(client: TestClient, fleet: Fleet) -> Fleet:
    """A load balancer that names no backends: it has its type's, 1 to 4."""
    placed(client, "web-edge", "load-balancer", "firewall")
    return fleet


def test_backends_change_on_the_host_and_in_the_specification(client: TestClient, balanced: Fleet) -> None:
    assert ordered(balanced).nfs[0].config["backends"] == backends(1, 2, 3, 4)
    done = adjusted(client, nfs={"load-balancer": {"config": {"backends": backends(1, 2)}}})
    body = plan(client, done.plan_id).body
    assert body is not None
    (told,) = body.adjustments
    assert told.field == "nfs.load-balancer.config.backends"
    assert (len(json.loads(told.before)), len(json.loads(told.after))) == (4, 2)
    assert same(balanced).nfs["load-balancer"].config == {"backends": backends(1, 2)}
    config = ordered(balanced).nfs[0].config
    assert (config["backends"], config["table_size"]) == (backends(1, 2), 65_537)
    adjusted(client, nfs={"load-balancer": {"config": {"backends": None}}})
    assert same(balanced).nfs["load-balancer"].config == {"backends": backends(1, 2, 3, 4)}


def test_another_rate_leaves_the_backends(client: TestClient, balanced: Fleet) -> None:
    body = plan(client, adjusted(client, traffic=FASTER).plan_id).body
    assert body is not None
    assert [one.field for one in body.adjustments] == ["traffic.rate_mpps"]


def test_backends_that_it_has_already_order_nothing(client: TestClient, balanced: Fleet) -> None:
    answer = patch(client, nfs={"load-balancer": {"config": {"backends": backends(1, 2, 3, 4)}}})
    assert (answer.status_code, len(balanced.edge.adopted)) == (200, 1)


def test_backends_of_a_chain_that_waits_change_its_specification(client: TestClient, balanced: Fleet) -> None:
    """Submitted, planned and not applied: its plan is made anew, and the old one cannot be applied."""
    submit(client, "waits", "load-balancer")
    tag = client.get(f"{API}/chains/waits").headers["ETag"]
    change = {"nfs": {"load-balancer": {"config": {"backends": backends(7)}}}}
    answer = client.patch(f"{API}/chains/waits/settings", json=change, headers={"If-Match": tag})
    assert (answer.status_code, answer.json()["spec"]["nfs"][0]["config"]) == (200, {"backends": backends(7)})


@pytest.mark.parametrize(
    ("nf", "config", "field", "told"),
    [
        ("load-balancer", {"backends": []}, "backends", "[] should be non-empty"),
        ("load-balancer", {"backends": backends(*([1] * 2))}, "backends.1.address", "is that of backend 0 already"),
        ("load-balancer", {"backends": [{"address": "192.168.0.1"}]}, "backends.0.address", "lies inside vip_prefix"),
        ("load-balancer", {"table_size": 251}, "table_size", "only backends can change while it runs"),
        ("load-balancer", {"backends": backends(1), "surprise": 1}, "surprise", "only backends can change"),
        ("firewall", {"rules": []}, "rules", "nothing can change while it runs"),
    ],
)
def test_what_an_nf_does_not_take_up_is_refused(
    client: TestClient, balanced: Fleet, nf: str, config: dict[str, Any], field: str, told: str
) -> None:
    answer = patch(client, nfs={nf: {"config": config}})
    assert answer.status_code == 422
    (error,) = answer.json()["errors"]
    assert error["field"] == f"nfs.{nf}.config.{field}"
    assert told in error["message"]
    assert len(balanced.edge.adopted) == 1


def test_a_host_that_cannot_configure_says_why(client: TestClient, balanced: Fleet) -> None:
    lose(balanced, "configure")
    answer = patch(client, nfs={"load-balancer": {"config": {"backends": backends(1)}}})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "nfs.load-balancer.config")


def test_a_host_without_a_helper_takes_no_new_share(client: TestClient, running: Fleet) -> None:
    """What the chain has already stays, whatever the host has lost since; 100 is what every NF has."""
    adjusted(client, nfs={"router": {"cpu_share": 300}})
    lose(running, "cpu-share")
    for wish in ({"cpu_share": 200}, {"cpu_quota_percent": 40.0}):
        answer = patch(client, nfs={"router": wish})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, f"nfs.router.{next(iter(wish))}")
    adjusted(client, traffic=FASTER)
    adjusted(client, nfs={"firewall": {"cpu_share": 100}})
    adjusted(client, nfs={"router": {"cpu_share": None}})


def lose(fleet: Fleet, capability: str) -> None:
    """The host says that it cannot do it any more."""
    inventory = an_inventory()
    left = tuple(one for one in inventory.capabilities if one.name != capability)
    with session_scope() as session:
        hosts.register(session, inventory.model_copy(update={"capabilities": left}), fleet.edge.url)


def test_a_host_that_cannot_pause_says_why(client: TestClient, running: Fleet) -> None:
    lose(running, "pause")
    answer = patch(client, paused=True)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "paused")
    assert "edge-1" in answer.json()["errors"][0]["message"]
    adjusted(client, traffic=FASTER)


def test_a_change_names_what_it_was_made_for(client: TestClient, running: Fleet) -> None:
    assert client.patch(SETTINGS, json={"paused": True}).status_code == 428
    assert client.patch(SETTINGS, json={"paused": True}, headers={"If-Match": '"1"'}).status_code == 412
    assert client.patch(f"{API}/chains/ghost/settings", json={}, headers={"If-Match": '"1"'}).status_code == 404


def test_nobody_adjusts_while_an_operation_is_at_work(client: TestClient, running: Fleet) -> None:
    first = begun(client, paused=True)
    answer = patch(client, traffic=FASTER)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:host-busy")
    work(first.id)
    adjusted(client, traffic=FASTER)


def test_a_chain_that_runs_nowhere_changes_its_specification_and_is_planned_anew(
    client: TestClient, fleet: Fleet
) -> None:
    old = submit(client, "web-edge")
    answer = patch(client, traffic=FASTER, nfs={"router": {"cpu_share": 200}})
    assert answer.status_code == 200, answer.text
    assert answer.json()["spec"]["traffic"]["rate_mpps"] == 0.9
    assert fleet.edge.adopted == []
    assert plan(client, old.id).state is PlanState.SUPERSEDED
    making.make(answer.json()["plan_id"])
    done = work(apply(client, plan(client, answer.json()["plan_id"])).id)
    assert done.state is OperationState.COMPLETED, done.error
    assert same(fleet).nfs["router"].cpu_share == 200


def test_a_plan_made_with_former_settings_cannot_be_applied(client: TestClient, fleet: Fleet) -> None:
    """A re-placement names no chain before it is made, so the change could not supersede it."""
    submit(client, "web-edge")
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}}).json()["id"]
    making.make(asked)
    made = plan(client, asked)
    with session_scope() as session:
        row = chains.found(session, "web-edge")
        row.spec = {**row.spec, "paused": True}
    answer = client.post(f"{API}/plans/{asked}/apply", headers={"If-Match": f'"{made.digest}"'})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:stale-plan")
    assert "the settings of web-edge have been changed" in answer.json()["detail"]
    assert plan(client, asked).state is PlanState.SUPERSEDED


def test_a_plan_that_was_stored_before_there_were_adjustments_is_shown_with_none(
    client: TestClient, fleet: Fleet
) -> None:
    made = submit(client, "web-edge")
    with session_scope() as session:
        row = plan_rows.get(session, made.id, body=True)
        assert row is not None and row.body is not None
        row.body = row.body.replace('{"adjustments":[],', "{", 1)
    assert client.get(f"{API}/plans/{made.id}").json()["body"]["adjustments"] == []


def test_what_is_rolled_back_is_stored_as_it_was(client: TestClient, running: Fleet) -> None:
    before = same(running)
    running.edge.stuck = True
    first = begun(client, traffic=FASTER, paused=True)
    assert stored() == before, "nothing is ordered yet"
    waiting = work(first.id)
    assert waiting.state is OperationState.FAILED_TEMP
    assert same(running).paused, "the host holds the order, so the specification says it"
    running.edge.stuck = False
    press(client, first.id, "rollback")
    assert work(first.id).state is OperationState.ROLLED_BACK
    assert same(running) == before


def test_what_never_reached_the_host_never_changed(client: TestClient, running: Fleet) -> None:
    before = same(running)
    running.edge.stop()
    waiting = work(begun(client, paused=True).id)
    assert waiting.state is OperationState.FAILED_TEMP
    assert stored() == booked() == before
    press(client, waiting.id, "fail")
    assert operation(client, waiting.id).state is OperationState.FAILED
    assert stored() == booked() == before
    running.restart("edge-1")


def test_specification_and_books_change_in_one_transaction(client: TestClient, running: Fleet) -> None:
    """The worker dies between the agent's answer and its own commit: both are as before, then both follow."""
    before = same(running)
    first = begun(client, paused=True)
    with session_scope() as session:
        taken = operations.take(session, first.id)
    assert taken is not None
    token = taken[0]
    with session_scope() as session:
        operations.tell(session, first.id, token, StepDone("edge-1", StepName.CHECK, "fits"))
    assert stored() == booked() == before
    with pytest.raises(RuntimeError), session_scope() as session:
        operations.tell(session, first.id, token, StepDone("edge-1", StepName.PUT, "taken"))
        raise RuntimeError("killed")
    assert stored() == booked() == before
    with session_scope() as session:
        operations.tell(session, first.id, token, StepDone("edge-1", StepName.PUT, "taken"))
    assert stored() == booked()
    assert stored().paused


def test_a_paused_chain_violates_no_objective(client: TestClient, fleet: Fleet) -> None:
    body = chain_json("web-edge", "router") | {"slo": {"min_throughput_mpps": 5.0}}
    asked = client.post(f"{API}/chains", json=body).json()["plan_id"]
    making.make(asked)
    work(apply(client, plan(client, asked)).id)
    with session_scope() as session:
        telemetry.ingest(session, a_batch())
    assert client.get(f"{API}/chains/web-edge").json()["throughput_slo"] == "violated"
    adjusted(client, paused=True)
    assert client.get(f"{API}/chains/web-edge").json()["throughput_slo"] == "no_data"
    adjusted(client, paused=False)
    for sequence, paused, verdict in ((2, True, "no_data"), (3, False, "violated")):
        (sample,) = a_batch().chains
        told = sample.model_copy(update={"paused": paused}).model_dump(mode="json")
        with session_scope() as session:
            telemetry.ingest(session, a_batch(sequence, chains=[told]))
        assert client.get(f"{API}/chains/web-edge").json()["throughput_slo"] == verdict, "half an interval is no miss"
