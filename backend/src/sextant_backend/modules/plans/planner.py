"""Makes plans: claims, snapshot, engine, an immutable body. A worker that dies leaves the plan to the next one."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from sextant_domain.base import canonical_json, digest_of_json
from sextant_domain.console.live import PlanEvent
from sextant_domain.plans.evidence import Algorithm, PlanProgress, Solving
from sextant_domain.plans.intents import Intent, RelocateIntent, ReplaceIntent, ResourceIntent, RestoreIntent
from sextant_domain.plans.plan import ChangeKind, PlanBody, PlanState
from sextant_domain.plans.snapshot import FleetSnapshot
from sextant_domain.problem import NextAction, Problem, problem_type
from sextant_engine.errors import PlanningCancelled
from sextant_engine.fleet_view import FleetView
from sqlalchemy import ColumnElement
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from sextant_backend.kit.db import read_snapshot, session_scope
from sextant_backend.kit.leases import claims
from sextant_backend.kit.leases.claims import Heartbeat
from sextant_backend.kit.leases.limits import WORK_LIMIT_S
from sextant_backend.kit.leases.work import ClaimedWork, LeasedWork
from sextant_backend.kit.outbox import publish
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.networks import service as networks
from sextant_backend.modules.operations import undo
from sextant_backend.modules.plans import lanes, model_waits, views
from sextant_backend.modules.plans.models import PlanRow
from sextant_backend.modules.snapshots import service as snapshots
from sextant_backend.modules.snapshots.current_fleet import CurrentFleet

MAX_TRIES = 3
PROGRESS_EVERY_S = 1.0
_TO_BE_MADE = (PlanRow.state == "planning", PlanRow.waits_for.is_(None))
_fleet = CurrentFleet()
"""Of this process: the plans that follow read what has changed since the one before."""
_log = structlog.get_logger()


def make(plan_id: int) -> None:
    """The PLAN task: make the plan unless it is made or somebody is at it. Failures become the plan's error."""
    _Planning(plan_id).run()


def get_ready() -> None:
    """Read the fleet, and work out of it what every plan asks for: of a thousand hosts the first plan of a process
    would wait two seconds for that. What changes afterwards, the plans that follow read."""
    from sextant_engine.plan import get_ready as engine_gets_ready  # the Rust core, which only planning needs

    with read_snapshot() as session:
        fleet = _fleet.read(session)
    engine_gets_ready(fleet)


@dataclass(frozen=True)
class _Asked:
    """What a worker begins with."""

    row: PlanRow
    """As it was when it was claimed."""
    tries: int
    intent: Intent
    solving: Solving


@dataclass(frozen=True)
class _Made:
    """What came of it."""

    columns: dict[str, Any]
    """Of the plan's row."""
    made_from: tuple[FleetSnapshot, PlanBody] | None = None
    """The snapshot, and what was found; None of a study and of a failure."""


@dataclass
class _Planning(LeasedWork[_Asked, _Made]):
    """One plan."""

    model, name, points = PlanRow, "plan", frozenset({"claimed", "before_store", "after_commit"})

    plan_id: int

    def take(self, session: Session) -> ClaimedWork[_Asked] | None:
        """Counts the try, and publishes to consoles that the plan is being made."""
        claimed = claims.take(session, PlanRow, self.plan_id, *_TO_BE_MADE)
        if claimed is None:
            return None
        row, token = claimed
        intent, solving = views.intent_of(row), Solving.model_validate(row.solving)
        row.tries += 1
        row.progress = PlanProgress(stage="reading").model_dump(mode="json")
        views.changed(session, row)
        return ClaimedWork(row.id, token, _Asked(row, row.tries, intent, solving), row.traceparent)

    def perform(self, taken: ClaimedWork[_Asked], heart: Heartbeat) -> _Made:
        """What the engine found for the fleet at this moment, or of it the hosts that the intent names; or for the one
        snapshot of a comparison."""
        asked = taken.what
        warnings: tuple[str, ...] = ()
        if asked.tries > MAX_TRIES:
            return _failed(self.plan_id, f"{MAX_TRIES} workers died while they made it")
        with read_snapshot() as session:
            held: FleetView | None = None
            if asked.row.comparison_id is not None:
                snapshot = snapshots.compared(session, asked.row.comparison_id)
            elif isinstance(asked.intent, RestoreIntent):
                snapshot = _before(session, asked.intent, asked.row.chains)
            elif isinstance(asked.intent, ReplaceIntent) and asked.intent.host is not None:
                snapshot = snapshots.narrow(session, [asked.intent.host])
            elif isinstance(asked.intent, RelocateIntent):
                there = _hosts_of(session, asked.row.chains)
                snapshot = snapshots.narrow(session, sorted({*there, asked.intent.host}), asked.row.chains)
            elif isinstance(asked.intent, ResourceIntent):
                snapshot = snapshots.narrow(session, sorted(_hosts_of(session, asked.row.chains)))
            else:
                held = _fleet.read(session)
                snapshot = held.snapshot
            if snapshot is None:
                raise claims.ClaimLostError(f"comparison {asked.row.comparison_id} is gone")
            if asked.solving.algorithm is Algorithm.NETWORK and asked.row.comparison_id is None:
                snapshot = snapshot.model_copy(update={"networks": networks.in_force(session)})
            if asked.row.kind == "replace" and asked.row.source == "fleet":
                snapshot, warnings = model_waits.left_out(session, snapshot)
        heart.next_step(WORK_LIMIT_S + asked.solving.time_limit_s)
        return _solve(taken, snapshot, held, warnings)

    def store(self, session: Session, taken: ClaimedWork[_Asked], result: _Made) -> None:
        """From now on the plan never changes."""
        row = claims.end(session, PlanRow, taken.row_id, taken.token)
        if row is None or row.state != PlanState.PLANNING:
            return  # rejected or superseded meanwhile
        row.progress = None
        for name, value in result.columns.items():
            setattr(row, name, value)
        if result.made_from is not None:
            snapshots.keep(session, row.id, row.kind, *result.made_from)
        views.changed(session, row)


def _hosts_of(session: Session, names: Sequence[str]) -> set[str]:
    """Where any of these chains runs."""
    return {nf.host_id for nfs in chains.placed_of(session, names).values() for nf in nfs}


def _solve(
    taken: ClaimedWork[_Asked], snapshot: FleetSnapshot, held: FleetView | None, warnings: tuple[str, ...]
) -> _Made:
    from sextant_engine.plan import make_plan_on

    watch = Watch(taken.row_id, taken.token)
    try:
        fleet = FleetView.of(snapshot, former=held)
        found = make_plan_on(fleet, taken.what.intent, taken.what.solving, watch, time.monotonic)
    except PlanningCancelled as cancelled:  # rejected, superseded, or another worker is at it: nothing to store
        raise claims.ClaimLostError(f"plan {taken.row_id}: {cancelled}") from cancelled
    except Exception as error:
        _log.exception("planning_failed", plan_id=taken.row_id)
        return _failed(taken.row_id, f"the engine stopped with {type(error).__name__}: {error}")
    if warnings:
        found = found.model_copy(update={"warnings": (*warnings, *found.warnings)})
    row, rejected = taken.what.row, {one.chain for one in found.rejected}
    left_out = sum(spec.value for spec in snapshot.chains if spec.name in rejected)
    columns = {**columns_of(row, found), "rejected_value": left_out}
    return _Made(columns, (snapshot, found) if row.source == "fleet" else None)


class Watch:
    """What the engine calls some ten times a second: consoles hear once a second how far it is, and True ends the
    search of a plan that nobody wants any more."""

    def __init__(self, plan_id: int, token: str) -> None:
        self._plan_id, self._token = plan_id, token
        self._due_at = time.monotonic()
        self._unwanted = False

    def __call__(self, progress: PlanProgress) -> bool:
        now = time.monotonic()
        if now < self._due_at or self._unwanted:
            return self._unwanted
        self._due_at = now + PROGRESS_EVERY_S
        try:
            with session_scope() as session:
                row = session.get(PlanRow, self._plan_id, with_for_update=True)
                if row is None or row.state != PlanState.PLANNING or row.claim_token != self._token:
                    self._unwanted = True
                else:
                    row.progress = progress.model_dump(mode="json")
                    publish(session, PlanEvent(plan=views.brief(row)))
        except SQLAlchemyError as error:  # the database is away: the search goes on, and its end will say so
            _log.warning("progress_not_reported", plan_id=self._plan_id, cause=type(error).__name__)
        return self._unwanted


def _before(session: Session, intent: RestoreIntent, names: Sequence[str]) -> FleetSnapshot:
    """The hosts of an operation, and what they ran before it; also lanes that it took away, which may come back."""
    former = undo.former(session, intent.operation_id, intent.hosts)
    fleet = snapshots.narrow(session, [one.before.host_id for one in former], names)
    gone = lanes.gone(session, intent.operation_id, former)
    return fleet.model_copy(update={"former": former, "chains": (*fleet.chains, *gone)})


def columns_of(row: PlanRow, body: PlanBody) -> dict[str, Any]:
    """The columns of a plan that was found. What lists show stands in columns of its own, so that they need no body."""
    text, found = canonical_json(body), body.evidence
    ours = row.source == "fleet"
    return {
        "state": PlanState.PROPOSED.value,
        "body": text.decode(),
        "digest": digest_of_json(text),
        "hosts": [base.host for base in body.base] if ours else [],
        "chains": sorted({*row.chains, *body.changed_chains}) if ours else row.chains,
        "changes": len(body.changes) + len(body.adjustments),
        "rejected": len(body.rejected),
        "moves": sum(change.kind is ChangeKind.MOVE for change in body.changes),
        "placed": len({change.chain for change in body.changes if change.kind is ChangeKind.START}),
        "status": found.status,
        "gap": found.gap,
        "bound": found.bound,
        "doubt": None if found.doubt is None else found.doubt.value,
        "objective_mpps": found.objective_mpps,
        "score": found.score,
        "evaluations": found.evaluations,
        "seconds": found.seconds,
    }


def put_body(row: PlanRow, body: PlanBody) -> None:
    """Write down what was found; from now on it never changes."""
    for name, value in columns_of(row, body).items():
        setattr(row, name, value)


def _failed(plan_id: int, cause: str) -> _Made:
    problem = Problem(
        type=problem_type("planning-failed"),
        title="The plan could not be made",
        status=500,
        detail=f"Plan {plan_id}: {cause}. No host was changed.",
        next_actions=(NextAction(label="Ask for a plan again; the workers' log says more"),),
    )
    return _Made({"state": PlanState.FAILED.value, "error": problem.model_dump(mode="json")})


def any_to_ring() -> ColumnElement[bool]:
    """Whether `to_ring` would find one."""
    return claims.any_unattended(PlanRow, *_TO_BE_MADE)


def to_ring(session: Session) -> list[int]:
    """Plans that no worker is at although one should be."""
    return list(claims.unattended(session, PlanRow, *_TO_BE_MADE))
