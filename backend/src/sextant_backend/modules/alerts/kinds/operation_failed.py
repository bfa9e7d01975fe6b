"""An operation has failed: it waits for somebody and holds its hosts, or has ended without its effect."""

from datetime import timedelta

from sextant_domain.console.alerts import AlertKind, AlertObjectKind, AlertSeverity
from sextant_domain.plans.operation import OperationState
from sextant_domain.problem import Problem
from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from sextant_backend.modules.alerts.kinds.frame import Condition, Findings, KindSpec, Look, Parameter
from sextant_backend.modules.operations.models import OperationRow

KEPT = "ended_minutes"


def observe(session: Session, look: Look) -> Findings:
    """One that has ended as failed is shown for a while only: nobody can do anything about it but try again."""
    row = OperationRow
    since = look.now - timedelta(minutes=look.parameters[KEPT])
    failed = select(row.id, row.state, row.title, row.error).where(
        or_(
            row.state == OperationState.FAILED_TEMP,
            (row.state == OperationState.FAILED) & (row.finished_at > since),
        )
    )
    bad = {
        str(number): _condition(number, state, title, error) for number, state, title, error in session.execute(failed)
    }
    return Findings(bad=bad)


def _condition(number: int, state: str, title: str, error: dict[str, object] | None) -> Condition:
    cause = Problem.model_validate(error).detail if error else "No cause was stored."
    waits = state == OperationState.FAILED_TEMP
    actions = "retry, rollback or fail" if waits else "its plan can be asked for again"
    return Condition(
        summary=f"Operation {number} ({title}) {'waits for somebody' if waits else 'has failed'}",
        cause=cause[:500],
        next_step=f"sextant operations show {number}; then {actions}",
    )


SPEC = KindSpec(
    kind=AlertKind.OPERATION_FAILED,
    title="Operation failed",
    summary="An operation waits for retry, rollback or fail, or has ended as failed",
    object_kind=AlertObjectKind.OPERATION,
    severity=AlertSeverity.CRITICAL,
    fire_after_s=0.0,
    resolve_after_s=0.0,
    observe=observe,
    parameters=(Parameter(KEPT, "Show one that has ended for", "min", default=60.0, least=0.0, most=10_080.0),),
)
