"""The small console's NF types, by docs/contracts/console.md: as many settings as the tests need."""

from typing import Any

from sextant_domain.base import digest_of
from sextant_domain.chains.nf import ArtefactKind, NfType

FIREWALL = NfType(
    name="firewall",
    version=2,
    short_name="firewall",
    summary="Allows or denies packets",
    library="rte_acl",
    config_schema={
        "type": "object",
        "properties": {
            "synthetic_rules": {"type": "integer", "default": 100, "description": "Generated rules"},
            "default_action": {"enum": ["allow", "deny"], "default": "allow"},
            "rules_file": {"type": ["string", "null"], "default": None},
        },
    },
    artefacts=(ArtefactKind(name="rules_file", description="Rules", max_bytes=1 << 20),),
)


class ShelfOfTypes:
    """Types by name."""

    def __init__(self) -> None:
        self.known: dict[str, NfType] = {"firewall": FIREWALL}
        self.sent: dict[str, Any] = {}
        """The newest body of POST or PUT."""
        self.changed_meanwhile = 0
        """So many changes come too late: somebody changes the type's summary just before."""

    def register(self, body: Any) -> NfType:
        self.sent = body
        return self._put(body["name"], 1, body)

    def update(self, name: str, body: Any, tag: str | None) -> NfType | None:
        """None: it has changed since it was read."""
        if self.changed_meanwhile:
            self.changed_meanwhile -= 1
            self.known[name] = self.known[name].model_copy(update={"summary": "Changed by bob"})
        if tag != f'"{digest_of(self.known[name])}"':
            return None
        self.sent = body
        return self._put(name, self.known[name].version + 1, body)

    def _put(self, name: str, version: int, body: Any) -> NfType:
        properties: dict[str, Any] = FIREWALL.config_schema["properties"]
        own = {
            key: {**schema, "default": body["config"].get(key, schema["default"])} for key, schema in properties.items()
        }
        words = {key: body[key] for key in ("short_name", "summary") if body.get(key)}
        schema = {**FIREWALL.config_schema, "properties": own}
        fields = {"name": name, "version": version, "implementation": "firewall", "config_schema": schema}
        self.known[name] = FIREWALL.model_copy(update={**fields, **words})
        return self.known[name]
