"""What pydantic finds wrong with a value, in the words of who sent it: what it must be, and within which bounds."""

from collections.abc import Mapping
from typing import Any

from sextant_domain.base import own_words

_TYPES = {
    "bool": "true or false",
    "dict": "an object of named values",
    "float": "a number",
    "int": "a whole number",
    "list": "a list",
    "model": "an object of named values",
    "set": "a list",
    "string": "text",
    "tuple": "a list",
}
"""By what pydantic's kinds begin with: `int_type`, `int_parsing`, `int_from_float`."""
_WORDS = {
    "extra_forbidden": "is unknown: remove it",
    "finite_number": "must be a finite number",
    "missing": "is missing: add it",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "json_invalid": "is not JSON: {error}",
    "too_long": "has too many entries: {max_length} at most",
    "too_short": "needs {min_length} or more entries",
    "string_too_long": "has too many characters: {max_length} at most",
    "string_too_short": "needs {min_length} or more characters",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "none_required": "must be null",
    "union_tag_invalid": "must have one of these as its {discriminator}: {expected_tags}",
    "union_tag_not_found": "has no {discriminator}: add it",
    "string_pattern_mismatch": "must match {pattern}",
}


def cause_of(error: Mapping[str, Any]) -> str:
    """'must be at most 60'. `error`: one of a ValidationError's, with its context; what is not worded here keeps
    pydantic's words."""
    kind, limits = str(error["type"]), error.get("ctx", {})
    if kind in _WORDS:
        return _WORDS[kind].format_map({name: _shown(limit) for name, limit in limits.items()})
    what, _, way = kind.partition("_")
    if what in _TYPES and way in {"type", "parsing", "parsing_size", "from_float", "attributes_type"}:
        return f"must be {_TYPES[what]}"
    return own_words(str(error["msg"]))


def _shown(limit: object) -> str:
    """1000, not 1000.0."""
    return f"{limit:.15g}" if isinstance(limit, float) else str(limit)
