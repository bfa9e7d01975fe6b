"""Paths of the contract with their fields filled in, for tests that walk over all operations."""

import re

FIELDS = {
    "core": "1",
    "digest": f"sha256:{'0' * 64}",
    "host_id": "a",
    "kind": "host_stale",
    "law": "octans",
    "name": "nobody",
    "nf_id": "a.b",
    "scope": "host",
    "weights": f"sha256:{'0' * 64}",
}
"""What stands in the place of a field; the others are numbers."""


def filled(path: str) -> str:
    """'/hosts/{host_id}' as '/hosts/a', '/plans/{plan_id}' as '/plans/99'."""
    return re.sub(r"\{(\w+)\}", lambda field: FIELDS.get(field[1], "99"), path)
