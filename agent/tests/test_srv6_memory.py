"""LLC ways of an NF on real packets: daemon, NF, driver and root helper, which takes the mounted double for resctrl.
Two agents, one after the other."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from sextant_agent.contract.sample import NfResources
from sextant_agent.control.differences import differences
from sextant_agent.controllers.look_loop import LookLoop
from sextant_agent.controllers.srv6 import NfQuotas
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.hosts.bounded_quotas import BoundedNf, BoundedResource
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.telemetry import TelemetryBatch

from .batches import a_batch
from .helper_process import why_no_groups
from .machines import two_sockets
from .orders import HOST, chain, content, nf
from .resctrl_mount import HelperOnDouble, MountedDouble, mounted, why_no_fuse
from .srv6_host import Srv6Host, host_program, srv6_host, why_not
from .waiting import wait_for

WHY_NOT = why_not() or why_no_groups() or why_no_fuse()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=f"not here: {WHY_NOT}")

WEB = "web.simple-forward"
BOUNDS = QuotaBounds(max_p95_us=1, least_percent=50, most_percent=50, least_ways=2, most_ways=3)
"""No NF has a packet for less than a microsecond, and its quota stays: ways are what is left to give."""


def order() -> HostContent:
    one = nf("web", "simple-forward", core=max(os.sched_getaffinity(0)))
    return content(chain("web", one, rate_mpps=0.002).model_copy(update={"quota_bounds": BOUNDS}))


class Agent:
    """Its driver, and its loop."""

    def __init__(self, measured: Srv6Host, helper: HelperOnDouble, folder: Path) -> None:
        state, root = folder / "state", folder / "root"
        self.driver = Srv6Driver(HOST, state, measured.place, helper_socket=helper.socket, root=root)
        self.quotas = NfQuotas(self.driver, lambda: None, folder / "quotas.json")
        self.order = content()
        self.loop = LookLoop("nf-quotas", lambda: self.quotas.tick(self.order))
        self.loop.start()

    def apply(self, ordered: HostContent) -> None:
        report = self.driver.apply(ordered)
        assert not report.failures
        self.order = ordered

    def end(self) -> None:
        """Packets go on."""
        self.loop.stop()
        self.quotas.save()
        self.driver.close()

    def batch(self) -> TelemetryBatch:
        return self.quotas.reported(a_batch())

    def await_ways(self, ways: int | None) -> BoundedNf:
        def said() -> BoundedNf | None:
            return next((one for one in self.batch().bounded_nfs if one.llc_ways == ways), None)

        found = wait_for(f"it has {ways} ways", said)
        assert found is not None
        return found


@pytest.fixture
def measured(tmp_path: Path) -> Iterator[Srv6Host]:
    with srv6_host(tmp_path) as host:
        yield host


@pytest.fixture
def helper(tmp_path: Path, measured: Srv6Host) -> Iterator[HelperOnDouble]:
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    two_sockets(tmp_path / "root")
    with mounted(tmp_path / "resctrl") as place:
        helper = HelperOnDouble(state, host_program("nf"), place)
        helper.start()
        yield helper
        helper.end_all()


def test_an_nf_has_ways_that_a_new_agent_finds_and_its_chain_leaves_none(
    measured: Srv6Host, helper: HelperOnDouble, tmp_path: Path
) -> None:
    resctrl = MountedDouble(helper.place)
    first = Agent(measured, helper, tmp_path)
    assert first.driver.inventory().host.why_not("resctrl-cat") is None
    first.apply(order())
    first.await_ways(3)
    steps = [
        (one.before_ways, one.after_ways)
        for one in first.batch().quota_changes
        if one.resource is BoundedResource.LLC_WAYS
    ]
    assert steps == [(0, 2), (2, 3)]
    found = first.driver.sample()
    assert found.nfs[WEB].resources == NfResources(3, None) and differences(first.order, found) == ()
    (group,) = resctrl.groups()
    assert resctrl.read(f"{group}/tasks").split() == [str(found.nfs[WEB].pid)]

    first.end()
    second = Agent(measured, helper, tmp_path)
    second.apply(order())
    assert second.await_ways(3).nf_id == WEB and second.driver.sample().nfs[WEB].resources == NfResources(3, None)
    second.apply(content())
    assert resctrl.groups() == [] and "L3:0=7ff" in resctrl.read("schemata")
    second.end()


def test_what_an_agent_left_that_died_with_its_chain_the_next_one_removes(
    measured: Srv6Host, helper: HelperOnDouble, tmp_path: Path
) -> None:
    """Its NF has ended meanwhile, and nobody was there to see it."""
    resctrl = MountedDouble(helper.place)
    first = Agent(measured, helper, tmp_path)
    first.apply(order())
    first.await_ways(3)
    pid = first.driver.sample().nfs[WEB].pid or 0
    first.end()
    os.kill(pid, 9)
    with suppress(ChildProcessError):  # as init does for an agent that has died
        os.waitpid(pid, 0)
    assert len(resctrl.groups()) == 1
    second = Agent(measured, helper, tmp_path)
    second.apply(content())
    assert resctrl.groups() == []
    second.end()
