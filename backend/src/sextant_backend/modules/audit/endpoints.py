"""Read the audit log, and what proves that it was not changed."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from sextant_domain.console.access import Permission
from sextant_domain.console.audit import AuditEntry
from sextant_domain.console.audit_seal import AuditBatch, AuditBatchRows, AuditSeal, UnsealedEntry, UnsealedState
from sextant_domain.console.views import Page

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, may
from sextant_backend.kit.routes import LateRoute
from sextant_backend.modules.audit import repository, seals, service
from sextant_backend.modules.audit.filters import AuditFilterDep

PATH = "/audit"
router = APIRouter(prefix=PATH, tags=["audit"], route_class=LateRoute)
MayReadAudit = Annotated[Principal, may(Permission.AUDIT_READ)]


@router.get("", operation_id="listAudit")
def list_audit(
    session: SessionDep,
    _reader: MayReadAudit,
    asked: Annotated[Paging, repository.ORDER.asked],
    wanted: AuditFilterDep,
) -> Page[AuditEntry]:
    """Who did what, newest first."""
    return service.page(session, asked, wanted)


@router.get("/seal", operation_id="getAuditSeal")
def get_seal(session: SessionDep, _reader: MayReadAudit) -> AuditSeal:
    """How far the log is sealed: the newest batch, and how many rows wait for the next."""
    return service.seal(session)


@router.get("/unsealed", operation_id="listAuditUnsealed")
def list_unsealed(
    session: SessionDep,
    _reader: MayReadAudit,
    asked: Annotated[Paging, seals.UNSEALED_ORDER.asked],
    state: Annotated[UnsealedState | None, Query(description="Only those in this state")] = None,
) -> Page[UnsealedEntry]:
    """Entries that are in no batch, by id: new ones, and those that were put there or taken away past Sextant."""
    return service.unsealed(session, asked, state)


@router.get("/batches", operation_id="listAuditBatches")
def list_batches(
    session: SessionDep,
    _reader: MayReadAudit,
    asked: Annotated[Paging, seals.BATCH_ORDER.asked],
    removed: Annotated[bool | None, Query(description="Only those whose entries are removed, or are there")] = None,
) -> Page[AuditBatch]:
    """Seals, newest first."""
    return service.batches(session, asked, removed)


@router.get("/batches/{batch_id}", operation_id="getAuditBatch")
def get_batch(
    session: SessionDep, _reader: MayReadAudit, batch_id: Annotated[int, Path(ge=1, lt=2**63)]
) -> AuditBatchRows:
    """A batch with its entries and their hashes: all that is needed to compute its seal again."""
    return service.batch_rows(session, batch_id)
