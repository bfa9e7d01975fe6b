"""LLC ways and memory bandwidth of real NFs: drivers, their processes, and the root helper on a mounted double of
resctrl. Which group holds a thread, and what that group may fill, is seen here; what the thread fills, only on a CPU
with CAT."""

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.driver import Driver
from sextant_agent.contract.sample import NfResources
from sextant_agent.drivers.opennetvm.processes import packet_thread
from sextant_agent.drivers.testbed.driver import TestbedDriver
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_domain.hosts.desired import ChainResources, DesiredChain, NfState

from .helper_process import why_no_groups
from .opennetvm_host import FIRST, SECOND, DoubleHost, kill, manager
from .orders import HOST, chain, content, nf
from .resctrl_mount import HelperOnDouble, mounted, why_no_fuse
from .waiting import wait_for

WHY_NOT = why_no_fuse() or why_no_groups()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=f"no file system can be mounted here: {WHY_NOT}")


@pytest.fixture
def root(tmp_path: Path) -> Iterator[Path]:
    """This machine, but for its resctrl."""
    root = tmp_path / "root"
    (root / "sys/fs").mkdir(parents=True)
    (root / "proc").symlink_to("/proc")
    for part in ("devices", "class", "kernel", "bus"):
        (root / "sys" / part).symlink_to(f"/sys/{part}")
    with mounted(root / "sys/fs/resctrl"):
        yield root


@pytest.fixture
def testbed(state: Path, runner_binary: Path, root: Path) -> Iterator[Driver]:
    helper = HelperOnDouble(state, runner_binary, root / "sys/fs/resctrl")
    helper.start()
    driver = TestbedDriver(HOST, state, runner_binary, root=root)
    yield driver
    driver.close()
    stop_recorded_runner(state)
    helper.end_all()


def web(core: int, ways: int | None = None, percent: int | None = None, second: int | None = None) -> DesiredChain:
    """The router with wishes; the other NF beside it, or on a core of its own."""
    given = {"llc_ways": ways, "memory_bandwidth_percent": percent}
    first = nf("web", "router", core=core).model_copy(update=given)
    other = nf("web", "simple-forward", core=core if second is None else second, slot=int(second is None))
    return chain("web", first, other, rate_mpps=0.01)


def resources(driver: Driver) -> list[NfResources | None]:
    nfs = driver.sample().nfs
    return [nfs[f"web.{name}"].resources for name in ("router", "simple-forward")]


def tasks(root: Path) -> dict[str, list[str]]:
    """Threads of each group of ours, by NF."""
    groups = (root / "sys/fs/resctrl").glob("sextant.*")
    return {group.name.partition(".nf-")[2]: (group / "tasks").read_text().split() for group in groups}


def schemata(root: Path) -> str:
    return (root / "sys/fs/resctrl/schemata").read_text().splitlines()[0].strip()


NONE = NfResources(None, None)


def test_an_nf_of_the_testbed_over_its_life(testbed: Driver, root: Path) -> None:
    core = testbed.inventory().host.cores[-1].id
    ordered = content(web(core, ways=4, percent=50))
    report = testbed.apply(ordered)
    assert not report.failures
    assert "gave web.router 4 LLC ways of its own and 50 % memory bandwidth" in report.done
    pid = testbed.sample().nfs["web.router"].pid
    assert (resources(testbed), tasks(root)) == ([NfResources(4, 50), NONE], {"web.router": [str(pid)]})
    assert schemata(root) == "L3:0=7f0;1=7ff"
    assert testbed.apply(ordered).done == ()
    os.kill(pid or 0, signal.SIGKILL)
    wait_for("the crash is seen", lambda: testbed.sample().nfs["web.router"].state is NfState.CRASHED)
    assert not testbed.apply(ordered).failures
    successor = testbed.sample().nfs["web.router"].pid
    assert successor != pid
    assert (resources(testbed), tasks(root)) == ([NfResources(4, 50), NONE], {"web.router": [str(successor)]})
    testbed.apply(content(web(core)))
    assert (resources(testbed), tasks(root), schemata(root)) == ([NONE, NONE], {}, "L3:0=7ff;1=7ff")
    assert testbed.sample().nfs["web.router"].pid == successor, "a change restarts nothing"


def test_both_nfs_of_a_chain_are_in_its_group(testbed: Driver, root: Path) -> None:
    """One is killed and comes back into it; the group goes with the chain."""
    core = testbed.inventory().host.cores[-1].id
    ordered = content(
        web(core).model_copy(update={"resources": ChainResources(llc_ways=4, memory_bandwidth_percent=50)})
    )
    assert not testbed.apply(ordered).failures
    given = NfResources(4, 50, of_chain=True)
    nfs = testbed.sample().nfs
    pids = sorted(str(one.pid) for one in nfs.values())
    assert (resources(testbed), sorted(chain_tasks(root)), schemata(root)) == ([given, given], pids, "L3:0=7f0;1=7ff")
    assert testbed.apply(ordered).done == ()
    os.kill(nfs["web.router"].pid or 0, signal.SIGKILL)
    wait_for("the crash is seen", lambda: testbed.sample().nfs["web.router"].state is NfState.CRASHED)
    assert not testbed.apply(ordered).failures
    assert (resources(testbed), len(chain_tasks(root))) == ([given, given], 2)
    testbed.apply(content())
    assert (list((root / "sys/fs/resctrl").glob("sextant.*")), schemata(root)) == ([], "L3:0=7ff;1=7ff")


def chain_tasks(root: Path) -> list[str]:
    """Threads of the group of chain web."""
    (group,) = (root / "sys/fs/resctrl").glob("sextant.*.chain-web")
    return (group / "tasks").read_text().split()


def test_ways_go_with_the_chain(testbed: Driver, root: Path) -> None:
    testbed.apply(content(web(testbed.inventory().host.cores[-1].id, ways=4)))
    assert schemata(root) == "L3:0=7f0;1=7ff"
    testbed.apply(content())
    assert (tasks(root), schemata(root)) == ({}, "L3:0=7ff;1=7ff")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    host = DoubleHost(tmp_path, manager("west", [FIRST, SECOND]))
    yield host
    host.end()


@pytest.fixture
def opennetvm_helper(host: DoubleHost, root: Path) -> Iterator[HelperOnDouble]:
    """What the double's programs run is Python."""
    helper = HelperOnDouble(host.state, Path(os.path.realpath(sys.executable)), root / "sys/fs/resctrl")
    helper.start()
    yield helper
    host.kill_all()
    helper.end_all()


@pytest.mark.skipif(FIRST == SECOND, reason="a chain of two NFs that poll needs two CPUs")
def test_an_nf_of_opennetvm_over_its_life(host: DoubleHost, opennetvm_helper: HelperOnDouble, root: Path) -> None:
    """Its packet thread alone has the ways; the others of its process stay where they were."""
    driver = host.driver(root=root)
    ordered = content(web(FIRST, ways=3, percent=30, second=SECOND))
    assert not driver.apply(ordered).failures
    before = host.nf("web.router")
    thread = packet_thread(before.pid or 0)
    assert thread not in {None, before.pid}
    assert (resources(driver), tasks(root)) == ([NfResources(3, 30), NONE], {"web.router": [str(thread)]})
    assert schemata(root) == "L3:0=7f8;1=7ff"
    successor = host.driver(root=root)
    assert successor.apply(ordered).done == (), "the next agent finds all as it is"
    kill(before.running)
    assert not successor.apply(ordered).failures
    thread = packet_thread(host.nf("web.router").pid or 0)
    assert (resources(successor), tasks(root)) == ([NfResources(3, 30), NONE], {"web.router": [str(thread)]})
    opennetvm_helper.kill()
    assert resources(successor) == [None, None]
    assert "no root helper answers" in (successor.sample().no_resource_control or "")
    assert successor.apply(ordered).done == ()
    opennetvm_helper.start()
    assert resources(successor) == [NfResources(3, 30), NONE]
    successor.apply(content())
    assert (tasks(root), schemata(root)) == ({}, "L3:0=7ff;1=7ff")
