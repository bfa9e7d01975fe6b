"""Tables of artefacts, of their content in pieces, and of the chains and NF types that use them."""

from datetime import datetime

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, LargeBinary, func, text
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import BY_BYTES, Base


class ArtefactRow(Base):
    """A file. A deleted one keeps its row, so that a version's number never means two contents."""

    __tablename__ = "artefacts"
    __table_args__ = (
        Index("uq_artefacts_digest_living", "digest", unique=True, postgresql_where=text("deleted_at IS NULL")),
        Index("uq_artefacts_name_version", "name", "version", unique=True),
        CheckConstraint("kind IN ('patterns', 'pcap', 'routes', 'rules')", name="kind"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    digest: Mapped[str]
    name: Mapped[str]
    version: Mapped[int]
    kind: Mapped[str]
    size_bytes: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    created_by: Mapped[str]
    deleted_at: Mapped[datetime | None]


class ArtefactPieceRow(Base):
    """A part of a file's content: rows of a bounded size, so that nobody ever holds a whole file in memory."""

    __tablename__ = "artefact_pieces"

    artefact_id: Mapped[int] = mapped_column(ForeignKey("artefacts.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    """From 0."""
    content: Mapped[bytes] = mapped_column(LargeBinary)


class ArtefactUseRow(Base):
    """A chain names a file. Counts while the chain is not deleted."""

    __tablename__ = "artefact_uses"
    __table_args__ = (Index("ix_artefact_uses_artefact_id", "artefact_id"),)

    chain_id: Mapped[int] = mapped_column(ForeignKey("chains.id", ondelete="CASCADE"), primary_key=True)
    artefact_id: Mapped[int] = mapped_column(ForeignKey("artefacts.id"), primary_key=True)


class NfTypeArtefactRow(Base):
    """A type's configuration names a file. Counts while the type is not removed."""

    __tablename__ = "nf_type_artefacts"
    __table_args__ = (Index("ix_nf_type_artefacts_artefact_id", "artefact_id"),)

    nf_type: Mapped[str] = mapped_column(BY_BYTES, ForeignKey("nf_types.name", ondelete="CASCADE"), primary_key=True)
    artefact_id: Mapped[int] = mapped_column(ForeignKey("artefacts.id"), primary_key=True)
