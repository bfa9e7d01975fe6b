"""The path of a chain as this host carries it: ordered where its packets pass other hosts, else made here. Pure."""

from collections.abc import Collection
from ipaddress import IPv6Address, IPv6Network

from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.path import MAX_SEGMENTS, MAX_TAG, ChainPath, PathSegment

from sextant_agent.contract.errors import DriverError

MOST_NFS = MAX_SEGMENTS - 1
"""The last segment is where packets leave."""
_TAG_AT = 64
"""Bit of an address: /48, 16 bits of the tag, the place on the path."""


def path_of(chain: DesiredChain, locator: IPv6Network, tag: int, mtu: int) -> ChainPath:
    """`tag` and `mtu`: of a chain that is all here. Raises DriverError where it is too long: trying again does not
    help."""
    if chain.path is not None:
        return chain.path
    if len(chain.nfs) > MOST_NFS:
        why = f"a packet has room for {MOST_NFS} NFs' measurements, and the chain has {len(chain.nfs)}: divide it"
        raise DriverError(why, permanent=True)
    base = int(locator.network_address) + (tag << _TAG_AT)
    places = [*(nf.nf_id for nf in chain.nfs), None]
    segments = [PathSegment(sid=IPv6Address(base + at), nf_id=nf_id) for at, nf_id in enumerate(places, start=1)]
    return ChainPath(
        tag=tag, source=locator.network_address, segments=tuple(segments), mtu=mtu, enters=True, leaves=True
    )


def sids_after(path: ChainPath, here: Collection[str]) -> list[IPv6Address]:
    """Segments that packets go to from here: from the edge, and from NFs of this host."""
    sids = [segment.sid for segment in path.segments]
    after = [sids[at + 1] for at, segment in enumerate(path.segments) if segment.nf_id in here]
    return [*(sids[:1] if path.enters else []), *after]


def device_of(place: int) -> int:
    """How measurements name the NF at a place of the path, from 0."""
    return place + 1


def free_tag(taken: Collection[int]) -> int:
    """The lowest. Raises DriverError."""
    for tag in range(1, MAX_TAG + 1):
        if tag not in taken:
            return tag
    raise DriverError(f"all {MAX_TAG} tags of chains are taken on this host")
