"""Write and read the audit trail."""

from collections.abc import Mapping

from sextant_domain.console.views import AuditEntry, Page
from sqlalchemy.orm import Session

from sextant_backend.kit import paging
from sextant_backend.kit.logging import current_request_id
from sextant_backend.kit.paging import Paging
from sextant_backend.modules.audit import repository
from sextant_backend.modules.audit.models import AuditRow

MAX_TEXT = 500


def record(session: Session, actor: str, action: str, subject: str, detail: Mapping[str, object] | None = None) -> None:
    """Add an entry to the caller's transaction: `record(session, "ada", "plan.apply", "plan/12")`.

    `detail` is short and free of secrets; values are cut at 500 characters.
    """
    entry = AuditRow(
        actor=actor[:MAX_TEXT],
        action=action,
        subject=subject[:MAX_TEXT],
        request_id=current_request_id(),
        detail={name: str(value)[:MAX_TEXT] for name, value in (detail or {}).items()},
    )
    repository.insert(session, entry)


def entries(session: Session, asked: Paging) -> Page[AuditEntry]:
    """A page, newest first."""
    rows = repository.newest(session, asked.limit + 1, asked.key(int))
    views = [
        AuditEntry(
            id=row.id,
            at=row.at,
            actor=row.actor,
            action=row.action,
            subject=row.subject,
            request_id=row.request_id,
            detail=row.detail,
        )
        for row in rows
    ]
    return paging.page(views, asked, lambda entry: entry.id)
