"""The path of a chain: a segment for each NF, in the order in which packets meet them, and one where they leave."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from ipaddress import IPv6Address, IPv6Network

from sextant_agent.contract.errors import DriverError

MOST_SEGMENTS = 8
MOST_NFS = MOST_SEGMENTS - 1
"""The last segment is where packets leave."""
MOST_TAG = 0xFFFF
_TAG_AT = 64
"""Bit of an address: /48, 16 bits of the tag, the place on the path."""


@dataclass(frozen=True, slots=True)
class LocalPath:
    """On one host."""

    tag: int
    segments: tuple[IPv6Address, ...]
    """One for each NF, and the exit's."""

    @property
    def exit(self) -> IPv6Address:
        """Where packets leave."""
        return self.segments[-1]


def local_path(locator: IPv6Network, tag: int, nf_ids: Sequence[str]) -> LocalPath:
    """Raises DriverError where the chain is too long: trying again does not help."""
    if len(nf_ids) > MOST_NFS:
        why = f"a packet has room for {MOST_NFS} NFs' measurements, and the chain has {len(nf_ids)}: divide it"
        raise DriverError(why, permanent=True)
    base = int(locator.network_address) + (tag << _TAG_AT)
    return LocalPath(tag, tuple(IPv6Address(base + place) for place in range(1, len(nf_ids) + 2)))


def device_of(place: int) -> int:
    """How measurements name the NF at a place of the path, from 0."""
    return place + 1


def free_tag(taken: Collection[int]) -> int:
    """The lowest. Raises DriverError."""
    for tag in range(1, MOST_TAG + 1):
        if tag not in taken:
            return tag
    raise DriverError(f"all {MOST_TAG} tags of chains are taken on this host")
