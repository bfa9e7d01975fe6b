"""At how many writings an NF had packets: the rule by hand, and the driver over the double."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.driver import Sightings
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.sightings import WRITINGS, with_packets

from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, manager, needs_two_cpus
from .orders import chain, content, nf
from .waiting import wait_for

WEB = chain("web", nf("web", "router", core=SECOND), nf("web", "simple-forward", core=FIRST))


@pytest.mark.parametrize(
    ("waiting", "found"),
    [
        ([32, 0, 7, 0], 2),
        ([0, 0, -3, 0], 0),
        ([16_390, 16_384, 16_400, 16_380], 3),
        ([5, 5, 37, 5, 5], 1),
        ([32], 0),
        ([-40, -20, 12, -60], 1),
    ],
    ids=["now and then", "idle", "its ring is full", "five were lost uncounted", "one look", "counts of two senders"],
)
def test_packets_are_those_that_are_gone_later(waiting: list[int], found: int) -> None:
    """The last never says anything: nobody knows yet whether what waits there will go."""
    assert with_packets(waiting) == found


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """The router takes 500 ns a packet, so 2 M a second."""
    needs_two_cpus()
    costs = {"flow_tracker": 500, "simple_forward": 50}
    with double_host(tmp_path, manager("west", [FIRST, SECOND]), cost_ns=costs, in_hand=True) as host:
        yield host


def sightings(driver: OpenNetVmDriver) -> Sightings | None:
    return driver.sample().nfs["web.router"].sightings


@pytest.mark.parametrize(("packets_per_second", "share"), [(400_000, 0.2), (1_000_000, 0.5), (1_800_000, 0.9)])
def test_as_many_writings_find_packets_as_these_take_of_the_time(
    host: DoubleHost, driver: OpenNetVmDriver, packets_per_second: int, share: float
) -> None:
    """.2 of 30 are 6, .5 are 15, .9 are 27; one or two less where the last ones found some."""
    host.home.set(packets_per_second={"0": packets_per_second})
    assert driver.apply(content(WEB)).failures == {}
    host.next_period()

    def full() -> Sightings | None:
        found = sightings(driver)
        return found if found is not None and found.moments == WRITINGS else None

    wait_for("as many writings", full)
    found = wait_for("none of them is of the first packets", lambda: _later(host, driver))
    assert found.with_packets / found.moments == pytest.approx(share, abs=0.1)
    assert 0 < found.cpu <= 1
    assert driver.sample().nfs["web.simple-forward"].sightings is None, "its CPU is that of the manager's first thread"


def _later(host: DoubleHost, driver: OpenNetVmDriver) -> Sightings:
    """After so many writings more, each of which is looked at."""
    for _ in range(WRITINGS):
        host.next_period()
        driver.sample()
    found = sightings(driver)
    assert found is not None
    return found


def test_another_process_and_another_cpu_begin_anew(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    driver.apply(content(WEB))
    wait_for("some writings", lambda: (sightings(driver) or Sightings(0, 0, 0.0)).moments > 5)
    replaced = WEB.model_copy(update={"nfs": tuple(each.model_copy(update={"nf_version": 2}) for each in WEB.nfs)})
    assert driver.apply(content(replaced)).failures == {}
    assert (sightings(driver) or Sightings(0, 0, 0.0)).moments <= 5
