"""The table of secrets. Without the key file, which is no part of the database, nothing in it can be read."""

from datetime import datetime

from sqlalchemy import LargeBinary, func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class SecretRow(Base):
    """One secret. Its value never changes: another value is another reference."""

    __tablename__ = "secrets"

    reference: Mapped[str] = mapped_column(primary_key=True)
    key_id: Mapped[str]
    """Of the key it is sealed under."""
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    """Nonce and ciphertext; bound to the reference, so that rows cannot be swapped."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    unused_since: Mapped[datetime | None]
    """Since when nothing names it that could be ordered or undone; None while something does."""
