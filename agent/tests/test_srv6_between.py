"""A chain whose hosts are no neighbours: the host between them has no part of it, and its kernel passes packets on."""

from collections.abc import Iterator
from ipaddress import IPv6Address
from pathlib import Path

import pytest
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.hosts.path import ChainPath, PathSegment

from .orders import chain, content, nf
from .srv6_host import srv6_hosts, why_not
from .srv6_network import forward, join, place
from .waiting import wait_for

pytestmark = pytest.mark.skipif((reason := why_not()) is not None, reason=f"not here: {reason}")

SEGMENTS = (
    PathSegment(sid=IPv6Address("fc00:0:1:7::1"), nf_id="web.router"),
    PathSegment(sid=IPv6Address("fc00:0:3:7::1"), nf_id="web.simple-forward"),
    PathSegment(sid=IPv6Address("fc00:0:3:7::f")),
)
PATH = ChainPath(tag=7, source=IPv6Address("fc00:0:1::"), segments=SEGMENTS, mtu=9000)


@pytest.fixture
def row(tmp_path: Path) -> Iterator[list[Srv6Driver]]:
    """edge-1, edge-2 and edge-3, each joined to the next."""
    with srv6_hosts(tmp_path, "edge-1", "edge-2", "edge-3") as hosts:
        one, two, three = hosts
        join(one, two)
        join(two, three)
        forward(two)
        place(one, hosts, {two: [two, three]})
        place(two, hosts, {one: [one], three: [three]})
        place(three, hosts, {two: [two, one]})
        for host in hosts:
            (tmp_path / host.name).mkdir(mode=0o700)
        drivers = [Srv6Driver(host.name, tmp_path / host.name, host.place) for host in hosts]
        yield drivers
        for driver in drivers:
            driver.apply(content())
            driver.close()


def test_packets_pass_a_host_that_has_no_part_of_their_chain(row: list[Srv6Driver]) -> None:
    first, between, last = row
    assert not between.apply(content()).failures  # its daemon knows whose prefixes are whose, and what may pass
    leaving = chain("web", nf("web", "simple-forward", core=0), rate_mpps=0.005)
    leaving = leaving.model_copy(update={"path": PATH.model_copy(update={"leaves": True})})
    entering = chain("web", nf("web", "router", core=0), rate_mpps=0.005)
    entering = entering.model_copy(update={"path": PATH.model_copy(update={"enters": True})})
    for driver, part in ((last, leaving), (first, entering)):
        report = driver.apply(content(part))
        assert not report.failures, report.failures
    wait_for("packets arrive", lambda: last.sample().chains["web"].delivered > 100)
    first.apply(content(entering.model_copy(update={"paused": True})))

    def all_arrived() -> bool:
        sent, arrived = first.sample().chains["web"].sent, last.sample().chains["web"].delivered
        return bool(sent) and sent == arrived

    wait_for("every packet that was sent has arrived", all_arrived)
