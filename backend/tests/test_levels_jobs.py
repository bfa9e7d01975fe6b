"""Jobs for levels on agents over real mutual TLS: points one after another, and what becomes of them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet
from levels_world import HOST_MODEL, a_levels_fleet, an_able_host, begun, found, levels_ask
from profiling_peer import a_failure
from profiling_world import JOBS, lease_over, now, points, records, steer, turn, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.profiling import claim_next
from sextant_domain.base import Provenance
from sextant_domain.hosts.measured_levels import LevelsState
from sextant_domain.profiling.job import JobState, PointPurpose, PointState, ProfilingDesign
from sqlalchemy import text


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_levels_fleet(tmp_path) as made:
        yield made


def table(levels_id: int | None) -> dict[str, list[tuple[float, int, int]]]:
    levels = found(levels_id).measured.levels
    return {
        "local": [(one.gbps, one.ways, one.mb_percent) for one in levels.local],
        "remote": [(one.gbps, one.ways, one.mb_percent) for one in levels.remote],
    }


ALL = {
    "local": [(1.0, 1, 25), (2.0, 2, 50), (3.0, 3, 75), (4.0, 4, 100)],
    "remote": [(1.0, 2, 50), (2.0, 4, 100)],
}
"""Each Gbps takes a way and 25 %; on the remote node two and 50 %, so that nothing carries 3 Gbps there."""


def test_a_job_finds_the_levels_of_both_kinds_of_nodes(client: TestClient, fleet: Fleet) -> None:
    designed = client.post(f"{API}/profiling/designs", json=levels_ask())
    assert designed.status_code == 200, designed.text
    design = ProfilingDesign.model_validate_json(designed.content)
    assert (len(design.points), design.grid_points, design.left_out) == (2, 32, ())

    job = begun(client)
    assert (job.state, job.points, job.grid_points, job.levels_id) == (JobState.QUEUED, 2, 32, None)
    assert job.seconds_left == pytest.approx(design.expected_s, rel=0.1)
    done = work(job.id)
    assert done.state is JobState.COMPLETED, done.error
    assert table(done.levels_id) == ALL
    assert done.done == done.points == len(fleet.edge.measurements.begun) < 32
    assert done.fit_id is None, "no model comes of them"

    version = found(done.levels_id)
    assert (version.host_model, version.nf_type, version.version) == (HOST_MODEL, "firewall", 1)
    assert (version.state, version.provenance, version.job_id) == (LevelsState.DRAFT, Provenance.MEASURED, job.id)
    assert (version.host, version.created_by, version.measured.noise_percent) == ("edge-1", "ada", 0.5)
    assert sum(node.points_measured for node in version.measured.nodes) == done.points
    assert {point.setting.purpose for point in points(client, job.id)} == {PointPurpose.LEVEL}


def test_what_was_measured_before_is_not_repeated_and_other_rates_ask_for_little_more(
    client: TestClient, fleet: Fleet
) -> None:
    first = work(begun(client).id)
    measured = len(fleet.edge.measurements.begun)
    again = work(begun(client, host="edge-2").id)
    assert (again.state, table(again.levels_id)) == (JobState.COMPLETED, ALL)
    assert all(point.reused for point in points(client, again.id)), "on another host of the model"
    assert len(fleet["edge-2"].measurements.begun) == 0
    assert [one["job_id"] for one in records(client, job_id=again.id)] == [first.id] * measured
    assert found(again.levels_id).version == 2

    fresh = work(begun(client, fresh=True).id)
    assert len(fleet.edge.measurements.begun) == 2 * measured == measured + fresh.points


def test_points_of_levels_are_no_samples_of_a_model(client: TestClient, fleet: Fleet) -> None:
    work(begun(client).id)
    answer = client.post(f"{API}/fits", json={"host_model": HOST_MODEL})
    assert answer.status_code == 422 and answer.json()["errors"][0]["field"] == "host_model", answer.text


def test_a_paused_job_goes_on_where_it_was(client: TestClient, fleet: Fleet) -> None:
    job = begun(client)
    for _ in range(3):
        turn(job.id)
    paused = steer(client, job.id, "pause")
    assert paused.state is JobState.PAUSED
    resume = next(one for one in paused.actions if one.action == "resume")
    assert (resume.allowed, resume.reason) == (True, "goes on with what is left")
    assert turn(job.id).points == paused.points, "no further point is chosen"
    steer(client, job.id, "resume")
    done = work(job.id)
    assert (done.state, table(done.levels_id)) == (JobState.COMPLETED, ALL)
    assert len(set(fleet.edge.measurements.begun)) == len(fleet.edge.measurements.begun) == done.points


def test_a_worker_that_dies_leaves_its_point_to_the_next_one(client: TestClient, fleet: Fleet) -> None:
    job = begun(client)
    for _ in range(3):
        turn(job.id)
    with session_scope() as session:
        taken = claim_next.take(session, job.id)
    assert taken is not None
    lease_over(job.id)
    done = work(job.id)
    assert (done.state, table(done.levels_id)) == (JobState.COMPLETED, ALL)
    assert len(set(fleet.edge.measurements.begun)) == len(fleet.edge.measurements.begun) == done.points


def test_a_cancelled_job_yields_no_levels(client: TestClient, fleet: Fleet) -> None:
    job = begun(client)
    for _ in range(3):
        turn(job.id)
    cancelled = steer(client, job.id, "cancel")
    assert (cancelled.state, cancelled.levels_id, cancelled.fit_id) == (JobState.CANCELLED, None, None)
    with session_scope() as session:
        assert session.scalar(text("SELECT count(*) FROM levels")) == 0


def test_a_point_without_a_figure_ends_the_job_and_may_be_measured_once_more(client: TestClient, fleet: Fleet) -> None:
    job = begun(client)
    for _ in range(3):
        turn(job.id)
    fleet.edge.measurements.fails = [a_failure("the NF crashed", permanent=True)]
    failed = work(job.id)
    assert failed.state is JobState.FAILED and failed.error is not None and failed.levels_id is None
    assert failed.error.type.endswith("levels-not-found")
    assert "the NF crashed" in failed.error.detail
    steer(client, job.id, "retry")
    done = work(job.id)
    assert (done.state, done.error, table(done.levels_id)) == (JobState.COMPLETED, None, ALL)


def test_a_host_that_cannot_measure_it_ends_the_job_with_its_reason(client: TestClient, fleet: Fleet) -> None:
    fleet.edge.measurements.not_measurable = "resctrl was unmounted"
    failed = work(begun(client).id)
    assert failed.state is JobState.FAILED and failed.error is not None
    assert "resctrl was unmounted" in failed.error.detail
    assert {point.state for point in points(client, failed.id)} == {PointState.NOT_MEASURABLE}


def test_a_host_that_loses_cat_ends_the_job(client: TestClient, fleet: Fleet) -> None:
    job = begun(client)
    turn(job.id)
    able = an_able_host()
    without = able.model_copy(update={"nodes": tuple(node.model_copy(update={"llc": None}) for node in able.nodes)})
    with session_scope() as session:
        hosts.register(session, without, fleet.edge.url)
    failed = work(job.id)
    assert failed.state is JobState.FAILED and failed.error is not None
    assert failed.error.title == "The host has changed"
    assert "cache ways to give" in failed.error.detail


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"levels": {"rates_gbps": []}}, "levels.rates_gbps"),
        ({"levels": {"rates_gbps": [0]}}, "levels.rates_gbps.0"),
        ({"levels": {"rates_gbps": [1e9]}}, "levels.rates_gbps.0"),
        ({"levels": {"rates_gbps": [2, 2]}}, "levels.rates_gbps"),
        ({"levels": {"rates_gbps": list(range(1, 66))}}, "levels.rates_gbps"),
        ({"levels": {"rates_gbps": "all"}}, "levels.rates_gbps"),
        ({"levels": {"nodes": ["everywhere"]}}, "levels.nodes.0"),
        ({"levels": {"ways": 3}}, "levels.ways"),
        ({"competitors": ["router"]}, "levels"),
        ({"nf_type": "abacus"}, "nf_type"),
        ({"host": "nowhere"}, "host"),
    ],
)
@pytest.mark.usefixtures("fleet")
def test_what_cannot_be_is_refused_with_its_field(client: TestClient, changes: dict[str, Any], field: str) -> None:
    answer = client.post(JOBS, json=levels_ask(**changes))
    assert answer.status_code == 422, answer.text
    assert answer.json()["errors"][0]["field"] == field, answer.text


def test_a_host_without_cat_and_mba_is_refused(client: TestClient, tmp_path: Path, fleet: Fleet) -> None:
    able = an_able_host()
    capabilities = tuple(one for one in able.capabilities if one.name != "profiling-resources")
    with session_scope() as session:
        hosts.register(session, able.model_copy(update={"capabilities": capabilities}), fleet.edge.url)
    answer = client.post(JOBS, json=levels_ask())
    assert answer.status_code == 409, answer.text
    assert "cannot measure an NF with cache ways" in answer.json()["detail"]


def test_levels_of_a_job_are_stored_once_however_often_its_end_is_written(client: TestClient, fleet: Fleet) -> None:
    job = work(begun(client).id)
    work(job.id)
    assert now(job.id).levels_id == job.levels_id
    with session_scope() as session:
        assert session.scalar(text("SELECT count(*) FROM levels")) == 1
