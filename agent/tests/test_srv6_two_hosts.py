"""A chain over two hosts, each with its own daemon and driver: what is ordered of each makes one way of its packets."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any

import pytest
from sextant_agent.contract.errors import DriverError
from sextant_agent.contract.sample import HopTimes, TransitTimes
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.path import ChainPath, PathSegment

from .orders import chain, content, nf
from .srv6_host import Srv6Host, join, srv6_hosts, why_not
from .waiting import wait_for

pytestmark = pytest.mark.skipif((reason := why_not()) is not None, reason=f"not here: {reason}")

SEGMENTS = (
    PathSegment(sid=IPv6Address("fc00:0:1:7::1"), nf_id="web.router"),
    PathSegment(sid=IPv6Address("fc00:0:2:7::1"), nf_id="web.simple-forward"),
    PathSegment(sid=IPv6Address("fc00:0:2:7::f")),
)
PATH = ChainPath(tag=7, source=IPv6Address("fc00:0:1::"), segments=SEGMENTS, mtu=9000)


class Pair:
    """Two hosts and their drivers."""

    def __init__(self, folder: Path, hosts: list[Srv6Host]) -> None:
        self.hosts, self.folder = hosts, folder
        join(*hosts)
        for host in hosts:
            (folder / host.name).mkdir(mode=0o700)
        self.one, self.two = (Srv6Driver(host.name, folder / host.name, host.place) for host in hosts)

    def begin(self) -> None:
        """The end of the way first."""
        for driver, part in ((self.two, there()), (self.one, here())):
            report = driver.apply(content(part))
            assert not report.failures, report.failures
        wait_for("packets arrive", lambda: self.two.sample().chains["web"].delivered > 100)


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with srv6_hosts(tmp_path, "edge-1", "edge-2") as hosts:
        pair = Pair(tmp_path, hosts)
        yield pair
        for driver in (pair.one, pair.two):
            driver.apply(content())
            driver.close()


def here(**changes: Any) -> DesiredChain:
    part = chain("web", nf("web", "router", core=0), **{"rate_mpps": 0.005, **changes})
    return part.model_copy(update={"path": PATH.model_copy(update={"enters": True})})


def there(**changes: Any) -> DesiredChain:
    part = chain("web", nf("web", "simple-forward", core=0), **{"rate_mpps": 0.005, **changes})
    return part.model_copy(update={"path": PATH.model_copy(update={"leaves": True})})


def test_what_enters_on_one_leaves_on_the_other_and_is_measured_on_both(pair: Pair) -> None:
    pair.begin()
    pair.one.apply(content(here(paused=True)))

    def settled() -> bool:
        one, two = pair.one.sample().chains["web"], pair.two.sample().chains["web"]
        return bool(one.sent) and one.sent == two.delivered

    wait_for("every packet that was sent has arrived", settled)
    pair.one.apply(content(here()))
    wait_for("packets again", lambda: not settled())
    for driver, nf_id in ((pair.one, "web.router"), (pair.two, "web.simple-forward")):
        hop = wait_for("it gave packets back since the sample before", partial(only_hop, driver))
        assert hop.nf_id == nf_id
        # The link has no queue, so none waits; the second host's packets go on to no other host.
        assert hop.queue_packets == (0 if driver is pair.one else None)
        assert driver.apply(content(here() if driver is pair.one else there())).done == ()


def test_how_long_the_link_took_is_known_where_packets_leave(pair: Pair) -> None:
    """From the router on one host to the forwarder on the other, and from there to the exit: one clock here."""
    pair.begin()

    def transits() -> tuple[TransitTimes, ...]:
        assert pair.one.sample().chains["web"].transits == ()
        return pair.two.sample().chains["web"].transits

    link, end = wait_for("a window of packets", transits)
    assert (link.to, end.to) == ("web.simple-forward", None)
    for one in (link, end):
        assert one.p50_us is not None and one.p95_us is not None and 0 <= one.p50_us <= one.p95_us


def only_hop(driver: Srv6Driver) -> HopTimes | None:
    """Its one NF's, where that gave packets back since the sample before."""
    (hop,) = driver.sample().chains["web"].path or ()
    return hop if hop.p50_us is not None else None


def test_a_part_counts_what_comes_to_it_and_what_it_passes_on(pair: Pair) -> None:
    """Neither NF drops anything: once no more is sent, four counts are one."""
    pair.begin()
    pair.one.apply(content(here(paused=True)))

    def counted() -> set[int]:
        one, two = pair.one.sample().chains["web"], pair.two.sample().chains["web"]
        return {one.sent, one.delivered, two.offered, two.delivered}

    wait_for("all have arrived", lambda: len(counted()) == 1)
    assert counted() != {0}


def test_while_the_daemon_is_silent_counts_stay_and_say_so(pair: Pair) -> None:
    pair.begin()
    known = pair.one.sample().chains["web"]
    pair.hosts[0].end()
    silent = pair.one.sample().chains["web"]
    assert (silent.delivered, silent.counted_ns) == (known.delivered, known.counted_ns) and known.delivered > 0
    fresh = Srv6Driver("edge-1", pair.folder / "edge-1", pair.hosts[0].place)
    assert fresh.sample().chains["web"].instance != silent.instance, "what it does not know is compared with nothing"
    fresh.close()
    pair.hosts[0].start()
    wait_for("counted again", lambda: pair.one.sample().chains["web"].delivered > known.delivered)


def test_a_part_that_goes_and_comes_again_touches_no_other_host(pair: Pair) -> None:
    """The chain's part there goes and comes again while the first host still sends: what it sent meanwhile is lost,
    the rest arrives, and nothing of the first host is touched."""
    pair.begin()
    before = {nf_id: found.pid for nf_id, found in pair.one.sample().nfs.items()}
    pair.two.apply(content())
    assert pair.two.apply(content(there())).done
    wait_for("packets arrive", lambda: pair.two.sample().chains["web"].delivered > 100)
    assert {nf_id: found.pid for nf_id, found in pair.one.sample().nfs.items()} == before


def test_packets_are_captured_where_they_leave_with_what_nfs_of_both_hosts_wrote(pair: Pair) -> None:
    pair.begin()
    packets = pair.two.capture("web", 5)
    assert len(packets) == 5
    for packet in packets:
        assert packet.source == PATH.source
        assert [hop.nf_id for hop in packet.path] == ["web.router", "web.simple-forward"]
    with pytest.raises(DriverError, match="its packets leave on another host"):
        pair.one.capture("web", 5)


def test_no_way_is_refused_for_good(pair: Pair) -> None:
    segments = (SEGMENTS[0], PathSegment(sid=IPv6Address("fc00:0:9::1"), nf_id="web.nat"), SEGMENTS[2])
    lost = PATH.model_copy(update={"segments": segments, "enters": True})
    report = pair.one.apply(content(here().model_copy(update={"path": lost})))
    assert report.failures["web"].permanent
    assert report.failures["web"].message == "no link of srv6.toml leads to fc00:0:9::1"


def test_packets_of_an_edge_that_is_not_named_do_not_pass(pair: Pair) -> None:
    """The second host believes edge-1 alone; a chain that names another source is dropped there."""
    stranger = PATH.model_copy(update={"source": IPv6Address("fc00:0:3::")})
    pair.two.apply(content(there().model_copy(update={"path": stranger.model_copy(update={"leaves": True})})))
    pair.one.apply(content(here().model_copy(update={"path": stranger.model_copy(update={"enters": True})})))
    wait_for("packets are sent", lambda: pair.one.sample().chains["web"].sent > 100)
    assert pair.two.sample().chains["web"].delivered == 0


def test_both_parts_take_another_rate_without_a_restart(pair: Pair) -> None:
    """As their orders have it: packets enter on one of them alone."""
    pair.begin()
    faster = {"rate_mpps": 0.01}
    for driver, part in ((pair.two, there(**faster)), (pair.one, here(**faster))):
        starts = [nf.starts for nf in driver.sample().nfs.values()]
        done = driver.apply(content(part)).done
        assert len(done) == 1 and "changed the traffic of web to 0.01 Mpps" in done[0]
        assert [nf.starts for nf in driver.sample().nfs.values()] == starts
        assert driver.apply(content(part)).done == ()


def whole(name: str, kind: str) -> DesiredChain:
    return chain(name, nf(name, kind, core=0), rate_mpps=0.005)


def carries(driver: Srv6Driver, name: str, kind: str) -> bool:
    """This chain and no other runs there, and packets come out of it."""
    found = driver.sample()
    return (
        found.chains.keys() == {name} and found.nfs.keys() == {f"{name}.{kind}"} and found.chains[name].delivered > 100
    )


def test_two_chains_that_swap_hosts_at_once_both_run_and_leave_nothing_behind(pair: Pair) -> None:
    """In both directions, each host by an order of its own, of which neither waits for the other."""
    kinds = {"web": "router", "dns": "simple-forward"}
    drivers = (pair.one, pair.two)
    for names in (("web", "dns"), ("dns", "web"), ("web", "dns")):
        orders = [content(whole(name, kinds[name])) for name in names]
        with ThreadPoolExecutor(2) as at_once:
            reports = list(at_once.map(lambda one: one[0].apply(one[1]), zip(drivers, orders, strict=True)))
        assert not any(report.failures for report in reports), reports
        for driver, host, name, other in zip(drivers, pair.hosts, names, reversed(names), strict=True):
            wait_for(f"{name} to carry packets on {host.name}", partial(carries, driver, name, kinds[name]))
            assert f":{name}" in host.links() and f":{other}" not in host.links()
