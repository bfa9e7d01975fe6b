"""What the published look-up table says."""

import json

from sextant_engine.laws.numasfp.solve import answer

NEED = tuple[int, int]
"""(ways, MB %)."""


def need(table: str, chain: tuple[str, ...], node: str, gbps: float, rule: str = "max") -> NEED | None:
    """Of a chain for a rate; None: the table has no level that carries it."""
    asked = {"table": table, "chain": chain, "node": node, "rate_gbps": gbps, "rule": rule}
    found = json.loads(answer("allocate", json.dumps(asked)))
    return None if "refused" in found else (found["ways"], found["mb_percent"])
