"""The path that all parts of a chain over several hosts are ordered with.

Each part is pinned to its host, so the path follows from the parts' specifications and from what their hosts say of
each other; where its NFs stand on their hosts is each part's own affair.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.path import ChainPath, PathPlace, PathSegment, needed_mtu, sid_of

from sextant_engine.planning.draft import PlanDraft

ETHERNET_BYTES = 14


def path_of(draft: PlanDraft, spec: ChainSpec) -> ChainPath | tuple[str, str] | None:
    """What a part is ordered with; why there is no such path, and what helps; None of a chain that is all of one."""
    part = spec.part
    if part is None:
        return None
    parts = [draft.fleet.specs.get(name) for name in part.names]
    whole = [one for one in parts if one is not None and one.part is not None and one.part.tag == part.tag]
    if part.tag is None or len(whole) != part.count:
        return f"not all {part.count} parts of {part.of} are submitted together", f"delete {part.of} and submit it anew"
    hosts = [one.ingress.host or "" for one in whole]
    places = _places(draft, hosts)
    if not isinstance(places, Mapping):
        return places
    mtus = _mtus(places, hosts)
    if isinstance(mtus, tuple):
        return mtus
    segments = tuple(_segments(whole, [places[host] for host in hosts], part.tag))
    narrowest = min(mtus, key=lambda where: mtus[where])
    path = ChainPath(
        tag=part.tag,
        source=places[hosts[0]].source,
        segments=segments,
        mtu=mtus[narrowest],
        enters=part.enters,
        leaves=part.leaves,
    )
    return too_narrow(spec.traffic, path, narrowest) or path


def _places(draft: PlanDraft, hosts: Sequence[str]) -> dict[str, PathPlace] | tuple[str, str]:
    found: dict[str, PathPlace] = {}
    for host in hosts:
        known = draft.hosts.get(host)
        if known is None:
            return f"host {host} is not in the fleet", "name a host of the fleet"
        if known.inventory.path_place is None:
            why = f"{host} does not say how other hosts reach it"
            return why, "name hosts that have the capability over-hosts, with the newest agent"
        found[host] = known.inventory.path_place
    return found


def _mtus(places: Mapping[str, PathPlace], hosts: Sequence[str]) -> dict[str, int] | tuple[str, str]:
    """Of every link on the way and within each host, by words; or what is between two hosts, and what helps."""
    found = {f"within {host}": places[host].mtu for host in hosts}
    for one, other in pairwise(hosts):
        link = places[one].link_to(places[other].locator)
        if link is None:
            why = f"{one} does not reach {other}: no link in its srv6.toml leads to {places[other].locator}"
            return why, f"add a [[link]] to {other} there, or choose hosts that reach each other"
        found[f"from {one} to {other}"] = link.mtu
    edge = places[hosts[0]].source
    for host in hosts[1:]:
        if not places[host].believes(edge):
            return f"{host} drops what {hosts[0]} sends: {edge} is none of its sources", f"add it to {host}'s srv6.toml"
    return found


def _segments(parts: Sequence[ChainSpec], places: Sequence[PathPlace], tag: int) -> Iterator[PathSegment]:
    number = 0
    for spec, place in zip(parts, places, strict=True):
        for position in range(len(spec.nfs)):
            number += 1
            yield PathSegment(sid=sid_of(place.locator, tag, number), nf_id=spec.nf_id(position))
    yield PathSegment(sid=sid_of(places[-1].locator, tag, number + 1))


def too_narrow(traffic: Traffic, path: ChainPath, where: str) -> tuple[str, str] | None:
    """Why packets of that traffic are too large for the path, which is narrowest `where`, and what helps."""
    frame, segments, mtu = traffic.largest_packet_bytes, len(path.segments), path.mtu
    needed = needed_mtu(frame - ETHERNET_BYTES, segments)
    if needed <= mtu:
        return None
    sum_text = f"{frame} - {ETHERNET_BYTES} + 56 + 16 x {segments}"
    why = f"its largest packets need an MTU of {needed} ({sum_text}), and {where} it is {mtu}"
    return why, f"send packets of {frame - needed + mtu} bytes at most, or raise that MTU and say so in srv6.toml"
