"""Makes plans: claims, snapshot, engine, an immutable body. A worker that dies leaves the plan to the next one."""

import time

import structlog
from pydantic import TypeAdapter
from sextant_domain.base import canonical_json, digest_of
from sextant_domain.chain import ChainSpec
from sextant_domain.evidence import Algorithm
from sextant_domain.plan import Intent, PlanBody, PlanState, RemoveIntent
from sextant_domain.problem import NextAction, Problem, problem_type
from sextant_domain.snapshot import FleetSnapshot
from sextant_engine.parameters import assumed_models
from sextant_engine.plan import make_plan
from sextant_engine.stop import Deadline
from sqlalchemy.orm import Session

from sextant_backend.faults import fault_point
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.chains import views as chain_views
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.nfs.catalogue import CATALOGUE
from sextant_backend.modules.operations import lease
from sextant_backend.modules.operations.heartbeat import Heartbeat
from sextant_backend.modules.plans import repository, views
from sextant_backend.modules.plans.models import PlanRow

MAX_TRIES = 3
SOLVE_LIMIT_S = 20.0
_intents: TypeAdapter[Intent] = TypeAdapter(Intent)
_log = structlog.get_logger()


def make(plan_id: int) -> None:
    """The PLAN task: make the plan unless it is made or somebody is at it. Failures become the plan's error."""
    with session_scope() as session:
        token = lease.claim(session, PlanRow, plan_id, PlanRow.state == "planning")
        row = repository.get(session, plan_id)
        if token is None or row is None:
            return
        row.tries += 1
        tries = row.tries
    fault_point("plan.claimed")
    if tries > MAX_TRIES:
        _store(plan_id, token, _gave_up(plan_id))
        return
    try:
        with Heartbeat(PlanRow, plan_id, token):
            result = _compute(plan_id)
            fault_point("plan.before_store")
            _store(plan_id, token, result)
    except lease.ClaimLostError:
        return
    fault_point("plan.after_commit")


def _compute(plan_id: int) -> PlanBody | Problem:
    with session_scope() as session:
        row = repository.get(session, plan_id)
        if row is None:
            raise lease.ClaimLostError(f"plan {plan_id} is gone")
        intent, algorithm, seed = _intents.validate_python(row.intent), Algorithm(row.algorithm), row.seed
        snapshot = take_snapshot(session, intent)
    try:
        return make_plan(snapshot, intent, algorithm, seed, Deadline(SOLVE_LIMIT_S, time.monotonic), time.monotonic)
    except Exception as error:
        _log.exception("planning_failed", plan_id=plan_id)
        return _failed(plan_id, f"the engine stopped with {type(error).__name__}: {error}")


def take_snapshot(session: Session, intent: Intent) -> FleetSnapshot:
    """The fleet at this moment; a chain to be removed is not in it any more."""
    gone = intent.chain if isinstance(intent, RemoveIntent) else None
    found = hosts.snapshots(session)
    host_models = {
        host.inventory.host_model: max(
            sum(core.node == node.id for core in host.inventory.cores) for node in host.inventory.nodes
        )
        for host in found
        if host.inventory.nodes
    }
    return FleetSnapshot(
        taken_at=db_now(session),
        hosts=found,
        chains=tuple(ChainSpec.model_validate(row.spec) for row in chains.all_living(session) if row.name != gone),
        nf_types=CATALOGUE,
        models=tuple(model for name, cores in host_models.items() for model in assumed_models(name, cores)),
    )


def _store(plan_id: int, token: str, result: PlanBody | Problem) -> None:
    with session_scope() as session:
        row = repository.get(session, plan_id, lock=True)
        if row is None or row.state != PlanState.PLANNING:
            return  # rejected or superseded meanwhile
        lease.held(row, token)
        row.claim_token = row.rung_at = None
        if isinstance(result, PlanBody):
            put_body(row, result)
        else:
            row.state, row.error = PlanState.FAILED.value, result.model_dump(mode="json")
        views.changed(session, row)
        for chain in chains.living_of(session, row.chains):
            chain.plan_id = row.id
            chain_views.changed(session, chain)


def put_body(row: PlanRow, body: PlanBody) -> None:
    """Write down what was found; from now on it never changes."""
    row.state = PlanState.PROPOSED.value
    row.body, row.digest = canonical_json(body).decode(), digest_of(body)
    row.changes, row.rejected = len(body.changes), len(body.rejected)
    row.hosts = [base.host for base in body.base]
    row.chains = sorted({*row.chains, *(change.chain for change in body.changes)})


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
    return list(lease.unattended(session, PlanRow, PlanRow.state == "planning"))
