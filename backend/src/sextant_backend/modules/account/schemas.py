"""Bodies of one's own account."""

from typing import Annotated

from pydantic import Field, StringConstraints
from sextant_domain.base import Frozen
from sextant_domain.console.access import Role
from sextant_domain.console.accounts import DEFAULT_TOKEN_DAYS, LEAST_PASSWORD, MOST_TOKEN_DAYS


class PasswordChange(Frozen):
    """Body of POST /auth/password."""

    current_password: str = Field(min_length=1, max_length=1024, repr=False)
    new_password: str = Field(min_length=LEAST_PASSWORD, max_length=1024, repr=False)


class TokenNew(Frozen):
    """Body of POST /auth/tokens."""

    name: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]{0,62}$")]
    """A token of the same name is replaced."""
    role: Role = Role.VIEWER
    """Not above the role of who asks."""
    days: int = Field(default=DEFAULT_TOKEN_DAYS, ge=1, le=MOST_TOKEN_DAYS)
