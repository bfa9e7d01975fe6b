"""What goes wrong while a job measures: hosts away, cores busy, points that fail."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import Fleet, a_fleet
from profiling_peer import a_failure
from profiling_world import due_now, lease_over, note, order_of, points, records, started, steer, turn, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.profiling import claim_next
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, HostContent
from sextant_domain.profiling.job import JobAction, JobState, PointState, ProfilingJob


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", "edge-2") as made:
        yield made


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
    fleet.edge.measurements.order(order_of(taken), set())
    fleet.edge.stop()
    lease_over(job.id)
    turn(job.id)
    fleet.restart("edge-1")
    due_now(job.id)
    assert work(job.id).state is JobState.COMPLETED
    assert fleet.edge.measurements.begun.count(taken.key) == 1
    assert len(fleet.edge.measurements.begun) == 10


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


def test_a_point_that_the_host_cannot_measure_is_a_result(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    turn(job.id)
    turn(job.id)
    why = "co-location: no pair of offered cores shares an L3"
    fleet.edge.measurements.not_measurable = why
    done = work(job.id)
    assert (done.state, done.done, done.failed) == (JobState.COMPLETED, 10, 0)
    assert done.not_measurable == 8, "of those done"
    point = points(client, job.id)[2]
    assert (point.state, point.note, point.mpps) == (PointState.NOT_MEASURABLE, why, None)
    assert sum(one["result"]["not_measurable"] == why for one in records(client, job_id=job.id)) == 8
    assert started(client).done == 2, "it may be measurable another time"


def test_a_point_says_how_its_figures_are_to_be_taken(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    fleet.edge.measurements.notes = ("nodes 0 and 1 are claimed", "source and sink had its core")
    turn(job.id)
    point = points(client, job.id)[0]
    assert (point.state, point.note) == (PointState.DONE, "nodes 0 and 1 are claimed; source and sink had its core")


def test_what_the_host_could_not_measure_is_measured_again_on_demand(client: TestClient, fleet: Fleet) -> None:
    """Two ideals are measured, eight points the host cannot measure; after a retry it can, and the old records stay."""
    job = started(client)
    turn(job.id)
    turn(job.id)
    fleet.edge.measurements.not_measurable = "co-location: no pair of offered cores shares an L3"
    done = work(job.id)
    offer = next(one for one in done.actions if one.action is JobAction.RETRY)
    assert (offer.allowed, offer.reason) == (True, "measures 8 points that were not measurable on the host once more")

    fleet.edge.measurements.not_measurable = None
    again = steer(client, job.id, "retry")
    assert (again.state, again.done) == (JobState.QUEUED, 2)
    waiting = points(client, job.id)[2]
    assert (waiting.state, waiting.note, waiting.record_id) == (PointState.WAITING, None, None)
    done = work(job.id)
    assert (done.state, done.done, done.failed) == (JobState.COMPLETED, 10, 0)
    assert {point.state for point in points(client, job.id)} == {PointState.DONE}
    assert len(fleet.edge.measurements.begun) == 18, "what was measured was not repeated"
    reasons = [one["result"]["not_measurable"] for one in records(client, job_id=job.id)]
    assert (reasons.count(None), len(reasons)) == (10, 10), "of this job's points"
    offer = next(one for one in done.actions if one.action is JobAction.RETRY)
    assert (offer.allowed, offer.reason) == (False, "no point has failed, and none was not measurable")
