"""The table of the one identity provider."""

from datetime import datetime
from typing import Any

from sqlalchemy import CheckConstraint, func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base

PROVIDER_ROW_ID = 1


class IdentityProviderRow(Base):
    """The provider that users may sign in by; no row: none is set up."""

    __tablename__ = "identity_provider"
    __table_args__ = (CheckConstraint(f"id = {PROVIDER_ROW_ID}", name="only_row"),)

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    name: Mapped[str]
    issuer: Mapped[str]
    console_url: Mapped[str]
    client_id: Mapped[str]
    client_secret: Mapped[str | None]
    """A reference into `secrets`."""
    scopes: Mapped[list[Any]]
    username_claim: Mapped[str]
    groups_claim: Mapped[str]
    roles: Mapped[dict[str, str]]
    """By group."""
    changed_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    changed_by: Mapped[str]
    version: Mapped[int] = mapped_column(default=1)
