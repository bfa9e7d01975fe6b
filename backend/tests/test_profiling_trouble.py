"""What goes wrong while a job measures: hosts away, cores busy, points that fail, agents restarted, types changed.

Over 400 lines: one job in one world, and a test for each trouble that docs name.
"""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from artefact_world import uploaded
from console_world import an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet
from profiling_peer import a_failure
from profiling_world import JOBS, an_ask, due_now, lease_over, points, records, started, steer, turn, work
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.leases.claims import ClaimLostError
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.profiling import claim_next, repository, tasks
from sextant_backend.modules.profiling.policy import PointMeasured
from sextant_backend.modules.records.models import ProfileRecordRow
from sextant_backend.modules.records.repository import store
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, HostContent
from sextant_domain.hosts.host import Capability
from sextant_domain.profiling.job import JobAction, JobState, PointPurpose, PointState, ProfileOrder, ProfilingJob
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", "edge-2") as made:
        yield made


def note(job: ProfilingJob) -> str:
    assert job.note is not None
    return job.note


# -- the host


def test_a_job_waits_for_a_host_that_is_away_and_goes_on_by_itself(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    turn(job.id)
    fleet.edge.stop()
    waiting = turn(job.id)
    assert waiting.state is JobState.PROCESSING
    assert note(waiting).startswith("edge-1 is unreachable since ") and "goes on by itself" in note(waiting)
    assert points(client, job.id)[1].tries == 0, "a host that is away costs no try"
    fleet.restart("edge-1")
    assert turn(job.id).done == 1, "not before the wait is over"
    due_now(job.id)
    assert work(job.id).state is JobState.COMPLETED


def test_after_ten_minutes_it_is_paused_and_another_job_may_have_the_host(client: TestClient, fleet: Fleet) -> None:
    job, next_job = started(client), started(client, nf_type="nat")
    fleet.edge.stop()
    turn(job.id)
    due_now(job.id, waiting_s=500)
    assert turn(job.id).state is JobState.PROCESSING
    due_now(job.id, waiting_s=101)
    paused = turn(job.id)
    assert paused.state is JobState.PAUSED
    assert "edge-1 is unreachable since" in note(paused) and "Paused after 10 min; resume it" in note(paused)
    assert turn(next_job.id).state is JobState.PROCESSING, "its turn"
    fleet.restart("edge-1")
    due_now(next_job.id)
    assert work(next_job.id).state is JobState.COMPLETED
    steer(client, job.id, "resume")
    assert work(job.id).state is JobState.COMPLETED


def test_what_was_measured_while_the_host_was_away_is_taken_and_not_measured_again(
    client: TestClient, fleet: Fleet
) -> None:
    job = started(client)
    with session_scope() as session:
        taken = claim_next.take(session, job.id)
    assert taken is not None
    fleet.edge.measurements.order(_order(taken), set())
    fleet.edge.stop()
    lease_over(job.id)
    turn(job.id)
    fleet.restart("edge-1")
    due_now(job.id)
    assert work(job.id).state is JobState.COMPLETED
    assert fleet.edge.measurements.begun.count(taken.key) == 1
    assert len(fleet.edge.measurements.begun) == 10


def _order(taken: claim_next.ClaimedPoint) -> ProfileOrder:
    return ProfileOrder(key=taken.key, request=taken.request)


def test_busy_cores_are_waited_for_and_the_note_says_who_has_them(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    fleet.edge.measurements.fails = [a_failure("core 1 runs edge.router", kind="busy", permanent=True)]
    waiting = turn(job.id)
    assert (waiting.state, waiting.note) == (
        JobState.PROCESSING,
        "core 1 runs edge.router. It goes on by itself",
    )
    due_now(job.id)
    fleet.edge.measurements.busy = "4-7 is measured now"
    assert "4-7 is measured now" in note(turn(job.id))
    fleet.edge.measurements.busy = None
    due_now(job.id)
    done = work(job.id)
    assert done.state is JobState.COMPLETED and done.note is None
    first = points(client, job.id)[0]
    assert (first.tries, first.note) == (1, None), "waiting was no try"


def test_points_take_other_cores_than_nfs_that_came_meanwhile(client: TestClient, tmp_path: Path) -> None:
    """Of four cores one is given to an NF: what needs all four waits, everything else goes on beside it."""
    with a_fleet(tmp_path, "edge-1", cores=4) as fleet:
        job = started(client)
        turn(job.id)
        key = fleet.edge.measurements.begun[0]
        assert fleet.edge.measurements.requests[key].nf.core == 1
        with session_scope() as session:
            hosts.set_desired(session, DesiredHostConfig.of(1, content("edge-1", core=1)))
        waiting = _until_it_waits(job.id)
        left = [point for point in points(client, job.id) if point.state is PointState.WAITING]
        assert {len(point.setting.others) for point in left} == {3}
        assert note(waiting).startswith("node 0 of edge-1 has too few free cores")
        requests = list(fleet.edge.measurements.requests.values())[1:]
        assert all(1 not in request.cores for request in requests)
        with session_scope() as session:
            hosts.set_desired(session, DesiredHostConfig.of(2, HostContent(host_id="edge-1")))
        due_now(job.id)
        assert work(job.id).state is JobState.COMPLETED


def content(host: str, core: int) -> HostContent:
    """A chain with one NF."""
    nf = DesiredNf(nf_id="web.router", nf_type="router", nf_version=1, config={}, core=core)
    traffic = Traffic(rate_mpps=0.1, packet_bytes=64)
    chain = DesiredChain(chain="web", nfs=(nf,), ingress=Ingress(), egress=Egress(), traffic=traffic)
    return HostContent(host_id=host, chains=(chain,))


def _until_it_waits(job_id: int) -> ProfilingJob:
    for _ in range(50):
        job = turn(job_id)
        if job.note is not None:
            return job
    raise AssertionError("it never waited")


def test_one_job_at_a_time_on_a_host_and_all_hosts_at_once(client: TestClient, fleet: Fleet) -> None:
    first, second, third = started(client), started(client, nf_type="nat"), started(client, host="edge-2", fresh=True)
    assert note(second) == f"job {first.id} is at work on edge-1, or comes first"
    assert turn(second.id).state is JobState.QUEUED
    assert (turn(first.id).state, turn(third.id).state) == (JobState.PROCESSING, JobState.PROCESSING)
    assert turn(second.id).done == 0
    assert work(first.id).state is JobState.COMPLETED
    done = work(second.id)
    assert done.state is JobState.COMPLETED and done.note is None
    keys = [key.split("-")[1] for key in fleet.edge.measurements.begun]
    assert keys == sorted(keys), "no point of the second before the last one of the first"


# -- points


def test_a_point_that_fails_three_times_is_given_up_and_the_others_go_on(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    turn(job.id)
    turn(job.id)
    fleet.edge.measurements.fails = [a_failure("NF firewall ended: killed by signal 11")] * 3
    done = work(job.id)
    assert (done.state, done.done, done.failed) == (JobState.COMPLETED, 9, 1), "its ideals are there"
    failed = next(point for point in points(client, job.id) if point.state is PointState.FAILED)
    assert failed.tries == 3 and failed.error is not None
    assert "killed by signal 11. 3 tries failed; the others go on." in failed.error.detail
    assert failed.error.next_actions
    assert len(fleet.edge.measurements.begun) == len(set(fleet.edge.measurements.begun)) == 12, "a key for every try"

    again = steer(client, job.id, "retry")
    assert (again.state, again.failed) == (JobState.QUEUED, 0)
    done = work(job.id)
    assert (done.state, done.done, done.failed) == (JobState.COMPLETED, 10, 0)
    assert len(fleet.edge.measurements.begun) == 13, "what was measured was not repeated"


def test_without_throughput_alone_the_job_fails_with_the_cause(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    fleet.edge.measurements.fails = [a_failure("rules_file: no such pattern", permanent=True)]
    failed = work(job.id)
    assert (failed.state, failed.done, failed.failed) == (JobState.FAILED, 9, 1)
    assert failed.error is not None
    assert "rules_file: no such pattern. Trying again cannot help before that is changed" in failed.error.detail
    assert points(client, job.id)[0].tries == 1
    assert failed.fit_id is None
    assert any(f"profile retry {job.id}" in (action.command or "") for action in failed.error.next_actions)


def test_a_point_that_the_host_cannot_tell_is_a_result(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    turn(job.id)
    turn(job.id)
    why = "co-location: no pair of offered cores shares an L3"
    fleet.edge.measurements.not_measurable = why
    done = work(job.id)
    assert (done.state, done.done, done.failed) == (JobState.COMPLETED, 10, 0)
    assert done.not_measurable == 8, "of those done"
    told = points(client, job.id)[2]
    assert (told.state, told.note, told.mpps) == (PointState.NOT_MEASURABLE, why, None)
    assert sum(one["result"]["not_measurable"] == why for one in records(client, job_id=job.id)) == 8
    assert started(client).done == 2, "it may be measurable another time"


def test_what_the_host_could_not_tell_is_measured_again_on_demand(client: TestClient, fleet: Fleet) -> None:
    """Two ideals are measured, of eight points the host cannot tell; after a retry it can, and the old records stay."""
    job = started(client)
    turn(job.id)
    turn(job.id)
    fleet.edge.measurements.not_measurable = "co-location: no pair of offered cores shares an L3"
    done = work(job.id)
    offer = next(one for one in done.actions if one.action is JobAction.RETRY)
    assert (offer.allowed, offer.reason) == (True, "measures 8 points that the host could not tell once more")

    fleet.edge.measurements.not_measurable = None
    again = steer(client, job.id, "retry")
    assert (again.state, again.done) == (JobState.QUEUED, 2)
    waiting = points(client, job.id)[2]
    assert (waiting.state, waiting.note, waiting.record_id) == (PointState.WAITING, None, None)
    done = work(job.id)
    assert (done.state, done.done, done.failed) == (JobState.COMPLETED, 10, 0)
    assert {point.state for point in points(client, job.id)} == {PointState.DONE}
    assert len(fleet.edge.measurements.begun) == 18, "what was measured was not repeated"
    told = [one["result"]["not_measurable"] for one in records(client, job_id=job.id)]
    assert (told.count(None), len(told)) == (10, 10), "of this job's points"
    offer = next(one for one in done.actions if one.action is JobAction.RETRY)
    assert (offer.allowed, offer.reason) == (False, "no point has failed, and none was not measurable")


# -- processes


def test_an_agent_that_is_restarted_in_mid_point_is_sent_it_again(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    turn(job.id)
    measured = fleet.edge.measurements
    with session_scope() as session:
        taken = claim_next.take(session, job.id)
    assert taken is not None
    measured.hold = True
    measured.order(_order(taken), set())
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
        row = repository.records(session, 1)[0]
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
    assert (cancelling.state, cancelling.note) == (
        JobState.PROCESSING,
        "cancelling: point 0 is being stopped",
    )
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


def test_a_point_that_is_tried_again_is_not_told_to_have_failed(client: TestClient, fleet: Fleet) -> None:
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


# -- what is asked


def test_a_type_that_gets_a_new_version_ends_the_job(client: TestClient, fleet: Fleet) -> None:
    made = {"name": "edge-firewall", "implementation": "firewall", "short_name": "EFW", "config": {}}
    answer = client.post(f"{API}/nf-types", json={**made, "config": {"synthetic_rules": 50}})
    assert answer.status_code == 201, answer.text
    job = started(client, nf_type="edge-firewall")
    turn(job.id)
    tag = client.get(f"{API}/nf-types/edge-firewall").headers["ETag"]
    del made["name"], made["implementation"]
    changed = client.put(
        f"{API}/nf-types/edge-firewall", json={**made, "config": {"synthetic_rules": 60}}, headers={"If-Match": tag}
    )
    assert changed.status_code == 200, changed.text
    failed = turn(job.id)
    assert (failed.state, failed.done) == (JobState.FAILED, 1)
    assert failed.error is not None
    assert failed.error.detail.startswith(
        "edge-firewall is at version 2 now, the job began with version 1; start a new job."
    )
    assert started(client, nf_type="edge-firewall").done == 1, "router alone: firewall's own points are stale"


def test_files_of_a_registered_type_are_on_the_host_before_its_points(client: TestClient, fleet: Fleet) -> None:
    digest = uploaded(client)
    made = {"name": "edge-router", "implementation": "router", "short_name": "ERT", "config": {"routes_file": digest}}
    assert client.post(f"{API}/nf-types", json=made).status_code == 201
    job = started(client, nf_type="edge-router")
    assert work(job.id).state is JobState.COMPLETED
    assert list(fleet.edge.files) == [digest]
    assert not fleet.edge.refused


@pytest.mark.parametrize(
    ("ask", "status", "field"),
    [
        ({"nf_type": "nobody"}, 422, "nf_type"),
        ({"host": "nobody"}, 422, "host"),
        ({"competitors": ["router", "nobody"]}, 422, "competitors.1"),
        ({"seconds": 0}, 422, "seconds"),
        ({"surprise": 1}, 422, "surprise"),
    ],
)
def test_what_cannot_be_profiled_is_refused_with_the_field(
    client: TestClient, fleet: Fleet, ask: dict[str, Any], status: int, field: str
) -> None:
    for path in (JOBS, f"{API}/profiling/designs"):
        answer = client.post(path, json={**an_ask(), **ask})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (status, field), answer.text
    assert client.get(JOBS).json()["items"] == []


def test_a_host_that_cannot_is_refused_with_its_reason(client: TestClient, fleet: Fleet) -> None:
    with session_scope() as session:
        blind = Capability(name="profiling", available=False, reason="sextant-measure is not built")
        inventory = an_inventory("edge-1").model_copy(update={"capabilities": (blind,)})
        hosts.register(session, inventory, fleet.edge.url)
        hosts.revoke(session, "edge-2", "stolen", "ada")
    for host, reason in (("edge-1", "sextant-measure is not built"), ("edge-2", "edge-2 is revoked")):
        answer = client.post(JOBS, json=an_ask(host))
        assert answer.status_code == 409, answer.text
        assert answer.json()["type"].endswith(":host-cannot-profile")
        assert answer.json()["errors"][0]["field"] == "host"
        assert reason in answer.json()["detail"]


def test_points_are_measured_in_the_order_in_which_ideals_come_first(client: TestClient, fleet: Fleet) -> None:
    purposes = [point.setting.purpose for point in points(client, started(client).id)]
    assert purposes[:2] == [PointPurpose.IDEAL] * 2 and PointPurpose.IDEAL not in purposes[2:]


def test_a_ring_for_a_job_that_is_not_there_does_nothing(client: TestClient) -> None:
    tasks.measure(77)
    assert client.get(f"{JOBS}/77").status_code == 404
