"""router."""

from sextant_domain.chains.nf import ArtefactKind, NfType

from sextant_backend.modules.nfs.catalogue.schema import MAX_ENTRIES, PREFIX, SEED, closed_object, count, file_by_digest

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
            "items": closed_object(["prefix", "next_hop"], prefix=PREFIX, next_hop={"type": "integer", **_NEXT_HOP}),
            "description": "Longest prefix wins",
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
            " at most 1,000,000 routes",
            max_bytes=32 * 2**20,
        ),
    ),
)
