"""Costs of a host, by processes of their own: a worker fits them, whatever happens to it, and the watch finds that what
was measured has left them."""

from pathlib import Path

from coco_world import HOST
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.host_costs import repository
from sextant_domain.profiling.fit import FitState
from test_host_costs import asked, fit_of, known, measured
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


def test_a_worker_fits_them_and_one_that_dies_leaves_it_to_the_next(client: TestClient, tmp_path: Path) -> None:
    known()
    measured(40)
    processes = Processes(tmp_path, stale_after_s=3000)
    processes.inject(host_cost_fit__before_store={"action": "kill", "times": 1})
    worker, watch = processes.kept("plan"), processes.kept("watch")
    try:
        fit = asked(client)
        eventually(lambda: fit_of(client, fit.id).state is not FitState.FITTING, 120)
    finally:
        worker.end()
        watch.end()
    made = fit_of(client, fit.id)
    assert made.cost is not None and (made.cost.version, made.cost.windows, made.windows) == (1, 40, 40)
    assert processes.left("host_cost_fit.before_store") == 0
    with session_scope() as session:
        row = repository.fit(session, fit.id)
        assert row is not None and row.tries == 2
