"""load-balancer."""

from collections.abc import Iterator
from ipaddress import ip_address, ip_network
from typing import Any

from sextant_domain.chains.nf import NfType
from sextant_domain.problem import FieldError

from sextant_backend.modules.nfs.catalogue.schema import ADDRESS, PREFIX, closed_object, idle_timeout, whole_number

TYPE = NfType(
    name="load-balancer",
    version=1,
    short_name="balancer",
    summary="Spreads flows to a virtual address over backends by Maglev hashing",
    library="Maglev hashing (own code), rte_hash",
    config_schema=closed_object(
        vip_prefix={
            **PREFIX,
            "default": "192.168.0.0/16",
            "description": "Virtual addresses: destinations that are balanced; packets to others pass as they are",
        },
        protocol={"enum": ["any", "tcp", "udp"], "default": "any", "description": "Balanced protocol"},
        port={
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": 65_535,
            "default": None,
            "description": "Balanced destination port; null: every port",
        },
        backends={
            "type": "array",
            "changeable": True,
            "minItems": 1,
            "maxItems": 256,
            "default": [{"address": f"10.200.0.{number}", "weight": 1} for number in (1, 2, 3, 4)],
            "items": closed_object(
                ["address"],
                address=ADDRESS,
                weight=whole_number(1, 1, 100, "Share of the flows, relative to the others"),
            ),
            "description": "Distinct addresses outside the virtual ones",
        },
        table_size={
            "enum": [251, 4093, 65_537, 655_373],
            "default": 65_537,
            "description": "Places of Maglev's table, a prime: a hundred for each backend spread flows within 1 %",
        },
        connection_table_entries={
            "type": "integer",
            "anyOf": [{"const": 0}, {"minimum": 64}],
            "maximum": 1_048_576,
            "default": 0,
            "description": "Flows that keep their backend while others come and go; 0: none, a change moves a few",
        },
        idle_timeout_s=idle_timeout("a flow is forgotten"),
    ),
)


def more_errors(config: dict[str, Any], at: str) -> Iterator[FieldError]:
    """What the runner would refuse, said where the chain is written."""
    whole_config = {**TYPE.default_config(), **config}
    vip = ip_network(whole_config["vip_prefix"], strict=False)
    seen: dict[str, int] = {}
    for number, backend in enumerate(whole_config["backends"]):
        address, field = backend["address"], f"{at}.backends.{number}.address"
        if ip_address(address) in vip:
            yield FieldError(field=field, message=f"{address} lies inside vip_prefix, {vip}")
        if address in seen:
            yield FieldError(field=field, message=f"{address} is that of backend {seen[address]} already")
        seen.setdefault(address, number)
    if len(whole_config["backends"]) > whole_config["table_size"]:
        yield FieldError(field=f"{at}.table_size", message="has fewer places than there are backends")
