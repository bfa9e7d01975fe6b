"""kill -9 of PostgreSQL, of Valkey and of the whole worker in mid-operation: processes come back by themselves, and the
operation ends rightly, once."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from agent_peer import chain_json
from durable_world import LIMIT_S, World
from fleet_world import API, plan
from sextant_domain.plans.plan import PlanState
from worker_world import eventually

pytestmark = pytest.mark.fault


@pytest.fixture
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with ExitStack() as stack:
        yield World(tmp_path_factory.mktemp("w"), stack)


def test_postgresql_is_killed(world: World) -> None:
    begun = world.paused("web-edge")
    world.postgres.kill()
    world.go_on()
    world.postgres.start_again()
    world.completes(begun, [1])


def test_valkey_is_killed_and_loses_the_queue(world: World) -> None:
    begun = world.paused("web-edge")
    world.valkey.kill()
    submitted = world.client.post(f"{API}/chains", json=chain_json("other", "router"))
    assert submitted.status_code == 201, "the queue is only a doorbell"
    world.go_on()
    world.valkey.start_again()
    world.completes(begun, [1])
    plan_id = submitted.json()["plan_id"]
    eventually(lambda: plan(world.client, plan_id).state is not PlanState.PLANNING, LIMIT_S)


def test_the_whole_worker_is_killed(world: World) -> None:
    begun = world.paused("web-edge")
    world.worker.kill_worker()
    world.completes(begun, [1])
