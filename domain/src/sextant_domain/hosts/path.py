"""The way of a chain's packets over several hosts, as each of them is ordered to carry its part (SRv6-INT)."""

from ipaddress import IPv6Address, IPv6Network
from typing import Self

from pydantic import Field, model_validator

from sextant_domain.base import Frozen, NfId

MAX_SEGMENTS = 8
MAX_TAG = 0xFFFF
MIN_MTU, MAX_MTU = 1280, 65535
"""The least that IPv6 passes by anything."""


HEADER_BYTES = 56
SEGMENT_BYTES = 16
"""What is put around the inner packet, and for each segment more (docs/contracts/srv6.md)."""
TAG_AT = 64
"""Bit of a segment's address: a prefix of 48 bits, 16 of the tag, the place on the path."""


def needed_mtu(largest: int, segments: int) -> int:
    """Of each link on the path. `largest`: bytes of the packet at IP."""
    return largest + HEADER_BYTES + SEGMENT_BYTES * segments


def sid_of(locator: IPv6Network, tag: int, place: int) -> IPv6Address:
    """The segment of a host at a place on the path, from 1."""
    return IPv6Address(int(locator.network_address) + (tag << TAG_AT) + place)


class PathLink(Frozen):
    """A port of a host to others, and who is reached by it."""

    port: str = Field(min_length=1, max_length=15)
    mtu: int = Field(ge=MIN_MTU, le=MAX_MTU)
    to: tuple[IPv6Network, ...] = Field(max_length=1000)


class PathPlace(Frozen):
    """What a host is among those that exchange measured packets, as its agent says."""

    locator: IPv6Network
    """Its segments' prefix; its edges send from the first address."""
    mtu: int = Field(ge=MIN_MTU, le=MAX_MTU)
    """Between its own parts."""
    sources: tuple[IPv6Address, ...] = Field(default=(), max_length=1000)
    """Edges of other hosts whose packets may pass here."""
    links: tuple[PathLink, ...] = Field(default=(), max_length=64)

    @property
    def source(self) -> IPv6Address:
        """What its edges send from."""
        return self.locator.network_address

    def links_to(self, other: IPv6Network) -> tuple[PathLink, ...]:
        """By which another host's segments are reached, the preferred one first: each of them may be taken."""
        return tuple(link for link in self.links if any(other.subnet_of(prefix) for prefix in link.to))

    def believes(self, source: IPv6Address) -> bool:
        """Whether packets from this edge may pass."""
        return source == self.source or source in self.sources


class PathSegment(Frozen):
    """A place on the path."""

    sid: IPv6Address
    nf_id: NfId | None = None
    """The NF there; None: where packets leave."""


class ChainPath(Frozen):
    """Of one chain; the same on all of its hosts but for `enters` and `leaves`."""

    tag: int = Field(ge=1, le=MAX_TAG)
    """The chain's, among all of the fleet."""
    source: IPv6Address
    """Of the edge where its packets are wrapped: other hosts believe packets of theirs alone."""
    segments: tuple[PathSegment, ...] = Field(min_length=2, max_length=MAX_SEGMENTS)
    """In the order of travel."""
    mtu: int = Field(ge=MIN_MTU, le=MAX_MTU)
    """Of its narrowest link, the headers counted in."""
    enters: bool = False
    """Its packets enter here."""
    leaves: bool = False
    """They leave here."""

    @property
    def chains(self) -> tuple[str, ...]:
        """Names of all parts, in the order of travel."""
        return tuple(dict.fromkeys(one.nf_id.split(".", 1)[0] for one in self.segments if one.nf_id is not None))

    @model_validator(mode="after")
    def _ends_once(self) -> Self:
        nf_ids = [segment.nf_id for segment in self.segments]
        if nf_ids[-1] is not None or None in nf_ids[:-1]:
            raise ValueError("segments: each but the last is an NF's, and the last is where packets leave")
        for field, values in (("nf_id", nf_ids), ("sid", [segment.sid for segment in self.segments])):
            for index, value in enumerate(values):
                if value in values[:index]:
                    raise ValueError(f"segments.{index}.{field}: {value} stands twice on the path")
        return self
