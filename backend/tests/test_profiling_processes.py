"""Agents that are restarted, workers that end or are overtaken, and jobs cancelled while a point is measured."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import Fleet, a_fleet
from profiling_peer import a_failure
from profiling_world import lease_over, note, order_of, points, records, started, steer, turn, work
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases.claims import ClaimLostError
from sextant_backend.modules.profiling import claim_next, tasks
from sextant_backend.modules.profiling.policy import PointMeasured
from sextant_backend.modules.records.models import ProfileRecordRow
from sextant_backend.modules.records.repository import store
from sextant_domain.profiling.job import JobState, PointState
from sqlalchemy import select, text
from sqlalchemy.exc import DBAPIError


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", "edge-2") as made:
        yield made


def test_an_agent_that_is_restarted_in_mid_point_is_sent_it_again(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    turn(job.id)
    measured = fleet.edge.measurements
    with session_scope() as session:
        taken = claim_next.take(session, job.id)
    assert taken is not None
    measured.hold = True
    measured.order(order_of(taken), set())
    lease_over(job.id)
    measured.restart()
    measured.hold = False
    done = work(job.id)
    assert (done.state, done.done) == (JobState.COMPLETED, 10)
    assert measured.begun.count(taken.key) == 2, "the agent knew nothing of it any more"
    assert len(measured.begun) == 11, "no other point was repeated"


def test_an_agent_that_forgets_while_it_is_waited_for_costs_a_try(
    client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = started(client)
    measured = fleet.edge.measurements
    measured.hold = True

    def restarted(key: str) -> str:
        measured.restart()
        measured.hold = False
        monkeypatch.undo()
        return "no-such-profile"

    monkeypatch.setattr(measured, "get", restarted)
    again = turn(job.id)
    assert note(again) == "try 1 of 3 failed: the agent of edge-1 was restarted while it measured"
    done = work(job.id)
    assert (done.state, done.done) == (JobState.COMPLETED, 10)
    assert points(client, job.id)[0].tries == 2


def test_a_worker_that_ends_gives_its_claim_back_and_the_measurement_goes_on(
    client: TestClient, fleet: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = started(client)
    fleet.edge.measurements.hold = True
    monkeypatch.setattr(tasks, "_leaving", threading.Event())
    tasks.leave()
    left = turn(job.id)
    assert (left.state, left.running, left.done) == (JobState.PROCESSING, 0, 0)
    monkeypatch.undo()
    fleet.edge.measurements.hold = False
    assert turn(job.id).done == 1, "at once: the claim is free"
    assert len(fleet.edge.measurements.begun) == 1


def test_a_worker_that_was_overtaken_stores_nothing(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    with session_scope() as session:
        first = claim_next.take(session, job.id)
    assert first is not None
    lease_over(job.id)
    turn(job.id)
    result = fleet.edge.measurements.runs[first.key].result
    assert result is not None
    with pytest.raises(ClaimLostError), session_scope() as session:
        claim_next.end_point(session, first, PointMeasured(result))
    assert len(records(client)) == 1


def test_a_duplicate_store_is_one_record_and_records_never_change(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    turn(job.id)
    with session_scope() as session:
        row = session.scalars(select(ProfileRecordRow)).one()
        names = [column.name for column in row.__table__.columns if column.name not in ("id", "stored_at")]
        copy = {name: getattr(row, name) for name in names} | {"host_id": "another"}
        assert store(session, ProfileRecordRow(**copy)) == row.id
    assert [one["host"] for one in records(client)] == ["edge-1"]
    for change in ("UPDATE profile_records SET host_id = 'x'", "DELETE FROM profile_records"):
        with pytest.raises(DBAPIError, match="never change"), session_scope() as session:
            session.execute(text(change))


def test_a_job_that_is_cancelled_in_mid_point_stops_the_agent(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    measured = fleet.edge.measurements
    measured.hold = True
    with session_scope() as session:
        taken = claim_next.take(session, job.id)
    assert taken is not None
    cancelling = steer(client, job.id, "cancel")
    assert (cancelling.state, cancelling.note) == (JobState.PROCESSING, "cancelling: point 0 is being stopped")
    lease_over(job.id)
    ended = turn(job.id)
    assert (ended.state, ended.done, ended.running) == (JobState.CANCELLED, 0, None)
    assert measured.cancelled == [taken.key]
    assert ended.note is None, "nothing is being stopped any more"
    assert {point.state for point in points(client, job.id)} == {PointState.SKIPPED}


def test_a_queued_job_that_is_cancelled_leaves_neither_a_note_nor_a_fit(client: TestClient, fleet: Fleet) -> None:
    """All ten points of the third job are known, and it waits behind the second. What it reuses is in a fit already,
    and what it waited for is of no interest."""
    done = work(started(client).id)
    assert done.fit_id is not None
    before = started(client, fresh=True)
    waiting = started(client)
    assert waiting.done == 10 and note(waiting) == f"job {before.id} is at work on edge-1, or comes first"
    ended = steer(client, waiting.id, "cancel")
    assert (ended.state, ended.note, ended.fit_id) == (JobState.CANCELLED, None, None)
    turn(before.id)
    assert steer(client, before.id, "cancel").fit_id is not None, "it has measured a point"


def test_a_point_that_is_tried_again_is_not_reported_as_failed(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    fleet.edge.measurements.fails = [a_failure("the NF crashed")]
    turn(job.id)
    assert (points(client, job.id)[0].note or "").startswith("try 1 of 3 failed")
    with session_scope() as session:
        claim_next.take(session, job.id)
    running = points(client, job.id)[0]
    assert (running.state, running.note, running.tries) == (PointState.RUNNING, None, 1)


def test_a_point_that_kills_its_workers_is_given_up(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    for _ in range(12):
        with session_scope() as session:
            claim_next.take(session, job.id)
        lease_over(job.id)
    assert points(client, job.id)[0].state is PointState.FAILED
    assert "10 workers died" in str(points(client, job.id)[0].error)
