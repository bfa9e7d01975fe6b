"""Queries of races."""

from collections.abc import Sequence

from sqlalchemy import delete, exists, select
from sqlalchemy.orm import Session, undefer

from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.races.models import RaceRow


def add(session: Session, row: RaceRow) -> None:
    """Store a new race."""
    session.add(row)
    session.flush()


def get(session: Session, race_id: int, *, lock: bool = False) -> RaceRow | None:
    """The race of that id, without its snapshot."""
    query = select(RaceRow).where(RaceRow.id == race_id)
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def unfinished(session: Session) -> RaceRow | None:
    """The newest race that some algorithm has not planned for, with its snapshot."""
    query = select(RaceRow).where(RaceRow.snapshot.is_not(None)).order_by(RaceRow.id.desc()).limit(1)
    return session.scalars(query.options(undefer(RaceRow.snapshot))).one_or_none()


def plans_are_made(session: Session) -> bool:
    """Whether somebody waits for a plan."""
    waits = exists().where(PlanRow.state == "planning", PlanRow.waits_for.is_(None))
    return bool(session.scalar(select(waits)))


def page(session: Session, limit: int, before: int | None, plan: int | None) -> Sequence[RaceRow]:
    """At most `limit` races, newest first; all, or that of one plan."""
    query = select(RaceRow).order_by(RaceRow.id.desc()).limit(limit)
    if before is not None:
        query = query.where(RaceRow.id < before)
    if plan is not None:
        query = query.where(RaceRow.plan_id == plan)
    return session.scalars(query).all()


def states(session: Session, plan_ids: Sequence[int]) -> dict[int, str]:
    """The state of each plan."""
    found = session.execute(select(PlanRow.id, PlanRow.state).where(PlanRow.id.in_(plan_ids)))
    return {row.id: row.state for row in found}


def forget_all_but(session: Session, count: int) -> None:
    """Keep the newest."""
    newest = select(RaceRow.id).order_by(RaceRow.id.desc()).limit(count)
    session.execute(delete(RaceRow).where(RaceRow.id.not_in(newest)))
