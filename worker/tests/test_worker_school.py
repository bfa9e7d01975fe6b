"""kill -9 of the worker that trains a network: the next one goes on from the checkpoint. Skipped without JAX."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import psutil
import pytest
from fastapi.testclient import TestClient
from fleet_world import a_fleet
from network_world import NETWORKS
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.studies import checkpoints, service
from sextant_domain.studies.school import scenario_toml
from sextant_domain.studies.study import Study, StudyState
from study_world import now, started
from worker_world import Processes, eventually, processes

pytestmark = [
    pytest.mark.fault,
    pytest.mark.skipif(find_spec("jax") is None, reason="the extra learn is not installed: make setup SEXTANT_LEARN=1"),
]
LIMIT_S = 150.0


@pytest.fixture
def worker(tmp_path: Path, settings: object) -> Iterator[Processes]:
    with a_fleet(tmp_path), processes(tmp_path) as started_ones:
        yield started_ones


def checkpoint(study: Study) -> Path:
    with session_scope() as session:
        return checkpoints.path_of(study.id, service.found(session, study.id).created_at) / "checkpoint.pickle"


def exams(client: TestClient, study: Study) -> int:
    progress = now(client, study).progress
    return 0 if progress is None or progress.curve is None else len(progress.curve.marks)


def test_a_training_whose_worker_is_killed_goes_on(client: TestClient, worker: Processes) -> None:
    worker.inject()
    study = started(client, scenario_toml(2, 1, "short", 40_000))
    eventually(lambda: checkpoint(study).exists() and exams(client, study) > 3, LIMIT_S)
    (lab,) = [one for one in psutil.Process().children(recursive=True) if "sextant_lab" in one.cmdline()]
    parent = lab.parent()
    assert parent is not None
    parent.kill()
    lab.wait(60)
    before = exams(client, study)
    assert before > 3
    least = []

    def done() -> bool:
        least.append(exams(client, study))
        return now(client, study).state is StudyState.DONE

    eventually(done, LIMIT_S)
    assert min(least) >= before - 1, "the curve goes on where it was: at most the exam that was just taken comes again"
    assert now(client, study).attempts == 2
    assert not checkpoint(study).parent.exists()
    [network] = client.get(NETWORKS).json()["items"]
    assert network["study"] == study.id
