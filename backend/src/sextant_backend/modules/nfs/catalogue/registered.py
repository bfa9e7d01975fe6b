"""What an NF type is that an operator registered: a built-in type's program and schema, with defaults of its own."""

from collections.abc import Iterator, Mapping
from typing import Any

from sextant_domain.chains.nf import NfType
from sextant_domain.problem import FieldError


def registered(
    implementation: NfType, *, name: str, version: int, short_name: str, summary: str, config: Mapping[str, Any]
) -> NfType:
    """The type. Nothing of its configuration changes while it runs: `changeable` is a promise of built-in types."""
    properties = {
        setting: {
            **{word: value for word, value in schema.items() if word != "changeable"},
            "default": config.get(setting, schema["default"]),
        }
        for setting, schema in implementation.config_schema["properties"].items()
    }
    return implementation.model_copy(
        update={
            "name": name,
            "version": version,
            "short_name": short_name,
            "summary": summary,
            "config_schema": {**implementation.config_schema, "properties": properties},
            "implementation": implementation.name,
        }
    )


def difference(implementation: NfType, config: Mapping[str, Any]) -> dict[str, Any]:
    """What of `config` differs from the implementation's defaults."""
    defaults = implementation.default_config()
    return {name: value for name, value in config.items() if name not in defaults or value != defaults[name]}


def secrets(implementation: NfType, config: Mapping[str, Any], at: str) -> Iterator[FieldError]:
    """Defaults of a type are shown to everybody: a secret (`writeOnly`) cannot be one."""
    properties = implementation.config_schema["properties"]
    for setting in config:
        if properties.get(setting, {}).get("writeOnly"):
            message = "a secret cannot be a type's default, which everybody may read; give it to each NF in its chain"
            yield FieldError(field=f"{at}.{setting}", message=message)
