"""The audit trail's table."""

from datetime import datetime

from sqlalchemy import BigInteger, Identity, func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class AuditRow(Base):
    """One entry; rows are only ever inserted."""

    __tablename__ = "audit_entries"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
    actor: Mapped[str]
    action: Mapped[str]
    subject: Mapped[str] = mapped_column(index=True)
    request_id: Mapped[str | None]
    detail: Mapped[dict[str, str]]
