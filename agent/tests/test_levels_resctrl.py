"""A job for levels on a testbed with resctrl, over the double in this process and over the mounted one with the helper
as a process: what the measured NF carries follows from what its own group holds. The measuring program is a script."""

import errno
import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.errors import CoreBusy, DriverError
from sextant_agent.control.helper_client import HelperClient
from sextant_agent.drivers.testbed.profile import BINARY_NAME, TestbedProfiler
from sextant_agent.helper import server
from sextant_agent.machine.inventory import build_inventory
from sextant_agent.machine.machine import read_machine
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.chains.nf import NfType
from sextant_domain.chains.traffic import wire_gbps
from sextant_domain.hosts.host import PROFILING, PROFILING_RESOURCES, Capability
from sextant_domain.hosts.levels import Level
from sextant_domain.profiling.job import ProfilingAsk
from sextant_domain.profiling.profile import ProfileResult
from sextant_engine.profiling.cores import free_cores
from sextant_engine.profiling.levels.points import MeasuredRate, first_points, levels_of, next_setting
from sextant_engine.profiling.requests import request_of

from .helper_process import why_no_groups
from .machines import two_sockets
from .measuring_lines import CALIBRATION, DESCRIPTION, gate_line, sample_line
from .resctrl_double import ResctrlDouble
from .resctrl_mount import HelperOnDouble, MountedDouble, mounted, why_no_fuse
from .test_helper_threads import PROGRAM, Helper
from .waiting import wait_for

WHY_NOT_MOUNTED = why_no_fuse() or why_no_groups()
ROUTER = NfType(
    name="router", version=1, short_name="router", summary="routes", library="rte_lpm", config_schema={"type": "object"}
)
ASK = ProfilingAsk(nf_type="router", host="edge-1", levels={"rates_gbps": [5.0], "nodes": ["local"]})
LINES = {
    "describe": DESCRIPTION,
    "calibrate": CALIBRATION,
    "solo": [
        gate_line("before", cores=(0, 1)), sample_line(0), gate_line("after", cores=(0, 1)),
        {"summary": {**CALIBRATION[-1]["summary"], "mode": "solo"}},
    ],
}  # fmt: skip
ON_A_MOUNT = """
def given(pid):
    for tasks in glob.glob({place!r} + "/sextant.*.nf-sextant-measure.nf/tasks"):
        try:
            if str(pid) in open(tasks).read().split():
                return open(tasks[:-5] + "schemata").read()
        except FileNotFoundError:
            return None
"""
IN_THIS_PROCESS = """
def given(pid):
    if os.path.exists({folder!r} + f"/placed-{{pid}}"):
        return open({folder!r} + f"/placed-{{pid}}").read()
"""
SCRIPT = """#!{program}
import glob, json, os, subprocess, sys, time
{given}
asked = json.load(sys.stdin)
lines = json.load(open({folder!r} + "/lines.json"))[asked["mode"]]
if asked["mode"] == "solo":
    nf = subprocess.Popen([{program!r}, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    print(json.dumps({{"started": {{"pids": [nf.pid]}}}}), flush=True)
    while given(nf.pid) is None:
        time.sleep(0.01)
    open({folder!r} + "/placed", "w").close()
    while os.path.exists({folder!r} + "/wait"):
        time.sleep(0.01)
    found = given(nf.pid) or "L3:0=7ff;1=7ff MB:0=100;1=100"
    ways = bin(int(found.split("L3:0=")[1].split(";")[0], 16)).count("1")
    percent = int(found.split("MB:0=")[1].split(";")[0])
    packets = round(1000 * min(ways, percent / 10) / {gbps_a_mpps!r})
    lines[1]["sample"].update(packets=50 * packets, slices=[[packets, 15 * packets, 1_000_000]] * 50)
for line in lines:
    print(json.dumps(line), flush=True)
time.sleep(60)
"""
"""Its NF carries 1 Gbps a way and 1 Gbps for each 10 % of the bandwidth, the lesser of both; out of its group, as with
all of them. Whoever runs it ends it once it has printed all, and its NF with it."""


class LevelsHost:
    """A testbed on a machine of two sockets, with a helper whose resctrl is one of the doubles."""

    def __init__(self, folder: Path, helper: Path, resctrl: ResctrlDouble | MountedDouble, given: str) -> None:
        self.folder, self.resctrl = folder, resctrl
        (folder / "lines.json").write_text(json.dumps(LINES))
        program = folder / BINARY_NAME
        program.write_text(
            SCRIPT.format(program=PROGRAM, folder=str(folder), given=given, gbps_a_mpps=wire_gbps(1.0, 64))
        )
        program.chmod(0o755)
        root = two_sockets(folder / "root")
        self.client = HelperClient(helper, helper_uid=os.getuid())
        self.profiler = TestbedProfiler(
            folder / "sextant-runner", folder / "state", folder / "sockets", lambda: None,
            helper=self.client, root=root,
        )  # fmt: skip
        built = build_inventory(read_machine(root, (0, 1), frozenset(range(32))), "edge-1", "testbed")
        able = (Capability(name=name, available=True, reason="here") for name in (PROFILING, PROFILING_RESOURCES))
        self.host = built.model_copy(update={"capabilities": (*built.capabilities, *able)})
        self.asked = 0

    @property
    def group(self) -> str:
        """Of the measured NF."""
        return next(name for name in self.resctrl.groups() if name.endswith(".nf-sextant-measure.nf"))

    def point(self, ways: int, percent: int) -> ProfileResult:
        first, _ = first_points(ASK, self.host, free_cores(self.host))
        return self.measured(first[0].model_copy(update={"llc_ways": ways, "memory_bandwidth_percent": percent}))

    def measured(self, setting: object) -> ProfileResult:
        self.asked += 1
        request = request_of(setting, ASK, self.host, free_cores(self.host), {"router": ROUTER})  # type: ignore[arg-type]
        return self.profiler.profile(request.model_copy(update={"sandboxed": True}), self.host, MeasurementWatch())

    def job(self) -> list[MeasuredRate]:
        """All points, each as it follows from those before."""
        waiting, found = list(first_points(ASK, self.host, free_cores(self.host))[0]), []
        while waiting:
            setting = waiting.pop(0)
            result = self.measured(setting)
            assert result.nf is not None, result.not_measurable
            found.append(MeasuredRate(setting, result.nf.mpps.value))
            waiting += [] if (further := next_setting(ASK, self.host, found)) is None else [further]
        return found

    def disturb(self, act: Callable[[], None]) -> threading.Thread:
        """Once the NF of the next run stands in its group, and before it is measured."""
        (self.folder / "wait").touch()

        def wait_and_act() -> None:
            wait_for("the NF is placed", (self.folder / "placed").exists)
            act()
            (self.folder / "wait").unlink()

        thread = threading.Thread(target=wait_and_act)
        thread.start()
        return thread


@pytest.fixture
def in_this_process(tmp_path: Path) -> Iterator[LevelsHost]:
    helper = Helper(frozenset({PROGRAM}))

    def answer(line: bytes) -> bytes:
        request, said = json.loads(line), helper.verbs.answer(line)
        if request["op"] == "place_thread" and json.loads(said)["ok"]:
            (name,) = [one for one in helper.double.groups() if one.endswith(".nf-sextant-measure.nf")]
            prepared = tmp_path / "preparing"
            prepared.write_text(helper.double.read(f"{name}/schemata"))
            prepared.rename(tmp_path / f"placed-{request['pid']}")
        return said

    listener = server.listen(tmp_path / "helper.sock", os.getuid(), os.getgid())
    serving = server.HelperServer(listener, os.getuid(), answer, lambda _: None)
    threading.Thread(target=serving.serve, daemon=True).start()
    host = LevelsHost(tmp_path, tmp_path / "helper.sock", helper.double, IN_THIS_PROCESS.format(folder=str(tmp_path)))
    yield host
    host.client.close()
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


@pytest.fixture
def on_a_mount(tmp_path: Path) -> Iterator[LevelsHost]:
    with mounted(tmp_path / "resctrl") as place:
        helper = HelperOnDouble(tmp_path, Path(PROGRAM), place)
        helper.start()
        resctrl = MountedDouble(place)
        host = LevelsHost(tmp_path, helper.socket, resctrl, ON_A_MOUNT.format(place=str(place)))
        yield host
        resctrl.take()
        host.client.close()
        helper.end_all()


needs_fuse = pytest.mark.skipif(WHY_NOT_MOUNTED is not None, reason=f"nothing can be mounted here: {WHY_NOT_MOUNTED}")


@pytest.fixture(params=["in_this_process", pytest.param("on_a_mount", marks=needs_fuse)])
def host(request: pytest.FixtureRequest) -> LevelsHost:
    found: LevelsHost = request.getfixturevalue(request.param)
    return found


def carried(result: ProfileResult) -> float:
    assert result.nf is not None, result.not_measurable
    return round(wire_gbps(result.nf.mpps.value, 64), 2)


def test_a_job_finds_the_levels_that_its_groups_give(host: LevelsHost) -> None:
    """10 of 11 ways, and bandwidth in four steps: 5 Gbps take 5 ways and 60 %."""
    found = levels_of(ASK, host.host, host.job())
    assert found.levels.local == (Level(gbps=5.0, ways=5, mb_percent=60),)
    assert (found.nodes[0].points_of_grid, found.nodes[0].points_measured) == (40, host.asked)
    assert host.resctrl.groups() == [], "nothing is left of it"
    assert "L3:0=7ff;1=7ff" in host.resctrl.read("schemata")


def test_a_run_whose_group_another_program_removed_is_void_and_made_again(host: LevelsHost) -> None:
    """The NF had all of the cache then: what it carried says nothing of 3 ways."""
    thread = host.disturb(lambda: host.resctrl.remove(host.group))
    found = host.point(3, 60)
    thread.join()
    assert (carried(found), [sample.void_tries for sample in found.samples]) == (3.0, [1, 0, 0])


def test_a_run_whose_group_another_program_changed_is_void_and_made_again(host: LevelsHost) -> None:
    thread = host.disturb(lambda: host.resctrl.write(f"{host.group}/schemata", "MB:0=100\n"))
    found = host.point(3, 60)
    thread.join()
    assert (carried(found), [sample.void_tries for sample in found.samples]) == (3.0, [1, 0, 0])


def test_where_others_have_all_classes_the_point_waits(host: LevelsHost) -> None:
    for number in range(7):
        host.resctrl.make(f"db{number}")
        host.resctrl.write(f"db{number}/schemata", "L3:0=400;1=400\n")
    with pytest.raises(CoreBusy, match="all 8 classes of service of this CPU are taken"):
        host.point(3, 60)
    host.resctrl.remove("db6")
    assert carried(host.point(3, 60)) == 3.0


def test_where_others_left_a_gap_between_ways_the_point_waits(host: LevelsHost) -> None:
    """Another installation's chain has 4 ways, and another program gives the default group what lies apart."""
    host.client.set_chain_resources("web", 0, 4, None)
    (web,) = host.resctrl.groups()
    host.resctrl.write(f"{web}/schemata", "L3:0=3\n")
    with pytest.raises(CoreBusy, match="7f3, is not contiguous"):
        host.point(3, 60)
    assert host.resctrl.groups() == [web]


@pytest.mark.parametrize(("number", "after"), [(errno.ENOSPC, 0), *((errno.EINVAL, after) for after in range(4))])
def test_what_the_kernel_refuses_ends_the_point_and_leaves_nothing(host: LevelsHost, number: int, after: int) -> None:
    """A group, its ways and those of all others, its bandwidth: whichever change is refused."""
    host.resctrl.refuse(number, after)
    with pytest.raises(DriverError) as refused:
        host.point(3, 60)
    assert not refused.value.permanent
    host.resctrl.take()
    assert carried(host.point(3, 60)) == 3.0
    assert host.resctrl.groups() == []
    assert "L3:0=7ff;1=7ff" in host.resctrl.read("schemata")
