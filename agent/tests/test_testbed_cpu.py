"""CPU shares and quotas of real NFs: the testbed driver, the runner, the root helper and the kernel."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.driver import Driver
from sextant_agent.contract.sample import NfCpu
from sextant_agent.control.cpu_requests import unmet
from sextant_agent.drivers.testbed.driver import TestbedDriver
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_domain.hosts.desired import DesiredChain, HostContent, NfState

from .helper_process import HelperProcess, hierarchy, why_no_groups
from .orders import HOST, chain, content, nf
from .waiting import wait_for

WHY_NOT = why_no_groups()
needs_groups = pytest.mark.skipif(WHY_NOT is not None, reason=f"CPU groups cannot be made here: {WHY_NOT}")


@pytest.fixture
def helper(state: Path, runner_binary: Path) -> Iterator[HelperProcess]:
    """Beside the runner's socket, where the driver looks for it."""
    helper = HelperProcess(state, runner_binary)
    yield helper.start()
    stop_recorded_runner(state)
    helper.end_all()
    assert not (hierarchy().cpu / helper.subtree).exists(), "nothing is left"


@pytest.fixture
def driver(state: Path, runner_binary: Path) -> Iterator[Driver]:
    driver = TestbedDriver(HOST, state, runner_binary)
    yield driver
    driver.close()


def core_of(driver: Driver) -> int:
    return driver.inventory().host.cores[-1].id


def web(driver: Driver, share: int | None = None, quota: float | None = None, core: int | None = None) -> DesiredChain:
    """Two NFs on one core; the router with wishes."""
    core = core_of(driver) if core is None else core
    first = nf("web", "router", core=core).model_copy(update={"cpu_share": share, "cpu_quota_percent": quota})
    return chain("web", first, nf("web", "simple-forward", core=core, slot=1), rate_mpps=0.01)


def cpu(driver: Driver, name: str = "web.router") -> tuple[int, float | None] | None:
    found: NfCpu | None = driver.sample().nfs[name].cpu
    return (found.weight, found.quota_percent) if found else None


def pids(driver: Driver) -> dict[str, int | None]:
    return {nf_id: found.pid for nf_id, found in driver.sample().nfs.items()}


@needs_groups
class TestWithAHelper:
    def test_wishes_hold_from_the_start(self, helper: HelperProcess, driver: Driver) -> None:
        report = driver.apply(content(web(driver, share=250, quota=40)))
        assert not report.failures
        assert cpu(driver) == (250, 40.0)
        assert cpu(driver, "web.simple-forward") == (100, None)
        pid = pids(driver)["web.router"]
        assert str(pid) in (helper.group("web.router") / "cgroup.procs").read_text().split()
        assert driver.apply(content(web(driver, share=250, quota=40))).done == ()

    def test_the_inventory_says_what_all_nfs_have_together(
        self, state: Path, runner_binary: Path, driver: Driver
    ) -> None:
        assert driver.inventory().host.cpu_budget_percent is None
        helper = HelperProcess(state, runner_binary, budget_percent=50).start()
        try:
            assert driver.inventory().host.cpu_budget_percent == 50
        finally:
            helper.end_all()

    def test_a_change_and_its_end_restart_nothing(self, helper: HelperProcess, driver: Driver) -> None:
        driver.apply(content(web(driver)))
        before = pids(driver)
        assert cpu(driver) is None, "nobody wished anything: it stands where the runner put it"
        assert len(driver.apply(content(web(driver, share=250))).done) == 2
        driver.apply(content(web(driver, share=250, quota=12.5)))
        assert cpu(driver) == (250, 12.5)
        driver.apply(content(web(driver)))
        assert cpu(driver) == (100, None)
        assert pids(driver) == before

    def test_they_hold_after_a_move(self, helper: HelperProcess, driver: Driver) -> None:
        cores = [core.id for core in driver.inventory().host.cores if core.slots]
        if len(cores) < 2:
            pytest.skip("this host offers one core only: there is nowhere to move")
        driver.apply(content(web(driver, quota=30, core=cores[0])))
        before = pids(driver)
        driver.apply(content(web(driver, quota=30, core=cores[1])))
        assert cpu(driver) == (100, 30.0)
        assert pids(driver) == before

    def test_they_hold_after_a_restart(self, helper: HelperProcess, driver: Driver) -> None:
        order = content(web(driver, share=250, quota=30))
        driver.apply(order)
        os.kill(pids(driver)["web.router"] or 0, signal.SIGKILL)
        wait_for("the crash is seen", lambda: driver.sample().nfs["web.router"].state is NfState.CRASHED)
        assert cpu(driver) is None
        assert not driver.apply(order).failures
        assert cpu(driver) == (250, 30.0)
        assert driver.sample().nfs["web.router"].starts == 2

    def test_the_group_goes_with_the_chain(self, helper: HelperProcess, driver: Driver) -> None:
        driver.apply(content(web(driver, share=250)))
        assert helper.group("web.router").is_dir()
        driver.apply(content())
        wait_for("the group is removed", lambda: not helper.group("web.router").exists())

    def test_a_killed_helper_disturbs_nothing_and_its_successor_finds_it_all(
        self, helper: HelperProcess, driver: Driver
    ) -> None:
        order = content(web(driver, share=250, quota=30))
        driver.apply(order)
        helper.kill(signal.SIGKILL)
        sample = driver.sample()
        assert "no root helper answers" in (sample.no_cpu_control or "")
        report = driver.apply(order)
        assert (report.done, dict(report.failures)) == ((), {})
        helper.start()
        assert cpu(driver) == (250, 30.0)
        assert driver.apply(order).done == ()

    def test_a_successor_of_the_agent_finds_them_as_they_are(
        self, helper: HelperProcess, driver: Driver, state: Path, runner_binary: Path
    ) -> None:
        order = content(web(driver, share=250, quota=30))
        driver.apply(order)
        driver.close()
        successor = TestbedDriver(HOST, state, runner_binary)
        assert successor.apply(order).done == ()
        successor.close()

    def test_a_saturated_nf_is_throttled_and_it_is_counted(self, helper: HelperProcess, driver: Driver) -> None:
        first = nf("web", "simple-forward", core=core_of(driver), loops=2000)
        first = first.model_copy(update={"cpu_quota_percent": 20})
        driver.apply(content(chain("web", first, rate_mpps=5)))

        def throttled_ns() -> int:
            found = driver.sample().nfs["web.simple-forward"].cpu
            return found.throttled_ns if found else 0

        wait_for("it is throttled for 200 ms", lambda: throttled_ns() > 200_000_000)

    def test_what_the_kernel_refuses_is_a_failure_of_that_nf_alone(
        self, helper: HelperProcess, driver: Driver, state: Path
    ) -> None:
        """The helper serves another runner: it places none of ours."""
        helper.kill(signal.SIGTERM)
        helper.runner = Path("/bin/true")
        helper.start()
        report = driver.apply(content(web(driver, share=250)))
        assert "runs none of the registered programs" in report.failures["web.router"].message
        assert {found.state for found in driver.sample().nfs.values()} == {NfState.RUNNING}

    def test_the_inventory_says_how(self, helper: HelperProcess, driver: Driver) -> None:
        assert capability(driver)[0] is True
        assert f"cgroup v{hierarchy().version} through the root helper" in capability(driver)[1]


class TestWithoutAHelper:
    def test_the_chain_runs_and_what_is_unmet_is_said_with_the_next_step(self, driver: Driver) -> None:
        order: HostContent = content(web(driver, share=250, quota=30))
        report = driver.apply(order)
        assert not report.failures
        sample = driver.sample()
        assert {found.state for found in sample.nfs.values()} == {NfState.RUNNING}
        said = unmet(order, sample) or ""
        assert said.startswith("web.router without CPU share 250 and at most 30 % of its core: no root helper answers")
        assert "start it as root: " in said and "-m sextant_agent.helper --socket" in said
        assert driver.apply(order).done == ()

    def test_the_inventory_says_why_not(self, driver: Driver) -> None:
        available, reason = capability(driver)
        assert not available
        assert "no root helper answers" in reason and f"--agent-uid {os.getuid()}" in reason


def capability(driver: Driver) -> tuple[bool, str]:
    found = next(each for each in driver.inventory().host.capabilities if each.name == "cpu-share")
    return found.available, found.reason
