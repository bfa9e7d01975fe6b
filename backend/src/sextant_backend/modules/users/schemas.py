"""Bodies of /users."""

from typing import Self

from pydantic import model_validator
from sextant_domain.base import Frozen
from sextant_domain.console.access import Role

from sextant_backend.modules.auth.schemas import Username


class UserNew(Frozen):
    """Body of POST /users."""

    username: Username
    role: Role = Role.VIEWER


class UserChange(Frozen):
    """Body of PATCH /users/{name}; what is left out stays."""

    role: Role | None = None
    disabled: bool | None = None

    @model_validator(mode="after")
    def _changes_something(self) -> Self:
        if self.role is None and self.disabled is None:
            raise ValueError("name role, disabled or both")
        return self
