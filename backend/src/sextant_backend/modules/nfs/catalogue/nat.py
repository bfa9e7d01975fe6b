"""nat."""

from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

from sextant_domain.chains.nf import NfType
from sextant_domain.problem import FieldError

from sextant_backend.modules.nfs.catalogue.schema import PREFIX, closed_object, idle_timeout, whole_number

_LARGEST_POOL = 256

TYPE = NfType(
    name="nat",
    version=1,
    short_name="nat",
    summary="Gives every flow from inside a public address and port of its own",
    library="rte_hash, rte_bitmap",
    config_schema=closed_object(
        inside_prefixes={
            "type": "array",
            "minItems": 1,
            "maxItems": 16,
            "items": PREFIX,
            "default": ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"],
            "description": "Sources that are translated (RFC 1918); packets of others pass as they are",
        },
        public_prefix={
            **PREFIX,
            "default": "203.0.113.0/28",
            "description": "Public addresses, at most 256, outside every inside prefix",
        },
        first_port=whole_number(1024, 1, 65_535, "Lowest port given to flows"),
        last_port=whole_number(65_535, 1, 65_535, "Highest port given to flows"),
        flow_table_entries=whole_number(
            65_536, 64, 1_048_576, "Flows translated at a time; while the table is full, packets of others are filtered"
        ),
        idle_timeout_s=idle_timeout("a flow gives up its port"),
    ),
)


def more_errors(config: dict[str, Any], at: str) -> Iterator[FieldError]:
    """What the runner would refuse, said where the chain is written."""
    whole_config = {**TYPE.default_config(), **config}
    pool = ip_network(whole_config["public_prefix"], strict=False)
    if pool.num_addresses > _LARGEST_POOL:
        yield FieldError(field=f"{at}.public_prefix", message=f"has {pool.num_addresses} addresses, more than 256")
    for inside in whole_config["inside_prefixes"]:
        if ip_network(inside, strict=False).overlaps(pool):
            yield FieldError(field=f"{at}.public_prefix", message=f"overlaps {inside} of inside_prefixes")
    first, last = whole_config["first_port"], whole_config["last_port"]
    if first > last:
        yield FieldError(field=f"{at}.first_port", message=f"{first} is above last_port, {last}")
