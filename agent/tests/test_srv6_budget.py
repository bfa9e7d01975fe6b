"""A host whose NFs have only so much of a core together: real packets, the root helper, and the kernel's quota."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.controllers.srv6 import NfQuotas
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.hosts.bounded_quotas import QuotaState

from .helper_process import HelperProcess, hierarchy, why_no_groups
from .orders import HOST, chain, content, nf
from .srv6_host import Srv6Host, host_program, srv6_host, why_not
from .waiting import wait_for

WHY_NOT = why_not() or why_no_groups()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=f"not here: {WHY_NOT}")
ORDER = content(chain("web", nf("web", "router", core=0), nf("web", "firewall", core=0), rate_mpps=0.02))
NFS = ("web.router", "web.firewall")


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Srv6Host]:
    with srv6_host(tmp_path) as host:
        yield host


@pytest.fixture
def helper(tmp_path: Path) -> Iterator[HelperProcess]:
    """2 % of a core for all NFs: 20,000 packets a second take some 10 us each at each of two NFs, so 40 %."""
    helper = HelperProcess(tmp_path, host_program("nf"), budget_percent=2).start()
    yield helper
    helper.end_all()


@pytest.fixture
def driver(host: Srv6Host, helper: HelperProcess, tmp_path: Path) -> Iterator[Srv6Driver]:
    (tmp_path / "state").mkdir(mode=0o700)
    driver = Srv6Driver(HOST, tmp_path / "state", host.place, helper_socket=helper.socket)
    yield driver
    driver.apply(content())
    driver.close()


def test_nfs_without_any_request_are_within_the_budget(driver: Srv6Driver, helper: HelperProcess) -> None:
    assert not driver.apply(ORDER).failures
    seen = driver.sample().nfs
    for nf_id in NFS:
        assert str(seen[nf_id].pid) in (helper.group(nf_id) / "cgroup.procs").read_text().split()
    above = helper.group(NFS[0]).parent / "cpu.stat"
    assert above.is_relative_to(hierarchy().cpu)
    wait_for("the budget is used up", lambda: "nr_throttled 0\n" not in above.read_text())
    assert driver.apply(ORDER).done == (), "they are as ordered"


def test_where_the_budget_is_used_up_the_local_loop_says_that_the_host_is_saturated(
    driver: Srv6Driver, tmp_path: Path
) -> None:
    """Bounds grant 40 % each, and all that there is are 2: nothing is refused, and lanes can be asked for."""
    bounds = QuotaBounds(max_p95_us=1000.0, least_percent=1, most_percent=40)
    web = chain("web", nf("web", "router", core=0), nf("web", "firewall", core=0), rate_mpps=0.02)
    order = content(web.model_copy(update={"quota_bounds": bounds}))
    report = driver.apply(order)
    assert not report.failures, report.failures
    quotas = NfQuotas(driver, lambda: None, tmp_path / "quotas.json")
    notes: set[str | None] = set()

    def saturated() -> bool:
        quotas.tick(order)
        found = quotas.standing()
        notes.update(one.note for one in found)
        return any(one.state is QuotaState.SATURATED for one in found)

    wait_for("an NF is saturated", saturated)
    assert not [note for note in notes if note is not None and "quotas not met" in note], notes
    assert sum(found.cpu.quota_percent or 100 for found in driver.nf_cpu().values()) <= 4, "2 each, where they began"


def test_an_nf_that_is_started_again_is_within_it_again(driver: Srv6Driver, helper: HelperProcess) -> None:
    assert not driver.apply(ORDER).failures
    pid = driver.sample().nfs[NFS[0]].pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_for("it has ended", lambda: driver.sample().nfs[NFS[0]].pid != pid)
    assert not driver.apply(ORDER).failures
    again = driver.sample().nfs[NFS[0]].pid
    assert again not in {None, pid}
    assert str(again) in (helper.group(NFS[0]) / "cgroup.procs").read_text().split()
