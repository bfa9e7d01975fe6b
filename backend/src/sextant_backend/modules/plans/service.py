"""Stores intents, approves and rejects plans. Making a plan is `planner.py`."""

from collections.abc import Sequence

from sextant_domain import tracing
from sextant_domain.chains.anti_affinity import AntiAffinity, Together
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.live import PlanBrief
from sextant_domain.console.views import Page
from sextant_domain.hosts.desired import DesiredHostConfig
from sextant_domain.hosts.host import HostInventory
from sextant_domain.plans.evidence import Algorithm, Solving
from sextant_domain.plans.intents import (
    AlignIntent,
    DrainIntent,
    Intent,
    LossBudget,
    MigrateIntent,
    PlaceIntent,
    RelocateIntent,
    ReplaceIntent,
    ResourceIntent,
    RestoreIntent,
)
from sextant_domain.plans.plan import ChangeKind, HostBase, PlanBody, PlanKind, PlanState, PlanWait
from sqlalchemy.orm import Session

from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.chains import lifecycle
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.host_costs import repository as host_costs
from sextant_backend.modules.host_costs.errors import CostsMissing
from sextant_backend.modules.hosts import cordons
from sextant_backend.modules.hosts import repository as hosts_repository
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.networks import service as networks
from sextant_backend.modules.operations import service as operations
from sextant_backend.modules.operations.models import OperationRow
from sextant_backend.modules.plans import (
    event_handlers,
    lanes,
    model_waits,
    named_chains,
    put_policy,
    repository,
    views,
)
from sextant_backend.modules.plans.errors import (
    ChainsTogether,
    CoresReserved,
    HostCordoned,
    NetworkMissing,
    PlanInterrupts,
    PlanNotApplicable,
    SlotsGone,
    StalePlan,
)
from sextant_backend.modules.plans.models import PlanRow


def page(
    session: Session,
    asked: Paging,
    *,
    state: PlanState | None,
    kind: PlanKind | None,
    chain: str | None,
    host: str | None,
) -> Page[PlanBrief]:
    """A page of plans."""
    wanted = state.value if state else None
    found = repository.page(session, asked, state=wanted, kind=kind, chain=chain, host=host)
    return found.page(views.brief(row) for row in found.rows)


def found(session: Session, plan_id: int, *, lock: bool = False, body: bool = False) -> PlanRow:
    """The plan's row, with its body where it is asked for; raises NotFound."""
    row = repository.get(session, plan_id, lock=lock, body=body)
    if row is None:
        raise NotFound(f"There is no plan {plan_id}; `sextant plans list` shows those that are.")
    return row


def ask(
    session: Session,
    intent: Intent,
    who: Principal,
    solving: Solving | None = None,
    waits_for: PlanWait | None = None,
) -> PlanRow:
    """Store the intent as a plan to be made, and ring for a worker unless it has to wait first."""
    if isinstance(intent, ReplaceIntent):
        named_chains.refuse_unknown_kept(session, intent)
        _refuse_without_costs(session, intent, solving)
        _refuse_without_network(session, intent, solving)
    row = new(session, intent, who, solving)
    if row.source == "fleet" and not isinstance(intent, ReplaceIntent):
        lifecycle.name_plan(session, row.chains, row.id)
    detail = {"kind": row.kind, "subject": row.subject, "algorithm": row.solving["algorithm"] or "default"}
    audit.record(session, who.username, "plan.ask", f"plan/{row.id}", detail, name=row.subject)
    if waits_for is not None:
        row.waits_for = waits_for.model_dump(mode="json")
        views.changed(session, row)
    else:
        ring(session, row)
    return row


def _refuse_without_costs(session: Session, intent: ReplaceIntent, solving: Solving | None) -> None:
    """A re-placement of one host by costs that were not fitted there would change nothing."""
    if intent.host is None or solving is None or solving.algorithm is not Algorithm.CALIBRATED:
        return
    cost = host_costs.newest(session, intent.host)
    if cost is None or cost.drifted_at is not None:
        raise CostsMissing(
            intent.host,
            None if cost is None else cost.version,
            "calibrated goes by them. Nothing is planned.",
            "Or ask for min_max, which goes by loads alone",
        )


def _refuse_without_network(session: Session, intent: ReplaceIntent, solving: Solving | None) -> None:
    """Likewise by a network that nobody promoted for the host's number of cores."""
    if solving is None or solving.algorithm is not Algorithm.NETWORK or intent.host is None:
        return
    cores = hosts_repository.shared_cores(session, [intent.host]).get(intent.host)
    if cores is not None and cores not in networks.cores_in_force(session):
        raise NetworkMissing(intent.host, cores)


def ring(session: Session, row: PlanRow) -> None:
    """Publish a new plan to consoles, and enqueue it for a worker."""
    views.changed(session, row)
    outbox.ring(session, TaskName.PLAN, row.id)


def new(session: Session, intent: Intent, who: Principal, solving: Solving | None = None) -> PlanRow:
    """A row in state planning; raises ValidationFailed where what it names does not exist."""
    names = named_chains.chains_of(session, intent)
    return repository.add(session, row_of(intent, names, solving or Solving(), who))


def row_of(intent: Intent, names: list[str], solving: Solving, who: Principal) -> PlanRow:
    """A plan to be made, about the chains named; not stored."""
    return PlanRow(
        kind=intent.kind,
        subject=subject_of(intent),
        chains=names,
        source="preview" if isinstance(intent, PlaceIntent) and intent.assume else "fleet",
        intent=intent.model_dump(mode="json"),
        solving=solving.model_dump(mode="json"),
        body=None,
        created_by=who.username,
        traceparent=tracing.current(),
    )


def subject_of(intent: Intent) -> str:
    """Chain, NF, host or operation it is about; of a re-placement the host, or 'fleet'."""
    if isinstance(intent, DrainIntent):
        return intent.host
    if isinstance(intent, AlignIntent):
        return f"{intent.action.value} {intent.host}"
    if isinstance(intent, ReplaceIntent):
        return intent.host or "fleet"
    if isinstance(intent, RestoreIntent):
        return f"operation {intent.operation_id}"
    if isinstance(intent, ResourceIntent | PlaceIntent | RelocateIntent):
        return intent.subject
    return intent.nf_id if isinstance(intent, MigrateIntent) else intent.chain


def refuse_unfinished(session: Session, chain: ChainRow) -> None:
    """HostBusy where an operation on the chain has not ended."""
    operations.refuse_unfinished(session, chain.operation_id)


def apply(
    session: Session,
    row: PlanRow,
    who: Principal,
    hosts_at_once: int | None = None,
    loss_budget: LossBudget | None = None,
) -> OperationRow:
    """Carry the (locked) plan out, if every host it touches is as it was when it was made: on all hosts at once, or in
    batches of so many. `loss_budget`: what it may cost, where it interrupts chains.

    Raises PlanNotApplicable, PlanInterrupts, HostCordoned, CoresReserved, SlotsGone, ChainsTogether, StalePlan (the
    plan is superseded then) or HostBusy.
    """
    if row.source != "fleet":
        raise PlanNotApplicable(_study(row) if row.source == "file" else _preview(row))
    if row.state not in (PlanState.PROPOSED, PlanState.SUPERSEDED) or row.body is None:
        raise PlanNotApplicable(_why_not(row))
    body = views.body_of(row)
    if row.state == PlanState.PROPOSED and not body.does_something:
        raise PlanNotApplicable(_nothing_to_do(row.id, body))
    _refuse_interrupting(row.id, body, loss_budget)
    former = lock_hosts(session, [base.host for base in body.base])
    moved = difference(body.base, former)
    adjusted = _adjusted_since(session, body)
    if moved or adjusted or row.state == PlanState.SUPERSEDED:
        _supersede(session, row.id)
        raise StalePlan(row.id, moved, None if moved else adjusted)
    _refuse_running_elsewhere(session, body)
    _refuse_cordoned(session, row.id, body, former)
    _refuse_reserved(session, row.id, body, former)
    _refuse_together(session, row.id, body, former)
    operations.refuse_busy(session, [base.host for base in body.base])
    lanes.store_new(session, body, who)
    row.state, row.decided_at = PlanState.APPLYING.value, db_now(session)
    operation = operations.create(session, row.id, body, former, who, hosts_at_once=hosts_at_once)
    row.operation_id = operation.id
    detail: dict[str, object] = {
        "operation": operation.id,
        "digest": row.digest,
        "hosts_at_once": hosts_at_once,
    }
    if body.handover is not None and body.handover.interrupts is not None and loss_budget is not None:
        detail["loss_budget"] = loss_budget.model_dump(mode="json")
    audit.record(session, who.username, "plan.apply", f"plan/{row.id}", detail, name=row.subject)
    views.changed(session, row)
    return operation


def _refuse_interrupting(plan_id: int, body: PlanBody, budget: LossBudget | None) -> None:
    """Somebody has to have said that it may cost so much."""
    loss = None if body.handover is None else body.handover.interrupts
    if loss is None:
        return
    exceeds = None if budget is None else loss.beyond(budget)
    if budget is None or exceeds is not None:
        raise PlanInterrupts(plan_id, loss, exceeds)


def _why_not(row: PlanRow) -> str:
    cause = f": {row.error['detail']}" if row.error else ""
    return f"Plan {row.id} is {row.state}{cause}. Nothing was changed."


def _study(row: PlanRow) -> str:
    study = f"Plan {row.id} is a study on the file of comparison {row.comparison_id}"
    return f"{study}: its hosts are not this fleet's. Nothing was changed."


def _preview(row: PlanRow) -> str:
    assumed = views.intent_of(row)
    named = [f"{one.kind.value} {one.name}" for one in assumed.assume] if isinstance(assumed, PlaceIntent) else []
    what = f"Plan {row.id} is a preview, as if {', '.join(named)}"
    return f"{what}. Make it so, then plan {row.subject} again. Nothing was changed."


def _nothing_to_do(plan_id: int, body: PlanBody) -> str:
    reasons = "; ".join(f"{rejection.chain}: {rejection.reason}" for rejection in body.rejected)
    return f"Plan {plan_id} changes nothing" + (f": {reasons}." if reasons else ".")


def lock_hosts(session: Session, names: Sequence[str]) -> dict[str, DesiredHostConfig]:
    """What each host was last ordered to run; their rows stay locked, in the order of their names."""
    found = hosts_repository.named(session, names, lock=True)
    return {host.host_id: hosts.desired_of(host) for host in found}


def difference(bases: Sequence[HostBase], orders: dict[str, DesiredHostConfig]) -> dict[str, object]:
    """Hosts that have moved on: what the plan expects against what is there."""
    moved: dict[str, object] = {}
    for base in bases:
        order = orders.get(base.host)
        actual = None if order is None else {"generation": order.generation, "digest": order.digest}
        expected = {"generation": base.generation, "digest": base.digest}
        if actual != expected:
            moved[base.host] = {"expected": expected, "actual": actual}
    return moved


def _refuse_running_elsewhere(session: Session, body: PlanBody) -> None:
    """What a host runs is accepted once: another host may have been ordered to run the chain since."""
    if not isinstance(body.intent, AlignIntent):
        return
    starts = {change.chain for change in body.changes if change.kind is ChangeKind.START}
    for chain, rows in sorted(chains.placed_of(session, starts).items()):
        elsewhere = sorted({row.host_id for row in rows} - {body.intent.host})
        if elsewhere:
            raise PlanNotApplicable(
                f"{chain} was ordered to run on {', '.join(elsewhere)} since the plan was made: two hosts would run "
                "it. Nothing was changed."
            )


def _refuse_cordoned(session: Session, plan_id: int, body: PlanBody, present: dict[str, DesiredHostConfig]) -> None:
    """The plan stays proposed: once the host is uncordoned, it can be applied."""
    reasons = cordons.reasons(session, [target.content.host_id for target in body.target])
    put = dict(put_policy.put_on_cordoned(body, present, reasons))
    if put:
        raise HostCordoned(plan_id, put, reasons)


def _refuse_reserved(session: Session, plan_id: int, body: PlanBody, present: dict[str, DesiredHostConfig]) -> None:
    """The plan stays proposed: once NFs may have the cores and slots again, it can be applied. Who reserves cores or
    sets slots locks the host, as this does."""
    inventories = _inventories(session, body)
    reserved = dict(put_policy.put_on_reserved(body, present, inventories))
    if reserved:
        raise CoresReserved(plan_id, reserved)
    beyond = dict(put_policy.put_beyond_slots(body, present, inventories))
    if beyond:
        raise SlotsGone(plan_id, beyond)


def _inventories(session: Session, body: PlanBody) -> dict[str, HostInventory]:
    found = hosts.inventories(session, [target.content.host_id for target in body.target])
    return {one.host_id: one for one in found}


def _refuse_together(session: Session, plan_id: int, body: PlanBody, present: dict[str, DesiredHostConfig]) -> None:
    """The plan stays proposed: once the chains may stand together, it can be applied. Who changes a chain's group locks
    the hosts it runs on, as this does."""
    put, groups = _put_together(session, body, present)
    if put:
        raise ChainsTogether(plan_id, put, groups)


def _put_together(
    session: Session, body: PlanBody, present: dict[str, DesiredHostConfig]
) -> tuple[dict[str, list[Together]], dict[str, AntiAffinity]]:
    groups = chains.groups_of(session, {chain.chain for order in body.target for chain in order.content.chains})
    if len(groups) < 2:
        return {}, groups
    found = put_policy.put_together(body, present, _inventories(session, body), groups)
    return dict(found), groups


def why_barred(session: Session, body: PlanBody) -> str | None:
    """The cordon, reserved core, missing slot or anti-affinity group for which applying the plan would be refused just
    now, in words; None where there is none."""
    names = [target.content.host_id for target in body.target]
    present = {host.host_id: hosts.desired_of(host) for host in hosts_repository.named(session, names)}
    reasons = cordons.reasons(session, names)
    for host, _ in put_policy.put_on_cordoned(body, present, reasons):
        return f"{host} is cordoned ({reasons[host]})"
    inventories = _inventories(session, body)
    for host, found in put_policy.put_on_reserved(body, present, inventories):
        return f"{found[0].nf_id} would go to a reserved core of {host}: {found[0].why}"
    for host, beyond in put_policy.put_beyond_slots(body, present, inventories):
        return f"an NF would go to a slot of {host} that is not there any more: {beyond[0]}"
    together, _ = _put_together(session, body, present)
    for host, pairs in together.items():
        return f"{pairs[0].one} and {pairs[0].other} of one anti-affinity group would stand together on {host}"
    return None


def _adjusted_since(session: Session, body: PlanBody) -> str | None:
    """A chain that would start with other settings than it is stored with by now; its rows stay locked."""
    starts = {change.chain for change in body.changes if change.kind is ChangeKind.START}
    planned = {chain.chain: chain.settings for order in body.target for chain in order.content.chains}
    stored = {row.name: ChainSpec.model_validate(row.spec).settings for row in chains.living_of(session, starts)}
    return next((name for name in sorted(stored) if not stored[name].agrees_with(planned[name])), None)


def _supersede(session: Session, plan_id: int) -> None:
    """All that this transaction is to keep of a request that is refused (StalePlan.keeps)."""
    session.rollback()
    row = repository.get(session, plan_id, lock=True)
    if row is not None and row.state == PlanState.PROPOSED:
        event_handlers.supersede(session, [row])


def reject(session: Session, plan_id: int, who: Principal) -> PlanRow:
    """Say no to a proposal, or cancel the making of one; raises PlanNotApplicable where it is neither."""
    row = found(session, plan_id, lock=True, body=True)
    if row.state not in (PlanState.PROPOSED, PlanState.PLANNING):
        raise PlanNotApplicable(_why_not(row))
    action = "plan.cancel" if row.state == PlanState.PLANNING else "plan.reject"
    row.state, row.decided_at, row.progress, row.waits_for = PlanState.REJECTED.value, db_now(session), None, None
    audit.record(session, who.username, action, f"plan/{plan_id}", {"subject": row.subject}, name=row.subject)
    views.changed(session, row)
    return row


def proceed(session: Session, plan_id: int, who: Principal) -> PlanRow:
    """Make a plan that waits for a model with assumed figures, now; raises PlanNotApplicable where it does not wait."""
    row = found(session, plan_id, lock=True, body=True)
    if row.state != PlanState.PLANNING or row.waits_for is None:
        raise PlanNotApplicable(f"Plan {plan_id} is {row.state} and waits for no model. Nothing was changed.")
    audit.record(session, who.username, "plan.proceed", f"plan/{plan_id}", {"subject": row.subject}, name=row.subject)
    model_waits.release(session, row)
    return row
