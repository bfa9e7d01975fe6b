"""Profiling jobs end to end on agents over real mutual TLS: points, records, reuse, and an operator's buttons."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet
from model_world import HOST_MODEL, stored
from profiling_world import JOBS, an_ask, points, records, started, steer, turn, work
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_domain.profiling.fit import ModelState
from sextant_domain.profiling.job import JobState, PointPurpose, PointState, ProfilingDesign
from sextant_engine.parameters import assumed_models


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", "edge-2") as made:
        yield made


def test_a_job_measures_every_point_once_and_keeps_what_is_needed_to_repeat_it(
    client: TestClient, fleet: Fleet
) -> None:
    designed = client.post(f"{API}/profiling/designs", json=an_ask())
    assert designed.status_code == 200, designed.text
    design = ProfilingDesign.model_validate_json(designed.content)
    assert len(design.points) == 10
    assert design.left_out == (
        "remote, crossing, behind: the host has one NUMA node",
        "rates of chains, handing: its driver does not offer it",
    )
    assert client.get(JOBS).json()["items"] == [], "nothing was stored"

    begun = started(client)
    assert (begun.state, begun.points, begun.done) == (JobState.QUEUED, 10, 0)
    assert begun.seconds_left == pytest.approx(design.expected_s)
    done = work(begun.id)
    assert (done.state, done.done, done.failed) == (JobState.COMPLETED, 10, 0), done.error
    assert done.seconds_left is None and done.note is None
    assert len(fleet.edge.measurements.begun) == len(set(fleet.edge.measurements.begun)) == 10

    found = points(client, begun.id)
    assert {point.state for point in found} == {PointState.DONE}
    assert [point.setting.purpose for point in found[:2]] == [PointPurpose.IDEAL] * 2
    assert found[0].mpps is not None and found[0].mpps.value == 10.0 and found[0].drop_percent is None
    beside = next(point for point in found if point.setting.purpose is PointPurpose.LOCAL)
    assert beside.mpps is not None and beside.drop_percent is not None
    assert (beside.mpps.value, beside.drop_percent.value) == (9.5, 5.0), "one competitor takes 5 % of 10 Mpps"

    stored = records(client, job_id=begun.id)
    assert len(stored) == 10
    assert stored[0]["request"] == fleet.edge.measurements.requests[fleet.edge.measurements.begun[0]].model_dump(
        mode="json"
    )
    assert stored[0]["versions"]["firewall"] == BY_NAME["firewall"].version
    assert stored[0]["provenance"] == "measured"


def test_what_was_measured_before_is_not_repeated_unless_it_is_asked_for(client: TestClient, fleet: Fleet) -> None:
    first = work(started(client).id)
    again = started(client)
    assert (again.done, again.points) == (10, 10), "all of them are known"
    assert all(point.reused for point in points(client, again.id))
    assert work(again.id).state is JobState.COMPLETED
    assert [one["job_id"] for one in records(client, job_id=again.id)] == [first.id] * 10, "the first job's"

    wider = started(client, half_width_percent=2.0)
    assert wider.done == 10, "as narrow as asked, and narrower"
    assert started(client, half_width_percent=0.5).done == 0
    assert started(client, packet_bytes=256).done == 0
    assert started(client, fresh=True).done == 0
    other_host = started(client, host="edge-2")
    assert other_host.done == 10, "of the same host model"
    assert len(fleet.edge.measurements.begun) == 10


def test_paused_no_further_point_is_sent_and_the_one_that_runs_counts(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    turn(job.id)
    assert steer(client, job.id, "pause").state is JobState.PAUSED
    assert turn(job.id).done == 1, "a ring that comes late finds nothing to do"
    refused = client.post(f"{JOBS}/{job.id}/actions", json={"action": "pause"})
    assert (refused.status_code, refused.json()["detail"]) == (
        409,
        f"Profiling job {job.id} cannot pause: it is paused already. Nothing was changed.",
    )
    assert steer(client, job.id, "resume").state is JobState.QUEUED
    assert work(job.id).state is JobState.COMPLETED
    assert len(fleet.edge.measurements.begun) == 10


def test_cancelled_what_was_measured_stays(client: TestClient, fleet: Fleet) -> None:
    job = started(client)
    turn(job.id)
    turn(job.id)
    ended = steer(client, job.id, "cancel")
    assert (ended.state, ended.done) == (JobState.CANCELLED, 2)
    assert [point.state for point in points(client, job.id)] == [PointState.DONE] * 2 + [PointState.SKIPPED] * 8
    assert len(records(client)) == 2
    offers = {offer.action: offer.allowed for offer in ended.actions}
    assert not any(offers.values()), "nothing is to be done with a cancelled job"
    assert started(client).done == 2, "the next job goes on from there"


def test_competitors_are_chosen_by_the_stalls_of_promoted_models(client: TestClient, fleet: Fleet) -> None:
    """Assumed are 12 of the router, the most aggressive, and 90 of dpi, the least. Promoted with an eighth of all the
    assumed ones, but for vpn with less than any: it comes first, and the router, second now, is not chosen."""
    built_in = [name for name in BY_NAME if name != "bubble"]
    assumed = {model.nf_type: model for model in assumed_models(HOST_MODEL)}
    part = {name: assumed[name].stalls / 8 for name in built_in if name in assumed} | {"vpn": 0.1}
    changes = {
        name.replace("-", "_"): {
            "model": assumed[name].model_copy(update={"stalls": stalls}),
            "state": ModelState.PROMOTED,
        }
        for name, stalls in part.items()
    }
    before = competitors(client)
    assert "router" in before and "vpn" not in before
    stored(dict.fromkeys(part, 10.0), **changes)
    after = competitors(client)
    assert "vpn" in after and "router" not in after


def competitors(client: TestClient) -> set[str]:
    answer = client.post(f"{API}/profiling/designs", json={"nf_type": "firewall", "host": "edge-1"})
    design = ProfilingDesign.model_validate_json(answer.content)
    return {other.nf_type for point in design.points if point.purpose is PointPurpose.LOCAL for other in point.others}
