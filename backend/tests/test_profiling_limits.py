"""An agent that says for ever that it measures: each point has a limit of its own."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import Fleet, a_fleet
from profiling_world import due_now, now, points, started, turn, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.profiling import tasks
from sextant_backend.modules.profiling.limits import CALIBRATING_S, longest_s
from sextant_domain.profiling.job import JobState, PointState, ProfilingJob
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest
from sqlalchemy import text
from worker_world import eventually


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def test_a_point_may_take_ten_times_what_it_needs_and_twice_a_calibration() -> None:
    """Alone, 10 samples of 1 s and 0.5 s to start: 15 s. Beside another, 10 samples of 16 pairs of 0.16 s: 30.6 s."""
    alone = ProfileRequest(mode=ProfileMode.SOLO, nf=ProfiledNf(nf_type="router", core=1))
    beside = ProfileRequest(
        mode=ProfileMode.COLOCATION,
        nf=ProfiledNf(nf_type="router", core=1),
        others=(ProfiledNf(nf_type="nat", core=2),),
    )
    assert longest_s(alone) == pytest.approx(CALIBRATING_S + 150)
    assert longest_s(beside) == pytest.approx(CALIBRATING_S + 306)


def waits_too_long(job: ProfilingJob, key: str, fleet: Fleet) -> ProfilingJob:
    """A worker waits for the agent; two hours later it still does."""
    worker = threading.Thread(target=tasks.measure, args=(job.id,), daemon=True)
    worker.start()
    eventually(lambda: key in fleet.edge.measurements.begun, 60.0)
    with session_scope() as session:
        session.execute(text("UPDATE profiling_points SET started_at = started_at - interval '2 hours'"))
    worker.join(timeout=60)
    assert not worker.is_alive(), "it waits for ever"
    return now(job.id)


def test_an_agent_that_says_for_ever_that_it_measures_is_told_to_stop(client: TestClient, fleet: Fleet) -> None:
    """Three tries, each stopped when its time is over; then the point has failed, and the others go on."""
    measurements = fleet.edge.measurements
    measurements.hold = True
    job, keys = started(client), []
    for number in (1, 2, 3):
        keys.append(f"{_mark(job.id)}-{job.id}-0-{number}")
        seen = waits_too_long(job, keys[-1], fleet)
        assert measurements.cancelled == keys
        assert seen.state is JobState.PROCESSING
        note = points(client, job.id)[0].note or ""
        if number < 3:
            assert note.startswith(f"try {number} of 3 failed: edge-1 still measured it after 7"), note
            assert note.endswith("; its agent was asked to stop it"), note
    measurements.hold = False
    ended = work(job.id)
    given_up = points(client, job.id)[0]
    assert (given_up.state, given_up.tries) == (PointState.FAILED, 3)
    assert given_up.error is not None and "where 15 s are enough on a quiet host" in given_up.error.detail
    assert ended.done + ended.failed == ended.points and ended.done > 0, "the others went on"


def test_an_agent_that_goes_on_all_the_same_has_its_host_waited_for(client: TestClient, fleet: Fleet) -> None:
    """It measures for ever and hears nothing: the try has failed, and the host is busy until an operator sees to it."""
    measurements = fleet.edge.measurements
    measurements.hold, measurements.deaf = True, True
    job = started(client)
    waits_too_long(job, f"{_mark(job.id)}-{job.id}-0-1", fleet)
    note = points(client, job.id)[0].note or ""
    assert note.endswith("could not be asked to stop: it says that it goes on all the same"), note
    assert turn(job.id).state is JobState.PROCESSING, "it waits for the host"
    due_now(job.id, waiting_s=601)
    paused = turn(job.id)
    assert paused.state is JobState.PAUSED and "Paused after 10 min" in (paused.note or "")


def _mark(job_id: int) -> str:
    with session_scope() as session:
        return str(session.execute(text("SELECT mark FROM profiling_jobs WHERE id = :id"), {"id": job_id}).scalar_one())
