"""Where a request comes from, as limits count it."""

from ipaddress import IPv6Address, ip_address, ip_network

from starlette.types import Scope

UNKNOWN = "unknown"


def client_of(scope: Scope) -> str:
    """The address of the peer, or the one that a trusted proxy forwards. Of IPv6 the network of 64 bits: one machine
    has all of its addresses."""
    host: str = (scope.get("client") or (UNKNOWN,))[0]
    try:
        address = ip_address(host)
    except ValueError:
        return host[:64] or UNKNOWN
    if not isinstance(address, IPv6Address):
        return str(address)
    return str(address.ipv4_mapped or ip_network((address, 64), strict=False))
