"""What an identity provider, or a sign-in by it, is refused with."""

from enum import StrEnum

from sextant_backend.kit.errors import SextantError


class Reason(StrEnum):
    """Why a sign-in by the provider failed: what the sign-in page is told, in its address."""

    NOT_SET_UP = "not-set-up"
    PROVIDER = "provider"
    """It could not be reached, or answered what cannot be used."""
    EXPIRED = "expired"
    """Begun too long ago, in another browser, or not at all."""
    DECLINED = "declined"
    """The provider, or the user there, said no."""
    INVALID = "invalid"
    """What the provider sent does not prove who the user is."""
    NO_ROLE = "no-role"
    """None of the user's groups has a role here."""
    DISABLED = "disabled"
    NAME = "name"
    """The provider's name for the user cannot be a username here, or is another user's."""


class SignInRefused(Exception):
    """A sign-in by the provider that ends at the sign-in page; the cause goes to the audit log."""

    def __init__(self, reason: Reason, cause: str, username: str = "unknown") -> None:
        super().__init__(cause)
        self.reason, self.cause, self.username = reason, cause, username


class ProviderUnusable(SextantError):
    """The provider was asked before its settings were stored, and did not answer as one."""

    kind, status, title = "identity-provider-unusable", 422, "The identity provider cannot be used"
