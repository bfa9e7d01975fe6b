"""kill -9 of a real worker at each point of a scale-out over hosts: the lane runs on the other host before the first
one leaves it packets, goes only after that has them all again, and every order is adopted once."""

import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, press
from operating_world import LIMIT_S, until
from sextant_domain.plans.operation import Operation, OperationState
from sextant_domain.plans.plan import Plan, PlanState
from worker_world import Processes, eventually, processes

pytestmark = pytest.mark.fault

STEPS = ("check", "put", "converge", "verify")
UNDONE = ("put.undo", "converge.undo", "verify.undo")
AT = ("before_send", "after_send")
"""Nothing is done yet; it is done and not stored, so that it is done twice."""
KILL = {"action": "kill", "times": 1}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, settings: object) -> Iterator[tuple[Path, Processes]]:
    folder = tmp_path_factory.mktemp("worker")
    with a_fleet(folder), processes(folder) as started:
        yield folder, started


@pytest.fixture
def worker(real: tuple[Path, Processes]) -> Processes:
    return real[1]


@pytest.fixture
def fleet(real: tuple[Path, Processes], client: TestClient) -> Iterator[Fleet]:
    """edge-1 runs web, a chain of one NF, by itself."""
    with a_fleet(real[0], "edge-1", "edge-2") as made:
        asked = chain_json("web", "router") | {"ingress": {"host": "edge-1"}}
        answer = client.post(f"{API}/chains", json=asked)
        assert answer.status_code == 201, answer.text
        until(client, apply(client, proposed(client, answer.json()["plan_id"])).id, OperationState.COMPLETED)
        yield made


def proposed(client: TestClient, plan_id: int) -> Plan:
    eventually(lambda: plan(client, plan_id).state is not PlanState.PLANNING, LIMIT_S)
    made = plan(client, plan_id)
    assert made.state is PlanState.PROPOSED, made.error
    return made


def in_lanes(client: TestClient, *weights: int) -> Operation:
    """Begun. A second lane goes to edge-2."""
    hosts = {"web-lane-2": "edge-2"} if len(weights) > 1 else {}
    intent = {"kind": "lanes", "chain": "web", "weights": weights, "hosts": hosts}
    answer = client.post(f"{API}/plans", json={"intent": intent})
    assert answer.status_code == 202, answer.text
    return apply(client, proposed(client, answer.json()["id"]))


def chains(fleet: Fleet, host: str) -> dict[str, tuple[int, ...]]:
    """By the ledger of its agent, each with the weights of all its lanes; none: it runs by itself."""
    found = fleet[host].ledger.content.chains
    return {one.chain: one.traffic.lane.weights if one.traffic.lane else () for one in found}


@contextmanager
def carried_throughout(fleet: Fleet) -> Iterator[None]:
    """Whenever edge-1 leaves packets to a second lane, edge-2 has it: looked at before and after."""
    lost: list[str] = []
    ended = threading.Event()

    def look() -> None:
        while not ended.wait(0.005):
            before = chains(fleet, "edge-2")
            first = chains(fleet, "edge-1").get("web")
            if first is None or (first and "web-lane-2" not in before | chains(fleet, "edge-2")):
                lost.append(f"web {first}, {before}")

    looking = threading.Thread(target=look, daemon=True)
    looking.start()
    try:
        yield
    finally:
        ended.set()
        looking.join()
    assert not lost


def judge(fleet: Fleet) -> None:
    """No order was refused, and none was given under a lower fence than the one before."""
    for host in ("edge-1", "edge-2"):
        fences = [fence for _, fence in fleet[host].orders]
        assert not fleet[host].refused
        assert fences == sorted(fences)


def kill(worker: Processes, steps: Iterable[str], at: str) -> list[str]:
    """One worker dies in each of the steps; the points at which."""
    points = [f"operate.{step}.{at}" for step in steps]
    worker.inject(**{point.replace(".", "__"): KILL for point in points})
    return points


@pytest.mark.parametrize("at", AT)
def test_a_lane_is_added_and_taken_away_once_though_workers_are_killed(
    client: TestClient, fleet: Fleet, worker: Processes, at: str
) -> None:
    with carried_throughout(fleet):
        for weights in ((1, 1), (1,)):
            points = kill(worker, STEPS, at)
            until(client, in_lanes(client, *weights).id, OperationState.COMPLETED)
            for point in points:
                worker.happens(point)
            other = {"web-lane-2": weights} if len(weights) > 1 else {}
            assert (chains(fleet, "edge-1"), chains(fleet, "edge-2")) == ({"web": weights if other else ()}, other)
    judge(fleet)


@pytest.mark.parametrize("at", AT)
def test_a_lane_that_does_not_start_is_taken_back_once_though_workers_are_killed(
    client: TestClient, fleet: Fleet, worker: Processes, at: str
) -> None:
    fleet["edge-2"].stuck = True
    with carried_throughout(fleet):
        begun = in_lanes(client, 1, 1)
        eventually(lambda: fleet["edge-2"].adopted, LIMIT_S)
        points = kill(worker, UNDONE, at)
        press(client, begun.id, "cancel")
        fleet["edge-2"].stuck = False
        until(client, begun.id, OperationState.ROLLED_BACK)
        for point in points:
            worker.happens(point)
    assert (chains(fleet, "edge-1"), chains(fleet, "edge-2")) == ({"web": ()}, {})
    judge(fleet)
