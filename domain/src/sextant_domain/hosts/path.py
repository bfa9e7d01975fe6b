"""The way of a chain's packets over several hosts, as each of them is ordered to carry its part (SRv6-INT)."""

from ipaddress import IPv6Address
from typing import Self

from pydantic import Field, model_validator

from sextant_domain.base import Frozen, NfId

MAX_SEGMENTS = 8
MAX_TAG = 0xFFFF
MIN_MTU, MAX_MTU = 1280, 65535
"""The least that IPv6 passes by anything."""


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
