"""The table of requests for the backend's certificate."""

from datetime import datetime

from sqlalchemy import func
from sqlalchemy.orm import Mapped, mapped_column

from sextant_backend.kit.db import Base


class BackendCertificateRow(Base):
    """A machine's newest request, and the answer to it."""

    __tablename__ = "backend_certificates"

    key_hash: Mapped[bytes] = mapped_column(primary_key=True)
    """SHA-256 of the public key: a machine keeps its key, and no two have the same."""
    machine: Mapped[str]
    """Its name, for people."""
    signing_request: Mapped[str]
    """PKCS #10, PEM."""
    authority: Mapped[str | None]
    """The authority's certificate, PEM; None while the request waits."""
    certificate: Mapped[str | None]
    """PEM; None while the request waits."""
    asked_at: Mapped[datetime] = mapped_column(server_default=func.clock_timestamp())
