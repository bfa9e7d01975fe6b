"""Where orders may be sent. A host says itself where its agent listens, so it could name anything that this machine
reaches: the cloud's metadata, a neighbour's management port, the console's own database.

A name is judged by what it resolves to at the moment of connecting, and that very address is connected to: a second
answer of the name server (DNS rebinding) changes nothing.
"""

import socket
from collections.abc import Callable, Iterator
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

from sextant_domain.problem import NextAction
from sqlalchemy.engine import make_url

from sextant_backend.settings import Settings, get_settings
from sextant_backend.settings.addresses import checked_origin, networks

NEXT = (
    NextAction(label="On the host, set SEXTANT_AGENT_URL to where its agent is reached, then start the agent again"),
    NextAction(label="Or allow its network: SEXTANT_AGENT_NETWORKS of fleet listener, console and workers"),
)
Address = IPv4Address | IPv6Address
HTTPS = 443
_NAT64 = IPv6Network("64:ff9b::/96")
_THIS_NETWORK = IPv4Network("0.0.0.0/8")
_METADATA = frozenset(map(ip_address, ("169.254.169.254", "fd00:ec2::254", "100.100.100.200", "168.63.129.16")))
"""Where clouds serve a machine its secrets; the last three are in networks that may be allowed."""
_POSTGRESQL = 5432
_PORTS = {"redis": 6379, "rediss": 6379, "http": 80, "https": HTTPS}


class ForbiddenDestination(OSError):
    """Nothing is sent there: why."""


def check_url(url: str) -> None:
    """Raises ValueError for what is no origin, ForbiddenDestination for an address that no agent may have."""
    parts = urlsplit(checked_origin(url))
    try:
        address = ip_address(parts.hostname or "")
    except ValueError:
        return  # a name: what it stands for is judged when it is connected to
    _check(address, parts.port or HTTPS)


def resolved(host: str, port: int) -> list[str]:
    """The addresses behind a host that orders may be sent to now; raises as `judged`."""
    return judged(host, port, _check)


def judged(host: str, port: int, check: Callable[[Address, int], None]) -> list[str]:
    """The addresses behind a host that pass the check now; raises ForbiddenDestination where there is none, and
    socket.gaierror where the name is unknown."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    refused: list[ForbiddenDestination] = []
    allowed = []
    for _family, _type, _protocol, _name, where in found:
        try:
            check(ip_address(where[0]), port)
        except ForbiddenDestination as error:
            refused.append(error)
        else:
            allowed.append(str(where[0]))
    if not allowed:
        raise refused[0]
    return allowed


def _check(given: Address, port: int) -> None:
    settings, address = get_settings(), inner(given)
    if (kind := never(address)) is not None:
        raise ForbiddenDestination(f"{given} is {kind}: no agent is there")
    if not any(address in network for network in networks(settings.agent_networks)):
        raise ForbiddenDestination(f"{given} is in none of the networks that SEXTANT_AGENT_NETWORKS allows")
    if (what := own_service(address, port)) is not None:
        raise ForbiddenDestination(f"{given} port {port} is the {what} of this installation")


def own_service(address: Address, port: int) -> str | None:
    """Which of this installation's own servers listens there."""
    services = _own(get_settings())
    return next((what for what, host, own in services if port == own and address in _behind(host, address)), None)


def inner(address: Address) -> Address:
    """What an IPv6 form of an IPv4 address stands for."""
    if isinstance(address, IPv4Address):
        return address
    inner = address.ipv4_mapped or address.sixtofour
    if inner is None and address in _NAT64:
        inner = IPv4Address(int(address) & 0xFFFF_FFFF)
    return inner or address


def never(address: Address) -> str | None:
    """What makes an address one that nothing is ever sent to."""
    if address in _METADATA:
        return "a cloud's metadata service"
    if address.is_unspecified or address in _THIS_NETWORK:
        return "unspecified"
    if address.is_link_local:
        return "link-local"
    if address.is_multicast:
        return "multicast"
    if isinstance(address, IPv4Address) and address.is_reserved:
        return "reserved"
    return None


def _own(settings: Settings) -> Iterator[tuple[str, str, int]]:
    """What this installation itself listens at: what it is, host, port. A unix socket is no destination."""
    yield from (("database", host, port) for host, port in _databases(settings.database_url))
    urls = (("queue", settings.redis_url), ("fleet listener", settings.fleet_url), ("console", settings.console_url))
    for what, url in urls:
        parts = urlsplit(url or "")
        if parts.hostname:
            yield what, parts.hostname, parts.port or _PORTS.get(parts.scheme, HTTPS)


def _databases(url: str) -> Iterator[tuple[str, int]]:
    """Where PostgreSQL listens: in the address itself, or as `?host=name:port`, once for each of its standbys, too."""
    database = make_url(url)
    named = database.query.get("host", ())
    if database.host:
        yield database.host, database.port or _POSTGRESQL
    for one in (named,) if isinstance(named, str) else named:
        host, _, port = one.partition(":")
        if not host.startswith("/"):
            yield host, int(port) if port.isdecimal() else database.port or _POSTGRESQL


def _behind(host: str, address: Address) -> set[Address]:
    """The addresses of one of our listeners, `address` among them where both are this machine: a listener that is
    configured by one of its addresses may have others."""
    try:
        own = {inner(ip_address(where[4][0])) for where in socket.getaddrinfo(host, None)}
    except OSError:
        return set()
    return own | {address} if _is_here(address) and any(map(_is_here, own)) else own


def _is_here(address: Address) -> bool:
    """Whether it is one of this machine's: only then a socket can be bound to it."""
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    if address.is_unspecified:
        return True
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.bind((str(address), 0))
    except OSError:
        return False
    return True
