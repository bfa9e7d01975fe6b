"""SIGSTOP of a real worker inside its claim and inside every step, its transaction open or not, beside a living one:
the operation ends within seconds, once, and the worker that wakes later changes nothing."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import Fleet, a_fleet, apply, operation
from operating_world import LIMIT_S, fences_rise, planned, until
from sextant_backend.kit.db import IDLE_LIMIT_MS
from sextant_backend.kit.leases.limits import LEASE_S, SWEEP_S
from sextant_domain.plans.operation import OperationState, StepName, StepState
from worker_world import Kept, Processes, eventually, processes

pytestmark = pytest.mark.fault

STEPS = [step for step in StepName if step not in {StepName.MAKE, StepName.READY, StepName.MEASURE}]
"""Of what places a chain: only a move is measured, and only hosts that exchange chains have orders in between."""
POINTS = [
    "operate.claiming",
    "operate.claimed",
    *(f"operate.{step}.{at}" for step in STEPS for at in ("after_send", "before_commit")),
    "operate.before_end",
]
"""Every second one with a transaction open."""
FREEZE = {"action": "freeze", "times": 1}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, settings: object) -> Iterator[tuple[Path, Processes, list[Kept]]]:
    """Two workers that carry operations out: one will freeze."""
    folder = tmp_path_factory.mktemp("worker")
    with a_fleet(folder), processes(folder) as started:
        spare = started.kept("operate")
        try:
            assert started.worker is not None
            yield folder, started, [started.worker, spare]
        finally:
            spare.end()


@pytest.fixture
def fleet(real: tuple[Path, Processes, list[Kept]], client: TestClient) -> Iterator[Fleet]:
    with a_fleet(real[0], "edge-1") as made:
        yield made


@pytest.fixture
def workers(real: tuple[Path, Processes, list[Kept]]) -> Iterator[list[Kept]]:
    """None of them is frozen afterwards."""
    yield real[2]
    for worker in real[2]:
        os.kill(worker.pid, signal.SIGCONT)


@pytest.mark.parametrize("point", POINTS)
def test_a_frozen_worker_is_followed_by_another(
    client: TestClient,
    fleet: Fleet,
    real: tuple[Path, Processes, list[Kept]],
    workers: list[Kept],
    point: str,
) -> None:
    made = planned(client)
    real[1].inject(**{point.replace(".", "__"): FREEZE})
    begun = apply(client, made)
    eventually(lambda: frozen(workers), LIMIT_S, lambda: operation(client, begun.id))
    stopped, told = frozen(workers)[0], real[1].log.stat().st_size
    done = until(client, begun.id, OperationState.COMPLETED)
    assert_once(client, fleet, begun.id)
    os.kill(stopped.pid, signal.SIGCONT)
    eventually(lambda: ended_its_turn(real[1].log, told), LIMIT_S, lambda: real[1].log.read_text()[told:])
    assert operation(client, begun.id) == done, "the worker that woke changed nothing"
    assert_once(client, fleet, begun.id)
    following = apply(client, planned(client, name="mail"))
    until(client, following.id, OperationState.COMPLETED)
    assert [generation for generation, _ in fleet.edge.adopted] == [1, 2]


def test_what_a_frozen_worker_holds_is_free_within_15_seconds() -> None:
    """5 s until PostgreSQL ends its transaction, 3 s until its claim lapses, 2 s until the next sweep: 10 s, and 5 are
    left for the steps. Taken from the limits, since a busy machine may add any time of its own."""
    assert IDLE_LIMIT_MS / 1000 + LEASE_S + SWEEP_S <= 10


@pytest.mark.parametrize("step", STEPS)
def test_a_step_that_hangs_while_its_claim_is_renewed_is_tried_again(
    client: TestClient, fleet: Fleet, real: tuple[Path, Processes, list[Kept]], step: StepName
) -> None:
    """The step's thread waits for nobody knows what; when it goes on at last, its order is known already."""
    made, point = planned(client), f"operate.{step}.before_send"
    real[1].inject(**{point.replace(".", "__"): {"action": "pause", "times": 1}})
    begun = apply(client, made)
    eventually(real[1].sign(point, "reached").exists, LIMIT_S)
    done = until(client, begun.id, OperationState.COMPLETED)
    assert {one.name: one.attempts for one in done.hosts[0].steps} == {one: 1 + (one is step) for one in STEPS}
    real[1].sign(point, "go").touch()
    following = apply(client, planned(client, name="mail"))
    until(client, following.id, OperationState.COMPLETED)
    assert [generation for generation, _ in fleet.edge.adopted] == [1, 2]


def assert_once(client: TestClient, fleet: Fleet, operation_id: int) -> None:
    """One effect, each step done, and no more tries counted than one a worker."""
    assert [generation for generation, _ in fleet.edge.adopted] == [1]
    assert not fleet.edge.refused
    assert fences_rise(fleet)
    (host,) = operation(client, operation_id).hosts
    assert all(step.state is StepState.DONE and step.attempts <= 2 for step in host.steps), host
    assert client.get("/api/v1/chains/web-edge").json()["state"] == "running"


def frozen(workers: list[Kept]) -> list[Kept]:
    """Those that are stopped."""
    return [one for one in workers if Path(f"/proc/{one.pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "T"]


def ended_its_turn(log: Path, since: int) -> bool:
    """The log says in a line that the turn is over, and why."""
    told = log.read_bytes()[since:].decode()
    return "claim_lost" in told or "turn_ended" in told
