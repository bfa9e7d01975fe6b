"""The STUDY task with the real lab: results, repetitions, refusals, cancels, and every way to fail."""

import json
import os
import signal
import threading
from pathlib import Path

import pytest
from console_world import wait_until
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.modules.studies import child, claim_next, leftovers, service, tasks
from sextant_backend.modules.studies.child import Child
from sextant_backend.modules.studies.study_outcome import StudyFailed, StudyLeft, finding_of
from sextant_domain.studies.numasfp_result import NumasfpSummary
from sextant_domain.studies.result import STUDY_RESULT, PlacementResult
from sextant_domain.studies.sfc2cpu_result import Sfc2cpuSummary
from sextant_domain.studies.study import Study, StudyScenario, StudyState
from sextant_domain.studies.summary import STUDY_SUMMARY, summarised
from study_world import LONG, SMALL, STUDIES, now, started


def ran(client: TestClient, toml: str = SMALL) -> Study:
    study = started(client, toml)
    tasks.run(study.id)
    return now(client, study)


MIGRATION = """
name = "fig4"
summary = "A chain that moves."
kind = "numasfp"
figure = "Fig. 4"

[run]
what = "migration"
chain = ["onvm-basic-monitor"]
from_node = 1
to_node = 0
move_at_s = 1
seconds = 3

[[run.changes]]
at_s = 0
gbps = 9.0

[[expect]]
what = "carried in the last second"
paper = 9.0
tolerance = 0.45
"""


def test_a_study_of_another_kind_is_run_and_repeated_too(client: TestClient) -> None:
    done = ran(client, MIGRATION)
    assert (done.state, done.error, done.kind, done.machine) == (StudyState.DONE, None, "numasfp", "xeon-gold-6126")
    result = STUDY_RESULT.validate_json(client.get(f"{STUDIES}/{done.id}/result").content)
    summary = STUDY_SUMMARY.validate_json(client.get(f"{STUDIES}/{done.id}/summary").content)
    assert isinstance(summary, NumasfpSummary) and summary == summarised(result)
    assert (summary.passed, summary.failed) == (1, 0)
    asked = StudyScenario.model_validate_json(client.get(f"{STUDIES}/{done.id}/scenario").content)
    assert asked.scenario.kind == "numasfp" and asked.toml == MIGRATION
    repetition = client.post(f"{STUDIES}/{done.id}/repetition").json()
    tasks.run(repetition["id"])
    again = now(client, repetition["id"])
    assert again.repeated is not None and again.repeated.equal


LOADS = """
name = "fig5a"
summary = "Two instances."
kind = "sfc2cpu"
figure = "Fig. 5a"

[run]
what = "loads"
cores = [4]
assigners = ["ffd", "min_max"]
instances = 2

[[expect]]
what = "min_max, 4 cores: fullest core"
paper = 100.0
tolerance = 0.001
bound = "most"
"""


def test_a_study_of_a_figure_of_sfc2cpu_is_run_shown_and_repeated(client: TestClient) -> None:
    done = ran(client, LOADS)
    assert (done.state, done.error, done.kind, done.machine) == (StudyState.DONE, None, "sfc2cpu", "ideal model")
    result = STUDY_RESULT.validate_json(client.get(f"{STUDIES}/{done.id}/result").content)
    summary = STUDY_SUMMARY.validate_json(client.get(f"{STUDIES}/{done.id}/summary").content)
    assert isinstance(summary, Sfc2cpuSummary) and summary == summarised(result)
    assert (summary.passed, summary.failed, len(summary.checks)) == (1, 0, 1)
    repetition = client.post(f"{STUDIES}/{done.id}/repetition").json()
    tasks.run(repetition["id"])
    again = now(client, repetition["id"])
    assert again.repeated is not None and again.repeated.equal


def test_a_study_is_run_drawn_and_repeated(client: TestClient) -> None:
    done = ran(client)
    assert (done.state, done.attempts, done.error) == (StudyState.DONE, 1, None)
    assert done.finished_at is not None and done.started_at is not None and done.finished_at > done.started_at
    result = STUDY_RESULT.validate_json(client.get(f"{STUDIES}/{done.id}/result").content)
    assert isinstance(result, PlacementResult)
    assert len(result.predictions) == 2 * 2, "two seeds, two placements of one chain"
    summary = STUDY_SUMMARY.validate_json(client.get(f"{STUDIES}/{done.id}/summary").content)
    assert summary == summarised(result)

    repetition = client.post(f"{STUDIES}/{done.id}/repetition")
    assert (repetition.status_code, repetition.json()["repeat_of"]) == (202, done.id)
    etag = f'"{done.version}"'
    needed = client.delete(f"{STUDIES}/{done.id}", headers={"If-Match": etag})
    assert needed.status_code == 409 and "needs its result" in needed.json()["detail"]
    tasks.run(repetition.json()["id"])
    again = now(client, repetition.json()["id"])
    assert again.repeated is not None and again.repeated.equal and again.repeated.differs == ()
    assert client.delete(f"{STUDIES}/{done.id}", headers={"If-Match": etag}).status_code == 204
    assert now(client, again).repeat_of == done.id, "although that one is gone"


def test_what_only_the_twin_can_find_is_refused_with_its_field(client: TestClient) -> None:
    refused = ran(client, SMALL.replace("xeon-e5-2650-v4", "abacus"))
    assert refused.state is StudyState.REFUSED and refused.error is not None
    assert refused.error.errors[0].field == "scenario_toml.server.machine"
    assert "abacus" in refused.error.detail and "is none of" in refused.error.detail
    assert client.get(f"{STUDIES}/{refused.id}/result").status_code == 409


def test_one_that_runs_is_cancelled_and_leaves_nothing(client: TestClient) -> None:
    study = started(client, LONG)
    worker = threading.Thread(target=tasks.run, args=(study.id,))
    worker.start()
    wait_until(lambda: now(client, study).progress is not None)
    assert now(client, study).state is StudyState.RUNNING
    assert client.post(f"{STUDIES}/{study.id}/cancellation").json()["cancel_requested"]
    worker.join(60)
    ended = now(client, study)
    assert (ended.state, ended.error) == (StudyState.CANCELLED, None)
    assert not list(Path(leftovers.tempfile.gettempdir()).glob(f"{leftovers.own_prefix()}*"))


def test_a_worker_that_ends_leaves_it_to_the_next(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no attempt that counts: an installation may be restarted as often as one likes."""
    leaving = threading.Event()
    leaving.set()
    monkeypatch.setattr(tasks, "_leaving", leaving)
    left = ran(client, LONG)
    assert (left.state, left.attempts, left.progress) == (StudyState.QUEUED, 0, None)


def test_a_study_that_two_workers_died_at_has_failed(client: TestClient) -> None:
    study = started(client, LONG)
    for attempt in (1, 2):
        with session_scope() as session:
            assert claim_next.take(session, study.id) is not None
        assert now(client, study).attempts == attempt
        with session_scope() as session:
            row = service.found(session, study.id, lock=True)
            row.lease_until = row.created_at
    tasks.run(study.id)
    failed = now(client, study)
    assert failed.state is StudyState.FAILED and failed.error is not None
    assert "2 workers died while they ran it" in failed.error.detail


def test_who_lost_the_claim_writes_nothing(client: TestClient) -> None:
    study = started(client)
    with session_scope() as session:
        turn = claim_next.take(session, study.id)
        assert turn is not None
        service.found(session, study.id, lock=True).claim_token = "another"
    for write in (
        lambda at: claim_next.progress(at, turn, None),
        lambda at: claim_next.end_study(at, turn, StudyLeft()),
    ):
        with pytest.raises(claims.ClaimLostError), session_scope() as session:
            write(session)


def ended(tmp_path: Path, toml: str = LONG) -> StudyFailed:
    """A child that failed."""
    with Child(tmp_path, toml) as one:
        status = one.wait(60)
        assert status is not None
        found = finding_of(status, one)
    assert isinstance(found, StudyFailed), found
    return found


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "MEMORY_BYTES", 100 * 2**20)
    assert "of memory" in ended(tmp_path).cause


def test_processor_time_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "CPU_S", 1)
    assert "hours of a processor" in ended(tmp_path).cause


def test_its_files_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The result of two seeds has some kilobytes."""
    monkeypatch.setattr(child, "MAX_RESULT_BYTES", 1024)
    assert "its result has more than" in ended(tmp_path, SMALL).cause


@pytest.mark.usefixtures("settings")
def test_it_knows_no_secret_and_gives_way(tmp_path: Path) -> None:
    assert "DATABASE_URL" in os.environ
    with Child(tmp_path, LONG) as one:
        wait_until(lambda: one.progress)
        pid = one.pid
        environment = Path(f"/proc/{pid}/environ").read_bytes()
        assert os.getpriority(os.PRIO_PROCESS, pid) == min(os.getpriority(os.PRIO_PROCESS, 0) + 10, 19)
    assert b"DATABASE_URL" not in environment and b"REDIS_URL" not in environment
    assert not Path(f"/proc/{pid}").exists(), "the end of the block ends it"


def test_killed_from_outside_it_says_so(tmp_path: Path) -> None:
    with Child(tmp_path, LONG) as one:
        wait_until(lambda: one.progress)
        os.kill(one.pid, signal.SIGKILL)
        status = one.wait(60)
        assert status is not None
        found = finding_of(status, one)
    assert isinstance(found, StudyFailed) and "SIGKILL" in found.cause


def test_a_result_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    with Child(tmp_path, SMALL) as one:
        assert one.wait(60) == 0
        one.found.write_text(json.dumps({"summary": {}}))
        found = finding_of(0, one)
    assert isinstance(found, StudyFailed) and "cannot be read" in found.cause


def test_folders_of_workers_that_were_killed_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number above the greatest that Linux gives is no process's."""
    monkeypatch.setattr(leftovers.tempfile, "tempdir", str(tmp_path))
    dead, living = tmp_path / f"sextant-study-{2**22 + 1}-x", tmp_path / f"{leftovers.own_prefix()}x"
    for folder in (dead, living):
        folder.mkdir()
    leftovers.remove()
    assert list(tmp_path.iterdir()) == [living]
