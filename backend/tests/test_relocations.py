"""Chains that leave their host: drained or moved by hand, first up at the new host, then down at the old one."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from console_world import SignIn
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, placed, plan, press, work
from sextant_backend.kit.principal import Role
from sextant_backend.modules.plans import planner
from sextant_domain.plans.operation import Operation, OperationKind, OperationState, StepName
from sextant_domain.plans.plan import Plan


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    """edge-1 runs web-edge and dns."""
    with a_fleet(tmp_path, "edge-1", "edge-2") as made:
        client.post(f"{API}/hosts/edge-2/cordon", json={"reason": "not yet"})
        placed(client, "web-edge")
        placed(client, "dns", "router")
        client.post(f"{API}/hosts/edge-2/uncordon")
        yield made


def ask(client: TestClient, **intent: Any) -> Plan:
    """The plan, made."""
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert answer.status_code == 202, answer.text
    planner.make(answer.json()["id"])
    return plan(client, answer.json()["id"])


def done(client: TestClient, **intent: Any) -> Operation:
    ended = work(apply(client, ask(client, **intent)).id)
    assert ended.state is OperationState.COMPLETED, ended.error
    return ended


def cordoned(client: TestClient, host: str = "edge-1") -> None:
    assert client.post(f"{API}/hosts/{host}/cordon", json={"reason": "new memory"}).status_code == 200


def chains_on(fleet: Fleet, host: str) -> set[str]:
    """By the ledger of its agent."""
    return {chain.chain for chain in fleet[host].ledger.content.chains}


def host_of(client: TestClient, chain: str) -> set[str]:
    nfs = client.get(f"{API}/nfs", params={"chain": chain}).json()["items"]
    return {nf["seat"]["host"] for nf in nfs}


def test_a_drained_host_ends_empty_and_its_chains_run_elsewhere(client: TestClient, fleet: Fleet) -> None:
    cordoned(client)
    operation = done(client, kind="drain", host="edge-1")
    assert (operation.kind, operation.title) == (OperationKind.RELOCATE, "Drain edge-1")
    assert (chains_on(fleet, "edge-1"), chains_on(fleet, "edge-2")) == (set(), {"web-edge", "dns"})
    assert host_of(client, "web-edge") == host_of(client, "dns") == {"edge-2"}
    assert {client.get(f"{API}/chains/{name}").json()["state"] for name in ("web-edge", "dns")} == {"running"}


def test_the_new_host_is_complete_before_the_old_one_is_asked_to_stop(client: TestClient, fleet: Fleet) -> None:
    cordoned(client)
    operation = done(client, kind="drain", host="edge-1")
    steps = {(host.host, step.name): step for host in operation.hosts for step in host.steps}
    verified, stopped = steps["edge-2", StepName.VERIFY].finished_at, steps["edge-1", StepName.PUT].started_at
    assert verified is not None and stopped is not None and verified <= stopped


def test_while_the_new_host_fails_the_old_one_runs_on_and_a_rollback_leaves_all_as_it_was(
    client: TestClient, fleet: Fleet
) -> None:
    cordoned(client)
    before = fleet["edge-1"].ledger
    asked = ask(client, kind="drain", host="edge-1")
    fleet["edge-2"].stop()
    operation = work(apply(client, asked).id)
    assert operation.state is OperationState.FAILED_TEMP
    assert fleet["edge-1"].ledger == before, "not asked to stop anything"
    press(client, operation.id, "rollback")
    assert work(operation.id).state is OperationState.ROLLED_BACK
    assert fleet["edge-1"].ledger == before
    assert host_of(client, "web-edge") == {"edge-1"}


def test_a_drain_is_undone_once_the_host_is_back_in_service(client: TestClient, fleet: Fleet) -> None:
    cordoned(client)
    operation = done(client, kind="drain", host="edge-1")
    refused = ask(client, kind="restore", operation_id=operation.id).body
    assert refused is not None and not refused.does_something, "edge-1 is still cordoned"
    client.post(f"{API}/hosts/edge-1/uncordon")
    done(client, kind="restore", operation_id=operation.id)
    assert (chains_on(fleet, "edge-1"), chains_on(fleet, "edge-2")) == ({"web-edge", "dns"}, set())


def test_half_a_move_is_not_undone(client: TestClient, fleet: Fleet) -> None:
    operation = done(client, kind="relocate", chain="dns", host="edge-2")
    intent = {"kind": "restore", "operation_id": operation.id, "hosts": ["edge-2"]}
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert answer.status_code == 409
    assert f"Operation {operation.id} moved dns between edge-1 and edge-2: undo it on all" in answer.json()["detail"]


def test_a_chain_is_moved_to_the_host_that_is_named_and_no_other(client: TestClient, fleet: Fleet) -> None:
    operation = done(client, kind="relocate", chain="dns", host="edge-2")
    assert operation.title == "Move dns to edge-2"
    assert (chains_on(fleet, "edge-1"), chains_on(fleet, "edge-2")) == ({"web-edge"}, {"dns"})


def test_a_chain_that_names_its_host_names_the_new_one_and_after_an_undo_the_old_one(
    client: TestClient, fleet: Fleet
) -> None:
    pinned = {
        "name": "pinned",
        "nfs": ["router"],
        "ingress": {"host": "edge-1"},
        "traffic": {"rate_mpps": 0.1, "packet_bytes": 64},
    }
    answer = client.post(f"{API}/chains", json=pinned)
    assert answer.status_code in (201, 202), answer.text
    first = client.get(f"{API}/plans", params={"chain": "pinned"}).json()["items"][0]["id"]
    planner.make(first)
    work(apply(client, plan(client, first)).id)
    operation = done(client, kind="relocate", chain="pinned", host="edge-2")
    assert client.get(f"{API}/chains/pinned").json()["spec"]["ingress"]["host"] == "edge-2"
    assert client.get(f"{API}/chains/pinned").json()["spec"]["egress"]["host"] is None, "it named none"
    done(client, kind="restore", operation_id=operation.id)
    assert client.get(f"{API}/chains/pinned").json()["spec"]["ingress"]["host"] == "edge-1"


def exchanged_hosts(client: TestClient) -> Plan:
    """web-edge on edge-1 and dns on edge-2, to change places."""
    done(client, kind="relocate", chain="dns", host="edge-2")
    return ask(client, kind="relocate", chain="web-edge", host="edge-2", exchange=["dns"])


def test_two_chains_change_places_and_each_runs_there_before_it_stops_here(client: TestClient, fleet: Fleet) -> None:
    """edge-1 has ten slots: it runs dns beside web-edge until edge-2 has web-edge. The undo goes the same way."""
    asked = exchanged_hosts(client)
    operation = work(apply(client, asked).id)
    assert operation.state is OperationState.COMPLETED, operation.error
    assert operation.title == "Move web-edge to edge-2 in exchange for dns"
    assert (chains_on(fleet, "edge-1"), chains_on(fleet, "edge-2")) == ({"dns"}, {"web-edge"})
    steps = {(host.host, step.name): step for host in operation.hosts for step in host.steps}
    ready, elsewhere = steps["edge-1", StepName.READY].finished_at, steps["edge-2", StepName.PUT].started_at
    there, stopped = steps["edge-2", StepName.VERIFY].finished_at, steps["edge-1", StepName.PUT].started_at
    assert ready is not None and elsewhere is not None and ready <= elsewhere
    assert there is not None and stopped is not None and there <= stopped
    done(client, kind="restore", operation_id=operation.id)
    assert (chains_on(fleet, "edge-1"), chains_on(fleet, "edge-2")) == ({"web-edge"}, {"dns"})


@pytest.fixture
def full(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    """Two hosts of one core with two slots: edge-1 runs web, edge-2 dns, of two NFs each, offered 0.2 Mpps each."""
    with a_fleet(tmp_path, "edge-1", "edge-2", cores=1) as made:
        cordoned(client, "edge-2")
        placed(client, "web", "router", "firewall")
        client.post(f"{API}/hosts/edge-2/uncordon")
        placed(client, "dns", "router", "firewall")
        yield made


def test_what_an_exchange_interrupts_is_applied_once_somebody_allows_the_loss(client: TestClient, full: Fleet) -> None:
    """0.2 Mpps for 5500 ms are 1.1 million packets, and both chains stop: 2.2 million."""
    asked = ask(client, kind="relocate", chain="web", host="edge-2", exchange=["dns"])

    def applied(plan: Plan, budget: dict[str, float] | None) -> Any:
        headers = {"If-Match": f'"{plan.digest}"'}
        return client.post(f"{API}/plans/{plan.id}/apply", json={"loss_budget": budget}, headers=headers)

    for budget, said in (
        (None, "Expected is 2200000 packets lost, 5500 ms without a packet"),
        ({"most_packets": 2_199_999}, "2200000 packets lost, 2199999 are allowed"),
        ({"most_pause_ms": 5000.0}, "5500 ms without a packet, 5000 ms are allowed"),
    ):
        refused = applied(asked, budget)
        assert (refused.status_code, refused.json()["type"].rsplit(":", 1)[-1]) == (409, "plan-interrupts")
        assert said in refused.json()["detail"]
    assert (chains_on(full, "edge-1"), chains_on(full, "edge-2")) == ({"web"}, {"dns"})
    allowed = {"most_packets": 2_200_000, "most_pause_ms": 5500.0}
    operation = work(applied(asked, allowed).json()["id"])
    assert operation.state is OperationState.COMPLETED, operation.error
    assert (chains_on(full, "edge-1"), chains_on(full, "edge-2")) == ({"dns"}, {"web"})
    entry = client.get(f"{API}/audit", params={"action": "plan.apply"}).json()["items"][0]
    assert entry["detail"]["loss_budget"] == str(allowed)

    back = ask(client, kind="restore", operation_id=operation.id)
    assert applied(back, None).status_code == 409
    assert work(applied(back, allowed).json()["id"]).state is OperationState.COMPLETED
    assert (chains_on(full, "edge-1"), chains_on(full, "edge-2")) == ({"web"}, {"dns"})


def test_what_is_named_must_exist(client: TestClient, fleet: Fleet) -> None:
    for intent, field in (
        ({"kind": "drain", "host": "nowhere"}, "intent.host"),
        ({"kind": "relocate", "chain": "dns", "host": "nowhere"}, "intent.host"),
        ({"kind": "relocate", "chain": "none", "host": "edge-2"}, "intent.chain"),
        ({"kind": "relocate", "chain": "dns", "host": "edge-2", "exchange": ["none"]}, "intent.exchange.0"),
    ):
        answer = client.post(f"{API}/plans", json={"intent": intent})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)


def test_a_viewer_may_not(fleet: Fleet, sign_in: SignIn) -> None:
    viewer = sign_in(Role.VIEWER, "vera")
    assert viewer.post(f"{API}/plans", json={"intent": {"kind": "drain", "host": "edge-1"}}).status_code == 403


def test_in_batches_the_first_failure_stops_the_operation_before_the_next_host_is_touched(
    client: TestClient, fleet: Fleet
) -> None:
    """One host at a time, by name: edge-1 cannot be ordered, so edge-2 never is."""
    done(client, kind="relocate", chain="dns", host="edge-2")
    asked = ask(client, kind="resources", resources={f"{nf}.router": {"cpu_share": 50} for nf in ("web-edge", "dns")})
    before = fleet["edge-2"].ledger
    fleet["edge-1"].stop()
    answer = client.post(
        f"{API}/plans/{asked.id}/apply", json={"hosts_at_once": 1}, headers={"If-Match": f'"{asked.digest}"'}
    )
    assert answer.status_code == 202, answer.text
    assert {one["host"]: one["after"] for one in answer.json()["hosts"]} == {"edge-1": [], "edge-2": ["edge-1"]}
    stopped = work(answer.json()["id"])
    assert stopped.state is OperationState.FAILED_TEMP
    assert fleet["edge-2"].ledger == before
    fleet.restart("edge-1")
    press(client, stopped.id, "retry")
    assert work(stopped.id).state is OperationState.COMPLETED
    assert fleet["edge-2"].ledger.generation == before.generation + 1


def test_a_batch_has_a_host_at_least(client: TestClient, fleet: Fleet) -> None:
    asked = ask(client, kind="drain", host="edge-1")
    answer = client.post(
        f"{API}/plans/{asked.id}/apply", json={"hosts_at_once": 0}, headers={"If-Match": f'"{asked.digest}"'}
    )
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "hosts_at_once")
