"""Where the chain of lane_turns.py stands: on one host, or its first lane over two and the second on the latter of
them (decision 147)."""

import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from ipaddress import IPv6Address
from pathlib import Path

from sextant_agent.drivers.srv6.answers import DaemonRead
from sextant_agent.drivers.srv6.driver import Srv6Driver
from sextant_agent.kit.line_client import LineClient
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.lane import Lane, lane_name
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredNf, HostContent
from sextant_domain.hosts.path import ChainPath, PathSegment

from agent.tests.srv6_host import Srv6Host, join

CHAIN, PART = "web", "web-part-2"
MPPS = 0.01
KINDS = ("simple-forward", "simple-forward")
SEGMENTS = (
    PathSegment(sid=IPv6Address("fc00:0:1:7::1"), nf_id=f"{CHAIN}.nf-0"),
    PathSegment(sid=IPv6Address("fc00:0:2:7::1"), nf_id=f"{PART}.nf-1"),
    PathSegment(sid=IPv6Address("fc00:0:2:7::f")),
)
PATH = ChainPath(tag=7, source=IPv6Address("fc00:0:1::"), segments=SEGMENTS, mtu=9000)
STILL_S = 0.5
PASSED = frozenset({"wrapped", "given", "returned", "unwrapped", "mirrors_lost", "returns_lost"})
"""Counts of packets that went on; all others are of packets that were refused."""


@dataclass(frozen=True)
class Place:
    """By the names of its hosts."""

    name: str
    hosts: tuple[str, ...]


PLACES = (Place("on one host", ("edge-1",)), Place("over two hosts", ("edge-1", "edge-2")))


def lane_orders(place: Place, weights: tuple[int, ...], *, paused: bool = False) -> list[tuple[int, HostContent]]:
    """Of each host by its number, the one where lanes start first; where one goes, that is the last."""
    by_host: list[list[DesiredChain]] = [[] for _ in place.hosts]
    for host, chain in _chains(place, weights):
        by_host[host].append(chain.model_copy(update={"paused": paused}))
    orders = [(at, HostContent(host_id=place.hosts[at], chains=tuple(chains))) for at, chains in enumerate(by_host)]
    return orders[::-1] if len(weights) > 1 else orders


def _chains(place: Place, weights: tuple[int, ...]) -> Iterator[tuple[int, DesiredChain]]:
    for number in range(1, len(weights) + 1):
        name = lane_name(CHAIN, number)
        lane = None if len(weights) == 1 else Lane(of=CHAIN, number=number, weights=weights)
        rate = MPPS if lane is None else MPPS * lane.share
        traffic = Traffic(rate_mpps=rate, packet_bytes=600, flows=100, lane=lane)
        if number == 1 and len(place.hosts) > 1:
            yield 0, _chain(CHAIN, (0,), traffic, PATH.model_copy(update={"enters": True}))
            yield 1, _chain(PART, (1,), traffic, PATH.model_copy(update={"leaves": True}))
        else:
            yield len(place.hosts) - 1, _chain(name, (0, 1), traffic, None)


def _chain(name: str, positions: tuple[int, ...], traffic: Traffic, path: ChainPath | None) -> DesiredChain:
    """On the last core, as nothing else but the first lane."""
    core = max(os.sched_getaffinity(0))
    nfs = tuple(
        DesiredNf(nf_id=f"{name}.nf-{at}", nf_type=KINDS[at], nf_version=1, config={"loops": 0}, core=core, slot=at)
        for at in positions
    )
    return DesiredChain(chain=name, nfs=nfs, ingress=Ingress(), egress=Egress(), traffic=traffic, path=path)


class Standing:
    """The hosts of a place, and a driver of each."""

    def __init__(self, place: Place, hosts: Sequence[Srv6Host], folder: Path) -> None:
        self.place, self._folder = place, folder
        if len(hosts) > 1:
            join(*hosts)
        for host in hosts:
            for made in (folder / host.name, self._sockets(host.name)):
                made.mkdir(mode=0o700)
        self.drivers = [
            Srv6Driver(host.name, folder / host.name, host.place, socket_dir=self._sockets(host.name)) for host in hosts
        ]
        self._daemons = [LineClient(host.socket, host.name) for host in hosts]
        self._before: list[tuple[int, int, int]] = []
        self._still_since = time.monotonic()

    @classmethod
    @contextmanager
    def on(cls, place: Place, hosts: Sequence[Srv6Host], folder: Path) -> Iterator["Standing"]:
        """All chains are gone afterwards."""
        there = cls(place, hosts, folder)
        try:
            yield there
        finally:
            there.order([(at, HostContent(host_id=host)) for at, host in enumerate(place.hosts)])
            for driver in there.drivers:
                driver.close()

    def order(self, orders: Sequence[tuple[int, HostContent]]) -> list[str]:
        """One host after the other, each until nothing is left to do, as its agent does; what was done."""
        done: list[str] = []
        for at, content in orders:
            while True:
                report = self.drivers[at].apply(content)
                if report.failures:
                    raise RuntimeError(str(report.failures))
                if not report.done:
                    break
                done += report.done
        return done

    def counted(self) -> list[tuple[int, int, int]]:
        """Of each lane that stands: packets sent, packets that came out, and those that its NFs dropped."""
        samples = [driver.sample() for driver in self.drivers]
        chains = {name: found for sample in samples for name, found in sample.chains.items()}
        drops: Counter[str] = Counter()
        for nf in (nf for sample in samples for nf in sample.nfs.values()):
            drops[CHAIN if nf.chain == PART else nf.chain] += nf.drops + nf.filtered
        return [
            (found.sent, chains[PART if name == CHAIN and PART in chains else name].delivered, drops[name])
            for name, found in sorted(chains.items())
            if name != PART
        ]

    def is_still(self) -> bool:
        """Nothing was sent, and nothing came out, for a while in which it was asked again and again."""
        before, self._before = self._before, self.counted()
        if before != self._before:
            self._still_since = time.monotonic()
        return time.monotonic() - self._still_since > STILL_S

    def refused(self) -> Counter[str]:
        """Packets by cause, of all hosts together."""
        found: Counter[str] = Counter()
        for daemon in self._daemons:
            counts = daemon.ask(DaemonRead, "read").counts
            found.update({cause: count for cause, count in counts.items() if cause not in PASSED})
        return found

    def entering(self, weights: tuple[int, ...]) -> list[DesiredChain]:
        """Those whose packets enter, as ordered."""
        chains = [chain for _, content in lane_orders(self.place, weights) for chain in content.chains]
        return [chain for chain in chains if chain.path is None or chain.path.enters]

    def sources(self) -> dict[str, Path]:
        """Control sockets, by chain."""
        found = {}
        for host in self.place.hosts:
            record = json.loads((self._folder / host / "srv6" / "record.json").read_text())
            for name, entry in record["chains"].items():
                if entry["packet_source"] is not None:
                    found[name] = self._sockets(host) / f"{entry['packet_source']['number']}.sock"
        return found

    def _sockets(self, host: str) -> Path:
        return self._folder / f"s-{host}"
