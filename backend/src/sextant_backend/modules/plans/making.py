"""Makes plans: claims, snapshot, engine, an immutable body. A worker that dies leaves the plan to the next one."""

import time
from dataclasses import dataclass

import structlog
from sextant_domain.base import canonical_json, digest_of_json
from sextant_domain.plans.evidence import PlanProgress, Solving
from sextant_domain.plans.plan import ChangeKind, PlanBody, PlanState, ReplaceIntent, ResourceIntent, RestoreIntent
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.problem import NextAction, Problem, problem_type
from sextant_engine.errors import PlanningCancelled
from sextant_engine.plan import make_plan
from sqlalchemy.orm import Session

from sextant_backend.domain_events import PlanMade, announce
from sextant_backend.kit.db import allow_idle, session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.heartbeat import Heartbeat
from sextant_backend.kit.leases.limits import WORK_LIMIT_S
from sextant_backend.kit.leases.work import LeasedWork, Taken
from sextant_backend.kit.memory import without_collector
from sextant_backend.modules.chains import lifecycle
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.operations import undoing
from sextant_backend.modules.plans import repository, views, waiting
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.plans.progress import Watch
from sextant_backend.modules.snapshots import service as snapshots

MAX_TRIES = 3
_TO_BE_MADE = (PlanRow.state == "planning", PlanRow.waits_for.is_(None))
_log = structlog.get_logger()


def make(plan_id: int) -> None:
    """The PLAN task: make the plan unless it is made or somebody is at it. Failures become the plan's error."""
    _Making(plan_id).run()


@dataclass(frozen=True)
class _Given:
    """What a worker begins with."""

    tries: int
    limit_s: float
    """Of the search."""


@dataclass(frozen=True)
class _Made:
    """What was found."""

    result: PlanBody | Problem
    left_out: float = 0.0
    """Summed value of the chains that it leaves out."""
    snapshot: FleetSnapshot | None = None
    """That it was made from."""


class _Making(LeasedWork[_Given, _Made]):
    """One plan."""

    model, name, points = PlanRow, "plan", frozenset({"claimed", "before_store", "after_commit"})

    def __init__(self, plan_id: int) -> None:
        self._plan_id = plan_id

    def take(self, session: Session) -> Taken[_Given] | None:
        """Counts the try."""
        token = claims.claim(session, PlanRow, self._plan_id, *_TO_BE_MADE)
        row = repository.get(session, self._plan_id)
        if token is None or row is None:
            return None
        row.tries += 1
        limit_s = WORK_LIMIT_S + Solving.model_validate(row.solving).time_limit_s
        return Taken(row.id, token, _Given(row.tries, limit_s))

    def perform(self, taken: Taken[_Given], heart: Heartbeat) -> _Made:
        """What the engine found."""
        if taken.what.tries > MAX_TRIES:
            return _Made(_gave_up(self._plan_id))
        with without_collector():
            return _compute(taken, heart)

    def store(self, session: Session, taken: Taken[_Given], result: _Made) -> None:
        """From now on the plan never changes."""
        with without_collector():
            _store(session, taken, result)


def _compute(taken: Taken[_Given], heart: Heartbeat) -> _Made:
    plan_id = taken.row_id
    with session_scope() as session:
        row = repository.get(session, plan_id)
        if row is None:
            raise claims.ClaimLostError(f"plan {plan_id} is gone")
        allow_idle(session)
        intent, solving = views.intent_of(row), Solving.model_validate(row.solving)
        watch = Watch(plan_id, taken.token)
        if watch(PlanProgress(stage="reading")):
            raise claims.ClaimLostError(f"plan {plan_id} is not wanted any more")
        snapshot = _snapshot(session, row)
        warnings: tuple[str, ...] = ()
        if row.kind == "replace" and row.source == "fleet":
            snapshot, warnings = waiting.left_out(session, snapshot)
    heart.next_step(taken.what.limit_s)
    try:
        result = make_plan(snapshot, intent, solving, watch, time.monotonic)
    except PlanningCancelled as cancelled:  # rejected, superseded, or another worker is at it: nothing to store
        raise claims.ClaimLostError(f"plan {plan_id}: {cancelled}") from cancelled
    except Exception as error:
        _log.exception("planning_failed", plan_id=plan_id)
        return _Made(_failed(plan_id, f"the engine stopped with {type(error).__name__}: {error}"))
    if warnings:
        result = result.model_copy(update={"warnings": (*warnings, *result.warnings)})
    rejected = {one.chain for one in result.rejected}
    left_out = sum(spec.value for spec in snapshot.chains if spec.name in rejected)
    return _Made(result, left_out, snapshot)


def _snapshot(session: Session, row: PlanRow) -> FleetSnapshot:
    """The fleet at this moment, or of it the hosts that the intent names; or the one snapshot of a comparison."""
    if row.comparison_id is not None:
        return _compared(session, row.comparison_id)
    intent = views.intent_of(row)
    if isinstance(intent, RestoreIntent):
        former = undoing.former(session, intent.operation_id, intent.hosts)
        fleet = snapshots.narrow(session, [one.before.host_id for one in former], row.chains)
        return fleet.model_copy(update={"former": former})
    if isinstance(intent, ReplaceIntent) and intent.host is not None:
        return snapshots.narrow(session, [intent.host])
    if isinstance(intent, ResourceIntent):
        placed = chains.placed_of(session, row.chains)
        return snapshots.narrow(session, sorted({nf.host_id for rows in placed.values() for nf in rows}))
    return snapshots.take(session)


def _compared(session: Session, comparison_id: int) -> FleetSnapshot:
    snapshot = snapshots.compared(session, comparison_id)
    if snapshot is None:
        raise claims.ClaimLostError(f"comparison {comparison_id} is gone")
    return snapshot


def _store(session: Session, taken: Taken[_Given], made: _Made) -> None:
    row = repository.get(session, taken.row_id, lock=True)
    if row is None or row.state != PlanState.PLANNING:
        return  # cancelled or superseded meanwhile
    claims.held(row, taken.token)
    claims.give_back(row)
    row.progress = None
    if isinstance(made.result, PlanBody):
        put_body(row, made.result)
        row.rejected_value = made.left_out
        if row.source == "fleet" and made.snapshot is not None:
            announce(session, PlanMade(row.id, row.kind, made.snapshot, made.result))
    else:
        row.state, row.error = PlanState.FAILED.value, made.result.model_dump(mode="json")
    views.changed(session, row)
    if row.comparison_id is None and row.kind != "replace":
        lifecycle.name_plan(session, row.chains, row.id)  # others name them when they are applied: 5000 at once


def put_body(row: PlanRow, body: PlanBody) -> None:
    """Write down what was found; from now on it never changes. What lists show stands in columns."""
    text = canonical_json(body)
    row.state = PlanState.PROPOSED.value
    row.body, row.digest = text.decode(), digest_of_json(text)
    row.changes, row.rejected = len(body.changes) + len(body.adjustments), len(body.rejected)
    row.moves = sum(change.kind is ChangeKind.MOVE for change in body.changes)
    row.placed = len({change.chain for change in body.changes if change.kind is ChangeKind.ADD})
    found = body.evidence
    row.status, row.gap, row.bound = found.status, found.gap, found.bound
    row.doubt = None if found.doubt is None else found.doubt.value
    row.objective_mpps, row.score = found.objective_mpps, found.score
    row.evaluations, row.seconds = found.evaluations, found.seconds
    if row.source == "fleet":
        row.hosts = [base.host for base in body.base]
        row.chains = sorted({*row.chains, *body.changed_chains})


def _failed(plan_id: int, cause: str) -> Problem:
    return Problem(
        type=problem_type("planning-failed"),
        title="The plan could not be made",
        status=500,
        detail=f"Plan {plan_id}: {cause}. No host was changed.",
        next_actions=(NextAction(label="Ask for a plan again; the workers' log tells more"),),
    )


def _gave_up(plan_id: int) -> Problem:
    return _failed(plan_id, f"{MAX_TRIES} workers died while they made it")


def to_ring(session: Session) -> list[int]:
    """Plans that no worker is at although one should be."""
    return list(claims.unattended(session, PlanRow, *_TO_BE_MADE))
