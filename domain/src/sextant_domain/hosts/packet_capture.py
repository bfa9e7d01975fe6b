"""Packets that measured themselves, as they leave a chain: the next few, decoded, with the bytes of their headers."""

from datetime import datetime
from ipaddress import IPv6Address
from typing import Annotated, Literal

from pydantic import Field

from sextant_domain.base import Frozen, Name, NfId, StrictInt

MOST_PACKETS = 100
USUAL_PACKETS = 20
WAIT_S = 2.0
"""For packets to come; as many as came by then are answered."""
_HEADER_DIGITS = 2 * 184
"""Hexadecimal, of the outer headers with eight segments, 56 + 16 x 8 bytes."""

Count32 = Annotated[StrictInt, Field(ge=0, lt=2**32)]


class CaptureOrder(Frozen):
    """Body of POST /v1/captures."""

    chain: Name
    """On this host; its packets leave here."""
    packets: StrictInt = Field(default=USUAL_PACKETS, ge=1, le=MOST_PACKETS)


class CapturedHop(Frozen):
    """What a packet says of one NF; a figure that packets do not collect is left out."""

    nf_id: NfId
    device: StrictInt | None = Field(default=None, ge=0, lt=2**16)
    """The NF's place on the path, from 1."""
    in_time_us: Count32 | None = None
    """When its host got the packet: the lower 32 bits of microseconds on the TAI clock."""
    nf_latency_us: float | None = Field(default=None, ge=0)
    """How long the NF had it."""
    queue_length: StrictInt | None = Field(default=None, ge=0)
    port_counter: Count32 | None = None
    """Packets that the NF had been given by then, this one included, modulo 2^32."""


class CapturedPacket(Frozen):
    """The outer headers of one packet, which its tenant does not get."""

    tag: StrictInt = Field(ge=0, lt=2**16)
    flow_label: StrictInt = Field(ge=0, lt=2**20)
    """Equal for the packets of a flow."""
    source: IPv6Address
    """The edge where it entered."""
    hop_limit: StrictInt = Field(ge=0, lt=256)
    inner: Literal["ipv4", "ipv6"]
    """What the tenant sent."""
    detection_us: float = Field(ge=0)
    """How long the last NF had the packet before this one."""
    path: tuple[CapturedHop, ...] = Field(max_length=8)
    """In order of travel."""
    headers: str = Field(max_length=_HEADER_DIGITS, pattern="^([0-9a-f]{2})*$")
    """As they were on the wire, from the IPv6 header on, in hexadecimal digits."""


class PacketCapture(Frozen):
    """What came within the time that was waited."""

    chain: Name
    host: Name
    """Where they leave."""
    taken_at: datetime
    asked_for: StrictInt = Field(ge=1, le=MOST_PACKETS)
    packets: tuple[CapturedPacket, ...] = Field(max_length=MOST_PACKETS)
