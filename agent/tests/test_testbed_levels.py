"""Points for levels on a testbed: a process of the measuring program is put into a group of its own, by the helper's
verbs over the double of resctrl. The program is a script that prints what the real one would."""

import json
import os
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.contract.errors import CoreBusy, DriverError
from sextant_agent.control.helper_client import HelperClient
from sextant_agent.control.own_group import OWNER, profiling_resources, profiling_resources_remote
from sextant_agent.drivers.testbed.profile import BEHIND_RINGS, BINARY_NAME, TestbedProfiler
from sextant_agent.helper import server
from sextant_agent.machine.inventory import build_inventory
from sextant_agent.machine.machine import read_machine
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.hosts.host import Capability, traffic_core
from sextant_domain.profiling.profile import ProfiledNf, ProfileMode, ProfileRequest

from .machines import two_sockets
from .measuring_lines import CALIBRATION, DESCRIPTION, gate_line, sample_line
from .test_helper_threads import PROGRAM, Helper

SOLO = [
    gate_line("before", cores=(0, 1)), sample_line(0), gate_line("after", cores=(0, 1)),
    {"summary": {**CALIBRATION[-1]["summary"], "mode": "solo"}},
]  # fmt: skip
_SCRIPT = """#!{program}
import json, os, subprocess, sys, time
asked = json.load(sys.stdin)
lines = json.load(open({folder!r} + "/lines.json"))
if asked["mode"] == "solo" and {waits}:
    nf = subprocess.Popen([{program!r}, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    print(json.dumps({{"started": {{"pids": [nf.pid]}}}}), flush=True)
    while not os.path.exists({folder!r} + f"/placed-{{nf.pid}}"):
        time.sleep(0.01)
    nf.kill()
for line in lines[asked["mode"]]:
    print(json.dumps(line), flush=True)
"""
"""With `waits` it starts a process as its NF, and goes on once that was placed."""


class Bench:
    """A profiler on a machine of two sockets, a helper over a double of resctrl, and what that was asked."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.helper = Helper(frozenset({PROGRAM}))
        self.asked: list[tuple[dict[str, Any], dict[str, Any]]] = []
        listener = self.listener = server.listen(folder / "helper.sock", os.getuid(), os.getgid())
        serving = server.HelperServer(listener, os.getuid(), self._answer, lambda _: None)
        threading.Thread(target=serving.serve, daemon=True).start()
        self.client = HelperClient(folder / "helper.sock", helper_uid=os.getuid())
        lines = {"describe": DESCRIPTION, "calibrate": CALIBRATION, "solo": SOLO}
        (folder / "lines.json").write_text(json.dumps(lines))
        self.write_program(waits=True)
        self.root = two_sockets(folder / "root")
        self.profiler = TestbedProfiler(
            folder / "sextant-runner", folder / "state", folder / "sockets", lambda: None,
            helper=self.client, root=self.root,
        )  # fmt: skip
        self.host = build_inventory(read_machine(self.root, (0, 1), frozenset(range(32))), "edge-1", "testbed")

    def write_program(self, *, waits: bool) -> None:
        program = self.folder / BINARY_NAME
        program.write_text(_SCRIPT.format(program=PROGRAM, folder=str(self.folder), waits=waits))
        program.chmod(0o755)

    def _answer(self, line: bytes) -> bytes:
        request = json.loads(line)
        answer = self.helper.verbs.answer(line)
        self.asked.append((request, json.loads(answer)))
        if request["op"] == "place_thread":
            (self.folder / f"placed-{request['pid']}").touch()
        return answer

    def point(self, core: int = 0, **changes: Any) -> ProfileRequest:
        values: dict[str, Any] = {"llc_ways": 3, "memory_bandwidth_percent": 40, "sandboxed": True, **changes}
        nf = ProfiledNf(nf_type="router", core=core)
        return ProfileRequest(mode=ProfileMode.SOLO, nf=nf, half_width_percent=50.0, max_samples=3, **values)

    def ops(self) -> list[str]:
        return [request["op"] for request, _ in self.asked]

    def end(self) -> None:
        self.client.close()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.end()


def test_the_measured_process_has_a_group_of_its_own_while_it_is_measured(bench: Bench) -> None:
    found = bench.profiler.profile(bench.point(), bench.host, MeasurementWatch())
    assert found.nf is not None and found.request == bench.point()
    samples = len(found.samples)
    assert bench.ops() == ["set_resources", "place_thread", "list_resources"] * samples + ["set_resources"]
    first, answer = bench.asked[0]
    assert (first["nf_id"], first["cache"], first["llc_ways"], first["memory_bandwidth_percent"]) == (OWNER, 0, 3, 40)
    assert (answer["ok"], answer["mask"]) == (True, 0b111)
    placed = [
        (request["pid"], request["tid"]) for request, ok in bench.asked if request["op"] == "place_thread" and ok["ok"]
    ]
    assert len(set(placed)) == samples and all(pid == tid for pid, tid in placed), "a fresh process for each sample"
    assert bench.helper.double.groups() == [], "nothing is left of it"


def test_a_point_without_resources_asks_nobody(bench: Bench) -> None:
    bench.write_program(waits=False)
    plain = bench.point(llc_ways=None, memory_bandwidth_percent=None)
    assert bench.profiler.profile(plain, bench.host, MeasurementWatch()).nf is not None
    assert bench.asked == []


def test_ways_that_others_have_are_waited_for(bench: Bench) -> None:
    """A chain has 8 of 11; one stays with all others, and 3 are asked for."""
    bench.client.set_chain_resources("web", 0, 8, None)
    with pytest.raises(CoreBusy, match="others have them"):
        bench.profiler.profile(bench.point(), bench.host, MeasurementWatch())
    assert len(bench.helper.double.groups()) == 1, "the chain's"


def test_a_program_that_the_helper_does_not_know_is_refused_with_its_reason(bench: Bench) -> None:
    bench.helper.verbs = Helper(frozenset({"/usr/bin/runner"})).verbs
    with pytest.raises(DriverError, match="it runs none of the registered programs") as refused:
        bench.profiler.profile(bench.point(), bench.host, MeasurementWatch())
    assert not refused.value.permanent, "a helper may be started again"


def test_a_remote_point_is_not_measurable_with_the_reason(bench: Bench) -> None:
    """Its NF would stand behind rings of a runner: packets arrive where the source's core is."""
    host = build_inventory(read_machine(bench.root, (0, 1, 8, 9), frozenset(range(32))), "edge-1", "testbed")
    nodes = {core.id: core.node for core in host.cores}
    away = next(core for core, node in nodes.items() if node != nodes[traffic_core(host.cores)])
    found = bench.profiler.profile(bench.point(core=away), host, MeasurementWatch())
    assert found.not_measurable is not None and "ask for local nodes only" in found.not_measurable
    told = profiling_resources_remote(BEHIND_RINGS)
    assert not told.available and told.reason in found.not_measurable
    assert bench.asked == []


@pytest.mark.parametrize("lacks", [None, "profiling", "resctrl-cat", "resctrl-mba"])
def test_a_host_says_whether_it_can(lacks: str | None) -> None:
    names = ("profiling", "resctrl-cat", "resctrl-mba")
    found = profiling_resources(
        [Capability(name=one, available=one != lacks, reason=f"no {one}") for one in names], "process"
    )
    assert found.available is (lacks is None)
    assert lacks is None or found.reason == f"no {lacks}"
