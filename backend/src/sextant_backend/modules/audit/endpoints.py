"""GET /audit."""

from fastapi import APIRouter
from sextant_domain.console.views import AuditEntry, Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.paging import PagingDep
from sextant_backend.kit.principal import Viewer
from sextant_backend.modules.audit import service

router = APIRouter(tags=["audit"])


@router.get("/audit", operation_id="listAudit")
def list_audit(session: SessionDep, _viewer: Viewer, asked: PagingDep) -> Page[AuditEntry]:
    """Who did what, newest first."""
    return service.entries(session, asked)
