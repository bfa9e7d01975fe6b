"""Addresses as they stand in settings, refused where they are none. No message repeats one: two hold passwords."""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

_NAME = re.compile(r"(?!-)[A-Za-z0-9-]{1,63}(?<!-)(\.(?!-)[A-Za-z0-9-]{1,63}(?<!-))*")


def checked_server(url: str, schemes: Iterable[str]) -> str:
    """`url` itself; ValueError where its scheme is none of these, or its port is none."""
    known = " or ".join(f"{scheme}://" for scheme in schemes)
    if urlsplit(url).scheme not in schemes:
        raise ValueError(f"must begin with {known}")
    try:
        _ = urlsplit(url).port
    except ValueError:
        raise ValueError(
            "its port is no number from 0 to 65535: write / : @ # and ? of a password as %2F %3A %40 %23 and %3F"
        ) from None
    return url


def checked_origin(url: str) -> str:
    """`url` itself, https://HOST or https://HOST:PORT with an IPv6 address in brackets; ValueError otherwise."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(_ORIGIN) from None
    if parts.scheme != "https" or not _is_host(parts) or port == 0 or parts.netloc.endswith(":"):
        raise ValueError(_ORIGIN)
    if parts.path or parts.query or parts.fragment or parts.username is not None:
        raise ValueError(_ORIGIN)
    return url


def checked_issuer(url: str) -> str:
    """`url` itself, https://HOST/PATH, or http:// on this machine; ValueError otherwise."""
    return _checked_web(url, _ISSUER, with_path=True)


def checked_web_origin(url: str) -> str:
    """`url` itself, https://HOST:PORT, or http:// on this machine; ValueError otherwise."""
    return _checked_web(url, _WEB_ORIGIN, with_path=False)


def _checked_web(url: str, form: str, *, with_path: bool) -> str:
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise ValueError(form) from None
    schemes = ("https", "http") if _is_here(parts.hostname or "") else ("https",)
    if parts.scheme not in schemes or not _is_host(parts) or port == 0 or parts.netloc.endswith(":"):
        raise ValueError(form)
    if parts.query or parts.fragment or parts.username is not None or _UNFIT.search(url) or url.endswith(("?", "#")):
        raise ValueError(form)
    if parts.path and not with_path:
        raise ValueError(form)
    return url


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


@lru_cache(maxsize=8)
def networks(text: str) -> tuple[IPv4Network | IPv6Network, ...]:
    """Networks by commas: `10.0.0.0/8,fc00::/7`; ValueError where one is none."""
    return tuple(ip_network(part.strip()) for part in text.split(","))


def checked_networks(text: str) -> str:
    """`text` itself; ValueError where a part of it is no network."""
    try:
        networks(text)
    except ValueError as error:
        raise ValueError(f"{error}: must read like 10.0.0.0/8,fc00::/7") from None
    return text


_UNFIT = re.compile(r"[^\x21-\x7e]|\\\\")
_ISSUER = "must read https://HOST/PATH, as the provider names itself; http:// on this machine only"
_WEB_ORIGIN = "must read https://HOST or https://HOST:PORT, without a path; http:// on this machine only"
_ORIGIN = "must read https://HOST:PORT, where HOST is a name, an IPv4 address or an [IPv6 address]"


def _is_host(parts: SplitResult) -> bool:
    host = parts.hostname or ""
    try:
        return isinstance(ip_address(host), IPv6Address) == parts.netloc.startswith("[")
    except ValueError:
        return len(host) <= 253 and _NAME.fullmatch(host) is not None and not host.split(".")[-1].isdigit()
