"""kill -9 of the real process that measures, at every point of the way: the job goes on by itself, each point is
measured once, and nothing is stored twice."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import Fleet, a_fleet
from profiling_world import now, points, records, started, steer
from sextant_backend.faults import FAULT_POINTS
from sextant_domain.profiling.job import JobState, PointState
from worker_world import Processes, eventually, processes

pytestmark = pytest.mark.fault

LIMIT_S = 60.0
MEASURED = 10
"""Points of the job of `started`, two of them at lower rates."""
POINTS = [name for name in FAULT_POINTS if name.startswith("profile.")]
KILL = {"action": "kill", "times": 1}


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory, settings: object) -> Iterator[tuple[Path, Processes]]:
    """One set of processes for all points: what one death leaves behind, the next test's job runs on."""
    folder = tmp_path_factory.mktemp("profiling")
    with a_fleet(folder), processes(folder) as started_ones:
        yield folder, started_ones


@pytest.fixture
def worker(real: tuple[Path, Processes]) -> Processes:
    return real[1]


@pytest.fixture
def fleet(real: tuple[Path, Processes], client: TestClient) -> Iterator[Fleet]:
    with a_fleet(real[0], "edge-1", "edge-2") as made:
        yield made


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_worker_is_followed_by_one_that_goes_on(
    client: TestClient, fleet: Fleet, worker: Processes, point: str
) -> None:
    worker.inject(**{point.replace(".", "__"): KILL})
    job = started(client)
    eventually(lambda: now(job.id).state is JobState.COMPLETED, LIMIT_S)
    worker.happens(point)
    done = now(job.id)
    assert (done.points, done.done, done.failed) == (MEASURED, MEASURED, 0)
    begun = fleet.edge.measurements.begun
    assert len(begun) == len(set(begun)) == MEASURED, "every point was measured once"
    assert len(records(client, job_id=job.id)) == MEASURED


def test_jobs_on_two_hosts_are_measured_at_once_and_a_pause_holds(
    client: TestClient, fleet: Fleet, worker: Processes
) -> None:
    worker.inject()
    both = [fleet[name].measurements for name in ("edge-1", "edge-2")]
    for measurements in both:
        measurements.hold = True
    first, second = started(client), started(client, host="edge-2", fresh=True)
    eventually(lambda: all(len(measurements.begun) == 1 for measurements in both), LIMIT_S)
    assert steer(client, first.id, "pause").state is JobState.PAUSED
    for measurements in both:
        measurements.hold = False
    eventually(lambda: now(second.id).state is JobState.COMPLETED, LIMIT_S)
    paused = now(first.id)
    assert (paused.state, paused.done, paused.running) == (JobState.PAUSED, 1, None), "the one that ran has ended"
    steer(client, first.id, "resume")
    eventually(lambda: now(first.id).state is JobState.COMPLETED, LIMIT_S)
    assert len(both[0].begun) == MEASURED


def test_a_job_is_cancelled_while_its_point_is_measured(client: TestClient, fleet: Fleet, worker: Processes) -> None:
    worker.inject()
    measurements = fleet.edge.measurements
    measurements.hold = True
    job = started(client)
    eventually(lambda: now(job.id).running is not None and measurements.begun, LIMIT_S)
    steer(client, job.id, "cancel")
    eventually(lambda: now(job.id).state is JobState.CANCELLED, LIMIT_S)
    assert measurements.cancelled == measurements.begun[:1]
    assert {point.state for point in points(client, job.id)} == {PointState.SKIPPED}
