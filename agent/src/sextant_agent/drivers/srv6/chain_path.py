"""The path of a chain as this host carries it: ordered where its packets pass other hosts, else made here. Pure."""

from collections.abc import Collection
from ipaddress import IPv6Address, IPv6Network

from sextant_domain.chains.part import MAX_PATH_NFS, MIN_FLEET_TAG
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.path import ChainPath, PathSegment, sid_of

from sextant_agent.contract.errors import DriverError


def path_of(chain: DesiredChain, locator: IPv6Network, tag: int, mtu: int) -> ChainPath:
    """`tag` and `mtu`: of a chain that is all here. Raises DriverError where it is too long: trying again does not
    help."""
    if chain.path is not None:
        return chain.path
    if len(chain.nfs) > MAX_PATH_NFS:
        why = f"a packet has room for {MAX_PATH_NFS} NFs' measurements, and the chain has {len(chain.nfs)}: divide it"
        raise DriverError(why, permanent=True)
    places = [*(nf.nf_id for nf in chain.nfs), None]
    segments = [PathSegment(sid=sid_of(locator, tag, at), nf_id=nf_id) for at, nf_id in enumerate(places, start=1)]
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
    """The lowest of those that the console gives to no chain over several hosts. Raises DriverError."""
    for tag in range(1, MIN_FLEET_TAG):
        if tag not in taken:
            return tag
    raise DriverError(f"all {MIN_FLEET_TAG - 1} tags of chains are taken on this host")
