"""Runs races: begun with a recommendation or an apply, one algorithm a turn, while nobody waits for a plan."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import structlog
from sextant_domain.laws.recommendation import RecommendationPolicy
from sextant_domain.plans.evidence import Algorithm, Solving
from sextant_domain.plans.intents import ReplaceIntent
from sextant_domain.plans.race import RaceBegin, RaceState
from sextant_domain.plans.snapshot import FleetSnapshot
from sqlalchemy.orm import Session

from sextant_backend.domain_events import RecommendationMade
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.claims import Heartbeat
from sextant_backend.kit.leases.work import ClaimedWork, LeasedWork
from sextant_backend.kit.memory import without_collector
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.races import race_ending, race_legs, repository
from sextant_backend.modules.races.models import RaceRow
from sextant_backend.modules.races.race_legs import CONTENDERS, Preempted
from sextant_backend.modules.races.scoring import Leg
from sextant_backend.modules.snapshots import service as snapshots

MAX_TRIES = 3
"""Of one turn: whoever's workers die more often has failed, as plans and fits have."""
WITHIN = timedelta(hours=1)
"""All turns, which take some seconds where nobody waits for plans."""
KEPT = 200
"""Races."""
KEPT_FOR = timedelta(days=7)
"""A plan that is applied later has no race."""
_log = structlog.get_logger()


def begin(session: Session, made: RecommendationMade) -> None:
    """Let the other algorithms plan for the hosts that a recommended plan changes, unless races are switched off."""
    policy = made.policy
    if not policy.races:
        return
    narrow = snapshots.narrowed(made.snapshot, made.body)
    row = _row(session, made.plan_id, narrow, snapshots.pack(narrow))
    row.begun_by = RaceBegin.RECOMMENDATION.value
    row.intent = _rival_intent(made.body.intent.model_dump(mode="json"))
    row.max_moves, row.margin_mpps = policy.max_moves, policy.margin_mpps
    _add(session, row)


def _rival_intent(intent: dict[str, Any]) -> dict[str, Any]:
    """What the other algorithms are asked for, given the intent of the plan that ran: what stayed for it stays."""
    if intent["kind"] == "place":
        return intent
    return ReplaceIntent(keep=tuple(intent.get("keep", ()))).model_dump(mode="json")


def _row(session: Session, plan_id: int, snapshot: FleetSnapshot, packed: bytes) -> RaceRow:
    return RaceRow(
        plan_id=plan_id,
        hosts=[host.inventory.host_id for host in snapshot.hosts],
        host_models=sorted({host.inventory.host_model for host in snapshot.hosts}),
        snapshot=packed,
        legs=[],
        deadline_at=db_now(session) + WITHIN,
    )


def _add(session: Session, row: RaceRow) -> None:
    repository.add(session, row)
    repository.forget_all_but(session, KEPT)


def turn() -> None:
    """Begin races of plans that were applied, settle what can be, and let one algorithm of the newest race plan."""
    with session_scope() as session:
        race_ending.settle(session, CONTENDERS)
        if not repository.wanted(session):
            repository.forget_applied(session)
            return
        while _begin_applied(session):
            pass
    _Racing().run()


def _begin_applied(session: Session) -> bool:
    """A race with the oldest applied plan whose snapshot is kept; False where there is none. A plan that was
    recommended has had one since."""
    taken = repository.take_applied(session)
    if taken is None:
        return False
    plan, packed = taken
    try:
        snapshot = snapshots.unpack(packed)
    except ValueError as error:  # of an earlier version
        _log.warning("race_not_begun", plan_id=plan.id, cause=str(error)[:300])
        return True
    if repository.of_plan(session, plan.id) is None:
        row = _row(session, plan.id, snapshot, packed)
        row.begun_by = RaceBegin.APPLY.value
        # What an operator moved by hand, algorithms answer by moving as many NFs as they like best.
        row.intent = _rival_intent(plan.intent)
        row.max_moves = plan.moves if plan.kind == "migrate" else Solving.model_validate(plan.solving).max_moves
        row.margin_mpps = RecommendationPolicy().margin_mpps
        _add(session, row)
    return True


@dataclass(frozen=True)
class _Turn:
    """One algorithm's."""

    race_id: int
    tries: int
    algorithm: Algorithm


@dataclass(frozen=True)
class _Planned:
    """What came of a turn."""

    ran: Leg
    """Of the plan itself."""
    leg: Leg
    """Of the algorithm whose turn it was."""


class _Racing(LeasedWork[_Turn, _Planned | None]):
    """One turn of the newest race that is due, while nobody waits for a plan. None came of one that gave way."""

    model, name, points = RaceRow, "race", frozenset({"claimed", "before_store"})

    def take(self, session: Session) -> ClaimedWork[_Turn] | None:
        """Counts the try."""
        claimed = None if repository.plans_are_made(session) else repository.claim(session)
        row = None if claimed is None else repository.get(session, claimed[0])
        if claimed is None or row is None:
            return None
        row.tries += 1
        return ClaimedWork(*claimed, _Turn(row.id, row.tries, CONTENDERS[len(row.legs)]))

    def perform(self, taken: ClaimedWork[_Turn], heart: Heartbeat) -> _Planned | None:
        """The algorithm plans."""
        try:
            with without_collector():
                return _planned(taken.what, heart)
        except Preempted:
            return None

    def store(self, session: Session, taken: ClaimedWork[_Turn], result: _Planned | None) -> None:
        """A turn that gave way tried nothing."""
        row = repository.get(session, taken.row_id, lock=True)
        if row is None or row.state != RaceState.PLANNING:
            return
        claims.held(row, taken.token)
        claims.give_back(row)
        if result is None:
            row.tries -= 1
            return
        row.tries = 0
        row.ran = result.ran.model_dump(mode="json") if result.ran.predicted else row.ran
        row.legs = [*row.legs, result.leg.model_dump(mode="json")]
        race_ending.after_turn(row, result.ran, CONTENDERS)


def _planned(claimed: _Turn, heart: Heartbeat) -> _Planned:
    with session_scope() as session:
        row = repository.get(session, claimed.race_id, snapshot=True)
        plan = None if row is None else plans.get(session, row.plan_id, body=True)
        if row is None or plan is None or row.snapshot is None:
            raise claims.ClaimLostError(f"race {claimed.race_id} is gone")
        packed, body = row.snapshot, None if row.ran else plan_views.body_of(plan)
    if claimed.tries > MAX_TRIES:
        failed = Leg(algorithm=claimed.algorithm, error=f"{MAX_TRIES} workers died while it planned")
        return _Planned(Leg.model_validate(row.ran or Leg(algorithm=None)), failed)
    heart.next_step()
    snapshot = snapshots.unpack(packed)
    ran = race_legs.leg(None, snapshot, body) if body else Leg.model_validate(row.ran)
    return _Planned(ran, race_legs.leg_of(row, snapshot, claimed.algorithm))


def forget_old(session: Session) -> int:
    """Drop snapshots that no race will begin with; returns how many. For the housekeeping task."""
    return repository.forget_kept(session, KEPT_FOR)
