"""Sign-in by an identity provider (OpenID Connect), as an administrator sets it up and the sign-in page offers it."""

from datetime import datetime

from sextant_domain.base import Frozen
from sextant_domain.console.access import Role


class IdentityProvider(Frozen):
    """The provider that users may sign in by; the secret by its reference."""

    name: str
    """On the sign-in page: 'Sign in with NAME'."""
    issuer: str
    """Its address, under which the discovery document is."""
    console_url: str
    """The console's address, as browsers reach it."""
    redirect_url: str
    """What the provider has to know as this client's redirect URI."""
    client_id: str
    client_secret: str | None
    """A reference to the sealed secret; None for a public client."""
    scopes: tuple[str, ...]
    username_claim: str
    """The claim that names a user at the first sign-in."""
    groups_claim: str
    """The claim that lists a user's groups; dots lead into objects: `realm_access.roles`."""
    roles: dict[str, Role]
    """By group; of several the highest. Who is in none of them may not sign in."""
    changed_at: datetime
    changed_by: str
    version: int


class SignInOptions(Frozen):
    """What the sign-in page offers beside username and password."""

    provider: str | None
    """The identity provider's name; None where none is set up."""
