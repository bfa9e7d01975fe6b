"""At how many writings an NF had packets: the rule by hand, and the driver over the double."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.sample import Sightings
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.drivers.opennetvm.process_registry import ChainEntry, NfEntry
from sextant_agent.drivers.opennetvm.sightings import WRITINGS, reader_is_apart, with_packets

from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, manager, needs_two_cpus
from .opennetvm_world import place
from .orders import chain, content, nf
from .waiting import wait_for

WEB = chain("web", nf("web", "router", core=SECOND))


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
    ids=["now and then", "idle", "its ring is full", "five were lost uncounted", "one alone", "counts of two senders"],
)
def test_packets_are_those_that_are_gone_later(waiting: list[int], found: int) -> None:
    """The last never says anything: nobody knows yet whether what waits there will go."""
    assert with_packets(waiting) == found


@pytest.fixture
def host(tmp_path: Path) -> Iterator[DoubleHost]:
    """The manager's first thread has a CPU to itself but for the way out. The router takes 500 ns a packet: 2 M a
    second."""
    needs_two_cpus()
    west = manager("west", [SECOND], cpus=[FIRST, SECOND, SECOND])
    with double_host(tmp_path, west, cost_ns={"flow_tracker": 500}, in_hand=True) as host:
        yield host


def sightings(driver: OpenNetVmDriver) -> Sightings | None:
    return driver.sample().nfs["web.router"].sightings


@pytest.mark.parametrize(("packets_per_second", "share"), [(400_000, 0.2), (1_000_000, 0.5), (1_600_000, 0.8)])
def test_as_many_writings_find_packets_as_these_take_of_the_time(
    host: DoubleHost, driver: OpenNetVmDriver, packets_per_second: int, share: float
) -> None:
    """.2 of 30 are 6, .5 are 15, .8 are 24; four less at most: of the newest nobody knows yet that they go. None
    of them is of the first packets."""
    host.home.set(packets_per_second={"0": packets_per_second})
    assert driver.apply(content(WEB)).failures == {}
    host.next_period()
    found = None
    for step in range(1, 2 * WRITINGS + 2):
        host.step(step)
        found = sightings(driver)
    assert found is not None
    assert found.moments == WRITINGS
    assert share - 0.15 <= found.with_packets / found.moments <= share + 0.05
    assert 0 < found.cpu <= 1


@pytest.mark.parametrize(
    ("threads", "router", "monitor", "apart"),
    [
        ([0, 1, 2], 4, 5, True),
        ([0, 1, 2], 0, 5, False),
        ([0, 0, 2], 4, 5, False),
        ([0, 1, 2], 4, 0, False),
    ],
    ids=["a CPU each", "the NF before it", "the RX thread", "the NF itself"],
)
def test_who_reads_must_have_a_cpu_apart_from_the_packets(
    threads: list[int], router: int, monitor: int, apart: bool
) -> None:
    """Of the monitor, to which the router sends, behind the RX thread. Who stands behind it does not matter."""
    nfs = tuple(
        NfEntry(nf_id=f"web.{name}", nf_type=name, cpu=cpu, instance=1, service=1, lcore=cpu)
        for name, cpu in (("router", router), ("monitor", monitor), ("way-out", 0))
    )
    entry = ChainEntry(chain="web", manager="west", structure="s", source="s", instance=1, nfs=nfs)
    assert reader_is_apart(place(cpus=threads, nf_cpus="0-7"), entry, nfs[1]) is apart


def test_another_process_and_another_cpu_begin_anew(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    driver.apply(content(WEB))
    wait_for("some writings", lambda: (sightings(driver) or Sightings(0, 0, 0.0)).moments > 5)
    replaced = WEB.model_copy(update={"nfs": tuple(each.model_copy(update={"nf_version": 2}) for each in WEB.nfs)})
    assert driver.apply(content(replaced)).failures == {}
    assert (sightings(driver) or Sightings(0, 0, 0.0)).moments <= 5
