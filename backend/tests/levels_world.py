"""Levels as a job would have measured them."""

from typing import Any

from sextant_backend.kit.db import session_scope
from sextant_backend.modules.levels import service
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_domain.base import Provenance
from sextant_domain.hosts.levels import Level, TypeLevels
from sextant_domain.hosts.measured_levels import MeasuredLevels, NodeLevels, RateFront

HOST_MODEL = "test-cpu 2x8"


def measured(*local: tuple[float, int, int]) -> MeasuredLevels:
    """(Gbps, ways, %) on the local node; nothing was measured on a remote one."""
    levels = tuple(Level(gbps=gbps, ways=ways, mb_percent=percent) for gbps, ways, percent in local)
    fronts = tuple(RateFront(gbps=one.gbps, points=((one.ways, one.mb_percent),)) for one in levels)
    return MeasuredLevels(
        levels=TypeLevels(local=levels),
        nodes=(NodeLevels(kind="local", fronts=fronts, points_measured=31, points_of_grid=100),),
        noise_percent=1.0,
        packet_bytes=64,
        flows=100_000,
    )


def a_draft(job_id: int, nf_type: str = "firewall", *local: tuple[float, int, int], **changes: Any) -> int:
    """Its id."""
    values: dict[str, Any] = {
        "host_model": HOST_MODEL,
        "nf_type": nf_type,
        "nf_version": BY_NAME[nf_type].version,
        "measured": measured(*(local or ((4.0, 2, 10), (5.0, 2, 20)))),
        "provenance": Provenance.SIMULATED,
        "job_id": job_id,
        "host_id": "edge-1",
        "who": "ada",
    }
    with session_scope() as session:
        return service.store(session, **{**values, **changes})
