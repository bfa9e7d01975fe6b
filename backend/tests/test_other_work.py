"""Other work on a core, from telemetry to the plan that passes it over."""

from pathlib import Path

import pytest
from console_world import a_batch
from fastapi.testclient import TestClient
from fleet_world import a_fleet, submit
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.snapshots import service as snapshots
from sextant_backend.modules.snapshots.service import lasting
from sextant_backend.modules.telemetry import service
from sextant_backend.modules.telemetry.other_work import Mean, followed
from sextant_domain.hosts.host import HostStatus
from sextant_domain.hosts.telemetry import CoreSample
from sextant_domain.plans.snapshot import CoreWork
from sqlalchemy import text


def _after(seconds: int, percent: float | None, known: list[Mean] | None = None) -> list[Mean]:
    """Core 3 for so long, a second each."""
    for _ in range(seconds):
        known = followed(known or [], [CoreSample(core=3, busy_percent=99, other_percent=percent)], 1.0)
    return known or []


def test_what_lasts_is_the_mean_of_half_a_minute() -> None:
    """After 30 quiet seconds a full core is 100 x (1 - (29/30)^n): 15.6 after 5 s, 21.1 after 7."""
    quiet = _after(30, 0.0)
    assert lasting(quiet) == ()
    assert lasting(_after(5, 100.0, quiet)) == (), "a burst"
    assert lasting(_after(7, 100.0, quiet)) == (CoreWork(core=3, percent=21.1),)
    assert lasting(_after(60, 63.0)) == (CoreWork(core=3, percent=63.0),)
    assert lasting(_after(60, 19.0)) == (), "the system's own"


def test_nothing_is_claimed_of_what_is_not_known() -> None:
    assert lasting(_after(9, 98.0)) == (), "too short a time"
    known = _after(12, 98.0)
    assert lasting(known) != ()
    assert lasting(_after(3, None, known)) == (), "an NF came or went, and nobody knows whose the time was"
    assert followed(known, (), 30.0) == [], "the core is not reported any more"
    assert lasting(followed([], [CoreSample(core=3, busy_percent=99, other_percent=99)], 1e9)) != ()


def _report_other_work(percent: float | None, first: int, count: int = 12) -> None:
    """As many batches of edge-1, a second each, whose core 1 has other work."""
    core = {"core": 1, "busy_percent": 99.0} | ({} if percent is None else {"other_percent": percent})
    with session_scope() as session:
        for number in range(first, first + count):
            service.ingest(session, a_batch(number, cores=[core], nfs=[], chains=[]))


def _known() -> tuple[CoreWork, ...]:
    with session_scope() as session:
        [host] = snapshots.hosts(session, snapshots.now(session), ["edge-1"])
        return host.other_work


@pytest.mark.parametrize(("used", "cores"), [(98.0, {2, 3}), (5.0, {1, 2})])
def test_a_plan_passes_over_a_core_that_other_work_uses(
    client: TestClient, tmp_path: Path, used: float, cores: set[int]
) -> None:
    """edge-1 has core 0 as its last choice, and 1, 2 and 3 with eight slots each."""
    with a_fleet(tmp_path, "edge-1", cores=4):
        _report_other_work(used, 1)
        made = submit(client, "web-edge", "router", "basic-monitor")
        assert made.body is not None and all(finding.ok for finding in made.body.checks)
        assert {change.target.core for change in made.body.changes if change.target} == cores
        stored = [(core.host, core.core, core.percent) for core in made.body.other_work]
        assert stored == ([("edge-1", 1, 98.0)] if used > 20 else [])
        _report_other_work(0.0, 100, count=60)
        again = client.get(f"/api/v1/plans/{made.id}").json()
        assert again["digest"] == made.digest and len(again["body"].get("other_work", [])) == len(stored)


def test_a_host_that_is_silent_claims_nothing(client: TestClient, tmp_path: Path) -> None:
    with a_fleet(tmp_path, "edge-1", cores=4):
        _report_other_work(98.0, 1)
        assert _known() == (CoreWork(core=1, percent=98.0),)
        with session_scope() as session:
            session.execute(text("UPDATE latest_hosts SET heard_at = heard_at - interval '11 seconds'"))
        assert _known() == ()
        _report_other_work(98.0, 20, count=1)
        assert _known() != ()
        with session_scope() as session:
            session.execute(text("UPDATE hosts SET status = :status"), {"status": HostStatus.STALE.value})
        assert _known() == ()
