"""The OpenNetVM driver over the double: the contract, and what is OpenNetVM's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.driver import Driver
from sextant_agent.contract.sample import NfCounters
from sextant_agent.drivers.opennetvm.processes import cpu_of_thread, packet_thread

from .driver_contract import DriverContract
from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, manager


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """One port, whose chain may have both CPUs."""
    with double_host(tmp_path, manager("west", [FIRST, SECOND], shared=True)) as host:
        yield host


@pytest.fixture
def driver(host: DoubleHost) -> Driver:
    """The double's packet threads take a fiftieth of a core, and may be measured all the same."""
    return host.driver(own_share=0.0)


@pytest.fixture
def two_ports(tmp_path: Path) -> Iterator[Driver]:
    """Each with a manager and a CPU for its chain."""
    if FIRST == SECOND:
        pytest.skip("two managers cannot have one CPU for their NFs")
    host = DoubleHost(tmp_path / "two", manager("west", [FIRST], shared=True), manager("east", [SECOND]))
    yield host.driver()
    host.end()


class TestOpenNetVmDriver(DriverContract):
    """Every test of the contract, and these. Nothing is calibrated for an NF that is measured alone."""

    first_stage = "measuring"

    def assert_pinned(self, found: NfCounters, core: int) -> None:
        thread = packet_thread(found.pid or 0)
        assert thread and cpu_of_thread(thread) == core

    def beside_web(self, driver: Driver) -> tuple[int, int]:
        return self.free_cores(driver)[-1], 0

    def test_what_is_not_ordered_goes(self, two_ports: Driver) -> None:
        """A port has one chain: two need two."""
        super().test_what_is_not_ordered_goes(two_ports)
