"""Where a chain's slow NF is full: who drops, with backpressure and without. The testbed always holds producers back
(dataplane/tests/test_chains.py); a simulated host does as it is set."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sextant_agent.contract.driver import Driver
from sextant_agent.contract.sample import NfCounters
from sextant_agent.drivers.testbed.driver import TestbedDriver
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_agent.drivers.twin.driver import TwinDriver
from sextant_agent.drivers.twin.world import SimulatedWorld

from .orders import HOST, chain, content, nf
from .waiting import wait_for

Simulated = Callable[[bool], TwinDriver]


@pytest.fixture
def simulated() -> Iterator[Simulated]:
    with ExitStack() as ends:

        def made(backpressure: bool) -> TwinDriver:
            world = SimulatedWorld(period_s=0.02, delays={"start_s": 0.0})
            world.start()
            ends.callback(world.stop)
            return TwinDriver(world, HOST, "xeon-gold-6126", backpressure=backpressure)

        yield made


def worked(driver: Driver, cores: tuple[int, int] = (6, 7)) -> tuple[NfCounters, NfCounters]:
    """A cheap NF, and behind it one that is offered ten times what it can take; after a second."""
    cheap, dear = nf("a", "router", core=cores[0]), nf("a", "simple-forward", core=cores[1], slot=1, loops=30_000)
    assert not driver.apply(content(chain("a", cheap, dear, rate_mpps=1.0))).failures
    until = driver.sample().taken_ns + 1e9
    wait_for("a second passes", lambda: driver.sample().taken_ns > until)
    found = driver.sample().nfs
    return found["a.router"], found["a.simple-forward"]


def test_without_it_the_first_nf_works_on_what_the_second_drops(simulated: Simulated) -> None:
    """30,000 loops at 2.6 GHz take 12 us: .087 of 1 Mpps pass, and nine tenths of the first NF's work are lost."""
    cheap, dear = worked(simulated(False))
    assert dear.drops > 0.8 * cheap.tx
    assert cheap.rx > 5 * dear.rx


def test_with_it_nothing_is_dropped_that_was_worked_on(simulated: Simulated) -> None:
    """As on the testbed: the first NF takes what the second can, and what waits between them."""
    cheap, dear = worked(simulated(True))
    assert dear.drops == 0
    assert dear.rx <= cheap.tx <= dear.rx + dear.ring_used


def test_on_the_testbed_nothing_is_dropped_that_was_worked_on_whatever_is_set(state: Path, runner_binary: Path) -> None:
    driver = TestbedDriver(HOST, state, runner_binary)
    try:
        core = driver.inventory().host.cores[-1].id
        cheap, dear = worked(driver, (core, core))
        assert (cheap.drops, dear.drops) == (0, 0)
        assert driver.sample().chains["a"].source_drops > 0, "it was overloaded"
    finally:
        driver.close()
        stop_recorded_runner(state)
