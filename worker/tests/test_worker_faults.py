"""kill -9 of a real worker process at every fault point of the registry: the operation goes on by itself, and ends
rightly, once."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, press
from operating_world import LIMIT_S, fences_rise, planned, until
from sextant_backend.faults import FAULT_POINTS
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import repository as hosts_repository
from sextant_backend.modules.hosts import service as hosts
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import PlanState
from worker_world import Processes, eventually, processes

pytestmark = pytest.mark.fault

FORWARD = [
    name
    for name in FAULT_POINTS
    if name.startswith(("plan.", "operate."))
    and ".undo." not in name
    and not name.startswith(("operate.make.", "operate.ready.", "operate.measure."))
]
MOVING = [
    *(
        f"operate.{step}.{at}"
        for step in ("check", "put", "converge", "verify")
        for at in ("before_send", "after_send")
    ),
    *(name for name in FAULT_POINTS if ".measure." in name),
]
"""Each step of a migration that is measured: before it is done, and done but not stored, so that it is done twice."""
_UNDONE = [name for name in FAULT_POINTS if ".undo." in name and not name.startswith(("operate.make", "operate.ready"))]
UNDO = [name for name in _UNDONE if not name.endswith("_file")]
UNDO_FILE = [name for name in _UNDONE if name.endswith("_file")]
ADJUSTING = [f"operate.{step}" for step in ("put.before_send", "put.after_send", "put.after_commit", "before_end")]
"""Around the moment at which a specification follows its order, and at the end."""
KILL = {"action": "kill", "times": 1}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, settings: object) -> Iterator[tuple[Path, Processes]]:
    """The same workers for all points: what one death leaves behind, the next test's work runs on."""
    folder = tmp_path_factory.mktemp("worker")
    with a_fleet(folder), processes(folder) as started:
        yield folder, started


@pytest.fixture
def worker(real: tuple[Path, Processes]) -> Processes:
    return real[1]


@pytest.fixture
def fleet(real: tuple[Path, Processes], client: TestClient) -> Iterator[Fleet]:
    with a_fleet(real[0], "edge-1") as made:
        yield made


@pytest.mark.parametrize("point", FORWARD)
def test_a_killed_worker_is_followed_by_one_that_goes_on(
    client: TestClient, fleet: Fleet, worker: Processes, point: str
) -> None:
    worker.inject(**{point.replace(".", "__"): KILL})
    done = until(client, apply(client, planned(client)).id, OperationState.COMPLETED)
    worker.happens(point)
    assert [generation for generation, _ in fleet.edge.adopted] == [1]
    assert not fleet.edge.refused
    assert fences_rise(fleet)
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "running"
    assert len(client.get(f"{API}/nfs").json()["items"]) == 3
    assert client.get(f"{API}/plans/{done.plan_id}").json()["state"] == "applied"


@pytest.mark.parametrize("point", MOVING)
def test_a_worker_killed_while_nfs_move_is_followed_by_one_that_moves_them_once(
    client: TestClient, fleet: Fleet, worker: Processes, point: str
) -> None:
    until(client, apply(client, planned(client)).id, OperationState.COMPLETED)
    worker.inject(**{point.replace(".", "__"): KILL})
    intent = {"kind": "resources", "seats": {"web-edge.firewall": 0}, "law": "numasfp"}
    plan_id = client.post(f"{API}/plans", json={"intent": intent}).json()["id"]
    eventually(lambda: plan(client, plan_id).state is not PlanState.PLANNING, LIMIT_S)
    done = until(client, apply(client, plan(client, plan_id)).id, OperationState.COMPLETED)
    worker.happens(point)
    assert [step.name.value for step in done.hosts[0].steps] == ["check", "put", "converge", "verify", "measure"]
    assert [generation for generation, _ in fleet.edge.adopted] == [1, 2]
    assert not fleet.edge.refused
    assert fences_rise(fleet)
    cores = {nf["nf_id"]: nf["seat"]["core"] for nf in client.get(f"{API}/nfs").json()["items"]}
    assert (cores["web-edge.firewall"], len(cores)) == (0, 3)


@pytest.mark.parametrize("point", UNDO)
def test_a_killed_worker_is_followed_by_one_that_undoes(
    client: TestClient, fleet: Fleet, worker: Processes, point: str
) -> None:
    worker.inject(**{point.replace(".", "__"): KILL})
    fleet.edge.stuck = True
    begun = apply(client, planned(client))
    eventually(lambda: fleet.edge.adopted, LIMIT_S)
    press(client, begun.id, "cancel")
    until(client, begun.id, OperationState.ROLLED_BACK)
    worker.happens(point)
    assert [generation for generation, _ in fleet.edge.adopted] == [1, 2]
    assert fleet.edge.ledger.content.chains == ()
    assert not fleet.edge.refused
    assert fences_rise(fleet)
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "submitted"
    assert client.get(f"{API}/nfs").json()["items"] == []


@pytest.mark.parametrize("point", UNDO_FILE)
def test_a_worker_killed_while_it_sends_the_former_files_is_followed_by_one_that_does(
    client: TestClient, fleet: Fleet, worker: Processes, point: str
) -> None:
    until(client, apply(client, planned(client)).id, OperationState.COMPLETED)
    worker.inject(**{point.replace(".", "__"): KILL})
    fleet.edge.stuck = True
    begun = apply(client, planned(client, name="mail"))
    eventually(lambda: len(fleet.edge.adopted) == 2, LIMIT_S)
    files = dict(fleet.edge.files)
    fleet.edge.files.clear()
    press(client, begun.id, "cancel")
    fleet.edge.stuck = False
    until(client, begun.id, OperationState.ROLLED_BACK)
    worker.happens(point)
    assert [generation for generation, _ in fleet.edge.adopted] == [1, 2, 3]
    assert fleet.edge.files == files
    assert not fleet.edge.refused
    assert fences_rise(fleet)
    assert client.get(f"{API}/chains/web-edge").json()["state"] == "running"


@pytest.mark.parametrize("point", ADJUSTING)
def test_a_worker_killed_while_it_adjusts_leaves_specification_and_order_equal(
    client: TestClient, fleet: Fleet, worker: Processes, point: str
) -> None:
    until(client, apply(client, planned(client)).id, OperationState.COMPLETED)
    worker.inject(**{point.replace(".", "__"): {"action": "pause", "times": 1}})
    begun = paused(client)
    eventually(worker.sign(point, "reached").exists, LIMIT_S)
    told = spec(client)
    with session_scope() as session:
        booked = hosts.desired_of(hosts_repository.named(session, ["edge-1"])[0]).content.chains[0]
    assert told["paused"] == booked.paused, "the specification says what the books say, wherever the worker is"
    worker.kill_worker()
    until(client, begun, OperationState.COMPLETED)
    assert spec(client)["paused"] and fleet.edge.ledger.content.chains[0].paused
    assert [generation for generation, _ in fleet.edge.adopted] == [1, 2]
    assert not fleet.edge.refused


@pytest.mark.parametrize("point", UNDO)
def test_a_worker_killed_while_it_undoes_an_adjustment_leaves_what_was(
    client: TestClient, fleet: Fleet, worker: Processes, point: str
) -> None:
    until(client, apply(client, planned(client)).id, OperationState.COMPLETED)
    worker.inject(**{point.replace(".", "__"): KILL})
    fleet.edge.stuck = True
    begun = paused(client)
    eventually(lambda: spec(client)["paused"], LIMIT_S)
    press(client, begun, "cancel")
    fleet.edge.stuck = False
    until(client, begun, OperationState.ROLLED_BACK)
    worker.happens(point)
    assert not spec(client)["paused"] and not fleet.edge.ledger.content.chains[0].paused
    assert [generation for generation, _ in fleet.edge.adopted] == [1, 2, 3]


def test_a_killed_sweep_is_followed_by_the_next(client: TestClient, fleet: Fleet, worker: Processes) -> None:
    worker.inject(operate__claimed=KILL, sweep__before_ring=KILL)
    until(client, apply(client, planned(client)).id, OperationState.COMPLETED)
    worker.happens("sweep.before_ring")
    assert [generation for generation, _ in fleet.edge.adopted] == [1]


def test_a_plan_whose_workers_die_fails_with_the_cause(client: TestClient, fleet: Fleet, worker: Processes) -> None:
    worker.inject(plan__before_store={"action": "kill", "times": 3})
    made = planned(client, PlanState.FAILED)
    assert made.error is not None
    assert "3 workers died" in made.error.detail
    assert made.error.next_actions


def test_a_killed_operation_goes_on_by_itself(client: TestClient, fleet: Fleet, worker: Processes) -> None:
    worker.inject(operate__put__after_send={"action": "pause", "times": 1})
    begun = apply(client, planned(client))
    reached = worker.sign("operate.put.after_send", "reached")
    eventually(reached.exists, LIMIT_S)
    worker.inject(operate__put__before_send=KILL)
    worker.kill_worker()
    until(client, begun.id, OperationState.COMPLETED)
    assert [generation for generation, _ in fleet.edge.adopted] == [1]


def spec(client: TestClient) -> dict[str, Any]:
    """Of web-edge, as it is stored."""
    found: dict[str, Any] = client.get(f"{API}/chains/web-edge").json()["spec"]
    return found


def paused(client: TestClient) -> int:
    """Ask for a pause of web-edge: the operation's id."""
    tag = client.get(f"{API}/chains/web-edge").headers["ETag"]
    answer = client.patch(f"{API}/chains/web-edge/settings", json={"paused": True}, headers={"If-Match": tag})
    assert answer.status_code == 202, answer.text
    begun: int = answer.json()["id"]
    return begun
