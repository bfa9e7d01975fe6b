"""Where a chain's slow NF is full: who drops, without backpressure, by watermarks, and strictly. The testbed always
holds producers back (dataplane/tests/test_chains.py); a simulated host does as it is set."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_agent.contract.driver import Driver
from sextant_agent.contract.sample import NfCounters
from sextant_agent.drivers.testbed.driver import TestbedDriver
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_agent.drivers.twin.driver import TwinDriver
from sextant_agent.drivers.twin.world import SimulatedWorld
from sextant_engine.control.rate_cost.backpressure import over
from sextant_twin._core import Fleet
from sextant_twin.backpressure import Backpressure

from .orders import HOST, chain, content, nf
from .waiting import wait_for

Simulated = Callable[[Backpressure], TwinDriver]


@pytest.fixture
def simulated() -> Iterator[Simulated]:
    with ExitStack() as ends:

        def made(backpressure: Backpressure) -> TwinDriver:
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
    cheap, dear = worked(simulated(Backpressure.NONE))
    assert dear.drops > 0.8 * cheap.tx
    assert cheap.rx > 5 * dear.rx


def test_watermarks_drop_at_the_entry_and_keep_the_ring_between_them(simulated: Simulated) -> None:
    """The first NF keeps no packet waiting, so that nothing more comes once the second one's ring is at 80 % of 1024:
    from then on there are 614 to 820 packets in it, and it has never been full."""
    driver = simulated(Backpressure.WATERMARKS)
    cheap, dear = worked(driver)
    assert (cheap.drops, dear.drops) == (0, 0)
    assert dear.rx <= cheap.tx <= dear.rx + dear.ring_used
    assert 613 <= dear.ring_used <= 821 and dear.ring_peak <= 821 < dear.ring_size
    sent = driver.sample().chains["a"]
    assert sent.source_drops > 0.8 * sent.offered


@given(ring=st.integers(1, 5000), data=st.data())
def test_twin_and_engine_have_one_rule(ring: int, data: st.DataObject) -> None:
    """Whatever packets lie in a ring, one time after the other; most often some near the marks."""
    near = st.sampled_from([ring * percent // 100 + more for percent in (60, 80) for more in (-1, 0, 1)])
    fills = data.draw(st.lists((near | st.integers(0, ring)).map(lambda fill: min(max(fill, 0), ring)), max_size=50))
    assert tuple(Fleet.watermarks(fills, ring)) == over(fills, ring)


def test_strictly_nothing_is_dropped_that_was_worked_on(simulated: Simulated) -> None:
    """As on the testbed: the first NF takes what the second can, and what waits between them."""
    cheap, dear = worked(simulated(Backpressure.STRICT))
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
