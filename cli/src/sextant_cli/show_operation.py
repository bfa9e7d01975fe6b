"""An operation as text: its steps on every host, its error, what can be done."""

from sextant_domain.plans.operation import Operation, OperationKind, OperationState

from sextant_cli.figures import ago, or_none
from sextant_cli.output import Printer


def show_operation(out: Printer, operation: Operation) -> None:
    """The whole operation."""
    out.line(f"operation {operation.id}  {operation.state.value}  {operation.title}", style="bold")
    out.line(
        f"plan {operation.plan_id}, attempts {operation.attempts}, requested by {operation.requested_by} "
        f"{ago(operation.created_at)}"
    )
    if operation.waits_for_host:
        out.line("It continues by itself when the host is back.")
    out.table(
        ("HOST", "GENERATION", "STEP", "STATE", "TRIES>", "DETAIL"),
        (
            (
                work.host,
                f"{work.from_generation} -> {work.to_generation}",
                step.name.value,
                step.state.value,
                str(step.attempts),
                step.error.detail if step.error else step.detail,
            )
            for work in operation.hosts
            for step in work.steps
        ),
        empty="no host is touched",
    )
    if operation.error is not None:
        out.line(f"{operation.error.title}: {operation.error.detail}", style="red")
    for offer in operation.actions:
        if offer.allowed:
            out.line(f"  {offer.action.value}: {offer.reason}")
    for reason, names in _refused(operation).items():
        out.line(f"  {', '.join(names)}: not possible, {reason}", style="dim")
    out.line(f"see its changes: sextant plans show {operation.plan_id}")
    if operation.state is OperationState.COMPLETED and operation.kind is not OperationKind.REMOVE:
        out.line(f"plan its undo: sextant operations undo {operation.id}")


def _refused(operation: Operation) -> dict[str, list[str]]:
    """Actions that are not possible by their cause, which is one for all of an operation that has ended."""
    causes: dict[str, list[str]] = {}
    for offer in operation.actions:
        if not offer.allowed:
            causes.setdefault(offer.reason, []).append(offer.action.value)
    return causes


def operation_row(operation: Operation) -> tuple[str, ...]:
    """A line of a list."""
    return (
        str(operation.id),
        operation.state.value,
        operation.kind.value,
        operation.title,
        or_none(operation.error.title if operation.error else None),
        operation.requested_by,
        ago(operation.created_at),
    )
