"""Queries of races."""

from collections.abc import Sequence
from datetime import timedelta

from sextant_domain.laws.octans import OCTANS
from sextant_domain.plans.plan import PlanState
from sextant_domain.plans.race import RaceState
from sqlalchemy import ColumnElement, any_, delete, exists, func, literal, or_, select
from sqlalchemy.orm import Session, undefer

from sextant_backend.kit.leases import claims
from sextant_backend.kit.paging import Found, Order, Paging, equal
from sextant_backend.modules.control import policy_table
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.predictions.models import TestedRow
from sextant_backend.modules.races.models import RaceRow
from sextant_backend.modules.snapshots.models import KeptSnapshotRow

ORDER = Order("id", "-id", id=RaceRow.id, state=RaceRow.state, created_at=RaceRow.created_at)

OPEN = ("planning", "measuring")
APPLICABLE = (PlanState.PROPOSED.value, PlanState.APPLYING.value, PlanState.APPLIED.value)
APPLIED = (PlanState.APPLYING.value, PlanState.APPLIED.value)
_UNDECIDED = exists().where(
    PlanRow.id == RaceRow.plan_id, PlanRow.state.in_((PlanState.PROPOSED.value, PlanState.APPLYING.value))
)
_MAY_GO_ON = (RaceRow.state.in_(OPEN), or_(RaceRow.state != RaceState.MEASURING.value, ~_UNDECIDED))
"""All have planned and the plan is neither applied nor off the table: nothing comes of the race until somebody decides,
which may take days."""


def wanted(session: Session) -> bool:
    """Whether the policy of Octans, whose algorithms race, lets races begin."""
    return policy_table.policy_of(policy_table.of_fleet(session, OCTANS)).races


def any_due() -> ColumnElement[bool]:
    """Whether a turn may find something to do."""
    kept = exists().where(PlanRow.id == KeptSnapshotRow.plan_id, PlanRow.state.in_(APPLIED))
    return or_(kept, claims.any_unattended(RaceRow, *_MAY_GO_ON))


def is_due(session: Session) -> bool:
    """The same; open races count again after one lease."""
    due = bool(session.scalar(select(any_due())))
    claims.unattended(session, RaceRow, *_MAY_GO_ON)
    return due


def take_applied(session: Session) -> tuple[PlanRow, bytes] | None:
    """The oldest plan that is applied and whose snapshot is kept, with its body; it is kept no longer."""
    kept = KeptSnapshotRow
    query = select(kept).join(PlanRow, PlanRow.id == kept.plan_id).where(PlanRow.state.in_(APPLIED))
    found = session.scalars(query.order_by(kept.plan_id).limit(1).with_for_update(of=kept, skip_locked=True)).first()
    if found is None:
        return None
    plan = session.scalars(select(PlanRow).where(PlanRow.id == found.plan_id).options(undefer(PlanRow.body))).one()
    snapshot = found.snapshot
    session.delete(found)
    return plan, snapshot


def forget_applied(session: Session) -> None:
    """Drop snapshots of plans that were applied while races are switched off: they have none."""
    applied = exists().where(PlanRow.id == KeptSnapshotRow.plan_id, PlanRow.state.in_(APPLIED))
    session.execute(delete(KeptSnapshotRow).where(applied))


def forget_kept(session: Session, age: timedelta) -> int:
    """Drop snapshots of plans that cannot be applied any more, or are older than `age`; returns how many."""
    kept = KeptSnapshotRow
    applicable = exists().where(PlanRow.id == kept.plan_id, PlanRow.state.in_(APPLICABLE))
    old = kept.created_at < func.clock_timestamp() - age
    return len(session.execute(delete(kept).where(~applicable | old).returning(kept.plan_id)).all())


def add(session: Session, row: RaceRow) -> None:
    """Store a new race."""
    session.add(row)
    session.flush()


def get(session: Session, race_id: int, *, lock: bool = False, snapshot: bool = False) -> RaceRow | None:
    """The race of that id; its snapshot only where it is asked for."""
    query = select(RaceRow).where(RaceRow.id == race_id)
    if snapshot:
        query = query.options(undefer(RaceRow.snapshot))
    return session.scalars(query.with_for_update() if lock else query).one_or_none()


def of_plan(session: Session, plan_id: int) -> int | None:
    """The race of a plan."""
    return session.scalar(select(RaceRow.id).where(RaceRow.plan_id == plan_id))


def claim(session: Session) -> tuple[int, str] | None:
    """Take the newest race in which an algorithm has its turn, if nobody is at it: its id and a token."""
    race_id = session.scalar(
        select(RaceRow.id).where(RaceRow.state == "planning", claims.free(RaceRow)).order_by(RaceRow.id.desc()).limit(1)
    )
    token = None if race_id is None else claims.claim(session, RaceRow, race_id, RaceRow.state == "planning")
    return None if race_id is None or token is None else (race_id, token)


def open_ones(session: Session, limit: int) -> Sequence[tuple[RaceRow, PlanRow]]:
    """Races that are planned or measured, with their plans, oldest first. Locked; others' are left out."""
    query = select(RaceRow, PlanRow).join(PlanRow, PlanRow.id == RaceRow.plan_id).where(RaceRow.state.in_(OPEN))
    locked = query.order_by(RaceRow.id).limit(limit).with_for_update(of=RaceRow, skip_locked=True)
    return [(row, plan) for row, plan in session.execute(locked)]


def is_tested(session: Session, plan_id: int) -> bool:
    """Whether windows of an applied plan are still measured: no later order of its hosts has ended that."""
    return bool(session.scalar(select(exists().where(TestedRow.plan_id == plan_id))))


def plans_are_made(session: Session) -> bool:
    """Whether somebody waits for a plan."""
    waits = exists().where(PlanRow.state == "planning", PlanRow.waits_for.is_(None))
    return bool(session.scalar(select(waits)))


def page(
    session: Session, asked: Paging, *, plan: int | None, host_model: str | None, state: str | None
) -> Found[RaceRow]:
    """A page of races: all, that of one plan, those with hosts of one model, those in one state."""
    row = RaceRow
    query = select(row).where(_of_model(host_model), *equal({row.plan_id: plan, row.state: state}))
    return ORDER.read(session, query, asked)


def scores(session: Session, host_model: str | None) -> Sequence[dict[str, object]]:
    """What became of every scored race, newest first."""
    query = select(RaceRow.score).where(RaceRow.state == "scored", _of_model(host_model))
    return [score for score in session.scalars(query.order_by(RaceRow.id.desc())) if score is not None]


def counts(session: Session, host_model: str | None) -> dict[str, int]:
    """How many races are in each state."""
    query = select(RaceRow.state, func.count()).where(_of_model(host_model)).group_by(RaceRow.state)
    return {row.state: row[1] for row in session.execute(query)}


def host_models(session: Session) -> tuple[str, ...]:
    """Of all races, by name."""
    found = select(func.unnest(RaceRow.host_models)).distinct()
    return tuple(sorted(session.scalars(found)))


def _of_model(host_model: str | None) -> ColumnElement[bool]:
    return literal(True) if host_model is None else literal(host_model) == any_(RaceRow.host_models)


def states(session: Session, plan_ids: Sequence[int]) -> dict[int, str]:
    """The state of each plan."""
    found = session.execute(select(PlanRow.id, PlanRow.state).where(PlanRow.id.in_(plan_ids)))
    return {row.id: row.state for row in found}


def forget_all_but(session: Session, count: int) -> None:
    """Keep the newest."""
    newest = select(RaceRow.id).order_by(RaceRow.id.desc()).limit(count)
    session.execute(delete(RaceRow).where(RaceRow.id.not_in(newest)))
