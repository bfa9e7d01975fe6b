"""A real core that is divided by rate and cost: runner, root helper, kernel, and packets."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.controllers.core_shares import CoreShares
from sextant_agent.controllers.shares_loop import SharesLoop
from sextant_agent.drivers.testbed.driver import TestbedDriver
from sextant_agent.drivers.testbed.runner_stop import stop_recorded_runner
from sextant_domain.chains.cpu_bounds import ShareBounds
from sextant_domain.hosts.desired import DesiredChain, HostContent

from .helper_process import HelperProcess, why_no_groups
from .orders import HOST, chain, content, nf
from .served import served_parts
from .waiting import wait_for

WHY_NOT = why_no_groups()
pytestmark = pytest.mark.skipif(WHY_NOT is not None, reason=f"CPU groups cannot be made here: {WHY_NOT}")

BOUNDS = ShareBounds(least_percent=5, most_percent=90, law="rate-cost")
POINTS = 10.0


@pytest.fixture
def driver(state: Path, runner_binary: Path) -> Iterator[TestbedDriver]:
    """With a root helper beside its runner."""
    helper = HelperProcess(state, runner_binary).start()
    driver = TestbedDriver(HOST, state, runner_binary)
    yield driver
    driver.close()
    stop_recorded_runner(state)
    helper.end_all()


class Divided:
    """A host whose core the agent's own loop divides."""

    def __init__(self, driver: TestbedDriver, order: HostContent) -> None:
        self.order = order
        self.shares = CoreShares(driver, lambda: None)

    def share_cores(self) -> bool:
        """A period."""
        return self.shares.tick(self.order)


def of_cost(name: str, slot: int, core: int, loops: int) -> DesiredChain:
    """More than half of a core whatever the machine, at 0.1 Mpps."""
    made = chain(name, nf(name, "simple-forward", core=core, slot=slot, loops=loops), rate_mpps=0.1)
    return made.model_copy(update={"share_bounds": BOUNDS})


def weights(driver: TestbedDriver) -> list[int]:
    found = driver.sample().nfs
    return [cpu.weight if (cpu := found[f"{name}.simple-forward"].cpu) is not None else 0 for name in "ab"]


def test_nfs_of_costs_1_to_3_at_one_rate_are_served_the_same_part(driver: TestbedDriver) -> None:
    """25,000 and 75,000 loops a packet: with equal shares the cheap one is served three times as much. Other programs
    may take the core for a moment, from both: a half second in which they were served alike is waited for."""
    core = driver.inventory().host.cores[-1].id
    order = content(of_cost("a", 0, core, 25_000), of_cost("b", 1, core, 75_000))
    assert not driver.apply(order).failures
    cheap, dear = served_parts(driver, "ab")
    assert cheap > 2 * dear
    divided = Divided(driver, order)
    loop = SharesLoop(lambda: (divided,))
    loop.start()
    try:
        wait_for("three quarters for the dear one", lambda: 680 <= weights(driver)[1] <= 820)
        wait_for("half a second of equal parts", lambda: _spread(driver) < POINTS)
    finally:
        loop.stop()
    a, b = weights(driver)
    assert 2 < b / a < 4.5, "about 1 to 3"


def _spread(driver: TestbedDriver) -> float:
    cheap, dear = served_parts(driver, "ab")
    return abs(cheap - dear)
