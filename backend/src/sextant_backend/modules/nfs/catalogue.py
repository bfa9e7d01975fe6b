"""The NF types of the testbed's data plane (docs/contracts/runner.md), with the schemas of their configuration.

Every property has a default, so that an order names the whole configuration; every list and number has a bound, so
that no configuration outgrows the runner's tables.
"""

from collections.abc import Iterator
from typing import Any

from sextant_domain.nf import NfType
from sextant_domain.problem import FieldError

from sextant_backend.modules.nfs.catalogue_bubble import BUBBLE, bubble_errors
from sextant_backend.modules.nfs.catalogue_load_balancer import LOAD_BALANCER, load_balancer_errors
from sextant_backend.modules.nfs.catalogue_nat import NAT, nat_errors
from sextant_backend.modules.nfs.catalogue_parts import (
    PREFIX,
    ROUTES_FILE,
    RULES_FILE,
    Check,
    closed_object,
    file_setting,
)

_PORT = {"type": "integer", "minimum": 0, "maximum": 65535}
_SEED = {"type": "integer", "minimum": 0, "maximum": 2**32 - 1, "default": 1, "description": "Of the generated entries"}
_NEXT_HOP = {"minimum": 0, "maximum": 65535}
MAX_ENTRIES = 10_000


def _count(default: int, description: str) -> dict[str, Any]:
    return {
        "type": "integer",
        "minimum": 0,
        "maximum": MAX_ENTRIES,
        "default": default,
        "description": description,
    }


_ROUTER = closed_object(
    routes={
        "type": "array",
        "maxItems": MAX_ENTRIES,
        "default": [{"prefix": "192.168.0.0/16", "next_hop": 1}],
        "items": closed_object(["prefix", "next_hop"], prefix=PREFIX, next_hop={"type": "integer", **_NEXT_HOP}),
        "description": "Longest prefix wins",
    },
    routes_file=file_setting("Routes after those of the list; of the same prefix the last one stays"),
    default_next_hop={
        "type": ["integer", "null"],
        **_NEXT_HOP,
        "default": 0,
        "description": "Where no prefix matches; null: such packets are filtered",
    },
    synthetic_routes=_count(1000, "Generated prefixes outside the given ones, for a table of realistic size"),
    seed=_SEED,
)

_FIREWALL = closed_object(
    rules={
        "type": "array",
        "maxItems": MAX_ENTRIES,
        "default": [],
        "items": closed_object(
            ["action"],
            action={"enum": ["allow", "deny"]},
            src=PREFIX,
            dst=PREFIX,
            protocol={"enum": ["udp", "tcp"]},
            dst_port={
                "type": "array",
                "prefixItems": [_PORT, _PORT],
                "minItems": 2,
                "maxItems": 2,
                "description": "First and last port, the first not above the last",
            },
        ),
        "description": "First match wins; what a rule does not name matches everything",
    },
    rules_file=file_setting("Rules after those of the list"),
    default_action={"enum": ["allow", "deny"], "default": "allow", "description": "Where no rule matches"},
    synthetic_rules=_count(100, "Generated deny rules that match none of the chain's packets"),
    seed=_SEED,
)

_MONITOR = closed_object(
    flow_table_entries={
        "type": "integer",
        "minimum": 64,
        "maximum": 1_048_576,
        "default": 65_536,
        "description": "Flows counted one by one; a full table counts the rest together",
    }
)

_FORWARD = closed_object(
    loops={
        "type": "integer",
        "minimum": 0,
        "maximum": 100_000,
        "default": 0,
        "description": "Turns of a busy loop a packet, to make the NF as heavy as wanted",
    }
)

CATALOGUE: tuple[NfType, ...] = (
    NfType(
        name="basic-monitor",
        version=1,
        short_name="monitor",
        summary="Counts packets and bytes of every flow",
        library="rte_hash",
        config_schema=_MONITOR,
    ),
    BUBBLE,
    NfType(
        name="firewall",
        version=2,
        short_name="firewall",
        summary="Allows or denies packets by addresses, protocol and port",
        library="rte_acl",
        config_schema=_FIREWALL,
        artefacts=(RULES_FILE,),
    ),
    LOAD_BALANCER,
    NAT,
    NfType(
        name="router",
        version=2,
        short_name="router",
        summary="Forwards by longest prefix of the destination, decrements TTL",
        library="rte_lpm",
        config_schema=_ROUTER,
        artefacts=(ROUTES_FILE,),
    ),
    NfType(
        name="simple-forward",
        version=1,
        short_name="forward",
        summary="Hands every packet on, after a busy loop if one is asked for",
        library="own code",
        config_schema=_FORWARD,
    ),
)
"""Sorted by name."""

BY_NAME = {nf_type.name: nf_type for nf_type in CATALOGUE}

MAX_MESSAGE = 200


def config_errors(nf_type: NfType, config: dict[str, Any], at: str) -> tuple[FieldError, ...]:
    """What is wrong with `config`: by its schema, and by what a schema cannot say. Paths start with `at`."""
    errors = nf_type.config_errors(config, at)
    if not errors and nf_type.name in _CHECKS:
        errors = tuple(_CHECKS[nf_type.name](config, at))
    return tuple(FieldError(field=error.field, message=_short(error.message)) for error in errors)


def _firewall_errors(config: dict[str, Any], at: str) -> Iterator[FieldError]:
    for number, rule in enumerate(config.get("rules", [])):
        first, last = rule.get("dst_port", (0, 0))
        if first > last:
            yield FieldError(field=f"{at}.rules.{number}.dst_port", message=f"{first} is above {last}")


_CHECKS: dict[str, Check] = {
    "bubble": bubble_errors,
    "firewall": _firewall_errors,
    "load-balancer": load_balancer_errors,
    "nat": nat_errors,
}


def _short(message: str) -> str:
    """jsonschema repeats the value: of a list of thousands the beginning and what is wrong with it suffice."""
    half = MAX_MESSAGE // 2
    return message if len(message) <= MAX_MESSAGE else f"{message[:half]} ... {message[-half:]}"
