"""kill -9 of the real process that sends messages, at every point of the way: each message arrives, under one id."""

from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from fleet_world import a_fleet
from notification_world import API, Receiver, a_receiver, a_webhook, allow, deliveries
from sextant_backend.faults import FAULT_POINTS
from sextant_domain.console.notifications import DeliveryState
from worker_world import Processes, eventually, processes

pytestmark = [pytest.mark.fault, pytest.mark.as_admin]

LIMIT_S = 90.0
POINTS = [name for name in FAULT_POINTS if name.startswith("notify.")]
KILL = {"action": "kill", "times": 1}


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory, settings: object) -> Iterator[Processes]:
    """One set of processes for all points."""
    folder = tmp_path_factory.mktemp("notifications")
    with a_fleet(folder), processes(folder) as started:  # workers of this queue wait for the backend's certificate
        yield started


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with a_receiver() as made:
        yield made


@pytest.mark.parametrize(
    ("point", "attempts", "copies"),
    [("notify.claimed", 2, 1), ("notify.before_store", 2, 2), ("notify.after_commit", 1, 1)],
)
def test_a_killed_worker_is_followed_by_one_that_sends(
    client: TestClient, worker: Processes, receiver: Receiver, point: str, attempts: int, copies: int
) -> None:
    """Killed before it is sent, it arrives once; killed before that is stored, twice, under one id."""
    worker.inject(**{point.replace(".", "__"): KILL})
    allow(client, "127.0.0.0/8")
    channel = a_webhook(client, receiver)["channel"]
    assert client.post(f"{API}/notification-channels/{channel['id']}/test").status_code == 202
    eventually(lambda: [one.state for one in deliveries(client)] == [DeliveryState.DELIVERED], LIMIT_S)
    worker.happens(point)
    [done] = deliveries(client)
    assert (done.attempts, len(done.log)) == (attempts, 1)
    assert [one.headers["Sextant-Delivery"] for one in receiver.received] == [done.delivery_id] * copies


def test_every_point_is_tried() -> None:
    assert POINTS == ["notify.claimed", "notify.before_store", "notify.after_commit"]
