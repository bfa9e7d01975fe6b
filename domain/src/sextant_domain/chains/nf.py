"""The catalogue's entries: NF types with a configuration schema."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, StringConstraints

from sextant_domain.base import Frozen, Name
from sextant_domain.chains.secret import is_reference, secret_settings
from sextant_domain.problem import FieldError

if TYPE_CHECKING:
    import jsonschema

SettingName = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
"""A property of a configuration: `routes_file`."""


NO_REFERENCE = "this setting takes no reference to a secret"

CHANGEABLE: Mapping[str, frozenset[str]] = {
    "load-balancer": frozenset({"backends"}),
    "nft-firewall": frozenset({"rules", "default_action"}),
}
"""Properties of a type's configuration that an NF takes up while it runs; the catalogue's schemas mark the same with
`changeable`."""

WITHOUT_IPV6: Mapping[str, str] = {
    "load-balancer": "passes IPv6 packets on and balances none of them",
    "nat": "drops IPv6 packets",
    "vpn": "drops IPv6 packets",
}
"""Built-in types that do nothing useful in a chain of IPv6, and what they do instead."""


def changeable_of(nf_type: str, config: Mapping[str, Any]) -> dict[str, Any]:
    """That part of a configuration."""
    names = CHANGEABLE.get(nf_type, frozenset())
    return {name: value for name, value in config.items() if name in names}


class ArtefactKind(Frozen):
    """A file an NF type can be given (rules, routes, patterns), sent by digest."""

    name: SettingName
    """The property of the configuration that holds its digest, called after its kind: `routes_file`."""
    description: str
    max_bytes: int = Field(gt=0)


class NfType(Frozen):
    """A network function that can be placed."""

    name: Name
    version: int = Field(ge=1)
    short_name: str = Field(min_length=1, max_length=8)
    """At most 8 characters, for a heat-map cell."""
    summary: str
    library: str
    """The field library that does the work: rte_lpm, rte_acl, rte_hash."""
    config_schema: dict[str, Any]
    """JSON Schema (2020-12) of its configuration; every property has a default."""
    artefacts: tuple[ArtefactKind, ...] = ()
    implementation: Name | None = Field(default=None, exclude_if=lambda name: name is None)
    """The built-in type whose program runs for it: of an NF type that an operator registered, whose configuration is
    that type's with defaults of its own. None: it is built in."""

    @property
    def runs(self) -> str:
        """The built-in type whose program runs."""
        return self.implementation or self.name

    @property
    def secrets(self) -> frozenset[str]:
        """Settings whose values are nobody's to read."""
        return secret_settings(self.config_schema)

    def default_config(self) -> dict[str, Any]:
        """The configuration of an NF that names none."""
        properties: dict[str, dict[str, Any]] = self.config_schema.get("properties", {})
        return {key: schema["default"] for key, schema in properties.items() if "default" in schema}

    def config_errors(self, config: dict[str, Any], at: str) -> tuple[FieldError, ...]:
        """What is wrong with `config`; field paths start with `at` (`nfs.1.config`).

        A reference to a secret fits in the secret's place and nowhere else: its value was judged when it was given.
        """
        import jsonschema  # 2 MiB and 30 ms: most processes know these types, few judge configurations

        hidden = self.secrets
        judged = {name: value for name, value in config.items() if not is_reference(value)}
        validator = jsonschema.Draft202012Validator(self.config_schema)
        found = sorted(validator.iter_errors(judged), key=lambda error: list(map(str, error.absolute_path)))
        stray = (name for name, value in config.items() if is_reference(value) and name not in hidden)
        return (
            *(FieldError(field=f"{at}.{name}", message=NO_REFERENCE) for name in stray),
            *(self._error(error, at) for error in found),
        )

    def _error(self, error: "jsonschema.ValidationError", at: str) -> FieldError:
        """jsonschema repeats the value; nothing of a secret's must reach an answer or a log."""
        path = list(map(str, error.absolute_path))
        if not path or path[0] not in self.secrets:
            return FieldError(field=".".join([at, *path]), message=error.message)
        description = self.config_schema["properties"][path[0]].get("description", "")
        return FieldError(field=f"{at}.{path[0]}", message=f"does not fit (a secret, not shown): {description}")
