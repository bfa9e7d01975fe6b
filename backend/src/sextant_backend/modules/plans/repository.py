"""Queries of plans."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import NamedTuple

from sextant_domain.plans.plan import PlanState
from sqlalchemy import func, or_, select
from sqlalchemy.dialects.postgresql import distinct_on
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


class Assigned(NamedTuple):
    """The last plan that placed or moved NFs on a host."""

    id: int
    algorithm: str | None
    decided_at: datetime


def last_that_assigned(session: Session, hosts: Collection[str], since: datetime) -> dict[str, Assigned]:
    """Of these hosts, of plans that were applied after `since`; those without one are absent."""
    host = func.unnest(PlanRow.hosts).label("host")
    plans = select(host, PlanRow.id, PlanRow.solving["algorithm"].as_string().label("algorithm"), PlanRow.decided_at)
    plans = plans.where(
        PlanRow.state == PlanState.APPLIED.value,
        PlanRow.decided_at >= since,
        PlanRow.placed + PlanRow.moves > 0,
        PlanRow.hosts.overlap(list(hosts)),
    )
    of = plans.subquery()
    newest = (of.c.host, of.c.decided_at.desc())
    query = select(of).ext(distinct_on(of.c.host)).where(of.c.host.in_(hosts)).order_by(*newest)
    return {name: Assigned(*rest) for name, *rest in (session.execute(query) if hosts else ())}


def proposed_on(session: Session, host: str, but: int) -> Sequence[PlanRow]:
    """Proposals that touch a host, except plan `but`. Locked; those that somebody else holds are left out: whoever
    holds one compares generations itself."""
    query = select(PlanRow).where(PlanRow.state == "proposed", PlanRow.hosts.contains([host]), PlanRow.id != but)
    return session.scalars(query.with_for_update(skip_locked=True)).all()


def unapplied_of(session: Session, chain: str) -> Sequence[PlanRow]:
    """Plans about a chain that wait to be made or approved; locked."""
    query = select(PlanRow).where(PlanRow.state.in_(("planning", "proposed")), PlanRow.chains.contains([chain]))
    return session.scalars(query.order_by(PlanRow.id).with_for_update()).all()
