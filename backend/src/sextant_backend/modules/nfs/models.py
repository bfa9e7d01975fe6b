"""Tables of the NF types that operators registered, and of the files that their configurations name."""

from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKey, Index, String, func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base

BY_BYTES = String(collation="C")
"""Names sort as Python sorts them: lists merge them with the built-in types."""


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


class NfTypeArtefactRow(Base):
    """A type's configuration names a file. Counts while the type is not removed."""

    __tablename__ = "nf_type_artefacts"
    __table_args__ = (Index("ix_nf_type_artefacts_artefact_id", "artefact_id"),)

    nf_type: Mapped[str] = mapped_column(BY_BYTES, ForeignKey("nf_types.name", ondelete="CASCADE"), primary_key=True)
    artefact_id: Mapped[int] = mapped_column(ForeignKey("artefacts.id"), primary_key=True)
