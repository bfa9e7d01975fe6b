"""The tables of the audit log."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Computed, ForeignKey, Identity, Index, UniqueConstraint, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base

_KIND = "CASE WHEN subject LIKE '% /%' THEN 'request' ELSE split_part(subject, '/', 1) END"
_ID = "CASE WHEN subject LIKE '% /%' THEN subject ELSE substr(subject, length(split_part(subject, '/', 1)) + 2) END"


class AuditRow(Base):
    """One entry; rows are only ever inserted. `subject` is the object as `chain/web`, or a refused request's method and
    path."""

    __tablename__ = "audit_entries"
    __table_args__ = (
        CheckConstraint("actor_kind IN ('user', 'token', 'host', 'system', 'unknown')", name="actor_kind"),
        Index(None, "actor", "id"),
        Index(None, "action", "id"),
        Index(None, "object_kind", "object_id", "id"),
        Index(None, "request_id"),
        Index(None, "at"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    actor: Mapped[str]
    actor_kind: Mapped[str] = mapped_column(server_default="system")
    token: Mapped[str | None]
    action: Mapped[str]
    subject: Mapped[str]
    object_kind: Mapped[str] = mapped_column(Computed(_KIND, persisted=True))
    object_id: Mapped[str] = mapped_column(Computed(_ID, persisted=True))
    object_name: Mapped[str | None]
    request_id: Mapped[str | None]
    detail: Mapped[dict[str, str]]
    before: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    after: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))


class UnsealedRow(Base):
    """An entry that waits to be sealed: a trigger notes it in the transaction that writes the entry."""

    __tablename__ = "audit_unsealed"

    entry_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    since: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())


class BatchRow(Base):
    """The seal of a batch; it stays when its entries are removed."""

    __tablename__ = "audit_batches"

    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    rows: Mapped[int]
    first_id: Mapped[int] = mapped_column(BigInteger)
    last_id: Mapped[int] = mapped_column(BigInteger)
    last_at: Mapped[datetime]
    """The newest of its entries' times."""
    root: Mapped[bytes]
    previous: Mapped[bytes]
    sealed_at: Mapped[datetime]
    public_key: Mapped[bytes]
    signature: Mapped[bytes]
    removed_at: Mapped[datetime | None]


class LeafRow(Base):
    """The hash of an entry as it was sealed."""

    __tablename__ = "audit_leaves"
    __table_args__ = (UniqueConstraint("batch", "position"),)

    entry_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    batch: Mapped[int] = mapped_column(BigInteger, ForeignKey("audit_batches.number"))
    position: Mapped[int]
    """In the tree, from 0."""
    hash: Mapped[bytes]
