"""Resources of NFs that run, from the request to the simulated host and back: console, real workers, agent and twin."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from enrolment_world import listening
from fastapi.testclient import TestClient
from fleet_world import API, apply, plan, press
from operating_world import LIMIT_S, until
from sextant_backend.settings import Settings
from sextant_cli.resource_options import resource_intent
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import ChangeKind, Plan, PlanState
from simulated_world import simulated_hosts
from worker_world import Processes, eventually, processes

pytestmark = pytest.mark.fault

HEAVY = {
    "name": "heavy",
    "nfs": [{"type": "simple-forward", "config": {"loops": 3000}}],
    "ingress": {"host": "demo-1"},
    "traffic": {"rate_mpps": 0.4, "packet_bytes": 64},
}
"""3000 loops at 2.6 GHz take 1.2 us: 0.4 Mpps need 46 % of the core, and 20 % of it carry 0.17 Mpps."""
NF = "heavy.simple-forward"
FLOWS = {
    "name": "flows",
    "nfs": [{"type": "basic-monitor"}],
    "ingress": {"host": "demo-1"},
    "traffic": {"rate_mpps": 10.0, "packet_bytes": 64},
}
"""Its table is larger than the cache: with a tenth of the memory bandwidth the twin has it carry 3.9 Mpps of 10."""
MONITOR = "flows.basic-monitor"


@pytest.fixture
def worker(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Processes]:
    with (
        listening(tmp_path, monkeypatch) as fleet,
        simulated_hosts(fleet, tmp_path, count=1),
        processes(tmp_path) as started,
    ):
        yield started


def made(client: TestClient, plan_id: int) -> Plan:
    eventually(lambda: plan(client, plan_id).state is not PlanState.PLANNING, LIMIT_S)
    found = plan(client, plan_id)
    assert found.applicable, found.body and found.body.rejected
    return found


def asked(client: TestClient, **intent: Any) -> Plan:
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert answer.status_code == 202, answer.text
    return made(client, answer.json()["id"])


def measured(client: TestClient, nf_id: str = NF) -> dict[str, Any]:
    """What the host says of the NF: its seat as ordered, and its sample."""
    found: dict[str, Any] = client.get(f"{API}/nfs/{nf_id}").json()
    return found


def carries(client: TestClient, least: float, most: float, nf_id: str = NF) -> bool:
    return least < ((measured(client, nf_id)["sample"] or {}).get("rx_mpps") or 0.0) < most


def mask(client: TestClient) -> int | None:
    found: int | None = (measured(client)["sample"] or {}).get("llc_way_mask")
    return found


def test_resources_go_the_whole_way_on_a_simulated_host(worker: Processes, client: TestClient) -> None:
    """Planned, applied and measured; taken back where a worker dies with the order taken; undone."""
    eventually(lambda: client.get(f"{API}/hosts/demo-1").json().get("status") == "up", LIMIT_S)
    submitted = client.post(f"{API}/chains", json=HEAVY)
    assert submitted.status_code == 201, submitted.text
    until(client, apply(client, made(client, submitted.json()["plan_id"])).id, OperationState.COMPLETED)
    eventually(lambda: carries(client, 0.36, 0.44), LIMIT_S, lambda: measured(client))

    given = asked(client, kind="resources", resources={NF: {"llc_ways": 4, "cpu_quota_percent": 20}})
    assert given.body is not None and [one.kind for one in given.body.changes] == [ChangeKind.RESOURCES]
    (prediction,) = given.body.predictions
    assert prediction.throughput_mpps is None and (prediction.note or "").startswith("no model predicts")
    done = until(client, apply(client, given).id, OperationState.COMPLETED)
    eventually(lambda: carries(client, 0.13, 0.21) and mask(client) == 0xF, LIMIT_S, lambda: measured(client))
    assert measured(client)["restarts"] == 0

    worker.inject(operate__converge__before_send={"action": "pause", "times": 1})
    more = apply(client, asked(client, kind="resources", resources={NF: {"llc_ways": 6, "cpu_quota_percent": None}}))
    eventually(worker.sign("operate.converge.before_send", "reached").exists, LIMIT_S)
    eventually(lambda: mask(client) == 0x3F, LIMIT_S, lambda: measured(client))
    worker.kill_worker()
    press(client, more.id, "cancel")
    until(client, more.id, OperationState.ROLLED_BACK)
    eventually(lambda: carries(client, 0.13, 0.21) and mask(client) == 0xF, LIMIT_S, lambda: measured(client))
    assert (measured(client)["seat"]["llc_ways"], measured(client)["seat"]["cpu_quota_percent"]) == (4, 20)

    back = asked(client, kind="restore", operation_id=done.id)
    until(client, apply(client, back).id, OperationState.COMPLETED)
    eventually(lambda: carries(client, 0.36, 0.44) and mask(client) is None, LIMIT_S, lambda: measured(client))
    actions = [one["action"] for one in client.get(f"{API}/audit").json()["items"]]
    assert actions.count("plan.apply") == 4


def test_ways_of_a_chain_go_the_whole_way_on_a_simulated_host(worker: Processes, client: TestClient) -> None:
    """Both NFs fill the same 4 ways, as telemetry shows, until the operation is undone."""
    eventually(lambda: client.get(f"{API}/hosts/demo-1").json().get("status") == "up", LIMIT_S)
    pair = {**HEAVY, "nfs": [{"type": "router"}, {"type": "firewall"}]}
    submitted = client.post(f"{API}/chains", json=pair)
    assert submitted.status_code == 201, submitted.text
    until(client, apply(client, made(client, submitted.json()["plan_id"])).id, OperationState.COMPLETED)

    intent = resource_intent(["heavy.ways=4", "heavy.bandwidth=50"])
    done = until(client, apply(client, asked(client, **intent.model_dump(mode="json"))).id, OperationState.COMPLETED)
    assert done.hosts[0].steps[3].detail == "2 NFs placed as ordered, with resources as ordered"
    nfs = ("heavy.router", "heavy.firewall")

    def masks() -> set[int | None]:
        return {(measured(client, nf_id)["sample"] or {}).get("llc_way_mask") for nf_id in nfs}

    eventually(lambda: masks() == {0xF}, LIMIT_S, masks)
    seats = [measured(client, nf_id)["seat"] for nf_id in nfs]
    assert [(one["chain_llc_ways"], one["chain_memory_bandwidth_percent"]) for one in seats] == [(4, 50)] * 2

    until(client, apply(client, asked(client, kind="restore", operation_id=done.id)).id, OperationState.COMPLETED)
    eventually(lambda: masks() == {None}, LIMIT_S, masks)
    assert [measured(client, nf_id)["restarts"] for nf_id in nfs] == [0, 0]


def test_a_limit_of_memory_bandwidth_slows_an_nf_until_it_is_undone(worker: Processes, client: TestClient) -> None:
    """Asked for as `sextant plans ask --set` words it, measured, and taken back by an undo."""
    eventually(lambda: client.get(f"{API}/hosts/demo-1").json().get("status") == "up", LIMIT_S)
    submitted = client.post(f"{API}/chains", json=FLOWS)
    assert submitted.status_code == 201, submitted.text
    until(client, apply(client, made(client, submitted.json()["plan_id"])).id, OperationState.COMPLETED)
    eventually(lambda: carries(client, 9.0, 11.0, MONITOR), LIMIT_S, lambda: measured(client, MONITOR))

    intent = resource_intent([f"{MONITOR}.memory_bandwidth_percent=10"])
    done = until(client, apply(client, asked(client, **intent.model_dump(mode="json"))).id, OperationState.COMPLETED)
    assert done.hosts[0].steps[3].detail == "1 NF placed as ordered, with resources as ordered"
    eventually(lambda: carries(client, 3.0, 5.0, MONITOR), LIMIT_S, lambda: measured(client, MONITOR))
    assert measured(client, MONITOR)["seat"]["memory_bandwidth_percent"] == 10

    back = asked(client, kind="restore", operation_id=done.id)
    until(client, apply(client, back).id, OperationState.COMPLETED)
    eventually(lambda: carries(client, 9.0, 11.0, MONITOR), LIMIT_S, lambda: measured(client, MONITOR))
    assert measured(client, MONITOR)["restarts"] == 0


def core_of(client: TestClient, nf_id: str) -> int:
    return int(measured(client, nf_id)["seat"]["core"])


def test_two_chains_exchange_their_cores_and_what_is_worse_goes_back_by_itself(
    worker: Processes, client: TestClient
) -> None:
    """Exchanged on a simulated host, both carry what they did. Exchanged again, with a tenth of the memory bandwidth
    for one, that carries 4 of 10 Mpps: nobody presses a button, and it is back."""
    eventually(lambda: client.get(f"{API}/hosts/demo-1").json().get("status") == "up", LIMIT_S)
    for chain in (HEAVY, FLOWS):
        submitted = client.post(f"{API}/chains", json=chain)
        assert submitted.status_code == 201, submitted.text
        until(client, apply(client, made(client, submitted.json()["plan_id"])).id, OperationState.COMPLETED)
    eventually(lambda: carries(client, 9.0, 11.0, MONITOR) and carries(client, 0.36, 0.44), LIMIT_S)
    one, other = core_of(client, NF), core_of(client, MONITOR)

    swapped = asked(client, kind="resources", seats={NF: other, MONITOR: one}, loss_budget={"most_packets": 1_000_000})
    assert swapped.body is not None and swapped.body.loss is not None
    assert swapped.body.loss.packets == 27_040, "10 and 0.4 Mpps for 2.6 ms each"
    assert swapped.body.loss.assumed
    done = until(client, apply(client, swapped).id, OperationState.COMPLETED)
    outcome = done.hosts[0].outcome
    assert outcome is not None and outcome.kept, outcome
    assert (outcome.provenance, len(outcome.chains), outcome.within_budget) == ("simulated", 2, True)
    assert (core_of(client, NF), core_of(client, MONITOR)) == (other, one)

    worse = asked(
        client, kind="resources", seats={NF: one, MONITOR: other}, law="numasfp",
        resources={MONITOR: {"memory_bandwidth_percent": 10}},
    )  # fmt: skip
    back = until(client, apply(client, worse).id, OperationState.ROLLED_BACK)
    assert back.error is not None and back.error.title == "The moves were undone: they made it worse"
    assert (core_of(client, NF), core_of(client, MONITOR)) == (other, one)
    eventually(lambda: carries(client, 9.0, 11.0, MONITOR), LIMIT_S, lambda: measured(client, MONITOR))
    assert [measured(client, nf_id)["restarts"] for nf_id in (NF, MONITOR)] == [0, 0]


def test_a_swap_under_way_ends_or_is_undone_though_all_laws_are_stopped(worker: Processes, client: TestClient) -> None:
    """The switch stops what laws begin, and nothing in the middle: a swap whose worker dies as well is carried out
    whole. The next one is cancelled half-way, and both chains are back."""
    eventually(lambda: client.get(f"{API}/hosts/demo-1").json().get("status") == "up", LIMIT_S)
    for chain in (HEAVY, FLOWS):
        submitted = client.post(f"{API}/chains", json=chain)
        assert submitted.status_code == 201, submitted.text
        until(client, apply(client, made(client, submitted.json()["plan_id"])).id, OperationState.COMPLETED)
    eventually(lambda: carries(client, 9.0, 11.0, MONITOR) and carries(client, 0.36, 0.44), LIMIT_S)
    one, other = core_of(client, NF), core_of(client, MONITOR)

    def under_way(seats: dict[str, int]) -> int:
        reached = worker.sign("operate.converge.before_send", "reached")
        reached.unlink(missing_ok=True)
        worker.inject(operate__converge__before_send={"action": "pause", "times": 1})
        begun = apply(client, asked(client, kind="resources", seats=seats, law="numasfp")).id
        eventually(reached.exists, LIMIT_S)
        return begun

    begun = under_way({NF: other, MONITOR: one})
    switch = client.get(f"{API}/automation")
    stopped = client.put(f"{API}/automation", json={"stopped": True}, headers={"If-Match": switch.headers["ETag"]})
    assert stopped.status_code == 200, stopped.text
    worker.kill_worker()
    until(client, begun, OperationState.COMPLETED)
    assert (core_of(client, NF), core_of(client, MONITOR)) == (other, one)
    eventually(lambda: carries(client, 9.0, 11.0, MONITOR) and carries(client, 0.36, 0.44), LIMIT_S)

    again = under_way({NF: one, MONITOR: other})
    press(client, again, "cancel")
    worker.kill_worker()
    until(client, again, OperationState.ROLLED_BACK)
    assert (core_of(client, NF), core_of(client, MONITOR)) == (other, one)
    eventually(lambda: carries(client, 9.0, 11.0, MONITOR) and carries(client, 0.36, 0.44), LIMIT_S)
    assert [measured(client, nf_id)["restarts"] for nf_id in (NF, MONITOR)] == [0, 0]
