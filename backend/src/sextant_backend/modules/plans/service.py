"""Stores intents, approves and rejects plans. Making a plan is `making.py`."""

from collections.abc import Sequence

from sextant_domain.desired import DesiredHostConfig
from sextant_domain.evidence import Algorithm
from sextant_domain.live import PlanBrief
from sextant_domain.plan import HostBase, Intent, MigrateIntent, Plan, PlanBody, PlanState, RemoveIntent, ReplaceIntent
from sextant_domain.problem import FieldError
from sextant_domain.views import Page
from sextant_engine.plan import make_plan
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox, paging
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.kit.errors import NotFound, ValidationFailed
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.chains import views as chain_views
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.hosts import repository as hosts_repository
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.operations.models import OperationRow
from sextant_backend.modules.plans import making, repository, views
from sextant_backend.modules.plans.errors import PlanNotApplicable, StalePlan
from sextant_backend.modules.plans.models import PlanRow

DEFAULT_ALGORITHM = Algorithm.NODE_FIRST


def page(session: Session, asked: Paging, state: PlanState | None, chain: str | None) -> Page[PlanBrief]:
    """A page, newest first; of one state, or that name one chain."""
    rows = repository.page(session, asked.limit + 1, asked.key(int), state.value if state else None, chain)
    return paging.page([views.brief(row) for row in rows], asked, lambda plan: plan.id)


def one(session: Session, plan_id: int) -> Plan:
    """One plan; raises NotFound."""
    return views.view(found(session, plan_id))


def found(session: Session, plan_id: int, *, lock: bool = False) -> PlanRow:
    """The plan's row; raises NotFound."""
    row = repository.get(session, plan_id, lock=lock)
    if row is None:
        raise NotFound(f"There is no plan {plan_id}; `sextant plans list` shows those that are.")
    return row


def ask(
    session: Session, intent: Intent, who: Principal, algorithm: Algorithm = DEFAULT_ALGORITHM, seed: int = 0
) -> PlanRow:
    """Store the intent as a plan to be made, and ring for a worker."""
    row = new(session, intent, who, algorithm, seed)
    if not isinstance(intent, ReplaceIntent):
        for chain in chains.living_of(session, row.chains):
            chain.plan_id = row.id
            chain_views.changed(session, chain)
    audit.record(session, who.username, "plan.ask", f"plan/{row.id}", {"kind": row.kind, "subject": row.subject})
    views.changed(session, row)
    outbox.ring(session, TaskName.PLAN, row.id)
    return row


def new(session: Session, intent: Intent, who: Principal, algorithm: Algorithm, seed: int) -> PlanRow:
    """A row in state planning; raises ValidationFailed where what it names does not exist."""
    names = _chains_of(session, intent)
    subject = intent.nf_id if isinstance(intent, MigrateIntent) else (names[0] if names else "fleet")
    row = PlanRow(
        kind=intent.kind,
        subject=subject,
        chains=names,
        intent=intent.model_dump(mode="json"),
        algorithm=algorithm.value,
        seed=seed,
        created_by=who.username,
    )
    session.add(row)
    session.flush()
    return row


def _chains_of(session: Session, intent: Intent) -> list[str]:
    if isinstance(intent, ReplaceIntent):
        return []
    if isinstance(intent, MigrateIntent):
        chain = intent.nf_id.split(".")[0]
        placed = {row.nf_id for row in chains.placed_nfs(session, chain=chain)}
        if intent.nf_id not in placed:
            raise _unknown("intent.nf_id", f"no NF {intent.nf_id} is placed")
        if hosts_repository.get(session, intent.host) is None:
            raise _unknown("intent.host", f"no host {intent.host} is enrolled")
        return [chain]
    if chains.living(session, intent.chain) is None:
        raise _unknown("intent.chain", f"there is no chain {intent.chain}")
    return [intent.chain]


def _unknown(field: str, message: str) -> ValidationFailed:
    return ValidationFailed(
        f"Refused: {message}. Nothing was changed.", errors=[FieldError(field=field, message=message)]
    )


def remove(session: Session, chain: ChainRow, who: Principal) -> int | None:
    """Plan and apply the removal of a (locked) chain at once: the operation's id, None where nothing is placed.

    Raises HostBusy where an operation is at work on the chain or its hosts, PlanNotApplicable where the engine refuses.
    """
    operations.refuse_unfinished(session, chain.operation_id)
    if not chains.placed_nfs(session, chain=chain.name):
        return None
    intent = RemoveIntent(chain=chain.name)
    row = new(session, intent, who, DEFAULT_ALGORITHM, 0)
    body = make_plan(making.take_snapshot(session, intent), intent)
    making.put_body(row, body)
    return apply(session, row, who).id


def apply(session: Session, row: PlanRow, who: Principal) -> OperationRow:
    """Carry the (locked) plan out, if every host it touches is as it was when it was made.

    Raises PlanNotApplicable, StalePlan (the plan is superseded then) or HostBusy.
    """
    if row.state not in (PlanState.PROPOSED, PlanState.SUPERSEDED) or row.body is None:
        raise PlanNotApplicable(_why_not(row))
    body = views.body_of(row)
    if row.state == PlanState.PROPOSED and not body.changes:
        raise PlanNotApplicable(_nothing_to_do(row.id, body))
    former = _lock_hosts(session, body.base)
    difference = _difference(body.base, former)
    if difference or row.state == PlanState.SUPERSEDED:
        _supersede(session, row.id)
        raise StalePlan(row.id, difference)
    operations.refuse_busy(session, [base.host for base in body.base])
    row.state, row.decided_at = PlanState.APPLYING.value, db_now(session)
    operation = operations.create(session, row, body, former, who)
    row.operation_id = operation.id
    audit.record(
        session, who.username, "plan.apply", f"plan/{row.id}", {"operation": operation.id, "digest": row.digest}
    )
    views.changed(session, row)
    return operation


def _why_not(row: PlanRow) -> str:
    cause = f": {row.error['detail']}" if row.error else ""
    return f"Plan {row.id} is {row.state}{cause}. Nothing was changed."


def _nothing_to_do(plan_id: int, body: PlanBody) -> str:
    reasons = "; ".join(f"{rejection.chain}: {rejection.reason}" for rejection in body.rejected)
    return f"Plan {plan_id} changes nothing" + (f": {reasons}." if reasons else ".")


def _lock_hosts(session: Session, bases: Sequence[HostBase]) -> dict[str, DesiredHostConfig]:
    """What each host was last ordered to run; their rows stay locked, in the order of their names."""
    orders = {}
    for name in sorted(base.host for base in bases):
        host = hosts_repository.get(session, name, lock=True)
        if host is not None:
            orders[name] = hosts.desired_of(host)
    return orders


def _difference(bases: Sequence[HostBase], orders: dict[str, DesiredHostConfig]) -> dict[str, object]:
    """Hosts that have moved on: what the plan expects against what is there."""
    moved: dict[str, object] = {}
    for base in bases:
        order = orders.get(base.host)
        actual = None if order is None else {"generation": order.generation, "digest": order.digest}
        expected = {"generation": base.generation, "digest": base.digest}
        if actual != expected:
            moved[base.host] = {"expected": expected, "actual": actual}
    return moved


def _supersede(session: Session, plan_id: int) -> None:
    """In a transaction of its own: the refusal that follows rolls this request's one back."""
    session.rollback()
    with session_scope() as own:
        row = repository.get(own, plan_id, lock=True)
        if row is not None and row.state == PlanState.PROPOSED:
            row.state, row.decided_at = PlanState.SUPERSEDED.value, db_now(own)
            views.changed(own, row)


def reject(session: Session, plan_id: int, who: Principal) -> Plan:
    """Say no to a proposal; raises PlanNotApplicable where it is none."""
    row = found(session, plan_id, lock=True)
    if row.state not in (PlanState.PROPOSED, PlanState.PLANNING):
        raise PlanNotApplicable(_why_not(row))
    row.state, row.decided_at = PlanState.REJECTED.value, db_now(session)
    audit.record(session, who.username, "plan.reject", f"plan/{plan_id}", {"subject": row.subject})
    views.changed(session, row)
    return views.view(row)
