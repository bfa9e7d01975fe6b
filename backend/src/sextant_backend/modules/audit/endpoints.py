"""GET /audit."""

from typing import Annotated

from fastapi import APIRouter
from sextant_domain.console.access import Permission
from sextant_domain.console.audit import AuditEntry
from sextant_domain.console.views import Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.paging import PagingDep
from sextant_backend.kit.principal import Principal, may
from sextant_backend.modules.audit import service
from sextant_backend.modules.audit.filters import AuditFilterDep

PATH = "/audit"
router = APIRouter(prefix=PATH, tags=["audit"])
MayReadAudit = Annotated[Principal, may(Permission.AUDIT_READ)]


@router.get("", operation_id="listAudit")
def list_audit(
    session: SessionDep, _reader: MayReadAudit, asked: PagingDep, wanted: AuditFilterDep
) -> Page[AuditEntry]:
    """Who did what, newest first."""
    return service.page(session, asked, wanted)
