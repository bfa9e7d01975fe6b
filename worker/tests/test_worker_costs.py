"""The watch's own process finds that what a host measured has left its fitted costs."""

from pathlib import Path

from coco_world import HOST
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.host_costs import repository
from test_host_costs_drift import fitted, later
from worker_world import Processes, eventually


def drifted_of() -> str | None:
    with session_scope() as session:
        row = repository.newest(session, HOST)
        return None if row is None else row.drift_nf


def test_the_watch_marks_costs_that_do_not_hold(client: TestClient, tmp_path: Path) -> None:
    fitted(client)
    later(40, 1.25, of="web.b")
    assert drifted_of() is None
    watch = Processes(tmp_path, stale_after_s=3000).kept("watch")
    try:
        eventually(lambda: drifted_of() == "web.b", 60)
    finally:
        watch.end()
