"""The identity provider of the small console for tests."""

from typing import Any

from sextant_domain.console.identity import IdentityProvider

from .answers import NOW

REFERENCE = f"secret:{'7' * 32}"


class ShelfOfAccounts:
    """Keeps the settings as the console does: the secret by its reference."""

    def __init__(self) -> None:
        self.provider: IdentityProvider | None = None
        self.secrets: list[str] = []
        """What was sent to be sealed."""

    def put(self, body: dict[str, Any]) -> IdentityProvider:
        """The settings in force from now on."""
        secret = body.get("client_secret")
        if secret not in (None, REFERENCE):
            self.secrets.append(secret)
            secret = REFERENCE
        usual = {"scopes": ["openid", "profile"], "username_claim": "preferred_username", "groups_claim": "groups"}
        kept = {**usual, **body, "client_secret": secret, "changed_at": NOW, "changed_by": "ada"}
        version = self.provider.version + 1 if self.provider else 1
        redirect = f"{body['console_url']}/api/v1/auth/oidc/callback"
        self.provider = IdentityProvider.model_validate({**kept, "redirect_url": redirect, "version": version})
        return self.provider
