"""Runs races: begun with a recommendation or an apply, one algorithm a turn, while nobody waits for a plan."""

from dataclasses import dataclass
from datetime import timedelta

import structlog
from sextant_domain.evidence import Algorithm, Solving
from sextant_domain.plan import ReplaceIntent
from sextant_domain.race import RaceBegin, RaceState
from sextant_domain.recommendation import Policy
from sextant_domain.snapshot import FleetSnapshot
from sqlalchemy.orm import Session

from sextant_backend.domain_events import RecommendationMade
from sextant_backend.faults import fault_point
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.heartbeat import Heartbeat
from sextant_backend.kit.leases.limits import WORK_LIMIT_S
from sextant_backend.kit.memory import without_collector
from sextant_backend.modules.plans import repository as plans
from sextant_backend.modules.plans import views as plan_views
from sextant_backend.modules.races import keeping, planning, repository, settling
from sextant_backend.modules.races.models import RaceRow
from sextant_backend.modules.races.planning import GivenWayError
from sextant_backend.modules.races.scoring import Leg
from sextant_backend.modules.snapshots.packing import pack, unpack

ALGORITHMS = (
    Algorithm.EXACT,
    Algorithm.ANYTIME,
    Algorithm.OCTANS_EXTENDED,
    Algorithm.NODE_FIRST,
    Algorithm.NODE_BALANCE,
)
MAX_TRIES = 3
"""Of one turn: whoever's workers die more often has failed, as plans and fits have."""
WITHIN = timedelta(hours=1)
"""All turns, which take some seconds where nobody waits for plans."""
KEPT = 200
"""Races."""
_log = structlog.get_logger()


def begin(session: Session, made: RecommendationMade) -> None:
    """Let the other algorithms plan for the hosts that a recommended plan changes, unless races are switched off."""
    policy = made.policy
    if not policy.races:
        return
    narrow = keeping.narrowed(made.snapshot, made.body)
    row = _row(session, made.plan_id, narrow, pack(narrow))
    row.begun_by = RaceBegin.RECOMMENDATION.value
    row.intent = ReplaceIntent().model_dump(mode="json")
    row.max_moves, row.margin_mpps = policy.max_moves, policy.margin_mpps
    _add(session, row)


def _row(session: Session, plan_id: int, snapshot: FleetSnapshot, packed: bytes) -> RaceRow:
    return RaceRow(
        plan_id=plan_id,
        hosts=[host.inventory.host_id for host in snapshot.hosts],
        host_models=keeping.host_models(snapshot),
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
        settling.settle(session, ALGORITHMS)
        if not repository.wanted(session):
            return
        while _begin_applied(session):
            pass
        claimed = None if repository.plans_are_made(session) else _claim(session)
    if claimed is None:
        return
    fault_point("race.claimed")
    try:
        beating = Heartbeat(RaceRow, claimed.race_id, claimed.token, step_limit_s=WORK_LIMIT_S, alone=True)
        with beating, without_collector():
            ran, leg = _planned(claimed)
            fault_point("race.before_store")
            _store(claimed, ran, leg)
    except GivenWayError:
        _give_back(claimed)
    except claims.ClaimLostError:
        return


def _begin_applied(session: Session) -> bool:
    """A race with the oldest applied plan whose snapshot is kept; False where there is none. A plan that was
    recommended has had one since."""
    taken = repository.take_applied(session)
    if taken is None:
        return False
    plan, packed = taken
    try:
        snapshot = unpack(packed)
    except ValueError as error:  # of an earlier version
        _log.warning("race_not_begun", plan_id=plan.id, cause=str(error)[:300])
        return True
    if repository.of_plan(session, plan.id) is None:
        row = _row(session, plan.id, snapshot, packed)
        row.begun_by = RaceBegin.APPLY.value
        # What an operator moved by hand, algorithms answer by moving as many NFs as they like best.
        row.intent = plan.intent if plan.kind == "place" else ReplaceIntent().model_dump(mode="json")
        row.max_moves = plan.moves if plan.kind == "migrate" else Solving.model_validate(plan.solving).max_moves
        row.margin_mpps = Policy().margin_mpps
        _add(session, row)
    return True


@dataclass(frozen=True)
class _Turn:
    race_id: int
    token: str
    tries: int
    algorithm: Algorithm


def _claim(session: Session) -> _Turn | None:
    claimed = repository.claim(session)
    row = None if claimed is None else repository.get(session, claimed[0])
    if claimed is None or row is None:
        return None
    row.tries += 1
    return _Turn(*claimed, row.tries, ALGORITHMS[len(row.legs)])


def _planned(claimed: _Turn) -> tuple[Leg, Leg]:
    """The leg of the plan itself, and that of the algorithm whose turn it is."""
    with session_scope() as session:
        row = repository.get(session, claimed.race_id, snapshot=True)
        plan = None if row is None else plans.get(session, row.plan_id, body=True)
        if row is None or plan is None or row.snapshot is None:
            raise claims.ClaimLostError(f"race {claimed.race_id} is gone")
        packed, body = row.snapshot, None if row.ran else plan_views.body_of(plan)
    if claimed.tries > MAX_TRIES:
        failed = Leg(algorithm=claimed.algorithm, error=f"{MAX_TRIES} workers died while it planned")
        return Leg.model_validate(row.ran or Leg(algorithm=None)), failed
    snapshot = unpack(packed)
    ran = planning.leg(None, snapshot, body) if body else Leg.model_validate(row.ran)
    return ran, planning.leg_of(row, snapshot, claimed.algorithm)


def _store(claimed: _Turn, ran: Leg, leg: Leg) -> None:
    with session_scope() as session:
        row = repository.get(session, claimed.race_id, lock=True)
        if row is None or row.state != RaceState.PLANNING:
            return
        claims.held(row, claimed.token)
        row.claim_token, row.tries = None, 0
        row.ran = ran.model_dump(mode="json") if ran.predicted else row.ran
        row.legs = [*row.legs, leg.model_dump(mode="json")]
        settling.after_turn(row, ran, ALGORITHMS)


def _give_back(claimed: _Turn) -> None:
    """It tried nothing."""
    with session_scope() as session:
        row = repository.get(session, claimed.race_id, lock=True)
        if row is not None and row.claim_token == claimed.token:
            row.claim_token, row.tries = None, row.tries - 1
