"""Bodies of /auth."""

from datetime import datetime
from typing import Annotated

from pydantic import AfterValidator, Field, StringConstraints
from sextant_domain.base import Frozen
from sextant_domain.console.access import Role
from sextant_domain.console.audit import SYSTEM_ACTORS


def _not_reserved(name: str) -> str:
    if name in SYSTEM_ACTORS:
        raise ValueError(f"{name} is how the audit log names what no user did; choose another name")
    return name


Username = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z0-9]([a-z0-9._@-]{0,61}[a-z0-9])?$", max_length=63),
    AfterValidator(_not_reserved),
]


class Credentials(Frozen):
    """Body of POST /auth/login."""

    username: Username
    password: str = Field(min_length=1, max_length=1024, repr=False)


class ConsoleSession(Frozen):
    """Who is signed in."""

    username: str
    role: Role
    csrf_token: str
    """Send it as `X-CSRF-Token` with every write."""
    expires_at: datetime
    must_change_password: bool
    """Until POST /auth/password has changed it, nothing else is allowed."""
    issuer: str | None
    """The identity provider that keeps the user's password; None for a local account."""
