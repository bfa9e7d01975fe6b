"""Shares measured on a simulated host by its agent's own process, and promoted."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from adjust_world import adjusted
from console_world import wait_until
from enrolment_world import listening
from fastapi.testclient import TestClient
from fleet_world import API, placed
from profiling_world import work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import repository as hosts_repository
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.settings import Settings
from sextant_domain.base import Provenance
from sextant_domain.hosts.desired import DesiredHostConfig, OrderedLine
from sextant_domain.profiling.job import JobState
from shares_world import a_draft, begun, found
from simulated_world import simulated_hosts


@pytest.fixture
def twin(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """demo-1: a simulated Xeon Gold 6126."""
    with listening(tmp_path, monkeypatch) as listener, simulated_hosts(listener, tmp_path, 1):
        wait_until(lambda: reporting() == ["demo-1"])
        yield "demo-1"


def reporting() -> list[str]:
    with session_scope() as session:
        return [host.host_id for host in hosts.every(session) if host.provenance == "simulated"]


def test_a_simulated_host_gives_a_line_that_says_so(client: TestClient, twin: str) -> None:
    """A vpn fills its core before it carries a full line: with so many Mpps each takes 1 / so many of the core. The
    twin's NFs neither sleep nor wake, so that hardly anything is left at rate 0."""
    done = work(begun(client, host=twin, nf_type="vpn", shares={}).id, limit_s=120)
    assert done.state is JobState.COMPLETED, (done.error, done.note)
    version = found(done.shares_id)
    assert (version.provenance, done.points) == (Provenance.SIMULATED, 7)
    line = version.measured.line
    assert line is not None, version.measured.refused
    assert line.slope == pytest.approx(1 / version.measured.carries_mpps, rel=0.1)
    assert line.intercept < 0.05 and line.r_squared > 0.99
    promoted = client.post(f"/api/v1/shares/{done.shares_id}/promotion")
    assert promoted.status_code == 200, promoted.text


def test_its_agent_takes_an_order_with_the_promoted_line(client: TestClient, twin: str) -> None:
    """It comes with the first order whose chain has share bounds, and the agent's process takes it and carries it
    out; with the bounds it goes."""
    inventory = client.get(f"{API}/hosts/{twin}").json()["inventory"]
    shares_id = a_draft(1, "vpn", host_model=inventory["host_model"])
    assert client.post(f"{API}/shares/{shares_id}/promotion").status_code == 200
    placed(client, "web-edge", "vpn")
    assert ordered(twin) == []
    adjusted(client, share_bounds={"least_percent": 5, "most_percent": 80})
    assert [(line.nf_type, line.shares_id, line.slope, line.intercept) for line in ordered(twin)] == [
        ("vpn", shares_id, 0.1, 0.05)
    ]
    adjusted(client, share_bounds=None)
    assert ordered(twin) == []


def ordered(host: str) -> list[OrderedLine]:
    """The lines of its last order."""
    with session_scope() as session:
        row = hosts_repository.get(session, host)
        assert row is not None
        return list(DesiredHostConfig.model_validate(row.desired).content.share_lines)
