"""SRv6-INT's local loop on real packets: daemon, NF, root helper, cgroup and the kernel's quota. L_max is 20 ms, since
other tests share the cores."""

import os
import signal
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sextant_agent.control.differences import differences
from sextant_agent.controllers.look_loop import LookLoop
from sextant_agent.controllers.srv6 import NfQuotas
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.chains.cpu_bounds import QUOTA_BOUNDS, QuotaBounds
from sextant_domain.hosts.bounded_quotas import BoundedNf, QuotaChange, QuotaReason, QuotaState
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.telemetry import TelemetryBatch

from .batches import a_batch
from .helper_process import HelperProcess, hierarchy, why_no_groups
from .orders import HOST, chain, content, nf
from .srv6_host import Srv6Host, host_program, srv6_host, why_not
from .waiting import wait_for

WHY_NOT = why_not() or why_no_groups()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=f"not here: {WHY_NOT}")

WEB = "web.simple-forward"
BOUNDS = QuotaBounds(max_p95_us=20_000, least_percent=2, most_percent=95)


def order(rate_mpps: float, quota: float = 2) -> HostContent:
    """2 % of a core are too little for 8000 packets a second, by far: a packet takes some 10 us."""
    one = nf("web", "simple-forward", core=max(os.sched_getaffinity(0))).model_copy(update={"cpu_quota_percent": quota})
    return content(chain("web", one, rate_mpps=rate_mpps).model_copy(update={"quota_bounds": BOUNDS}))


class World:
    """An agent's part, beside real packets."""

    def __init__(self, driver: Srv6Driver, file: Path) -> None:
        self.driver, self.file = driver, file
        self.order = content()
        self.restart()

    def restart(self) -> None:
        self.quotas = NfQuotas(self.driver, lambda: None, self.file)
        self.loop = LookLoop("nf-quotas", lambda: self.quotas.tick(self.order))
        self.loop.start()

    def apply(self, ordered: HostContent) -> None:
        report = self.driver.apply(ordered)
        assert not report.failures
        self.order = ordered

    def batch(self) -> TelemetryBatch:
        return self.quotas.reported(a_batch())

    def web(self) -> BoundedNf | None:
        return next(iter(self.batch().bounded_nfs), None)

    def await_state(self, state: QuotaState, what: str) -> BoundedNf:
        return wait_for(what, lambda: found if (found := self.web()) and found.state is state else None)

    def await_change(self, what: str, which: Callable[[QuotaChange], bool]) -> QuotaChange:
        return wait_for(what, lambda: next((one for one in self.batch().quota_changes if which(one)), None))


@pytest.fixture
def measured(tmp_path: Path) -> Iterator[Srv6Host]:
    with srv6_host(tmp_path) as host:
        yield host


@pytest.fixture
def helper(measured: Srv6Host, tmp_path: Path) -> Iterator[HelperProcess]:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    helper = HelperProcess(state, host_program("nf"))
    yield helper.start()
    helper.end_all()
    assert not (hierarchy().cpu / helper.subtree).exists(), "nothing is left"


@pytest.fixture
def world(measured: Srv6Host, helper: HelperProcess, tmp_path: Path) -> Iterator[World]:
    driver = Srv6Driver(HOST, tmp_path / "state", measured.place, helper_socket=helper.socket)
    world = World(driver, tmp_path / "quotas.json")
    yield world
    world.loop.stop()
    driver.apply(content())
    driver.close()


def test_a_starved_nf_is_raised_until_its_packets_pass_in_time_and_again_when_three_times_as_many_come(
    world: World,
) -> None:
    world.apply(order(0.008))
    first = world.await_change("it is raised", lambda one: one.reason is QuotaReason.RAISED)
    assert (first.nf_id, first.before_percent, first.after_percent) == (WEB, 2, 3)
    assert "> 20 ms in 2 windows running" in first.cause
    well = world.await_state(QuotaState.WELL, "its packets pass in time")
    assert well.quota_percent is not None and well.quota_percent > 2
    found = world.driver.sample()
    assert differences(world.order, found) == (), "a quota within bounds counts as ordered"
    cpu = found.nfs[WEB].cpu
    assert cpu is not None and cpu.quota_percent is not None and BOUNDS.hold(cpu.quota_percent)

    world.apply(order(0.025))
    before = world.driver.sample().chains["web"].delivered
    wait_for("many packets", lambda: world.driver.sample().chains["web"].delivered > before + 25_000)
    world.await_state(QuotaState.WELL, "they pass in time, too")
    assert all(BOUNDS.hold(one.after_percent) for one in world.batch().quota_changes)


def test_an_nf_that_stands_still_is_above_by_the_age_of_its_packets(world: World) -> None:
    world.apply(order(0.002, quota=50))
    wait_for("packets", lambda: world.driver.sample().nfs[WEB].rx > 1000)
    pid = world.driver.sample().nfs[WEB].pid or 0
    seen = datetime.now(UTC)
    os.kill(pid, signal.SIGSTOP)
    try:
        world.await_change("it is raised", lambda one: one.at > seen and one.reason is QuotaReason.RAISED)
    finally:
        os.kill(pid, signal.SIGCONT)
    world.await_state(QuotaState.WELL, "it goes on")


def test_without_the_helper_packets_go_on_and_its_successor_is_asked(world: World, helper: HelperProcess) -> None:
    world.apply(order(0.002, quota=50))
    world.await_state(QuotaState.WELL, "packets pass")
    helper.kill(signal.SIGKILL)
    held = world.await_state(QuotaState.HELD, "it is said")
    assert held.note is not None and held.note.startswith("quotas not met: no root helper answers")
    offered = {one.name: one for one in world.driver.inventory().host.capabilities}
    assert not offered[QUOTA_BOUNDS].available and "no root helper answers" in offered[QUOTA_BOUNDS].reason
    before = world.driver.sample().chains["web"].delivered
    wait_for("packets", lambda: world.driver.sample().chains["web"].delivered > before + 1000)
    helper.start()
    found = world.await_state(QuotaState.WELL, "it goes on")
    assert found.quota_percent is not None and found.quota_percent >= 50, "the kernel has it"
    assert world.driver.inventory().host.why_not(QUOTA_BOUNDS) is None


def test_an_agent_that_begins_again_finds_the_quota_and_what_was_done(world: World) -> None:
    world.apply(order(0.008))
    world.await_change("it is raised", lambda one: one.reason is QuotaReason.RAISED)
    world.await_state(QuotaState.WELL, "its packets pass in time")
    world.loop.stop()
    world.quotas.save()
    done, quota = world.batch().quota_changes, (world.web() or pytest.fail("nothing is said")).quota_percent
    assert done
    world.restart()
    found = world.await_state(QuotaState.WELL, "its packets pass in time")
    assert found.quota_percent == quota or len(world.batch().quota_changes) > len(done)
    assert world.batch().quota_changes[: len(done)] == done
