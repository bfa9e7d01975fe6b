"""Secrets of NF configurations: marked `writeOnly` in a type's schema, named by reference everywhere but on the way to
an agent.

A reference is random and says nothing of the value. Digests of plans and orders are over references, so nobody can try
guesses against them. The agent has no catalogue: a setting that is a reference names a secret, and the order brings it.
"""

import re
import secrets
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from pydantic import Field, StringConstraints

SecretReference = Annotated[str, StringConstraints(pattern=r"^secret:[0-9a-f]{32}$")]
"""What stands in a configuration in the place of a secret."""

SecretValues = Mapping[str, str]
"""By reference. Never in a view, an event, a log or a digest."""

SentSecrets = Annotated[
    dict[SecretReference, Annotated[str, StringConstraints(min_length=1, max_length=4096)]], Field(max_length=10_000)
]

GONE = f"secret:{'0' * 32}"
"""In the place of a secret that is kept nowhere: in a fleet from a file, and in what was stored before there were
references and is not needed any more."""

_REFERENCE = re.compile(r"secret:[0-9a-f]{32}")


def new_reference() -> str:
    """128 random bits: one that nobody has and nobody guesses."""
    return f"secret:{secrets.token_hex(16)}"


def is_reference(value: object) -> bool:
    """True for a string that names a secret."""
    return isinstance(value, str) and _REFERENCE.fullmatch(value) is not None


def secret_settings(config_schema: Mapping[str, Any]) -> frozenset[str]:
    """The settings of an NF type that are secrets; a secret is a whole setting, never a part of one."""
    properties = config_schema.get("properties")
    known = properties.items() if isinstance(properties, dict) else ()
    return frozenset(name for name, schema in known if isinstance(schema, dict) and schema.get("writeOnly"))


def references_in(config: Mapping[str, Any]) -> Iterator[str]:
    """Every secret that a configuration names."""
    return (value for value in config.values() if is_reference(value))


def resolved(config: Mapping[str, Any], values: SecretValues) -> dict[str, Any]:
    """The configuration with the secrets themselves; KeyError of a reference without its value."""
    return {name: values[value] if is_reference(value) else value for name, value in config.items()}
