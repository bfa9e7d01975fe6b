"""Queries of plans."""

from collections.abc import Sequence

from sextant_domain.plans.plan import PlanState
from sqlalchemy import or_, select
from sqlalchemy.orm import Session, undefer

from sextant_backend.modules.plans.models import PlanRow

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


def page(session: Session, limit: int, before: int | None, state: str | None, chain: str | None) -> Sequence[PlanRow]:
    """At most `limit` plans, newest first; of one state, or that name one chain."""
    query = select(PlanRow).order_by(PlanRow.id.desc()).limit(limit)
    if before is not None:
        query = query.where(PlanRow.id < before)
    if state is not None:
        query = query.where(PlanRow.state == state)
    if chain is not None:
        query = query.where(PlanRow.chains.contains([chain]))
    return session.scalars(query).all()


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
