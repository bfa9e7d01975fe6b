"""kill -9 of the real process that runs studies, at every point of the way: the study is run again from its file, and
no process of the lab is left."""

from collections.abc import Iterator

import psutil
import pytest
from fastapi.testclient import TestClient
from fleet_world import a_fleet
from sextant_backend.faults import FAULT_POINTS
from sextant_domain.studies.study import StudyState
from study_world import LONG, STUDIES, now, started
from worker_world import Processes, eventually, processes

pytestmark = pytest.mark.fault

LIMIT_S = 90.0
POINTS = [name for name in FAULT_POINTS if name.startswith("study.")]
KILL = {"action": "kill", "times": 1}


@pytest.fixture(scope="module")
def worker(tmp_path_factory: pytest.TempPathFactory, settings: object) -> Iterator[Processes]:
    """One set of processes for all points."""
    folder = tmp_path_factory.mktemp("studies")
    with a_fleet(folder), processes(folder) as started_ones:
        yield started_ones


def labs() -> list[psutil.Process]:
    """Processes of these workers that run a study."""
    ours = psutil.Process().children(recursive=True)
    return [one for one in ours if "sextant_lab" in cmdline(one)]


def cmdline(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:  # it has ended meanwhile
        return []


@pytest.mark.parametrize("point", POINTS)
def test_a_killed_worker_is_followed_by_one_that_begins_again(
    client: TestClient, worker: Processes, point: str
) -> None:
    worker.inject(**{point.replace(".", "__"): KILL})
    study = started(client)
    eventually(lambda: now(client, study).state is StudyState.DONE, LIMIT_S)
    worker.happens(point)
    assert now(client, study).attempts == (1 if point == "study.after_commit" else 2)
    assert client.get(f"{STUDIES}/{study.id}/summary").status_code == 200
    eventually(lambda: not labs(), LIMIT_S)


def test_the_lab_dies_with_its_worker_and_two_deaths_are_enough(client: TestClient, worker: Processes) -> None:
    worker.inject()
    study = started(client, LONG)
    for attempt in (1, 2):
        eventually(lambda at=attempt: now(client, study).attempts == at and now(client, study).progress, LIMIT_S)
        (lab,) = labs()
        parent = lab.parent()
        assert parent is not None
        parent.kill()
        lab.wait(60)
    eventually(lambda: now(client, study).state is StudyState.FAILED, LIMIT_S)


def test_one_is_run_after_the_other_and_a_cancel_ends_the_first(client: TestClient, worker: Processes) -> None:
    worker.inject()
    first, second = started(client, LONG), started(client)
    eventually(lambda: now(client, first).progress, LIMIT_S)
    assert now(client, second).state is StudyState.QUEUED
    client.post(f"{STUDIES}/{first.id}/cancellation")
    eventually(lambda: now(client, second).state is StudyState.DONE, LIMIT_S)
    assert now(client, first).state is StudyState.CANCELLED


def test_a_worker_that_is_told_to_end_leaves_at_once(client: TestClient, worker: Processes) -> None:
    worker.inject()
    study = started(client, LONG)
    eventually(lambda: now(client, study).progress, LIMIT_S)
    (lab,) = labs()
    parent = lab.parent()
    assert parent is not None
    parent.terminate()
    parent.wait(60)
    eventually(lambda: now(client, study).progress and lab.pid not in [one.pid for one in labs()], LIMIT_S)
    assert now(client, study).attempts == 1, "nothing has gone wrong"
    client.post(f"{STUDIES}/{study.id}/cancellation")
    eventually(lambda: now(client, study).state is StudyState.CANCELLED, LIMIT_S)
