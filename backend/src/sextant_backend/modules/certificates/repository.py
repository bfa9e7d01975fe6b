"""Queries of requests. The clock is the database's."""

from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from sextant_backend.modules.certificates.models import BackendCertificateRow

_now = func.clock_timestamp()


def ask(session: Session, key_hash: bytes, machine: str, signing_request: str) -> None:
    """Store a request in the place of the machine's last one."""
    asked = {"machine": machine, "signing_request": signing_request, "authority": None, "certificate": None}
    statement = insert(BackendCertificateRow).values(key_hash=key_hash, **asked)
    session.execute(statement.on_conflict_do_update(index_elements=["key_hash"], set_={**asked, "asked_at": _now}))


def of(session: Session, key_hash: bytes) -> BackendCertificateRow | None:
    """The request of a key."""
    return session.get(BackendCertificateRow, key_hash, populate_existing=True)


def waiting(session: Session) -> Sequence[BackendCertificateRow]:
    """Requests without an answer, oldest first, locked; those that another process is at are left out."""
    row = BackendCertificateRow
    query = select(row).where(row.certificate.is_(None)).order_by(row.asked_at).with_for_update(skip_locked=True)
    return session.scalars(query).all()


def forget(session: Session, older_than: timedelta) -> None:
    """Drop requests of machines that have not asked again."""
    session.execute(delete(BackendCertificateRow).where(BackendCertificateRow.asked_at < _now - older_than))
