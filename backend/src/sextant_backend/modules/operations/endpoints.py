"""Watch operations; retry, roll back, cancel or fail them."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from sextant_domain.base import Name
from sextant_domain.console.access import Permission
from sextant_domain.console.views import Page
from sextant_domain.plans.operation import Operation, OperationAction, OperationKind, OperationState

from sextant_backend.kit.db import SessionDep
from sextant_backend.kit.etag import set_etag
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal, Viewer, may
from sextant_backend.modules.operations import repository, service

router = APIRouter(prefix="/operations", tags=["operations"], route_class=IdempotentRoute)
MayControlOperations = Annotated[Principal, may(Permission.OPERATIONS_CONTROL)]

OperationId = Annotated[int, Path(ge=1, lt=2**63)]


@router.get("", operation_id="listOperations")
def list_operations(
    *,
    session: SessionDep,
    _viewer: Viewer,
    asked: Annotated[Paging, repository.ORDER.asked],
    state: Annotated[OperationState | None, Query(description="Only those in this state")] = None,
    kind: Annotated[OperationKind | None, Query(description="Only those of plans of this kind")] = None,
    host: Annotated[Name | None, Query(description="Only those that touch this host")] = None,
    chain: Annotated[Name | None, Query(description="Only those that change this chain")] = None,
    plan: Annotated[int | None, Query(ge=1, lt=2**63, description="Only the one of this plan")] = None,
) -> Page[Operation]:
    """Operations, newest first."""
    return service.page(session, asked, state=state, kind=kind, host=host, chain=chain, plan=plan)


@router.get("/{operation_id}", operation_id="getOperation")
def get_operation(session: SessionDep, _viewer: Viewer, response: Response, operation_id: OperationId) -> Operation:
    """One operation: its hosts, their steps, what may be done."""
    operation = service.one(session, operation_id)
    set_etag(response, operation.version)
    return operation


@router.post("/{operation_id}/retry", operation_id="retryOperation", status_code=202, dependencies=[Idempotent])
def retry(session: SessionDep, operator: MayControlOperations, operation_id: OperationId) -> Operation:
    """Go on at the step that failed."""
    return service.ask(session, operation_id, OperationAction.RETRY, operator)


@router.post("/{operation_id}/rollback", operation_id="rollbackOperation", status_code=202, dependencies=[Idempotent])
def rollback(session: SessionDep, operator: MayControlOperations, operation_id: OperationId) -> Operation:
    """Order the former content again on every host that was ordered."""
    return service.ask(session, operation_id, OperationAction.ROLLBACK, operator)


@router.post("/{operation_id}/cancel", operation_id="cancelOperation", status_code=202, dependencies=[Idempotent])
def cancel(session: SessionDep, operator: MayControlOperations, operation_id: OperationId) -> Operation:
    """Stop before the next step; what was ordered is undone."""
    return service.ask(session, operation_id, OperationAction.CANCEL, operator)


@router.post("/{operation_id}/fail", operation_id="failOperation", status_code=202, dependencies=[Idempotent])
def fail(session: SessionDep, operator: MayControlOperations, operation_id: OperationId) -> Operation:
    """Mark the operation as failed; hosts keep their present orders."""
    return service.ask(session, operation_id, OperationAction.FAIL, operator)
