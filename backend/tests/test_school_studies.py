"""Trainings as studies: killed and gone on as if they never had been, cancelled, refused without JAX; what they leave
is stored by digest, and what is not what it says is refused. The short trainings are real; those that want JAX are
skipped where the lab's extra `learn` is not installed, as in CI."""

import json
import os
import signal
import threading
from importlib.util import find_spec
from pathlib import Path
from tempfile import gettempdir

import pytest
from console_world import wait_until
from fastapi.testclient import TestClient
from network_world import NETWORKS, document, report
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.networks import repository
from sextant_backend.modules.studies import checkpoints, service, tasks
from sextant_backend.modules.studies.child import Child
from sextant_backend.modules.studies.study_outcome import StudyDone, StudyFailed, finding_of
from sextant_domain.studies.school import SchoolResult, SchoolScenario, SchoolSummary, scenario_toml, school_summary
from sextant_domain.studies.study import Study, StudyState
from sextant_domain.studies.summary import StudyFound
from sextant_engine.laws.sfc2cpu.trained import read_trained
from study_world import SMALL, STUDIES, now, started

TINY = scenario_toml(2, 1, "short", 9_000)
"""Four lessons of some seconds."""
with_jax = pytest.mark.skipif(
    find_spec("jax") is None, reason="the extra learn is not installed: make setup SEXTANT_LEARN=1"
)


def kept(study: Study) -> Path:
    with session_scope() as session:
        return checkpoints.folder(study.id, service.found(session, study.id).created_at)


def ran(client: TestClient, toml: str = TINY) -> Study:
    study = started(client, toml)
    tasks.run(study.id)
    return now(client, study)


def result_of(client: TestClient, study: Study) -> SchoolResult:
    return SchoolResult.model_validate_json(client.get(f"{STUDIES}/{study.id}/result").content)


@with_jax
def test_a_training_that_is_killed_goes_on_and_comes_to_the_same(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """kill -9 of the lab's process after its first lesson; and once without."""
    pids = []
    begin = Child.__enter__

    def noted(child: Child) -> Child:
        pids.append(child.pid)
        return begin(child)

    monkeypatch.setattr(Child, "__enter__", noted)
    study = started(client, TINY)
    worker = threading.Thread(target=tasks.run, args=(study.id,))
    worker.start()
    wait_until((kept(study) / "checkpoint.pickle").exists, 120)
    os.kill(pids[0], signal.SIGKILL)
    worker.join(60)
    left = now(client, study)
    assert (left.state, left.attempts) == (StudyState.QUEUED, 1)
    assert left.progress is not None and left.progress.curve is not None
    begun = len(left.progress.curve.marks)
    folder = kept(study)
    tasks.run(study.id)
    done = now(client, study)
    assert (done.state, done.attempts, done.error) == (StudyState.DONE, 2, None)
    assert not folder.exists(), "nothing is kept of a training that has ended"
    found = result_of(client, done)
    assert 1 <= begun < len(found.report.curve.marks)

    whole = result_of(client, ran(client))
    assert whole.weights == found.weights
    assert [mark.served for mark in whole.report.curve.marks] == [mark.served for mark in found.report.curve.marks]
    assert whole.report.exam == found.report.exam

    [item] = client.get(NETWORKS).json()["items"]
    assert (item["weights"], item["study"], item["report"]["cores"]) == (found.weights, study.id, 2)
    with session_scope() as session:
        stored = repository.documents(session, [found.weights])[found.weights]
    assert read_trained(stored, 2).digest == found.weights
    summary = client.get(f"{STUDIES}/{study.id}/summary").json()
    assert summary["report"]["curve"]["marks"][-1]["steps"] >= 9_000
    assert client.put(f"{NETWORKS}/{found.weights}/promotion").status_code == 200


@with_jax
def test_one_that_is_cancelled_leaves_neither_network_nor_checkpoint(client: TestClient) -> None:
    study = started(client, scenario_toml(2, 1, "long"))
    worker = threading.Thread(target=tasks.run, args=(study.id,))
    worker.start()
    wait_until(lambda: now(client, study).progress is not None, 120)
    folder = kept(study)
    assert client.post(f"{STUDIES}/{study.id}/cancellation").status_code == 202
    worker.join(90)
    assert now(client, study).state is StudyState.CANCELLED
    assert not folder.exists()
    assert client.get(NETWORKS).json()["items"] == []


def test_without_jax_it_is_refused_and_says_what_to_install(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jax.py").write_text("raise ImportError('none here')\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))  # of the study's process
    refused = ran(client)
    assert refused.state is StudyState.REFUSED and refused.error is not None
    assert "JAX" in refused.error.detail
    assert refused.error.next_actions[0].command == "make setup SEXTANT_LEARN=1"
    assert refused.error.errors[0].field == "scenario_toml.kind"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ("cores = 1", "cores"),
        ("cores = 33", "cores"),
        ("cores = 4.0", "cores"),
        ('length = "endless"', "length"),
        ("steps = 999", "steps"),
        ("seed = -1", "seed"),
        ("rate = 1.0", "rate"),
    ],
)
def test_a_scenario_that_cannot_be_is_refused_by_its_field(client: TestClient, change: str, field: str) -> None:
    name, _, _ = change.partition(" = ")
    lines = [line for line in TINY.splitlines() if not line.startswith(f"{name} = ")]
    refused = client.post(STUDIES, json={"scenario_toml": "\n".join([*lines, change])})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == f"scenario_toml.{field}"


def a_result(trained: bytes, weights: str | None = None) -> SchoolResult:
    scenario = SchoolScenario(name="tiny", summary="A tiny one.", kind="school", cores=2)
    said = json.loads(trained)["digest"] if weights is None else weights
    of = report()
    return SchoolResult(
        kind="school", scenario=scenario, origin=of.origin, report=of, weights=said, trained=trained.decode()
    )


def left_by_the_lab(tmp_path: Path, result: SchoolResult) -> object:
    with Child(tmp_path, SMALL) as child:
        child.stop(0)
        child.result.write_text(result.model_dump_json())
        child.found.write_text(StudyFound(summary=school_summary(result), repeated=None).model_dump_json())
        return finding_of(0, child)


def test_what_the_lab_left_is_read_as_from_a_stranger(client: TestClient, tmp_path: Path) -> None:
    good = left_by_the_lab(tmp_path, a_result(document()))
    assert isinstance(good, StudyDone) and good.network is not None
    assert isinstance(good.found.summary, SchoolSummary)
    changed = json.loads(document())
    changed["weights"]["second"][0][0] = 0.25
    for wrong in (
        a_result(json.dumps(changed).encode()),  # other weights than their digest says
        a_result(document(4)),  # for other cores than the report says
        a_result(document(), f"sha256:{'1' * 64}"),  # another network than the result says
        a_result(b'{"digest": "sha256:' + b"0" * 64 + b'"}'),
    ):
        failed = left_by_the_lab(tmp_path, wrong)
        assert isinstance(failed, StudyFailed) and "the weights that it left are refused" in failed.cause


def test_a_folder_that_is_somebody_elses_is_not_gone_on_from(client: TestClient, tmp_path: Path) -> None:
    """A checkpoint is read as code: of a link or an open folder nothing is taken."""
    study = started(client, TINY)
    own = kept(study)
    assert own.parent == Path(gettempdir()) and own.stat().st_mode & 0o077 == 0
    assert kept(study) == own
    own.chmod(0o777)
    open_one = kept(study)
    assert open_one != own
    open_one.rmdir()
    own.chmod(0o700)
    own.rmdir()
    own.symlink_to(tmp_path)
    other = kept(study)
    assert other != own and not list(other.iterdir())
    own.unlink()
    other.rmdir()
