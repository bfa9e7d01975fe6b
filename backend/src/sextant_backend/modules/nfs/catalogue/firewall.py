"""firewall."""

from collections.abc import Iterator
from typing import Any

from sextant_domain.chains.nf import ArtefactKind, NfType
from sextant_domain.problem import FieldError

from sextant_backend.modules.nfs.catalogue.schema import (
    EITHER_PREFIX,
    MAX_ENTRIES,
    PORT,
    SEED,
    Schema,
    closed_object,
    count,
    file_by_digest,
    prefix_errors,
)

RULE = closed_object(
    ["action"],
    action={"enum": ["allow", "deny"]},
    src=EITHER_PREFIX,
    dst=EITHER_PREFIX,
    protocol={"enum": ["udp", "tcp"]},
    dst_port={
        "type": "array",
        "prefixItems": [PORT, PORT],
        "minItems": 2,
        "maxItems": 2,
        "description": "First and last port, the first not above the last",
    },
)

FIRST_MATCH = "First match wins; what a rule does not name matches everything, of IPv4 and IPv6"
DEFAULT_ACTION: Schema = {"enum": ["allow", "deny"], "default": "allow", "description": "Where no rule matches"}

TYPE = NfType(
    name="firewall",
    version=2,
    short_name="firewall",
    summary="Allows or denies packets by addresses, protocol and port",
    library="rte_acl",
    config_schema=closed_object(
        rules={
            "type": "array",
            "maxItems": MAX_ENTRIES,
            "default": [],
            "items": RULE,
            "description": FIRST_MATCH,
        },
        rules_file=file_by_digest("Rules after those of the list"),
        default_action=DEFAULT_ACTION,
        synthetic_rules=count(100, "Generated deny rules that match none of the chain's packets"),
        seed=SEED,
    ),
    artefacts=(
        ArtefactKind(
            name="rules_file",
            description='Text: a rule a line as a JSON object, `{"action": "deny", "dst": "192.168.7.0/24"}`;'
            " '#' starts a comment; at most 20,000 rules with those of the list",
            max_bytes=4 * 2**20,
        ),
    ),
)


def more_errors(config: dict[str, Any], at: str) -> Iterator[FieldError]:
    """Ranges of ports that run backwards, prefixes that are none, and families that are mixed."""
    for number, rule in enumerate(config.get("rules", [])):
        ends = {end: rule[end] for end in ("src", "dst") if end in rule}
        for end, prefix in ends.items():
            yield from prefix_errors(prefix, f"{at}.rules.{number}.{end}")
        if len({":" in prefix for prefix in ends.values()}) > 1:
            message = "is of another address family than src; write a rule for each"
            yield FieldError(field=f"{at}.rules.{number}.dst", message=message)
        first, last = rule.get("dst_port", (0, 0))
        if first > last:
            yield FieldError(field=f"{at}.rules.{number}.dst_port", message=f"{first} is above {last}")
