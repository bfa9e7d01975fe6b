"""Two chains exchange their cores: asked, applied, measured and kept; made worse, and undone by itself."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from console_world import a_batch, an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, placed, plan, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.plans import planner
from sextant_backend.modules.telemetry import service as telemetry
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan

CORES = 4


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", cores=CORES) as made:
        placed(client, "web", "router", "firewall")
        placed(client, "nat", "router", "firewall")
        yield made


def seats(fleet: Fleet) -> dict[str, int]:
    return {nf.nf_id: nf.core for chain in fleet.edge.ledger.content.chains for nf in chain.nfs}


def swap(client: TestClient, fleet: Fleet, **more: Any) -> Plan:
    """The NFs of web on the cores of nat's, and the other way round; they stand on two cores of 8 slots each."""
    now = seats(fleet)
    cores = {f"{one}.{nf}": 3 if one == "web" else 2 for one in ("web", "nat") for nf in ("router", "firewall")}
    wanted = {nf_id: core for nf_id, core in cores.items() if now[nf_id] != core}
    return ask(client, seats=wanted, **more)


def ask(client: TestClient, **intent: Any) -> Plan:
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "resources", **intent}})
    assert answer.status_code == 202, answer.text
    planner.make(answer.json()["id"])
    return plan(client, answer.json()["id"])


@contextmanager
def reporting(fleet: Fleet, after: float) -> Iterator[None]:
    """Telemetry of the host, whose clock is ten times as fast: each chain is offered 0.1 Mpps and carries it; `after`
    of it once the host has taken another order."""
    first, ended = fleet.edge.ledger.generation, threading.Event()

    def report() -> None:
        ts, number = datetime.now(UTC) - timedelta(seconds=60), 0
        while not ended.is_set():
            number, ts = number + 1, ts + timedelta(seconds=1)
            carried = 0.1 if fleet.edge.ledger.generation == first else after
            chains = [
                {"chain": name, "offered_mpps": 0.1, "delivered_mpps": carried, "drop_mpps": 0.1 - carried}
                for name in ("web", "nat")
            ]
            with session_scope() as session:
                telemetry.ingest(session, a_batch(number, taken_at=ts, chains=chains, nfs=[]))
            if number > 8:
                begun.set()
            ended.wait(0.1)

    begun, thread = threading.Event(), threading.Thread(target=report)
    thread.start()
    assert begun.wait(60)
    try:
        yield
    finally:
        ended.set()
        thread.join()


def test_an_exchange_is_measured_and_kept(client: TestClient, fleet: Fleet) -> None:
    made = swap(client, fleet, loss_budget={"most_packets": 2080})
    assert made.body is not None and made.body.loss is not None, made.body
    assert made.body.loss.packets <= 2080
    with reporting(fleet, after=0.1):
        done = work(apply(client, made).id)
    assert done.state is OperationState.COMPLETED, done.error
    (host,) = done.hosts
    assert [step.name for step in host.steps] == ["check", "put", "converge", "verify", "measure"]
    assert host.outcome is not None
    assert (host.outcome.worse, host.outcome.lost_packets, host.outcome.within_budget) == (False, 0, True)
    # 256 bytes, FCS and gap: 280 x 8 bits x 0.1 Mpps are 0.224 Gbps, twice.
    assert host.outcome.text == "carries 0.45 Gbps, 0.45 before; 0 packets lost"
    assert host.steps[-1].detail == host.outcome.text
    assert {seats(fleet)[f"web.{nf}"] for nf in ("router", "firewall")} == {3}
    assert {seats(fleet)[f"nat.{nf}"] for nf in ("router", "firewall")} == {2}


def test_what_carries_less_afterwards_goes_back_by_itself(client: TestClient, fleet: Fleet) -> None:
    """Nine tenths of what both carried before: nobody presses a button."""
    before = fleet.edge.ledger.content
    made = swap(client, fleet, law="numasfp")
    with reporting(fleet, after=0.09):
        done = work(apply(client, made).id)
    assert done.state is OperationState.ROLLED_BACK
    assert done.hosts[0].outcome is not None and done.hosts[0].outcome.worse
    assert done.error is not None
    assert done.error.type == "urn:sextant:problem:moves-made-worse"
    assert fleet.edge.ledger.content == before
    assert [client.get(f"{API}/chains/{name}").json()["state"] for name in ("web", "nat")] == ["running"] * 2
    assert client.get(f"{API}/plans/{made.id}").json()["state"] == "failed"


def test_a_host_without_telemetry_keeps_what_was_ordered(client: TestClient, fleet: Fleet) -> None:
    done = work(apply(client, swap(client, fleet, law="numasfp")).id)
    assert done.state is OperationState.COMPLETED
    assert done.hosts[0].steps[-1].detail == "not measured: edge-1 had sent no telemetry when it was verified"


def test_moves_that_nobody_limits_take_four_steps(client: TestClient, fleet: Fleet) -> None:
    done = work(apply(client, swap(client, fleet)).id)
    assert (len(done.hosts[0].steps), done.hosts[0].outcome) == (4, None)
    assert done.title.startswith("Move ") and done.title.endswith(" on edge-1")


@pytest.mark.parametrize(
    ("intent", "field"),
    [
        ({"seats": {"web.ghost": 2}}, "intent.seats.web.ghost"),
        ({"seats": {"web.router": -1}}, "intent.resources.seats.web.router"),
        ({"seats": {"web.router": 1}, "loss_budget": {}}, "intent.resources.loss_budget"),
        ({"seats": {"web.router": 1}, "loss_budget": {"most_packets": -1}},
         "intent.resources.loss_budget.most_packets"),
        ({"bounds": {"ghost": None}}, "intent.bounds.ghost"),
        ({"seats": {f"web.nf{number}": 1 for number in range(1001)}}, "intent.resources.seats"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_names_its_field(
    client: TestClient, fleet: Fleet, intent: dict[str, Any], field: str
) -> None:
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "resources", **intent}})
    assert answer.status_code == 422, answer.text
    assert field in {error["field"] for error in answer.json()["errors"]}


def test_a_plan_beyond_its_loss_budget_says_what_it_would_cost(client: TestClient, fleet: Fleet) -> None:
    made = swap(client, fleet, loss_budget={"most_packets": 10})
    assert not made.applicable
    assert made.body is not None
    (refused,) = made.body.rejected
    assert "packets lost, 10 are allowed" in refused.reason


def test_an_operator_who_asks_for_bounds_of_a_host_without_cat_is_told_so(client: TestClient, fleet: Fleet) -> None:
    with session_scope() as session:
        hosts.register(session, an_inventory(cores=CORES), fleet.edge.url)
    bounds = {"law": "numasfp", "law_version": 1, "table": "sha256:" + "0" * 64, "least_ways": 1, "most_ways": 4,
              "least_percent": 10, "most_percent": 50}  # fmt: skip
    made = ask(client, bounds={"web": bounds})
    assert made.body is not None
    assert made.body.rejected[0].reason == ("bounds of web: edge-1 cannot give LLC ways: its driver does not offer it")
