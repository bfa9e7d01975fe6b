"""Shares as a job would have measured them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from console_world import an_inventory
from fastapi.testclient import TestClient
from fleet_world import Fleet, a_fleet
from profiling_world import JOBS
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_backend.modules.shares import service
from sextant_domain.base import Provenance
from sextant_domain.hosts.host import PROFILING_SHARES, Capability, HostInventory
from sextant_domain.hosts.measured_shares import HopDelay, MeasuredShares, ShareLine, SharePoint, SharesVersion
from sextant_domain.profiling.job import ProfilingJob
from sextant_domain.profiling.shares_ask import HopDistance

HOST_MODEL = "test-cpu 2x8"
CARRIES = 8.0
"""Mpps that the firewall of the tests carries of a full line."""


def measured(
    slope: float = 0.1, intercept: float = 0.05, refused: str | None = None, hops: tuple[HopDelay, ...] = ()
) -> MeasuredShares:
    """Six points on that line, or on none."""
    line = None
    if refused is None:
        line = ShareLine(
            slope=slope, intercept=intercept, slope_half_width=0.0, intercept_half_width=0.0, r_squared=1.0
        )
    points = tuple(SharePoint(mpps=mpps, share=slope * mpps + intercept) for mpps in range(1, 7))
    return MeasuredShares(
        line=line, refused=refused, points=points, carries_mpps=CARRIES, packet_bytes=64, flows=100_000, hops=hops
    )


def hop(distance: HopDistance, us: float) -> HopDelay:
    """At half an Mpps."""
    return HopDelay(distance=distance, us=us, mpps=0.5)


def a_draft(job_id: int, nf_type: str = "firewall", **changes: Any) -> int:
    """Its id."""
    values: dict[str, Any] = {
        "host_model": HOST_MODEL,
        "nf_type": nf_type,
        "nf_version": BY_NAME[nf_type].version,
        "measured": measured(),
        "provenance": Provenance.SIMULATED,
        "job_id": job_id,
        "host_id": "edge-1",
        "who": "ada",
    }
    with session_scope() as session:
        return service.store(session, **{**values, **changes})


def an_able_host(host_id: str = "edge-1") -> HostInventory:
    """An agent that can offer an NF a rate."""
    plain = an_inventory(host_id, cores=4)
    able = Capability(name=PROFILING_SHARES, available=True, reason="the agent of the tests offers it")
    return plain.model_copy(update={"host_model": HOST_MODEL, "capabilities": (*plain.capabilities, able)})


@contextmanager
def a_shares_fleet(folder: Path) -> Iterator[Fleet]:
    """edge-1 and edge-2 of one host model: an NF carries what it is offered up to 8 Mpps, and takes a tenth of a core
    an Mpps and .05 of it besides."""
    with a_fleet(folder, "edge-1", "edge-2", cores=4) as fleet, session_scope() as session:
        for name, peer in fleet.peers.items():
            hosts.register(session, an_able_host(name), peer.url)
            peer.measurements.carries = lambda request: min(request.offered_mpps or CARRIES, CARRIES)
            peer.measurements.takes = lambda request: 10 * min(request.offered_mpps or CARRIES, CARRIES) + 5
        session.commit()
        yield fleet


def shares_ask(**more: Any) -> dict[str, Any]:
    """Of the firewall on edge-1, four rates up to half of what it carries: 1, 2, 3, 4 Mpps."""
    return {"nf_type": "firewall", "host": "edge-1", "shares": {"points": 4, "most_percent": 50}, **more}


def begun(client: TestClient, **more: Any) -> ProfilingJob:
    """A job for shares that waits for a worker."""
    answer = client.post(JOBS, json=shares_ask(**more))
    assert answer.status_code == 202, answer.text
    return ProfilingJob.model_validate_json(answer.content)


def found(shares_id: int | None) -> SharesVersion:
    """What a job has found."""
    assert shares_id is not None
    with session_scope() as session:
        return service.one(session, shares_id)
