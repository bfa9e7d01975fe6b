"""Two cores claimed as two NUMA nodes: what a model of two nodes needs, from real packets over real rings."""

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sextant_agent.contract.errors import CoreBusy
from sextant_agent.control.socket_folder import socket_folder
from sextant_agent.drivers.testbed.chain_rig import ChainRig
from sextant_agent.drivers.testbed.competitors import beside
from sextant_agent.drivers.testbed.profile import TestbedProfiler
from sextant_agent.drivers.testbed.scenario import Scenario
from sextant_agent.machine.inventory import build_inventory
from sextant_agent.machine.machine import read_machine
from sextant_agent.measuring.calibration import calibrate
from sextant_agent.measuring.fingerprint import read_fingerprint
from sextant_agent.measuring.program import CoresInUse, MeasureProgram
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.chains.nf import NfType
from sextant_domain.hosts.host import HostInventory
from sextant_domain.profiling.fit import ModelState
from sextant_domain.profiling.job import PointPurpose, PointSetting, ProfileRecord, ProfilingAsk
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest, ProfileResult
from sextant_engine.modelling.fitting import fit
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.design import design
from sextant_engine.profiling.requests import request_of
from sextant_engine.profiling.room import most_beside, most_elsewhere

from .machines import small, write

pytestmark = pytest.mark.skipif(not {0, 1} <= os.sched_getaffinity(0), reason="cores 0 and 1 are needed")

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TRIES = 3
OF_A_MODEL = {PointPurpose.IDEAL, PointPurpose.ACROSS, PointPurpose.CROSSING}
NF_TYPES = {
    name: NfType(name=name, version=1, short_name=name, summary=name, library="none", config_schema={"properties": {}})
    for name in ("router", "nat")
}
ASK = ProfilingAsk(nf_type="router", host="edge-1", seconds=0.4, max_samples=3, half_width_percent=50)


@pytest.fixture
def profiler(runner_binary: Path, tmp_path: Path) -> TestbedProfiler:
    return TestbedProfiler(runner_binary, tmp_path / "state", tmp_path / "sockets", lambda: None)


@pytest.fixture
def host(profiler: TestbedProfiler, tmp_path: Path) -> HostInventory:
    """Core 0 is node 0, core 1 is node 1, where packets arrive: source and sink stand on the last core."""
    root = small(tmp_path / "machine")
    for node in (0, 1):
        folder = f"sys/devices/system/node/node{node}"
        write(root, {f"{folder}/cpulist": node, f"{folder}/meminfo": f"Node {node} MemTotal: 1048576 kB"})
    machine = read_machine(root, None, frozenset({0, 1}))
    return build_inventory(machine, "edge-1", "testbed", profiler.capabilities(machine))


def measured(profiler: TestbedProfiler, request: ProfileRequest, host: HostInventory) -> ProfileResult:
    """Other suites' work may be in the way: then it is measured again, and given up after some tries."""
    for _ in range(TRIES):
        try:
            found = profiler.profile(request, host, MeasurementWatch())
        except CoreBusy as busy:
            reason = str(busy)
            continue
        if not found.void_tries or found.nf is not None:
            return found
        reason = found.not_measurable or ""
    pytest.skip(reason)


def records(profiler: TestbedProfiler, host: HostInventory) -> Iterator[ProfileRecord]:
    """Of the designed points that a model is made of."""
    free = free_cores(host)
    made = design(ASK, host, free, NF_TYPES)
    assert made.no_model is None
    for number, point in enumerate((one for one in made.points if one.purpose in OF_A_MODEL), 1):
        request = request_of(point, ASK, host, free, NF_TYPES).model_copy(update={"sandboxed": True})
        yield stored(number, point, measured(profiler, request, host), host)


def stored(number: int, point: PointSetting, found: ProfileResult, host: HostInventory) -> ProfileRecord:
    return ProfileRecord(
        id=number,
        job_id=1,
        point_id=number,
        host=host.host_id,
        host_model=host.host_model,
        versions={nf.nf_type: 1 for nf in (*point.chain, *point.others)},
        setting=point,
        request=found.request,
        result=found,
        stored_at=NOW,
        provenance=found.provenance,
    )


def test_a_model_of_two_nodes_comes_of_real_packets(profiler: TestbedProfiler, host: HostInventory) -> None:
    """Nothing stands beside a local NF, and nothing at all beside a remote one: on a core a node the local law is what
    can be learnt. The nodes are claimed, and where the calibration finds that, figures and model say so."""
    found = list(records(profiler, host))
    by_place = {
        (one.setting.purpose, one.setting.subject.nf_type, one.setting.local, len(one.setting.others)): one.result
        for one in found
    }
    remote = by_place[PointPurpose.IDEAL, "router", False, 0]
    home = by_place[PointPurpose.IDEAL, "router", True, 0]
    assert remote.nf is not None and home.nf is not None
    assert 0.2 * home.nf.mpps.value < remote.nf.mpps.value < 2 * home.nf.mpps.value
    assert "on the core of source and sink, since node 1 has no other one" in remote.notes[0]
    crossing = by_place[PointPurpose.CROSSING, "router", True, 0]
    assert crossing.nf is not None and crossing.nf.mpps.value > 0 and crossing.notes[0] == remote.notes[0]
    across = by_place[PointPurpose.ACROSS, "router", True, 1]
    assert across.throughput_drop_percent is not None and across.throughput_drop_percent.value < 50
    made = fit(
        found, fit_id=1, now=NOW, host_model=host.host_model, cores_a_node=1, nodes=2,
        most_beside=most_beside(host), most_elsewhere=most_elsewhere(host),
    )  # fmt: skip
    version = next(one for one in made.models if one.nf_type == "router")
    assert (version.refusals, version.state, version.method) == ((), ModelState.CANDIDATE, "constrained")
    assert version.model is not None and version.model.ideal_mpps.remote == pytest.approx(remote.nf.mpps.value)
    assert any(note.startswith("remote: alpha, beta and c are 0, not fitted") for note in version.notes)
    claimed = [note for note in remote.notes if note.startswith("nodes 0 and 1 are claimed")]
    assert set(claimed) <= set(version.notes)


def test_a_competitor_presses_while_packets_go_over_rings(runner_binary: Path, tmp_path: Path) -> None:
    """The NF shares core 0 with source and sink here, its competitor has core 1: offered 1 Mpps, it gets that."""
    program = MeasureProgram(runner_binary.with_name("sextant-measure"))
    nf, other = ProfiledNf(nf_type="router", core=0), ProfiledNf(nf_type="nat", core=1)
    other = other.model_copy(update={"traffic": other.traffic.model_copy(update={"rate_mpps": 1.0})})
    request = ProfileRequest(mode=ProfileMode.COLOCATION, nf=nf, others=(other,), seconds=0.4)
    calibration = calibrate(program, (0, 1), read_fingerprint(Path("/")), sweeps_mib=(64,))
    folder = tmp_path / "state" / "chains"
    reason = ""
    for _ in range(TRIES):
        try:
            with ChainRig(runner_binary, folder, socket_folder(folder, tmp_path / "sockets"), (0, 1), 0) as rig:
                times = rig.times(
                    Scenario(request, 0, 0, nf),
                    lambda: None,
                    lambda nfs, seconds, count: beside(program, nfs, calibration, seconds, count, check=lambda: None),
                )
        except (CoresInUse, CoreBusy) as error:
            reason = str(error)
            continue
        assert times.home > 0 and times.there > 0 and times.beside is not None and times.beside > 0
        (got,) = times.others
        assert got.mpps == pytest.approx(1.0, rel=0.05)
        return
    pytest.skip(reason)
