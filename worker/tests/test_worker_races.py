"""kill -9 of the real process that plans, in the middle of a race: it goes on by itself, and no plan waits for it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, operation, plan
from large_world import a_numa_host
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.races.tasks import CONTENDERS
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import PlanState
from sextant_domain.plans.race import Race, RaceState
from worker_world import Processes, eventually, processes

pytestmark = pytest.mark.fault

LIMIT_S = 60.0


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, settings: object) -> Iterator[tuple[Path, Processes]]:
    folder = tmp_path_factory.mktemp("races")
    with a_fleet(folder), processes(folder) as started:
        yield folder, started


@pytest.fixture
def fleet(real: tuple[Path, Processes], client: TestClient) -> Iterator[Fleet]:
    """One host of two nodes, whose chains can be predicted."""
    with a_fleet(real[0], "edge-1") as made:
        with session_scope() as session:
            hosts.register(session, a_numa_host("edge-1"), made.edge.url)
        yield made


def test_an_applied_plan_has_its_race_though_a_worker_was_killed(
    client: TestClient, fleet: Fleet, real: tuple[Path, Processes]
) -> None:
    worker = real[1]
    worker.inject(race__before_store={"action": "kill", "times": 1})
    answer = client.post(f"{API}/chains", json=chain_json("web", "router", "firewall"))
    plan_id = answer.json()["plan_id"]
    eventually(lambda: plan(client, plan_id).state is PlanState.PROPOSED, LIMIT_S)
    begun = apply(client, plan(client, plan_id)).id
    eventually(lambda: operation(client, begun).state is OperationState.COMPLETED, LIMIT_S)

    def races() -> list[Race]:
        return [Race.model_validate(one) for one in client.get(f"{API}/races?plan={plan_id}").json()["items"]]

    eventually(lambda: [one.state for one in races()] == [RaceState.MEASURING], LIMIT_S)
    worker.happens("race.before_store")
    [race] = races()
    assert [(one.algorithm, one.error) for one in race.entries] == [(algorithm, None) for algorithm in CONTENDERS]
