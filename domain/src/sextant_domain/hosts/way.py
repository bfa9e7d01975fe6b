"""Whether packets can go from part to part of a chain over several hosts, by what these hosts say of themselves."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.path import ChainPath, PathPlace, needed_mtu

ETHERNET_BYTES = 14


@dataclass(frozen=True)
class Obstacle:
    """What keeps packets from going that way."""

    part: int
    """Whose it is, from 0."""
    field: str
    """Of the part's specification: what to change about it."""
    reason: str
    relax: str


def mtu_of(parts: Sequence[ChainSpec], places: Mapping[str, PathPlace | None]) -> int | Obstacle:
    """Bytes that pass what is narrowest on the way of these packets, or the first obstacle. `parts`: all of a chain, in
    order, each of which names its host; `places`: of hosts of the fleet."""
    hosts = [part.ingress.host or "" for part in parts]
    found: list[PathPlace] = []
    for number, host in enumerate(hosts):
        place = places.get(host)
        if host not in places:
            return _of_host(number, f"host {host} is not in the fleet", "name a host of the fleet")
        if place is None:
            why = f"{host} does not say how other hosts reach it"
            return _of_host(number, why, "name hosts that have the capability over-hosts, with the newest agent")
        found.append(place)
    mtus = _mtus(hosts, found)
    if isinstance(mtus, Obstacle):
        return mtus
    narrowest = min(mtus, key=lambda where: mtus[where])
    segments = sum(len(part.nfs) for part in parts) + 1
    return _too_narrow(parts[0].traffic, segments, mtus[narrowest], narrowest) or mtus[narrowest]


def _of_host(number: int, reason: str, relax: str) -> Obstacle:
    return Obstacle(number, "ingress.host", reason, relax)


def _mtus(hosts: Sequence[str], places: Sequence[PathPlace]) -> dict[str, int] | Obstacle:
    """Of every link on the way and within each host, by words."""
    found = {f"within {host}": place.mtu for host, place in zip(hosts, places, strict=True)}
    both = zip(hosts, places, strict=True)
    for number, ((one, here), (other, there)) in enumerate(pairwise(both), start=1):
        links = here.links_to(there.locator)
        if not links:
            why = f"{one} does not reach {other}: no link in its srv6.toml leads to {there.locator}"
            return _of_host(number, why, f"add a [[link]] to {other} there, or choose hosts that reach each other")
        # A cut may lead packets over any of them while they flow.
        narrowest = min(links, key=lambda link: link.mtu)
        by = f" by {narrowest.port}" if len(links) > 1 else ""
        found[f"from {one} to {other}{by}"] = narrowest.mtu
    edge = places[0].source
    for number, (host, place) in enumerate(zip(hosts, places, strict=True)):
        if not place.believes(edge):
            why = f"{host} drops what {hosts[0]} sends: {edge} is none of its sources"
            return _of_host(number, why, f"add it to {host}'s srv6.toml")
    return found


def _too_narrow(traffic: Traffic, segments: int, mtu: int, where: str) -> Obstacle | None:
    frame = traffic.largest_packet_bytes
    needed = needed_mtu(frame - ETHERNET_BYTES, segments)
    if needed <= mtu:
        return None
    sum_text = f"{frame} - {ETHERNET_BYTES} + 56 + 16 x {segments}"
    why = f"its largest packets need an MTU of {needed} ({sum_text}), and {where} it is {mtu}"
    relax = f"send packets of {frame - needed + mtu} bytes at most, or raise that MTU and say so in srv6.toml"
    field = "traffic.packet_bytes" if traffic.sizes is None else "traffic.sizes"
    return Obstacle(0, field, why, relax)


def too_narrow_for(traffic: Traffic, path: ChainPath) -> Obstacle | None:
    """Whether packets of that traffic are too large for a path that is ordered."""
    return _too_narrow(traffic, len(path.segments), path.mtu, "on its path")
