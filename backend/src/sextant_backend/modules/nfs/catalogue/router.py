"""router."""

from collections.abc import Iterator
from typing import Any

from sextant_domain.chains.nf import ArtefactKind, NfType
from sextant_domain.problem import FieldError

from sextant_backend.modules.nfs.catalogue.schema import (
    EITHER_PREFIX,
    MAX_ENTRIES,
    SEED,
    closed_object,
    count,
    file_by_digest,
    prefix_errors,
)

MAX_IPV6_ROUTES = 1000
"""The data plane compares them one by one."""

_NEXT_HOP = {"minimum": 0, "maximum": 65535}

TYPE = NfType(
    name="router",
    version=2,
    short_name="router",
    summary="Forwards by longest prefix of the destination, decrements TTL",
    library="rte_lpm",
    config_schema=closed_object(
        routes={
            "type": "array",
            "maxItems": MAX_ENTRIES,
            "default": [{"prefix": "192.168.0.0/16", "next_hop": 1}],
            "items": closed_object(
                ["prefix", "next_hop"], prefix=EITHER_PREFIX, next_hop={"type": "integer", **_NEXT_HOP}
            ),
            "description": f"Longest prefix wins; at most {MAX_IPV6_ROUTES} are of IPv6, with those of the file",
        },
        routes_file=file_by_digest("Routes after those of the list; of the same prefix the last one stays"),
        default_next_hop={
            "type": ["integer", "null"],
            **_NEXT_HOP,
            "default": 0,
            "description": "Where no prefix matches; null: such packets are filtered",
        },
        synthetic_routes=count(1000, "Generated prefixes outside the given ones, for a table of realistic size"),
        seed=SEED,
    ),
    artefacts=(
        ArtefactKind(
            name="routes_file",
            description="Text: `192.168.0.0/16 7` (prefix, next hop) a line, '#' starts a comment;"
            " at most 1,000,000 routes, 1000 of them of IPv6",
            max_bytes=32 * 2**20,
        ),
    ),
)


def more_errors(config: dict[str, Any], at: str) -> Iterator[FieldError]:
    """Prefixes that are none, and too many of IPv6."""
    prefixes = [route["prefix"] for route in config.get("routes", [])]
    for number, prefix in enumerate(prefixes):
        yield from prefix_errors(prefix, f"{at}.routes.{number}.prefix")
    of_ipv6 = sum(":" in prefix for prefix in prefixes)
    if of_ipv6 > MAX_IPV6_ROUTES:
        message = f"{of_ipv6} routes of IPv6, at most {MAX_IPV6_ROUTES} fit into its table; summarise some of them"
        yield FieldError(field=f"{at}.routes", message=message)
