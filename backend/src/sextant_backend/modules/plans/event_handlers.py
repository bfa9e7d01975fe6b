"""What becomes of plans when others have acted, in their transaction: what they were made for has changed, or they have
been carried out."""

from collections.abc import Iterable

from sextant_domain.plans.plan import PlanState
from sqlalchemy.orm import Session

from sextant_backend.domain_events import ChainRemoved, HostOrdered, HostRenumbered, OperationEnded
from sextant_backend.kit.db import db_now
from sextant_backend.modules.plans import repository, views
from sextant_backend.modules.plans.models import PlanRow


def supersede(session: Session, rows: Iterable[PlanRow]) -> None:
    """Plans (locked) that wait to be made or approved are never to be."""
    for row in rows:
        row.state, row.decided_at, row.progress = PlanState.SUPERSEDED.value, db_now(session), None
        views.changed(session, row)


def host_ordered(session: Session, event: HostOrdered) -> None:
    """Proposals made for the host's former order are superseded."""
    supersede(session, repository.proposed_on(session, event.host_id, but=event.plan_id))


def host_renumbered(session: Session, event: HostRenumbered) -> None:
    """Proposals name the former number, which the agent would refuse."""
    supersede(session, repository.proposed_on(session, event.host_id, but=0))


def chain_removed(session: Session, event: ChainRemoved) -> None:
    """What waits to be made or approved for the chain is superseded."""
    supersede(session, repository.unapplied_of(session, event.name))


def operation_ended(session: Session, event: OperationEnded) -> None:
    """The plan is applied, or has failed."""
    row = repository.get(session, event.plan_id, lock=True)
    if row is None:
        raise LookupError(f"plan {event.plan_id} is gone")
    row.state = (PlanState.APPLIED if event.problem is None else PlanState.FAILED).value
    row.error = None if event.problem is None else event.problem.model_dump(mode="json")
    views.changed(session, row)
