"""Queries of plans."""

from collections.abc import Sequence

from sextant_domain.plans.plan import PlanState
from sqlalchemy import or_, select
from sqlalchemy.orm import Session, undefer

from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.plans.models import PlanRow

ORDER = Order(
    "id",
    "-id",
    id=PlanRow.id,
    state=PlanRow.state,
    kind=PlanRow.kind,
    subject=PlanRow.subject,
    changes=PlanRow.changes,
)

OPEN = (PlanState.PLANNING.value, PlanState.PROPOSED.value, PlanState.APPLYING.value)


def add(session: Session, row: PlanRow) -> PlanRow:
    """Store a new plan; it has its id then."""
    session.add(row)
    session.flush()
    return row


def get(session: Session, plan_id: int, *, lock: bool = False, body: bool = False) -> PlanRow | None:
    """The plan of that id; its body only where it is asked for."""
    query = select(PlanRow).where(PlanRow.id == plan_id)
    if body:
        query = query.options(undefer(PlanRow.body))
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def page(
    session: Session, asked: Paging, *, state: str | None, kind: str | None, chain: str | None, host: str | None
) -> Found[PlanRow]:
    """A page of plans: in one state, of one kind, that name one chain, that touch one host."""
    row = PlanRow
    query = select(row).where(*equal({row.state: state, row.kind: kind}))
    if chain is not None:
        query = query.where(row.chains.contains([chain]))
    if host is not None:
        query = query.where(row.hosts.contains([host]))
    return ORDER.read(session, query, asked)


def newest(session: Session, count: int) -> Sequence[PlanRow]:
    """Every open plan and the newest `count`, newest first: what a console starts with."""
    recent = select(PlanRow.id).order_by(PlanRow.id.desc()).limit(count)
    query = select(PlanRow).where(or_(PlanRow.state.in_(OPEN), PlanRow.id.in_(recent)))
    return session.scalars(query.order_by(PlanRow.id.desc())).all()


def proposed_on(session: Session, host: str, but: int) -> Sequence[PlanRow]:
    """Proposals that touch a host, except plan `but`. Locked; those that somebody else holds are left out: whoever
    holds one compares generations itself."""
    query = select(PlanRow).where(PlanRow.state == "proposed", PlanRow.hosts.contains([host]), PlanRow.id != but)
    return session.scalars(query.with_for_update(skip_locked=True)).all()


def unapplied_of(session: Session, chain: str) -> Sequence[PlanRow]:
    """Plans about a chain that wait to be made or approved; locked."""
    query = select(PlanRow).where(PlanRow.state.in_(("planning", "proposed")), PlanRow.chains.contains([chain]))
    return session.scalars(query.order_by(PlanRow.id).with_for_update()).all()
