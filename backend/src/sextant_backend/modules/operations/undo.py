"""What undoing a completed operation starts from: the content of its hosts before it, and what it ordered."""

from collections.abc import Sequence

from sextant_domain.chains.part import neighbours
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.plans.operation import OperationKind, OperationState
from sextant_domain.plans.snapshot import Former
from sextant_domain.problem import NextAction
from sqlalchemy.orm import Session

from sextant_backend.kit.errors import NotFound, SextantError
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.operations import repository
from sextant_backend.modules.operations.models import OperationHostRow


class NotUndoable(SextantError):
    """There is nothing to go back to."""

    kind, status, title = "operation-not-undoable", 409, "The operation cannot be undone"


def hosts_of(session: Session, operation_id: int, names: Sequence[str]) -> list[OperationHostRow]:
    """Its work on these hosts, none: on all of them. Raises NotFound or NotUndoable, with the reason and what helps."""
    rows = repository.load(session, operation_id)
    if rows is None:
        raise NotFound(f"There is no operation {operation_id}; `sextant operations list` shows those that are.")
    state, refused = OperationState(rows.operation.state), f"Operation {operation_id}"
    if state is not OperationState.COMPLETED:
        ended = rows.operation.finished_at is not None
        raise NotUndoable(
            f"{refused} is {state.value}: only one that completed is undone. Nothing was changed.",
            next_actions=[
                NextAction(label="See it", command=f"sextant operations show {operation_id}")
                if ended
                else NextAction(label="Stop it instead", command=f"sextant operations cancel {operation_id}")
            ],
        )
    if rows.operation.kind == OperationKind.REMOVE:
        raise NotUndoable(f"{refused} removed a chain, which is deleted: submit it again. Nothing was changed.")
    gone = {chain for row in rows.hosts for chain in row.chains}
    gone -= chains.living_names(session, gone)
    if rows.operation.kind == OperationKind.LANES and gone:  # lanes that it took away come back
        gone -= chains.lanes_gone(session, gone)
        if gone:
            raise NotUndoable(f"{refused} was about {', '.join(sorted(gone))}, which is deleted. Nothing was changed.")
    known = [row.host_id for row in rows.hosts]
    strangers = sorted(set(names) - set(known))
    if strangers:
        raise NotUndoable(
            f"{refused} did nothing on {', '.join(strangers)}; it ordered {', '.join(known)}. Nothing was changed."
        )
    if rows.operation.kind == OperationKind.LANES and 0 < len(set(names)) < len(known):
        raise NotUndoable(
            f"{refused} divided flows anew on {', '.join(sorted(known))}: undo it on all of them. Nothing was changed."
        )
    if names:
        _refuse_half_a_move(rows.hosts, set(names), operation_id)
    return [row for row in rows.hosts if not names or row.host_id in names]


def _refuse_half_a_move(rows: Sequence[OperationHostRow], names: set[str], operation_id: int) -> None:
    """A chain that was moved between hosts goes back on both, or it would run on neither; and so do parts of one."""
    of_these = {chain for row in rows if row.host_id in names for chain in row.chains}
    elsewhere = {chain for row in rows if row.host_id not in names for chain in row.chains}
    for first, second in neighbours(of_these | elsewhere):
        if (first in of_these) != (second in of_these):
            raise NotUndoable(
                f"{first} and {second} are parts of one chain: undo operation {operation_id} on all hosts. Nothing was "
                "changed."
            )
    for row in rows:
        moved = sorted(of_these & set(row.chains))
        if row.host_id not in names and moved:
            raise NotUndoable(
                f"Operation {operation_id} moved {', '.join(moved)} between {row.host_id} and "
                f"{', '.join(sorted(names))}: undo it on all of them. Nothing was changed."
            )


def former(session: Session, operation_id: int, names: Sequence[str]) -> tuple[Former, ...]:
    """By host; raises as `hosts_of`."""
    return tuple(
        Former(
            before=DesiredHostConfig.model_validate_json(row.former).content,
            after=DesiredHostConfig.model_validate_json(row.target).content,
        )
        for row in hosts_of(session, operation_id, names)
    )
