"""An agent that is away for longer than an operation's tries, with real workers and the sweep: once it is back, the
operation completes by itself and lets go of the host."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply
from operating_world import LIMIT_S, fences_rise, planned, until
from sextant_domain.plans.operation import OperationState
from worker_world import Processes, eventually, processes

pytestmark = pytest.mark.fault


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, settings: object) -> Iterator[tuple[Path, Processes]]:
    folder = tmp_path_factory.mktemp("worker")
    with a_fleet(folder), processes(folder) as started:
        yield folder, started


@pytest.fixture
def fleet(real: tuple[Path, Processes], client: TestClient) -> Iterator[Fleet]:
    with a_fleet(real[0], "edge-1") as made:
        yield made


@pytest.mark.parametrize("point", ["operate.put.before_send", "operate.put.after_send", "operate.verify.before_send"])
def test_an_agent_that_was_away_is_followed_when_it_is_back(
    client: TestClient, fleet: Fleet, real: tuple[Path, Processes], point: str
) -> None:
    """It goes away before it has the order, with the order, and when it has converged."""
    worker, made = real[1], planned(client)
    worker.inject(**{point.replace(".", "__"): {"action": "pause", "times": 1}})
    begun = apply(client, made)
    eventually(worker.sign(point, "reached").exists, LIMIT_S)
    fleet.edge.stop()
    worker.sign(point, "go").touch()
    stopped = until(client, begun.id, OperationState.FAILED_TEMP)
    assert stopped.waits_for_host and stopped.hosts[0].waits_for_host
    assert client.get(f"{API}/hosts/edge-1").json()["status"] == "unreachable"
    fleet.restart("edge-1")
    done = until(client, begun.id, OperationState.COMPLETED)
    assert done.error is None and not done.waits_for_host
    assert [generation for generation, _ in fleet.edge.adopted] == [1]
    assert not fleet.edge.refused and fences_rise(fleet)
    following = apply(client, planned(client, name="mail"))
    until(client, following.id, OperationState.COMPLETED)
