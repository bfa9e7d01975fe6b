"""Rivals at the same moment: one wins, the others learn of it, and nothing happens twice."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, operation, plan, submit
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.errors import SextantError
from sextant_backend.kit.leases import claims
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.chain_requests import service as chain_requests
from sextant_backend.modules.operations import repository as operations
from sextant_backend.modules.operations import tasks
from sextant_backend.modules.operations.models import OperationRow
from sextant_backend.modules.plans import planner
from sextant_backend.modules.plans import service as plans
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.access import Role
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import PlanState

ADA = Principal("ada", Role.OPERATOR)
RIVALS = 6


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def at_once(work: Callable[[int], object]) -> Counter[str]:
    """Run `work` in so many threads; what came of it, by kind of refusal."""

    def one(number: int) -> str:
        try:
            work(number)
        except SextantError as error:
            return error.kind
        return "done"

    with ThreadPoolExecutor(RIVALS) as pool:
        return Counter(pool.map(one, range(RIVALS)))


def test_one_name_is_given_once(client: TestClient, fleet: Fleet) -> None:
    spec = ChainSpec.model_validate(chain_json("web-edge"))

    def submit_it(_: int) -> None:
        with session_scope() as session:
            chain_requests.submit(session, spec, ADA)

    assert at_once(submit_it) == {"done": 1, "name-taken": RIVALS - 1}
    assert len(client.get(f"{API}/plans").json()["items"]) == 1


def test_one_host_takes_one_of_many_plans(client: TestClient, fleet: Fleet) -> None:
    ids = [submit(client, f"chain-{n}", "router").id for n in range(RIVALS)]

    def apply_it(number: int) -> None:
        with session_scope() as session:
            plans.apply(session, plans.found(session, ids[number], lock=True, body=True), ADA)

    assert at_once(apply_it) == {"done": 1, "host-busy": RIVALS - 1}
    assert len(client.get(f"{API}/operations").json()["items"]) == 1


def test_one_plan_is_applied_once_however_often_it_is_asked_for(client: TestClient, fleet: Fleet) -> None:
    plan_id = submit(client, "web-edge").id

    def apply_it(_: int) -> None:
        with session_scope() as session:
            plans.apply(session, plans.found(session, plan_id, lock=True, body=True), ADA)

    assert at_once(apply_it) == {"done": 1, "plan-not-applicable": RIVALS - 1}


def test_many_workers_make_a_plan_once_and_carry_an_operation_out_once(client: TestClient, fleet: Fleet) -> None:
    answer = client.post(f"{API}/chains", json=chain_json("web-edge"))
    plan_id = answer.json()["plan_id"]
    at_once(lambda _: planner.make(plan_id))
    made = plan(client, plan_id)
    assert made.state is PlanState.PROPOSED
    with session_scope() as session:
        assert plans.found(session, plan_id).tries == 1
    begun = apply(client, made)
    at_once(lambda _: tasks.operate(begun.id))
    done = operation(client, begun.id)
    assert done.state is OperationState.COMPLETED
    assert done.attempts == 1
    assert [generation for generation, _ in fleet.edge.orders] == [1]


def test_a_claim_waits_for_no_lock(client: TestClient, fleet: Fleet) -> None:
    """Somebody has locked the row, and may be frozen: whoever comes for it goes on with other work."""
    begun = apply(client, submit(client, "web-edge", "router"))
    with session_scope() as frozen, session_scope() as session:
        assert operations.load(frozen, begun.id, lock=True) is not None
        assert claims.claim(session, OperationRow, begun.id, *operations.due()) is None
    with session_scope() as session:
        assert claims.claim(session, OperationRow, begun.id, *operations.due()) is not None
