"""`make down` while a chain runs on a host of measured packets: nothing of it is left in the kernel, nor a process."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.control.helper_client import HelperClient, HelperError
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_agent.drivers.srv6.place import read_place
from sextant_agent.helper.__main__ import subtree_name
from sextant_agent.helper.hierarchy import find_hierarchy
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.match import Match
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent
from sextant_run import down, lab_hosts
from sextant_run.belongings import MARK, belonging_to
from sextant_run.installation import Installation
from sextant_run.lab_hosts import LabHost
from sextant_run.layout import DataLayout

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = (ROOT / "dataplane/srv6/build/sextant-srv6", ROOT / "dataplane/build/sextant-srv6-nf")
NF = "web.simple-forward"


def why_not() -> str | None:
    if os.geteuid() != 0:
        return "namespaces and programs in the kernel need root"
    tried = subprocess.run(["unshare", "-n", "true"], capture_output=True, check=False)
    if tried.returncode != 0:
        return "no network namespace can be made here"
    return next((f"{path} is not built" for path in PROGRAMS if not path.is_file()), None)


pytestmark = pytest.mark.skipif((reason := why_not()) is not None, reason=f"not here: {reason}")


@pytest.fixture
def up(
    layout: DataLayout, installation: Installation, monkeypatch: pytest.MonkeyPatch, wait_for: Callable[..., Any]
) -> Iterator[Installation]:
    """Two hosts, of which the first has its daemon and its root helper; all that starts from here carries the mark."""
    present = installation.model_copy(update={"id": f"{os.getpid():08x}down", "lab_ports": (4, 5)})
    monkeypatch.setenv(MARK, present.id)
    started: list[subprocess.Popen[bytes]] = []
    try:
        lab_hosts.prepare(layout, present)
        host = lab_hosts.lab_hosts(present)[0]
        helper = (sys.executable, *lab_hosts.helper_arguments(layout, host, None))
        for name, command in (("daemon", lab_hosts.daemon_command(layout, host)), ("helper", helper)):
            with (layout.log / f"{name}.log").open("wb") as log:
                started.append(subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        wait_for(lambda: answers(layout, host))
        yield present
    finally:
        down.stop(layout, present)
        for process in started:
            process.wait(30)


def answers(layout: DataLayout, host: LabHost) -> bool:
    place, helper = read_place(lab_hosts.agent_file(layout, host)), HelperClient(lab_hosts.helper_socket(layout, host))
    try:
        helper.hello()
    except HelperError:
        return False
    finally:
        helper.close()
    return place.daemon.exists()


def chain() -> DesiredChain:
    core = max(os.sched_getaffinity(0))
    nf = DesiredNf(nf_id=NF, nf_type="simple-forward", nf_version=1, config={"loops": 0}, core=core, slot=0)
    return DesiredChain(
        chain="web",
        nfs=(nf.model_copy(update={"cpu_quota_percent": 50.0}),),
        ingress=Ingress(match=Match(dst_port=None)),
        egress=Egress(),
        traffic=Traffic(rate_mpps=0.002, packet_bytes=64, flows=10),
    )


def loaded() -> set[int]:
    shown = subprocess.run(["bpftool", "-j", "prog", "show"], capture_output=True, text=True, check=True).stdout
    return {program["id"] for program in json.loads(shown)}


def pinned(folder: Path) -> set[int]:
    """Programs, not maps."""
    found = set()
    for pin in folder.iterdir():
        asked = ["bpftool", "-j", "prog", "show", "pinned", str(pin)]
        done = subprocess.run(asked, capture_output=True, text=True, check=False)
        if done.returncode == 0:
            found.add(json.loads(done.stdout)["id"])
    return found


def test_nothing_of_a_running_chain_is_left(layout: DataLayout, up: Installation, wait_for: Callable[..., Any]) -> None:
    host = lab_hosts.lab_hosts(up)[0]
    socket = lab_hosts.helper_socket(layout, host)
    place = read_place(lab_hosts.agent_file(layout, host))
    driver = Srv6Driver(host.name, layout.agent_state(host.name), place, helper_socket=socket)
    report = driver.apply(HostContent(host_id=host.name, chains=(chain(),)))
    assert not report.failures
    wait_for(lambda: driver.sample().chains["web"].delivered > 100)
    nf = driver.sample().nfs[NF].pid
    driver.close()
    groups = find_hierarchy(Path("/proc/self/mountinfo").read_text()).cpu / "sextant" / subtree_name(host.name, socket)
    programs = pinned(layout.lab_pins / host.name)
    assert nf is not None and Path(f"/proc/{nf}").exists()
    assert (groups / f"nf-{NF}").is_dir() and len(programs) >= 5 and programs <= loaded()

    remarks = down.stop(layout, up)
    (remark,) = remarks  # no supervisor has ended daemon and helper before
    assert remark.startswith("stopped leftover processes: ")
    assert belonging_to(up.id, layout.data) == []
    assert not any(one.namespace_file.exists() for one in lab_hosts.lab_hosts(up)), "links go with their namespaces"
    assert not groups.exists() and not layout.lab_pins.is_mount()
    wait_for(lambda: not programs & loaded())  # the kernel frees them a moment after the last that holds them
    assert down.stop(layout, up) == [], "and again"
