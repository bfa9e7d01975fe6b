"""Bodies of /auth."""

from datetime import datetime
from typing import Annotated

from pydantic import Field, StringConstraints
from sextant_domain.base import Frozen

from sextant_backend.kit.principal import Role

Username = Annotated[str, StringConstraints(pattern=r"^[a-z0-9]([a-z0-9._-]{0,61}[a-z0-9])?$", max_length=63)]


class Credentials(Frozen):
    """Body of POST /auth/login."""

    username: Username
    password: str = Field(min_length=1, max_length=1024, repr=False)


class Session(Frozen):
    """Who is signed in."""

    username: str
    role: Role
    csrf_token: str
    """Send it as `X-CSRF-Token` with every write."""
    expires_at: datetime
