"""What an NF type's configuration says of a file it is given: its digest, and of which kind it is."""

from typing import Any

from sextant_domain.nf import ArtefactKind


def file_setting(description: str) -> dict[str, Any]:
    """The schema of a setting that names a file by its digest."""
    return {
        "type": ["string", "null"],
        "pattern": "^sha256:[0-9a-f]{64}$",
        "default": None,
        "description": description,
    }


ROUTES_FILE = ArtefactKind(
    name="routes_file",
    description="Text: `192.168.0.0/16 7` (prefix, next hop) a line, '#' starts a comment; at most 1,000,000 routes",
    max_bytes=32 * 2**20,
)
RULES_FILE = ArtefactKind(
    name="rules_file",
    description='Text: a rule a line as a JSON object, `{"action": "deny", "dst": "192.168.7.0/24"}`;'
    " '#' starts a comment; at most 20,000 rules with those of the list",
    max_bytes=4 * 2**20,
)
