"""What the schemas of several NF types share. Every property has a default, every list and number a bound."""

from collections.abc import Iterator
from ipaddress import ip_network
from typing import Any

from sextant_domain.problem import FieldError

Schema = dict[str, Any]

MAX_ENTRIES = 10_000

_OCTET = r"(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_ADDRESS = rf"{_OCTET}(\.{_OCTET}){{3}}"
_LIKE_ADDRESS6 = r"[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,40}"

PREFIX: Schema = {
    "type": "string",
    "pattern": rf"^{_ADDRESS}/(3[0-2]|[12]?[0-9])$",
    "description": "IPv4 prefix, as 192.168.0.0/16",
}
EITHER_PREFIX: Schema = {
    "type": "string",
    "pattern": rf"^({_ADDRESS}/(3[0-2]|[12]?[0-9])|{_LIKE_ADDRESS6}/(12[0-8]|1[01][0-9]|[1-9]?[0-9]))$",
    "description": "IPv4 or IPv6 prefix, as 192.168.0.0/16 or 2001:db8::/32",
}
"""Whether what looks like IPv6 is so, `prefix_errors` says."""
ADDRESS: Schema = {"type": "string", "pattern": rf"^{_ADDRESS}$", "description": "IPv4 address, as 192.168.0.1"}
PORT: Schema = {"type": "integer", "minimum": 0, "maximum": 65535}
SEED: Schema = {
    "type": "integer",
    "minimum": 0,
    "maximum": 2**32 - 1,
    "default": 1,
    "description": "Of the generated entries",
}


def prefix_errors(prefix: str, field: str) -> Iterator[FieldError]:
    """Of an EITHER_PREFIX: what its pattern does not see."""
    try:
        ip_network(prefix, strict=False)
    except ValueError:
        yield FieldError(field=field, message=f"'{prefix}' is no prefix; write one such as 2001:db8::/32")


def closed_object(required: list[str] | None = None, **properties: Schema) -> Schema:
    """An object with these properties and no other."""
    schema: Schema = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**schema, "required": required} if required else schema


def whole_number(default: int, least: int, most: int, description: str) -> Schema:
    """An integer between two bounds."""
    return {"type": "integer", "minimum": least, "maximum": most, "default": default, "description": description}


def count(default: int, description: str, most: int = MAX_ENTRIES) -> Schema:
    """How many entries to generate."""
    return whole_number(default, 0, most, description)


def choice(*values: str, description: str) -> Schema:
    """One of a few words, the first by default."""
    return {"enum": list(values), "default": values[0], "description": description}


def address(default: str, description: str) -> Schema:
    """An IPv4 address."""
    return {**ADDRESS, "default": default, "description": description}


def idle_timeout(what: str) -> Schema:
    """Five minutes, as RFC 4787 (REQ-5) recommends for UDP."""
    return whole_number(300, 1, 86_400, f"Seconds without a packet after which {what}")


def file_by_digest(description: str) -> Schema:
    """A file that was uploaded, named by its digest; the property's name is that of its kind in `artefacts`."""
    return {
        "type": ["string", "null"],
        "pattern": "^sha256:[0-9a-f]{64}$",
        "default": None,
        "description": description,
    }
