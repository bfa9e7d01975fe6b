"""Early reports on a real core: runner, rings, packets, and the agent's own thread."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.controllers.look_loop import LookLoop
from sextant_agent.drivers.testbed.driver import TestbedDriver
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_agent.reporting.early import EarlyReports
from sextant_domain.hosts.desired import HostContent
from sextant_domain.hosts.early_report import EarlyReport

from .orders import HOST, chain, content, nf
from .waiting import wait_for

LITTLE, TOO_MUCH = 0.0005, 0.5
"""Mpps; at 100,000 loops a packet no core carries the second."""


@pytest.fixture
def driver(state: Path, runner_binary: Path) -> Iterator[TestbedDriver]:
    driver = TestbedDriver(HOST, state, runner_binary)
    yield driver
    driver.close()
    stop_recorded_runner(state)


def test_a_chain_that_gets_too_much_is_reported_once_and_again_when_it_has_recovered(driver: TestbedDriver) -> None:
    core = driver.inventory().host.cores[-1].id

    def offered(rate_mpps: float) -> HostContent:
        return content(
            chain("a", nf("a", "simple-forward", core=core, slot=0, loops=100_000), rate_mpps=rate_mpps),
            chain("b", nf("b", "simple-forward", core=core, slot=1), rate_mpps=LITTLE),
        )

    order, reports = offered(LITTLE), list[EarlyReport]()
    cores = tuple(one.id for one in driver.inventory().host.cores)
    early = EarlyReports(HOST, cores, driver, reports.append, restarts=dict)
    loop = LookLoop("early-reports", lambda: early.look(order))
    assert not driver.apply(order).failures
    loop.start()
    try:
        order = offered(TOO_MUCH)
        assert not driver.apply(order).failures
        wait_for("the overload", lambda: any(report.overloaded for report in reports))
        found = next(report for report in reports if report.overloaded)
        assert [one.nf_id for one in found.overloaded] == ["a.simple-forward"]
        assert 0 < found.overloaded[0].stood_s < 60 and 0 < found.interval_s < 10
        (of_a,) = (one for one in found.chains if one.chain == "a")
        assert of_a.offered_mpps > of_a.delivered_mpps
        (sample,) = (one for one in found.nfs if one.nf_id == "a.simple-forward")
        assert sample.ring_used_percent is not None and sample.ring_used_percent >= 90
        order = offered(LITTLE)
        assert not driver.apply(order).failures
        wait_for("the recovery", lambda: not reports[-1].overloaded)
    finally:
        loop.stop()
