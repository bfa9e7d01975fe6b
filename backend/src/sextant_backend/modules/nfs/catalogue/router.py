"""router."""

from sextant_domain.nf import NfType

from sextant_backend.modules.nfs.catalogue.schema import MAX_ENTRIES, PREFIX, SEED, closed_object, count

_NEXT_HOP = {"minimum": 0, "maximum": 65535}

TYPE = NfType(
    name="router",
    version=1,
    short_name="router",
    summary="Forwards by longest prefix of the destination, decrements TTL",
    library="rte_lpm",
    config_schema=closed_object(
        routes={
            "type": "array",
            "maxItems": MAX_ENTRIES,
            "default": [{"prefix": "192.168.0.0/16", "next_hop": 1}],
            "items": closed_object(["prefix", "next_hop"], prefix=PREFIX, next_hop={"type": "integer", **_NEXT_HOP}),
            "description": "Longest prefix wins",
        },
        default_next_hop={
            "type": ["integer", "null"],
            **_NEXT_HOP,
            "default": 0,
            "description": "Where no prefix matches; null: such packets are filtered",
        },
        synthetic_routes=count(1000, "Generated prefixes outside the given ones, for a table of realistic size"),
        seed=SEED,
    ),
)
