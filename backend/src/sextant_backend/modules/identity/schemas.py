"""Body of PUT /identity-provider."""

from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from sextant_domain.base import Frozen
from sextant_domain.console.access import Role

from sextant_backend.settings.addresses import checked_issuer, checked_web_origin

Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]*$", min_length=1, max_length=200)]
Word = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]+$", max_length=200)]
Issuer = Annotated[str, StringConstraints(max_length=500), AfterValidator(checked_issuer)]
Origin = Annotated[str, StringConstraints(max_length=300), AfterValidator(checked_web_origin)]


class IdentityProviderSettings(Frozen):
    """How users sign in by an identity provider, and which role each of their groups gives."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$")]
    """On the sign-in page: 'Sign in with NAME'."""
    issuer: Issuer
    """https://...; http:// on this machine only."""
    console_url: Origin
    """The console's address, as browsers reach it: https://console.example."""
    client_id: Word
    client_secret: Annotated[str | None, Field(min_length=1, max_length=1024, repr=False)] = None
    """The secret itself, or the reference that reading it gave; without one, PKCE alone protects the sign-in."""
    scopes: Annotated[tuple[Word, ...], Field(max_length=20)] = ("openid", "profile")
    username_claim: Word = "preferred_username"
    groups_claim: Word = "groups"
    roles: Annotated[dict[Line, Role], Field(min_length=1, max_length=200)]
    """By group; of several the highest."""
