"""NFs on one simulated core, in slots that an operator set: they divide its time by weight."""

from collections.abc import Iterator

import pytest
from sextant_agent.drivers.twin.driver import TwinDriver
from sextant_agent.drivers.twin.world import SimulatedWorld
from sextant_agent.reporting.telemetry import rates
from sextant_domain.hosts.desired import DesiredNf
from sextant_domain.hosts.host import SHARED_SLOTS

from .orders import HOST, chain, content, nf
from .waiting import wait_for


@pytest.fixture
def driver() -> Iterator[TwinDriver]:
    world = SimulatedWorld(period_s=0.02, delays={"start_s": 0.0})
    world.start()
    yield TwinDriver(world, HOST, "xeon-gold-6126")
    world.stop()


def pass_time(driver: TwinDriver, seconds: float) -> None:
    until = driver.sample().taken_ns + seconds * 1e9
    wait_for("time passes", lambda: driver.sample().taken_ns > until)


def served(driver: TwinDriver, *nfs: DesiredNf) -> list[float]:
    """Mpps of each, in chains of their own that are offered 0.8."""
    driver.apply(content(*(chain(one.nf_id[0], one, rate_mpps=0.8) for one in nfs)))
    pass_time(driver, 0.5)
    first = driver.sample()
    pass_time(driver, 0.5)
    return [one.rx_mpps for one in rates(first, driver.sample(), {}).nfs]


def test_nfs_of_two_chains_divide_a_core(driver: TwinDriver) -> None:
    """3000 loops at 2.6 GHz take 1.2 us: .87 Mpps at most. Two on one core have at most half of that each, since every
    switch takes its part; one of weight 300 beside 100 has three times as much."""
    heavy = [nf(name, "simple-forward", core=6, slot=slot, loops=3000) for slot, name in enumerate("ab")]
    assert served(driver, heavy[0]) == [pytest.approx(0.8, rel=0.05)]
    first, second = served(driver, *heavy)
    assert first == pytest.approx(second, rel=0.05)
    assert 0.25 < first <= 0.44
    first, second = served(driver, heavy[0].model_copy(update={"cpu_share": 300}), heavy[1])
    assert first == pytest.approx(3 * second, rel=0.15)


def test_a_simulated_host_lets_operators_set_slots(driver: TwinDriver) -> None:
    host = driver.inventory().host
    assert host.why_not(SHARED_SLOTS) is None
    assert [core.slots for core in host.with_slots(4).cores] == [0] * 6 + [4] * 18, "six are reserved"
