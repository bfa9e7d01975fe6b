"""Points for levels on OpenNetVM: the measured NF's packet thread has a group of its own, by the root helper on a
mounted double of resctrl. What the ways do to the NF is seen only on a CPU with CAT."""

import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.errors import CoreBusy
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.processes import of_prefix, packet_thread
from sextant_agent.drivers.opennetvm.profiling.profiler import BESIDE_ITS_MANAGER, OpenNetVmProfiler
from sextant_agent.drivers.opennetvm.profiling.rig import profiling_places
from sextant_agent.measuring.watch import MeasurementWatch
from sextant_domain.hosts.host import PROFILING_RESOURCES, PROFILING_RESOURCES_REMOTE
from sextant_domain.profiling.profile import ProfileProgress

from .helper_process import why_no_groups
from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, manager, needs_two_cpus
from .resctrl_mount import HelperOnDouble, MountedDouble, mounted, why_no_fuse
from .test_opennetvm_profile import LITTLE, asked, remains
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
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """Slower than in other tests: a thread that takes a fiftieth of a core has then had some of it in every period."""
    needs_two_cpus()
    with double_host(tmp_path, manager("west", [FIRST, SECOND]), time=0.1) as host:
        yield host


@pytest.fixture
def resctrl(host: DoubleHost, root: Path) -> Iterator[MountedDouble]:
    """With a helper; what the double's programs run is Python."""
    place = root / "sys/fs/resctrl"
    helper = HelperOnDouble(host.state, Path(os.path.realpath(sys.executable)), place)
    helper.start()
    yield MountedDouble(place)
    host.kill_all()
    helper.end_all()


@pytest.fixture
def driver(host: DoubleHost, resctrl: MountedDouble, root: Path) -> OpenNetVmDriver:
    host.home.set(cost_ns={"firewall": 500})
    return host.driver(own_share=LITTLE, root=root)


def group_of(resctrl: MountedDouble) -> str:
    return next(name for name in resctrl.groups() if name.endswith(".nf-sextant-measure.nf"))


def packet_threads(host: DoubleHost) -> set[str]:
    """Of all that a measurement runs."""
    running = [one for place in profiling_places(host.installation) for one in of_prefix(place.prefix)]
    return {str(thread) for one in running if (thread := packet_thread(one.pid)) is not None}


def test_the_packet_thread_has_a_group_of_its_own_while_it_is_measured(
    host: DoubleHost, driver: OpenNetVmDriver, resctrl: MountedDouble
) -> None:
    seen: list[tuple[str, bool]] = []

    def look(progress: ProfileProgress) -> None:
        if progress.samples:
            group = group_of(resctrl)
            (thread,) = resctrl.read(f"{group}/tasks").split()
            seen.append((resctrl.read(f"{group}/schemata"), thread in packet_threads(host)))

    found = driver.profile(asked(llc_ways=3, memory_bandwidth_percent=40), MeasurementWatch(progress=look))
    assert found.nf is not None
    assert len(seen) == len(found.samples) >= 3
    assert {placed for _, placed in seen} == {True}
    assert all("=007" in schemata and "= 40" in schemata for schemata, _ in seen)
    assert (resctrl.groups(), remains(host)) == ([], [])
    assert "L3:0=7ff;1=7ff" in resctrl.read("schemata")


def test_a_sample_whose_group_another_program_removed_is_void_and_made_again(
    driver: OpenNetVmDriver, resctrl: MountedDouble
) -> None:
    def remove() -> None:
        wait_for("the NF is placed", lambda: any(resctrl.read(f"{one}/tasks") for one in resctrl.groups()))
        resctrl.remove(group_of(resctrl))

    thread = threading.Thread(target=remove)
    thread.start()
    found = driver.profile(asked(llc_ways=3, memory_bandwidth_percent=40), MeasurementWatch())
    thread.join()
    assert found.nf is not None
    assert [sample.void_tries for sample in found.samples][:2] == [1, 0]


def test_ways_that_others_have_are_waited_for(
    host: DoubleHost, driver: OpenNetVmDriver, resctrl: MountedDouble
) -> None:
    resctrl.make("db")
    with pytest.raises(CoreBusy, match="group db, which is not this host's agent's"):
        driver.profile(asked(llc_ways=3, memory_bandwidth_percent=40), MeasurementWatch())
    assert (resctrl.groups(), remains(host)) == (["db"], [])


def test_an_nf_away_from_its_manager_is_not_measurable_with_the_reason(
    monkeypatch: pytest.MonkeyPatch, driver: OpenNetVmDriver
) -> None:
    """As where a manager of the first socket has NFs on the second."""
    profile = OpenNetVmProfiler.profile
    monkeypatch.setattr(
        OpenNetVmProfiler,
        "profile",
        lambda self, request, offered, node_of, watch: profile(
            self, request, offered, {**node_of, request.nf.core: 1}, watch
        ),
    )
    found = driver.profile(asked(llc_ways=3, memory_bandwidth_percent=40), MeasurementWatch())
    assert found.not_measurable is not None
    assert BESIDE_ITS_MANAGER in found.not_measurable


def test_the_host_says_that_it_can_and_without_a_helper_why_not(
    host: DoubleHost, driver: OpenNetVmDriver, tmp_path: Path
) -> None:
    can = {one.name: one for one in driver.inventory().host.capabilities}[PROFILING_RESOURCES]
    assert (can.available, can.reason) == (
        True,
        "local nodes only: the measured NF's packet thread has a group of resctrl",
    )
    bare = host.driver(root=tmp_path / "root", helper_socket=tmp_path / "none")
    cannot = {one.name: one for one in bare.inventory().host.capabilities}
    assert not cannot[PROFILING_RESOURCES].available
    assert "no root helper answers" in cannot[PROFILING_RESOURCES].reason
    several = len(bare.inventory().host.nodes) > 1
    assert (PROFILING_RESOURCES_REMOTE in cannot) is several
