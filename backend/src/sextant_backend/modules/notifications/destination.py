"""Where messages may be sent. An administrator names the address, so it could be anything that this machine reaches:
the cloud's metadata, a neighbour's management port, the console's own database.

As for agents (`agents/destinations.py`), a name is judged by what it resolves to at the moment of connecting, and that
very address is connected to.
"""

from collections.abc import Sequence
from functools import partial
from ipaddress import IPv4Network, IPv6Address, IPv6Network

from sextant_backend.agents.destinations import Address, ForbiddenDestination, inner, judged, never, own_service

Networks = Sequence[IPv4Network | IPv6Network]


def resolved(host: str, port: int, allowed: Networks, *, encrypted: bool) -> list[str]:
    """The addresses behind a host that may be connected to now; raises ForbiddenDestination where there is none, and
    socket.gaierror where the name is unknown."""
    return judged(host, port, partial(check, allowed=allowed, encrypted=encrypted))


def check(given: Address, port: int, allowed: Networks, *, encrypted: bool) -> None:
    """Raises ForbiddenDestination for an address that nothing is sent to."""
    address = inner(given)
    if (kind := never(address)) is not None:
        raise ForbiddenDestination(f"{given} is {kind}: nothing is sent there")
    if (what := own_service(address, port)) is not None:
        raise ForbiddenDestination(f"{given} port {port} is the {what} of this installation")
    if any(address in network for network in allowed if network.version == address.version):
        return
    if not address.is_global or (isinstance(address, IPv6Address) and address.is_reserved):
        raise ForbiddenDestination(f"{given} is private, and in none of the networks that are allowed")
    if not encrypted:
        raise ForbiddenDestination(f"{given} is public: nothing is sent there without encryption; use https or TLS")
