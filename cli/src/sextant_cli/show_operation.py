"""An operation as text: its steps on every host, its error, what can be done."""

from sextant_domain.plans.operation import MoveOutcome, Operation, OperationKind, OperationState

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
    for work in operation.hosts:
        if work.outcome is not None:
            _show_outcome(out, work.host, work.outcome)
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


def _show_outcome(out: Printer, host: str, outcome: MoveOutcome) -> None:
    """What moving brought and cost there, by measurement."""
    source = "" if outcome.provenance is None else f" ({outcome.provenance.value})"
    out.line(f"{host}{source}: {outcome.text}", style="green" if outcome.kept else "red")
    if outcome.chains:
        out.table(
            (
                "CHAIN",
                "BEFORE Gbps>",
                "AFTER Gbps>",
                "OFFERED BEFORE>",
                "OFFERED AFTER>",
                "p95 BEFORE us>",
                "p95 AFTER us>",
                "LOST PACKETS>",
            ),
            (
                (
                    one.chain,
                    _gbps(one.before_gbps),
                    _gbps(one.after_gbps),
                    _gbps(one.offered_before_gbps),
                    _gbps(one.offered_after_gbps),
                    _us(one.before_p95_us),
                    _us(one.after_p95_us),
                    or_none(one.lost_packets),
                )
                for one in outcome.chains
            ),
            empty="",
        )


def _gbps(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _us(value: float | None) -> str:
    return "-" if value is None else f"{value:.0f}"


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
