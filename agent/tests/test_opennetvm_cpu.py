"""CPU shares and quotas of OpenNetVM's NFs: the driver over the double, the root helper and the kernel."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.sample import NfCpu
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_domain.hosts.desired import DesiredChain, NfState

from .helper_process import HelperProcess, hierarchy, why_no_groups
from .opennetvm_host import FIRST, SECOND, DoubleHost, kill, manager
from .orders import chain, content, nf
from .waiting import wait_for

WHY_NOT = why_no_groups()
pytestmark = [
    pytest.mark.skipif(WHY_NOT is not None, reason=f"CPU groups cannot be made here: {WHY_NOT}"),
    pytest.mark.skipif(FIRST == SECOND, reason="a chain of two NFs that poll needs two CPUs"),
]


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    host = DoubleHost(tmp_path, manager("west", [FIRST, SECOND]))
    yield host
    host.end()


@pytest.fixture
def helper(host: DoubleHost) -> Iterator[HelperProcess]:
    """Beside the registry, where the driver looks for it. What the double's programs run is Python."""
    helper = HelperProcess(host.state, Path(os.path.realpath(sys.executable)))
    yield helper.start()
    host.kill_all()
    helper.end_all()
    assert not (hierarchy().cpu / helper.subtree).exists(), "nothing is left"


@pytest.fixture
def driver(host: DoubleHost, helper: HelperProcess) -> OpenNetVmDriver:
    return host.driver()


def web(share: int | None = None, quota: float | None = None) -> DesiredChain:
    first = nf("web", "router", core=FIRST).model_copy(update={"cpu_share": share, "cpu_quota_percent": quota})
    return chain("web", first, nf("web", "simple-forward", core=SECOND))


def cpu(driver: OpenNetVmDriver, name: str = "web.router") -> tuple[int, float | None] | None:
    found: NfCpu | None = driver.sample().nfs[name].cpu
    return (found.weight, found.quota_percent) if found else None


def test_wishes_hold_from_the_start_over_changes_and_restarts(
    host: DoubleHost, helper: HelperProcess, driver: OpenNetVmDriver
) -> None:
    report = driver.apply(content(web(share=250, quota=40)))
    assert not report.failures
    assert (cpu(driver), cpu(driver, "web.simple-forward")) == ((250, 40.0), (100, None))
    before = host.nf("web.router")
    assert str(before.pid) in (helper.group("web.router") / "cgroup.procs").read_text().split()
    assert driver.apply(content(web(share=250, quota=40))).done == ()
    driver.apply(content(web(quota=12.5)))
    assert (cpu(driver), host.nf("web.router")) == ((100, 12.5), before), "a change restarts nothing"
    kill(before.running)
    assert driver.sample().nfs["web.router"].state is NfState.CRASHED
    assert not driver.apply(content(web(quota=12.5))).failures
    assert (cpu(driver), host.nf("web.router").pid != before.pid) == ((100, 12.5), True)
    driver.apply(content())
    wait_for("the group is removed", lambda: not helper.group("web.router").exists())


def test_the_inventory_says_what_all_nfs_have_together(
    host: DoubleHost, helper: HelperProcess, driver: OpenNetVmDriver
) -> None:
    assert driver.inventory().host.cpu_budget_percent is None
    helper.kill()
    helper.budget = ["--cpu-percent", "50"]
    helper.start()
    assert driver.inventory().host.cpu_budget_percent == 50


def test_the_inventory_says_how_and_names_the_programs_where_no_helper_is(
    host: DoubleHost, helper: HelperProcess, driver: OpenNetVmDriver
) -> None:
    def reported() -> tuple[bool, str]:
        found = next(each for each in driver.inventory().host.capabilities if each.name == "cpu-share")
        return found.available, found.reason

    assert reported()[0] is True
    helper.kill()
    available, reason = reported()
    assert not available
    assert f"--program {host.home.example('firewall')}" in reason
    helper.start()
