"""What the entries of the catalogue are made of: pieces of JSON Schema, and the kinds of files."""

from collections.abc import Callable, Iterator
from typing import Any

from sextant_domain.nf import ArtefactKind
from sextant_domain.problem import FieldError

_OCTET = r"(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_ADDRESS = rf"{_OCTET}(\.{_OCTET}){{3}}"
PREFIX = {
    "type": "string",
    "pattern": rf"^{_ADDRESS}/(3[0-2]|[12]?[0-9])$",
    "description": "IPv4 prefix, as 192.168.0.0/16",
}
ADDRESS = {"type": "string", "pattern": rf"^{_ADDRESS}$", "description": "IPv4 address, as 192.168.0.1"}

Check = Callable[[dict[str, Any], str], Iterator[FieldError]]
"""What a schema cannot say: (configuration that fits it, where it stands) -> errors."""


def closed_object(required: list[str] | None = None, **properties: Any) -> dict[str, Any]:
    """An object with these properties and no other."""
    schema: dict[str, Any] = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**schema, "required": required} if required else schema


def whole(least: int, most: int, default: int, description: str) -> dict[str, Any]:
    """A whole number within bounds."""
    return {"type": "integer", "minimum": least, "maximum": most, "default": default, "description": description}


def idle_timeout(what: str) -> dict[str, Any]:
    """Five minutes, as RFC 4787 (REQ-5) recommends for UDP."""
    return whole(1, 86_400, 300, f"Seconds without a packet after which {what}")


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
