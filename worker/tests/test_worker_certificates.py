"""Whoever orders hosts needs the backend's certificate: a worker without one takes no operation, and says why."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_backend import check
from sextant_backend.kit import queue
from sextant_backend.kit.tasks import Queue, TaskName, send
from sextant_backend.settings import Settings, get_settings
from sextant_run.pki.store import Store
from worker_world import Processes, end, eventually

pytestmark = pytest.mark.fault

LIMIT_S = 90.0
"""A worker that starts beside other suites takes its time; what is asked is whether, not when."""


@pytest.fixture
def store(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    """Where certificates will be; there are none yet."""
    made = Store(tmp_path / "pki")
    monkeypatch.setenv("SEXTANT_PKI_DIR", str(made.backend.folder))
    get_settings.cache_clear()
    yield made
    monkeypatch.undo()
    get_settings.cache_clear()


def test_a_worker_waits_for_the_certificate_and_leaves_operations_where_they_are(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    processes = Processes(tmp_path, 3000)
    worker = processes.start("operate")
    try:
        eventually(lambda: "the backend's certificate" in processes.log.read_text(), LIMIT_S)
        send(TaskName.OPERATE, 1)
        assert check.main(["operate"]) == 1
        assert "backend.crt" in capsys.readouterr().err
        assert not queue.client().exists(queue.alive_key(Queue.OPERATE)), "/readyz would count on it"
        assert queue.client().llen(Queue.OPERATE) == 1, "nobody took it"

        store.renew(())
        eventually(lambda: check.main(["operate"]) == 0, LIMIT_S)
        eventually(lambda: queue.client().llen(Queue.OPERATE) == 0, LIMIT_S)

        store.backend.certificate_file.unlink()
        assert check.main(["operate"]) == 1
        eventually(lambda: "not_alive" in processes.log.read_text(), LIMIT_S)
    finally:
        end(worker)


@pytest.mark.parametrize("of_a_queue", ["operate", "profile"])
def test_a_worker_that_no_certificate_can_come_to_ends(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, of_a_queue: str
) -> None:
    monkeypatch.delenv("SEXTANT_PKI_DIR")
    processes = Processes(tmp_path, 3000)
    worker = processes.start(of_a_queue)
    assert worker.wait(timeout=LIMIT_S) == 1
    assert "SEXTANT_PKI_DIR is not set" in processes.log.read_text()


def test_a_worker_is_well_on_the_machine_where_it_is(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of three containers of a queue one may hang: the others' health is not its own. No certificate for plans."""
    worker = Processes(tmp_path, 3000).start("plan")
    try:
        eventually(lambda: check.main(["plan"]) == 0, LIMIT_S)
        monkeypatch.setattr(queue, "this_machine", lambda: "another")
        assert check.main(["plan"]) == 1
        assert queue.client().exists(queue.alive_key(Queue.PLAN)), "the console counts on it all the same"
    finally:
        end(worker)


@pytest.mark.parametrize(
    ("what", "missing"),
    [("plan", "DATABASE_URL=postgresql+psycopg://x@127.0.0.1:1/x"), ("watch", "REDIS_URL=redis://127.0.0.1:1/0")],
)
def test_a_process_whose_server_does_not_come_ends(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, what: str, missing: str
) -> None:
    monkeypatch.setenv(*missing.split("=", 1))
    monkeypatch.setenv("SEXTANT_START_LIMIT_S", "0.2")
    monkeypatch.chdir(tmp_path)
    processes = Processes(tmp_path, 3000)
    started: subprocess.Popen[bytes] = processes.start(what)
    try:
        assert started.wait(timeout=LIMIT_S) == 1
    finally:
        end(started)
    assert "was not ready within 0 s" in processes.log.read_text()
