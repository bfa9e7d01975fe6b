"""What is reported of how full OpenNetVM's NFs are: the driver over the double."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sextant_agent.contract.sample import HostSample
from sextant_agent.drivers.opennetvm.driver import OpenNetVmDriver
from sextant_agent.reporting.telemetry import rates
from sextant_domain.hosts.telemetry import LoadBasis, NfSample

from .opennetvm_host import FIRST, SECOND, DoubleHost, double_host, manager, needs_two_cpus
from .orders import chain, content, nf
from .waiting import wait_for

WEB = chain("web", nf("web", "router", core=FIRST), nf("web", "simple-forward", core=SECOND))


@pytest.fixture(params=[False, True], ids=["polls", "sleeps"])
def host(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[DoubleHost]:
    """The router takes 500 ns a packet, so 2 M a second; the next is quick."""
    needs_two_cpus()
    entry = manager("west", [FIRST, SECOND], shared=request.param)
    with double_host(tmp_path, entry, cost_ns={"flow_tracker": 500, "simple_forward": 50}) as host:
        yield host


@pytest.fixture
def driver(host: DoubleHost) -> OpenNetVmDriver:
    driver = host.driver()
    assert driver.apply(content(WEB)).failures == {}
    return driver


def offered(host: DoubleHost, driver: OpenNetVmDriver, packets_per_second: int) -> dict[str, NfSample]:
    """What is reported while so much comes, over two periods."""
    host.home.set(packets_per_second={"0": packets_per_second})
    host.next_period()
    before = driver.sample()

    def moved() -> HostSample | None:
        host.next_period()
        now = driver.sample()
        return now if all(now.nfs[name].rx > found.rx for name, found in before.nfs.items()) else None

    now = wait_for("packets are counted", moved)
    return {nf.nf_id.split(".")[1]: nf for nf in rates(before, now, {}, {FIRST: 1.0, SECOND: 1.0}).nfs}


def test_time_of_packets_is_reported_as_far_as_counters_allow(host: DoubleHost, driver: OpenNetVmDriver) -> None:
    """At half of what the router can do, NFs that poll report nothing, and NFs that sleep their CPU time. At twice
    that the router's ring overflows: it is as busy as its core lets it, with no room; the next one is not."""
    sleeps = host.entries[next(iter(host.entries))]["shared"]
    half = offered(host, driver, 1_000_000)["router"]
    if sleeps:
        assert (half.utilisation_percent, half.utilisation_basis) == (half.cpu_percent, LoadBasis.CPU_TIME)
    else:
        assert (half.utilisation_percent, half.headroom_mpps) == (None, None)
    twice = offered(host, driver, 4_000_000)
    router, following = twice["router"], twice["simple-forward"]
    assert router.utilisation_percent == router.cpu_percent
    if sleeps:
        assert router.utilisation_basis is LoadBasis.CPU_TIME
    else:
        assert (router.utilisation_basis, router.headroom_mpps) == (LoadBasis.FULL_RING, 0.0)
        assert following.utilisation_percent is None
