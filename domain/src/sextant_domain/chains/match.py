"""Which packets enter a chain: prefixes of one address family, a protocol, a port.

Prefixes are compared and written as Python's `ipaddress` does: IPv6 text is canonical (RFC 5952).
"""

from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Annotated, Literal

from pydantic import Field, PlainSerializer, PlainValidator, ValidationInfo, WithJsonSchema, field_validator

from sextant_domain.base import Frozen, StrictInt

IPV6 = "ipv6"
"""Capability: chains whose match is of IPv6 can run on the host."""
MAX_PREFIX_CHARACTERS = 49
"""An IPv6 address whose last 32 bits are written with dots (45), and `/128`."""

Network = IPv4Network | IPv6Network

NO_UNICAST = {
    IPv6Network("::ffff:0:0/96"): "IPv4-mapped, and no packet carries such an address; write the IPv4 prefix",
    IPv6Network("::/96"): "unspecified, loopback or IPv4-compatible, and no router forwards such an address",
    IPv6Network("fe80::/10"): "link-local, and no router forwards such an address",
    IPv6Network("ff00::/8"): "multicast, and a chain takes unicast packets",
}
"""IPv6 ranges of which no match may have an address, with the reason."""
_WIDEST = "all global unicast addresses are 2000::/3, all unique local ones fc00::/7"
_HEADER_BYTES = {(4, "udp"): 42, (4, "tcp"): 54, (6, "udp"): 62, (6, "tcp"): 74}
"""Ethernet (14), IPv4 (20) or IPv6 (40), and UDP (8) or TCP (20)."""


def read_prefix(text: object) -> Network:
    """A prefix of either family; ValueError with what to write instead."""
    if isinstance(text, IPv4Network | IPv6Network):
        return text
    if not isinstance(text, str) or len(text) > MAX_PREFIX_CHARACTERS:
        raise ValueError("an IPv4 or IPv6 prefix is needed, such as 192.168.0.0/16 or 2001:db8::/32")
    if "%" in text:
        raise ValueError("an address with a zone (%) means something on one host only; write a prefix without it")
    try:
        loose = ip_network(text, strict=False)
    except ValueError:
        raise ValueError(f"'{text}' is no prefix; write one such as 192.168.0.0/16 or 2001:db8::/32") from None
    try:
        return ip_network(text)
    except ValueError:
        raise ValueError(f"'{text}' has bits set behind its length; write {loose}") from None


def _refuse_special(prefix: Network) -> Network:
    for special, why in NO_UNICAST.items():
        if not isinstance(prefix, IPv6Network) or not prefix.overlaps(special):
            continue
        if prefix.subnet_of(special):
            raise ValueError(f"{prefix} is {why}")
        raise ValueError(f"{prefix} is too wide, since {special} in it is {why.split(',')[0]}; {_WIDEST}")
    return prefix


@lru_cache(maxsize=4096)
def _fit(text: str) -> Network:
    """Kept: a fleet's chains share few prefixes, and to read one takes ten times as long as all else of a match."""
    return _refuse_special(read_prefix(text))


Prefix = Annotated[
    Network,
    PlainValidator(lambda given: _fit(given) if isinstance(given, str) else _refuse_special(read_prefix(given))),
    PlainSerializer(str, return_type=str, when_used="json"),
    WithJsonSchema({"type": "string", "maxLength": MAX_PREFIX_CHARACTERS}),
]
"""An IPv4 prefix, or an IPv6 prefix of unicast addresses that routers forward; no bits behind its length."""


class Match(Frozen):
    """Which packets enter the chain: of IPv4 or of IPv6, never of both. The testbed's source generates exactly such
    packets."""

    src_prefix: Prefix = IPv4Network("10.0.0.0/8")
    """Of IPv4, or of IPv6: unicast addresses that routers forward, stored in the form of RFC 5952."""
    dst_prefix: Prefix = Field(default=IPv4Network("192.168.0.0/16"), validate_default=True)
    """Of the same address family as `src_prefix`."""
    protocol: Literal["udp", "tcp"] = "udp"
    dst_port: StrictInt | None = Field(default=None, ge=1, le=65535)
    """None: the source varies it."""

    @field_validator("dst_prefix")
    @classmethod
    def _is_of_the_same_family(cls, dst: Network, info: ValidationInfo) -> Network:
        src: Network | None = info.data.get("src_prefix")
        if src is not None and src.version != dst.version:
            raise ValueError(
                f"{dst} is of IPv{dst.version}, and src_prefix, {src}, of IPv{src.version}: a match has one address "
                "family; write both prefixes of one, and submit a second chain for the other"
            )
        return dst

    @property
    def version(self) -> Literal[4, 6]:
        """Of IP."""
        return self.src_prefix.version

    @property
    def header_bytes(self) -> int:
        """What a packet has before its payload: Ethernet, IP and UDP or TCP."""
        return _HEADER_BYTES[self.version, self.protocol]

    @property
    def text(self) -> str:
        """'udp 10.0.0.0/8 -> 192.168.0.0/16 port 53'."""
        port = "" if self.dst_port is None else f" port {self.dst_port}"
        return f"{self.protocol} {self.src_prefix} -> {self.dst_prefix}{port}"

    def overlaps(self, other: "Match") -> bool:
        """Whether some packet would be of both; of two families none is."""
        ports = {self.dst_port, other.dst_port}
        return (
            self.protocol == other.protocol
            and (len(ports) == 1 or None in ports)
            and _overlap(self.src_prefix, other.src_prefix)
            and _overlap(self.dst_prefix, other.dst_prefix)
        )


def _overlap(one: Network, other: Network) -> bool:
    return one.version == other.version and one.overlaps(other)
