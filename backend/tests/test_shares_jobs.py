"""Jobs for shares on agents over real mutual TLS: rates that follow from what the NF carries, and what becomes of
them."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet
from profiling_peer import a_failure
from profiling_world import JOBS, lease_over, points, records, steer, turn, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.profiling import claim_next
from sextant_backend.modules.snapshots import service as snapshots
from sextant_domain.base import Provenance
from sextant_domain.hosts.host import PROFILING_SHARES, Capability
from sextant_domain.hosts.measured_shares import SharesState
from sextant_domain.plans.snapshot import ModelHops, ModelLine
from sextant_domain.profiling.job import JobState, PointPurpose, ProfilingDesign
from shares_world import HOST_MODEL, a_shares_fleet, an_able_host, begun, found, shares_ask
from sqlalchemy import text


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_shares_fleet(tmp_path) as made:
        yield made


def line(shares_id: int | None) -> tuple[float, float]:
    measured = found(shares_id).measured.line
    assert measured is not None
    return round(measured.slope, 6), round(measured.intercept, 6)


def test_a_job_finds_the_line(client: TestClient, fleet: Fleet) -> None:
    designed = client.post(f"{API}/profiling/designs", json=shares_ask())
    assert designed.status_code == 200, designed.text
    design = ProfilingDesign.model_validate_json(designed.content)
    assert (len(design.points), design.grid_points, design.left_out) == (1, 5, ())

    job = begun(client)
    assert (job.state, job.points, job.grid_points, job.shares_id) == (JobState.QUEUED, 1, 5, None)
    assert job.seconds_left == pytest.approx(design.expected_s, rel=0.1)
    done = work(job.id)
    assert done.state is JobState.COMPLETED, done.error
    assert line(done.shares_id) == (0.1, 0.05)
    assert (done.done, done.points, done.fit_id, done.levels_id) == (5, 5, None, None)
    asked = [one.setting.rate_mpps for one in points(client, job.id)]
    assert asked == [14.88, 1.0, 2.0, 3.0, 4.0], "half of 8 Mpps in four steps"
    took = [one.cpu_percent.value for one in points(client, job.id) if one.cpu_percent is not None]
    assert took == [85.0, 15.0, 25.0, 35.0, 45.0]

    version = found(done.shares_id)
    assert (version.host_model, version.nf_type, version.version) == (HOST_MODEL, "firewall", 1)
    assert (version.state, version.provenance, version.job_id) == (SharesState.DRAFT, Provenance.MEASURED, job.id)
    assert (version.host, version.created_by, version.measured.carries_mpps) == ("edge-1", "ada", 8.0)
    assert {point.setting.purpose for point in points(client, job.id)} == {PointPurpose.SHARE}


def test_what_was_measured_before_is_not_repeated(client: TestClient, fleet: Fleet) -> None:
    first = work(begun(client).id)
    again = work(begun(client, host="edge-2").id)
    assert (again.state, line(again.shares_id), found(again.shares_id).version) == (
        JobState.COMPLETED, (0.1, 0.05), 2,
    )  # fmt: skip
    assert len(fleet["edge-2"].measurements.begun) == 0
    assert [one["job_id"] for one in records(client, job_id=first.id)] == [first.id] * 5
    fresh = work(begun(client, fresh=True).id)
    assert (fresh.points, len(fleet.edge.measurements.begun)) == (5, 10)


def test_points_of_shares_are_no_samples_of_a_model(client: TestClient, fleet: Fleet) -> None:
    work(begun(client).id)
    answer = client.post(f"{API}/fits", json={"host_model": HOST_MODEL})
    assert answer.status_code == 422 and answer.json()["errors"][0]["field"] == "host_model", answer.text


def test_a_paused_job_goes_on_where_it_was_and_a_cancelled_one_yields_nothing(client: TestClient, fleet: Fleet) -> None:
    job = begun(client)
    for _ in range(3):
        turn(job.id)
    paused = steer(client, job.id, "pause")
    assert turn(job.id).points == paused.points, "no further point is chosen"
    steer(client, job.id, "resume")
    assert line(work(job.id).shares_id) == (0.1, 0.05)
    other = begun(client, fresh=True)
    for _ in range(3):
        turn(other.id)
    cancelled = steer(client, other.id, "cancel")
    assert (cancelled.state, cancelled.shares_id) == (JobState.CANCELLED, None)
    with session_scope() as session:
        assert session.scalar(text("SELECT count(*) FROM shares")) == 1


def test_a_worker_that_dies_leaves_its_point_to_the_next_one(client: TestClient, fleet: Fleet) -> None:
    job = begun(client)
    for _ in range(3):
        turn(job.id)
    with session_scope() as session:
        assert claim_next.take(session, job.id) is not None
    lease_over(job.id)
    done = work(job.id)
    assert (done.state, line(done.shares_id)) == (JobState.COMPLETED, (0.1, 0.05))
    assert len(set(fleet.edge.measurements.begun)) == len(fleet.edge.measurements.begun) == 5


def test_a_point_without_a_figure_ends_the_job_and_may_be_measured_once_more(client: TestClient, fleet: Fleet) -> None:
    job = begun(client)
    for _ in range(3):
        turn(job.id)
    fleet.edge.measurements.fails = [a_failure("the NF crashed", permanent=True)]
    failed = work(job.id)
    assert failed.state is JobState.FAILED and failed.error is not None and failed.shares_id is None
    assert failed.error.type.endswith("shares-not-found")
    assert "the NF crashed" in failed.error.detail
    assert "Rates and hops that come after it were not measured: a retry goes on with them." in failed.error.detail
    steer(client, job.id, "retry")
    done = work(job.id)
    assert (done.state, done.error, line(done.shares_id)) == (JobState.COMPLETED, None, (0.1, 0.05))


def test_absurd_shares_are_kept_and_never_promoted(client: TestClient, fleet: Fleet) -> None:
    """The faster it goes the less it takes: that is told, and no law goes by it."""
    fleet.edge.measurements.takes = lambda request: 60 - 10 * min(request.offered_mpps or 0.0, 5.0)
    done = work(begun(client).id)
    version = found(done.shares_id)
    assert (done.state, version.measured.line) == (JobState.COMPLETED, None)
    assert version.measured.refused is not None and "does not rise" in version.measured.refused
    answer = client.post(f"{API}/shares/{version.id}/promotion")
    assert answer.status_code == 409 and "does not rise" in answer.json()["detail"], answer.text


def test_a_host_that_cannot_offer_a_rate_is_refused_with_its_reason(client: TestClient, fleet: Fleet) -> None:
    able = an_able_host()
    unable = Capability(name=PROFILING_SHARES, available=False, reason="a manager plays packets without end")
    capabilities = tuple(unable if one.name == PROFILING_SHARES else one for one in able.capabilities)
    with session_scope() as session:
        hosts.register(session, able.model_copy(update={"capabilities": capabilities}), fleet.edge.url)
    answer = client.post(JOBS, json=shares_ask())
    assert answer.status_code == 409, answer.text
    assert "a manager plays packets without end; choose another host" in answer.json()["detail"]


def test_a_job_that_is_asked_for_hops_finds_what_they_cost_and_plans_go_by_it_once_promoted(
    client: TestClient, fleet: Fleet
) -> None:
    """edge-1 has four cores of one node: hops on a core and to another one, at half an Mpps."""
    fleet.edge.measurements.delays = lambda request: {"same_core": 8.0, "same_node": -2.0}[request.hop or ""]
    job = work(begun(client, shares={"points": 4, "most_percent": 50, "hops": True}).id)
    assert (job.state, job.points) == (JobState.COMPLETED, 7), job.error
    assert job.left_out == ("hop to another node: the host has none whose cores NFs may have",)
    last = points(client, job.id)[-2:]
    assert [(one.setting.purpose, one.setting.hop, one.setting.rate_mpps) for one in last] == [
        (PointPurpose.HOP, "same_core", 0.5), (PointPurpose.HOP, "same_node", 0.5),
    ]  # fmt: skip
    assert [one.delay_us.value for one in last if one.delay_us] == [8.0, -2.0]
    hops = found(job.shares_id).measured.hops
    assert [(one.distance, one.us, one.half_width_us) for one in hops] == [
        ("same_core", 8.0, 0.2), ("same_node", -2.0, 0.2),
    ]  # fmt: skip

    def known() -> tuple[list[ModelHops], list[ModelLine]]:
        with session_scope() as session:
            fleet = snapshots.take(session)
            return list(fleet.hops), list(fleet.share_lines)

    assert known() == ([], []), "a draft counts for nothing"
    assert client.post(f"{API}/shares/{job.shares_id}/promotion").status_code == 200
    [one], [of_type] = known()
    measured = found(job.shares_id).measured.line
    assert measured is not None
    assert (of_type.host_model, of_type.line.nf_type, of_type.line.shares_id) == (HOST_MODEL, "firewall", job.shares_id)
    assert (of_type.line.slope, of_type.line.intercept) == (measured.slope, measured.intercept)
    assert (one.host_model, one.delays.measured) == (HOST_MODEL, True)
    assert (one.delays.same_core, one.delays.same_node, one.delays.other_node) == (8.0, 0.0, 0.0), "no cost below 0"
    assert client.post(f"{API}/shares/{job.shares_id}/retirement").status_code == 200
    assert known() == ([], [])
    again = work(begun(client, host="edge-2", shares={"points": 4, "most_percent": 50, "hops": True}).id)
    assert len(fleet["edge-2"].measurements.begun) == 0, "all was measured before"
    assert found(again.shares_id).measured.hops == hops
