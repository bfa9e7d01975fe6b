"""Levels measured on a simulated host by its agent's own process, promoted, and what a control law then goes by."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from console_world import wait_until
from enrolment_world import listening
from fastapi.testclient import TestClient
from levels_world import begun, found
from profiling_world import work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.levels import service
from sextant_backend.settings import Settings
from sextant_domain.base import Provenance
from sextant_domain.profiling.job import JobState
from simulated_world import simulated_hosts


@pytest.fixture
def twin(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """demo-1: a simulated Xeon Gold 6126 of 11 ways, with CAT and MBA."""
    with listening(tmp_path, monkeypatch) as listener, simulated_hosts(listener, tmp_path, 1):
        wait_until(lambda: reporting() == ["demo-1"])
        yield "demo-1"


def reporting() -> list[str]:
    with session_scope() as session:
        return [host.host_id for host in hosts.every(session) if host.provenance == "simulated"]


def test_a_simulated_host_is_measured_within_60_percent_of_the_grid_and_its_levels_are_used(
    client: TestClient, twin: str
) -> None:
    """A firewall with everything carries some 15 Gbps of 64 bytes on the local node and some 8 on the remote one, so
    that 12 Gbps have a level on the local one only. Faster rates take no less."""
    job = begun(client, host=twin, levels={"rates_gbps": [2, 6, 12, 100]})
    assert job.grid_points == 2 * 10 * 10
    done = work(job.id, limit_s=240)
    assert done.state is JobState.COMPLETED, (done.error, done.note)
    assert done.points <= 0.6 * 200

    version = found(done.levels_id)
    assert version.provenance is Provenance.SIMULATED
    local, remote = version.measured.levels.local, version.measured.levels.remote
    assert [one.gbps for one in local] == [2.0, 6.0, 12.0]
    assert [one.gbps for one in remote] == [2.0, 6.0], "farther away it carries less"
    for levels in (local, remote):
        cost = [one.ways / 10 + one.mb_percent / 100 for one in levels]
        assert cost == sorted(cost)
    assert remote[1].mb_percent > local[1].mb_percent, "6 Gbps from farther away wait longer for memory"

    promoted = client.post(f"/api/v1/levels/{done.levels_id}/promotion")
    assert promoted.status_code == 200, promoted.text
    with session_scope() as session:
        table = service.promoted(session, [version.host_model])[version.host_model]
    assert (table.version, table.provenance) == (1, Provenance.SIMULATED)
    assert table.table.types["firewall"] == version.measured.levels
