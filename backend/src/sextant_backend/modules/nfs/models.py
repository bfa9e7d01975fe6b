"""The table of the NF types that operators registered."""

from datetime import datetime
from typing import Any

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import BY_BYTES, Base


class NfTypeRow(Base):
    """A registered NF type. A removed one keeps its row, so that a version's number never means two configurations."""

    __tablename__ = "nf_types"

    name: Mapped[str] = mapped_column(BY_BYTES, primary_key=True)
    implementation: Mapped[str]
    implementation_version: Mapped[int]
    """Of the built-in type when `version` was given; what it has risen by since, the version has risen by, too."""
    version: Mapped[int]
    short_name: Mapped[str]
    summary: Mapped[str]
    config: Mapped[dict[str, Any]]
    """What differs from the implementation's defaults."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    removed_at: Mapped[datetime | None]
