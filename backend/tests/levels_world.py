"""Levels as a job would have measured them."""

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
from sextant_backend.modules.levels import service
from sextant_backend.modules.nfs.catalogue import BY_NAME
from sextant_domain.base import Provenance
from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.hosts.host import PROFILING_RESOURCES, Capability, HostInventory, LlcInfo, NumaNode
from sextant_domain.hosts.levels import Level, TypeLevels
from sextant_domain.hosts.measured_levels import LevelsVersion, MeasuredLevels, NodeLevels, RateFront
from sextant_domain.profiling.job import ProfilingJob
from sextant_domain.profiling.profile import ProfileRequest

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


def an_able_host(host_id: str = "edge-1") -> HostInventory:
    """Two nodes of two cores each, packets arrive on node 0; 5 ways a node and four steps of bandwidth, so that 4 x 4
    points are on each kind of node."""
    plain = an_inventory(host_id, cores=4)
    llc = LlcInfo(size_bytes=2**20, ways=5)
    nodes = tuple(
        NumaNode(id=node, socket=node, memory_bytes=2**34, llc=llc, memory_bandwidth_steps_percent=(25, 50, 75, 100))
        for node in range(2)
    )
    cores = tuple(core.model_copy(update={"node": core.id // 2, "socket": core.id // 2}) for core in plain.cores)
    able = Capability(name=PROFILING_RESOURCES, available=True, reason="the agent of the tests offers it")
    return plain.model_copy(
        update={
            "host_model": HOST_MODEL,
            "nodes": nodes,
            "cores": cores,
            "capabilities": (*plain.capabilities, able),
        }
    )


def carried(request: ProfileRequest) -> float:
    """Mpps of 64 B: 1 Gbps a way and 1 Gbps for 25 %, the lesser of both; half of it on node 1, cores 2 and 3."""
    ways, percent = request.llc_ways, request.memory_bandwidth_percent
    assert ways is not None and percent is not None
    return min(ways, percent / 25) * (0.5 if request.nf.core >= 2 else 1.0) / wire_gbps(1.0, 64)


def levels_ask(**more: Any) -> dict[str, Any]:
    """Of the firewall on edge-1, 1 to 4 Gbps."""
    return {"nf_type": "firewall", "host": "edge-1", "levels": {"rates_gbps": [1, 2, 3, 4]}, **more}


@contextmanager
def a_levels_fleet(folder: Path) -> Iterator[Fleet]:
    """edge-1 and edge-2 of one host model, whose agents measure as `carried` has it."""
    with a_fleet(folder, "edge-1", "edge-2", cores=4) as fleet, session_scope() as session:
        for name, peer in fleet.peers.items():
            hosts.register(session, an_able_host(name), peer.url)
            peer.measurements.carries = carried
        session.commit()
        yield fleet


def begun(client: TestClient, **more: Any) -> ProfilingJob:
    """A job for levels that waits for a worker."""
    answer = client.post(JOBS, json=levels_ask(**more))
    assert answer.status_code == 202, answer.text
    return ProfilingJob.model_validate_json(answer.content)


def found(levels_id: int | None) -> LevelsVersion:
    """What a job has found."""
    assert levels_id is not None
    with session_scope() as session:
        return service.one(session, levels_id)
