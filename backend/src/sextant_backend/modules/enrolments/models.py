"""The table of tokens that have not been used. Only a token's hash is stored."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, Identity, func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class EnrolmentRow(Base):
    """A token; its row is deleted by its first use."""

    __tablename__ = "enrolments"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    """SHA-256."""
    host: Mapped[str] = mapped_column(unique=True)
    """The name, or the pattern, that it was made for; a new one takes the place of the old."""
    names: Mapped[list[Any]]
    """The ids that it is good for."""
    fleet: Mapped[bool]
    """One process will speak for all of them."""
    labels: Mapped[dict[str, str]]
    created_by: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    expires_at: Mapped[datetime]
