"""Four hosts of measured packets in a diamond: two ways from edge-1 to edge-4 that have no link in common. A chain's
first NF stands on edge-1, its second on edge-4; the hosts between have no part of it.

             edge-2
    edge-1 <        > edge-4
             edge-3
"""

from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address
from pathlib import Path
from typing import cast

from sextant_agent.controllers.chain_ways import ChainWays
from sextant_agent.controllers.look_loop import LookLoop
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_domain.hosts.chain_way import ChainWay, WayChange, WayState
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.path import ChainPath, PathSegment
from sextant_domain.hosts.telemetry import ChainSample, TelemetryBatch

from .batches import a_batch
from .orders import chain, content, nf
from .srv6_host import Srv6Host, shell, srv6_hosts
from .srv6_network import forward, join, place
from .waiting import wait_for

NORTH, SOUTH = "edge-2", "edge-3"
"""Ports of edge-1 and edge-4, the preferred one first."""
RETURN_S = 2.0
MPPS = 0.005


def path_of(name: str, tag: int) -> ChainPath:
    segments = (
        PathSegment(sid=IPv6Address(f"fc00:0:1:{tag:x}::1"), nf_id=f"{name}.router"),
        PathSegment(sid=IPv6Address(f"fc00:0:4:{tag:x}::1"), nf_id=f"{name}.simple-forward"),
        PathSegment(sid=IPv6Address(f"fc00:0:4:{tag:x}::f")),
    )
    return ChainPath(tag=tag, source=IPv6Address("fc00:0:1::"), segments=segments, mtu=9000)


def first_part(name: str, tag: int, *, paused: bool = False) -> DesiredChain:
    part = chain(name, nf(name, "router", core=0), rate_mpps=MPPS, paused=paused)
    return part.model_copy(update={"path": path_of(name, tag).model_copy(update={"enters": True})})


def last_part(name: str, tag: int) -> DesiredChain:
    part = chain(name, nf(name, "simple-forward", core=0), rate_mpps=MPPS)
    return part.model_copy(update={"path": path_of(name, tag).model_copy(update={"leaves": True})})


class Diamond:
    """`first` is edge-1's driver, `last` edge-4's."""

    def __init__(self, folder: Path, hosts: list[Srv6Host]) -> None:
        self.folder, self.hosts = folder, hosts
        one, two, three, four = hosts
        for ends in ((one, two), (two, four), (one, three), (three, four)):
            join(*ends)
        for between in (two, three):
            forward(between)
        place(one, hosts, {two: [two, four], three: [three, four]})
        place(two, hosts, {one: [one], four: [four]})
        place(three, hosts, {one: [one], four: [four]})
        place(four, hosts, {two: [two, one], three: [three, one]})
        one.place = one.place.model_copy(update={"return_after_s": RETURN_S})
        for host in hosts:
            (folder / host.name).mkdir(mode=0o700)
        self.drivers = [self.successor(number) for number in range(len(hosts))]
        self.first, self.last = self.drivers[0], self.drivers[-1]
        for driver in self.drivers[1:3]:
            assert not driver.apply(content()).failures

    def successor(self, number: int = 0) -> Srv6Driver:
        """Of a driver, as it stands now."""
        host = self.hosts[number]
        return Srv6Driver(host.name, self.folder / host.name, host.place)

    def begin(self, *names: str) -> None:
        """Tags 7, 8 ...; the end of the way first."""
        tags = list(enumerate(names, 7))
        for driver, part in ((self.last, last_part), (self.first, first_part)):
            report = driver.apply(content(*(part(name, tag) for tag, name in tags)))
            assert not report.failures, report.failures
        for name in names:
            self.await_packets(name)

    def await_packets(self, name: str = "web") -> None:
        """More than have arrived by now."""
        arrived = self.last.sample().chains[name].delivered
        wait_for(f"packets of {name} arrive", lambda: self.last.sample().chains[name].delivered > arrived + 100)

    def lost(self, name: str = "web", tag: int = 7) -> int:
        """Between the hosts, of all that went on from the first, once no more comes; not what an NF lost for want of
        time, on a machine that does much else. The chain is paused meanwhile."""
        others = [one for one in self.first.sample().chains if one != name]
        assert not others, "of one chain only"
        self.first.apply(content(first_part(name, tag, paused=True)))

        def counts() -> tuple[int, int]:
            return self.first.sample().chains[name].delivered, self.last.sample().chains[name].offered

        before = counts()

        def settled() -> bool:
            nonlocal before
            before, last = counts(), before
            return before == last

        wait_for("nothing comes any more", settled)
        self.first.apply(content(first_part(name, tag)))
        return before[0] - before[1]

    def set_link(self, to: str, port: str = NORTH, *, far: bool = False) -> None:
        """Of edge-1, `up` or `down`, at its own end or at that of the host there."""
        between = next(host for host in self.hosts if host.name == port)
        host, name = (between, self.hosts[0].name) if far else (self.hosts[0], port)
        shell("ip", "-n", host.namespace, "link", "set", name, to)


class Leading:
    """What an agent does about ways, in a thread of this process."""

    def __init__(self, diamond: Diamond, driver: Srv6Driver | None = None) -> None:
        self.ways = ChainWays(driver or diamond.first, lambda: None, diamond.folder / "ways.json")
        self.loop = LookLoop("chain-ways", self.ways.tick)
        self.loop.start()

    def batch(self, *names: str) -> TelemetryBatch:
        samples = [ChainSample(chain=name, offered_mpps=MPPS, delivered_mpps=MPPS, drop_mpps=0) for name in names]
        return self.ways.reported(a_batch(*samples))

    def way(self, name: str = "web") -> ChainWay | None:
        return next(iter(self.batch(name).chains[0].ways), None)

    def changes(self) -> tuple[WayChange, ...]:
        return self.batch().way_changes

    def await_state(self, state: WayState, name: str = "web") -> ChainWay:
        def found() -> ChainWay | None:
            way = self.way(name)
            return way if way is not None and way.state is state else None

        return cast("ChainWay", wait_for(f"{name} is {state}", found))


@contextmanager
def diamond_of(folder: Path) -> Iterator[Diamond]:
    """Gone afterwards, with all chains."""
    with srv6_hosts(folder, "edge-1", NORTH, SOUTH, "edge-4") as hosts:
        diamond = Diamond(folder, hosts)
        try:
            yield diamond
        finally:
            for number, driver in enumerate(diamond.drivers):
                driver.close()
                successor = diamond.successor(number)
                successor.apply(content())
                successor.close()
