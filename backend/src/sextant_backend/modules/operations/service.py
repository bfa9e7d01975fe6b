"""Makes operations out of approved plans, gives workers their next steps, and takes operators' actions."""

from collections.abc import Sequence

from sextant_domain import tracing
from sextant_domain.console.views import ChainState, Page
from sextant_domain.hosts.artefact import digests_of
from sextant_domain.hosts.desired import DesiredHostConfig, Phase
from sextant_domain.hosts.host import HostStatus
from sextant_domain.naming import few
from sextant_domain.plans.intents import (
    AdjustIntent,
    AlignIntent,
    DrainIntent,
    Intent,
    LaneIntent,
    LossBudget,
    MigrateIntent,
    RelocateIntent,
    RemoveIntent,
    ResourceIntent,
    RestoreIntent,
)
from sextant_domain.plans.operation import Operation, OperationAction, OperationKind, OperationState
from sextant_domain.plans.plan import ChangeKind, HostBase, PlanBody
from sextant_domain.problem import NextAction
from sqlalchemy import select
from sqlalchemy.orm import Session

from sextant_backend.domain_events import HostRenumbered, HostsLeave
from sextant_backend.kit import outbox
from sextant_backend.kit.db import db_now
from sextant_backend.kit.errors import NotFound, SextantError
from sextant_backend.kit.leases import claims, fences
from sextant_backend.kit.logging import current_request_id
from sextant_backend.kit.paging import Paging
from sextant_backend.kit.principal import Principal
from sextant_backend.kit.tasks import TaskName
from sextant_backend.modules.artefacts import service as artefacts
from sextant_backend.modules.artefacts.source import ArtefactSource
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.chains import lifecycle
from sextant_backend.modules.hosts import repository as hosts_repository
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.operations import effects, host_order, repository, views
from sextant_backend.modules.operations.decider import decide
from sextant_backend.modules.operations.events import Asked, Claimed, Event, HostSeen, StepRun
from sextant_backend.modules.operations.models import OperationHostRow, OperationRow
from sextant_backend.modules.operations.operator_actions import NotAllowedError
from sextant_backend.modules.operations.orders import orders_of
from sextant_backend.modules.operations.record import ACTIVE_STATES, HostRecord, new_host
from sextant_backend.modules.operations.repository import Rows
from sextant_backend.modules.operations.sample_source import SampleSource
from sextant_backend.modules.operations.steps import Work
from sextant_backend.modules.secrets.source import SecretSource


class ActionNotAllowed(SextantError):
    """The operation is not in a state for that button."""

    kind, status, title = "action-not-allowed", 409, "The operation does not allow this now"


class HostBusy(SextantError):
    """Another operation holds a host."""

    kind, status, title = "host-busy", 409, "Another operation is at work on a host of this plan"


def page(
    session: Session,
    asked: Paging,
    *,
    state: OperationState | None,
    kind: OperationKind | None,
    host: str | None,
    chain: str | None,
    plan: int | None,
) -> Page[Operation]:
    """A page of operations."""
    found = repository.page(session, asked, state=state, kind=kind, host=host, chain=chain, plan=plan)
    return found.page(views.view(row) for row in found.rows)


def one(session: Session, operation_id: int) -> Operation:
    """One operation; raises NotFound."""
    return views.view(_found(repository.load(session, operation_id), operation_id))


def _found(rows: Rows | None, operation_id: int) -> Rows:
    if rows is None:
        raise NotFound(f"There is no operation {operation_id}; `sextant operations list` shows those that are.")
    return rows


def refuse_busy(session: Session, host_ids: Sequence[str]) -> None:
    """HostBusy where another operation holds one of these (locked) hosts."""
    holders = repository.holders(session, host_ids)
    if not holders:
        return
    host, operation = next(iter(sorted(holders.items())))
    raise HostBusy(
        f"Operation {operation} is at work on {host}. Nothing was changed.",
        difference={host: {"operation_id": operation} for host, operation in holders.items()},
        next_actions=[
            NextAction(label="Wait for it, or cancel it", command=f"sextant operations watch {operation}"),
            NextAction(label="Then plan again: the host's order will have moved on"),
        ],
    )


def refuse_unfinished(session: Session, operation_id: int | None) -> None:
    """HostBusy where that operation has not ended."""
    rows = None if operation_id is None else repository.load(session, operation_id)
    if rows is not None and rows.operation.finished_at is None:
        refuse_busy(session, [host.host_id for host in rows.hosts])


def refuse_leaving(session: Session, leaving: HostsLeave) -> None:
    """HostInUse where an operation holds one of the (locked) hosts."""
    if holders := repository.holders(session, leaving.host_ids):
        raise hosts.HostInUse(
            f"An operation on {few(sorted(holders))} has not ended. Nothing was removed.",
            next_actions=[NextAction(label="See what is going on", command="sextant operations list")],
        )


def refuse_renumbering(session: Session, host: HostRenumbered) -> None:
    """HostInUse where an operation holds the (locked) host: its steps name the former number."""
    if holders := repository.holders(session, [host.host_id]):
        raise hosts.HostInUse(
            f"Operation {min(holders.values())} on {host.host_id} has not ended. Nothing was changed.",
            next_actions=[
                NextAction(label="Fail it first", command=f"sextant operations fail {min(holders.values())}"),
            ],
        )


def create(
    session: Session,
    plan_id: int,
    body: PlanBody,
    former: dict[str, DesiredHostConfig],
    who: Principal,
    *,
    hosts_at_once: int | None = None,
) -> OperationRow:
    """The operation of an approved plan, and the ring for a worker. The plan's hosts are locked by the caller.

    `former` is what each host was last ordered to run. With `hosts_at_once` no further host is ordered before so many
    are complete.
    """
    row = OperationRow(
        kind=_kind(session, body).value,
        plan_id=plan_id,
        title=title_of(body),
        requested_by=who.username,
        request_id=current_request_id(),
        traceparent=tracing.current(),
    )
    session.add(row)
    session.flush()
    targets = {target.content.host_id: target for target in body.target}
    measure, budget = _measuring(body)
    waits, changed = host_order.waits_of(body, hosts_at_once), _chains_by_host(body)
    ready = host_order.ready_waits_of(body)
    between = {} if body.handover is None else {one.content.host_id: one for one in body.handover.between}
    for base in body.base:
        target, meanwhile = targets[base.host], between.get(base.host)
        record = new_host(
            base.host,
            base.generation,
            target.generation,
            tuple(sorted(waits[base.host])),
            waits_ready=tuple(sorted(ready[base.host])),
            has_between=meanwhile is not None,
            measures=base.host in measure,
            loss_budget=budget if base.host in measure else None,
        )
        undo = DesiredHostConfig.of(record.undo_generation, former[base.host].content)
        session.add(
            OperationHostRow(
                operation_id=row.id,
                host_id=base.host,
                chains=sorted(changed.get(base.host, ())),
                record=record.model_dump(mode="json"),
                base=base.model_dump_json(),
                target=target.model_dump_json(),
                in_between=None if meanwhile is None else meanwhile.model_dump_json(),
                former=undo.model_dump_json(),
            )
        )
    session.flush()
    rows = _found(repository.load(session, row.id), row.id)
    lifecycle.begin(session, _chain_states(body), row.id, plan_id)
    views.publish_change(session, rows, rows.record())
    outbox.ring(session, TaskName.OPERATE, row.id)
    return row


def _measuring(body: PlanBody) -> tuple[frozenset[str], LossBudget | None]:
    """Hosts on which NFs move under a loss budget or for a law, and that budget."""
    intent = body.intent
    if not isinstance(intent, ResourceIntent) or (intent.loss_budget is None and intent.law is None):
        return frozenset(), None
    moves = (one.target for one in body.changes if one.kind is ChangeKind.MOVE)
    return frozenset(seat.host for seat in moves if seat is not None), intent.loss_budget


def _is_of_lanes(session: Session, intent: Intent) -> bool:
    """Lanes start or leave by it, or that is undone."""
    if isinstance(intent, RestoreIntent):
        undone = session.get(OperationRow, intent.operation_id)
        return undone is not None and undone.kind == OperationKind.LANES
    return isinstance(intent, LaneIntent)


def _kind(session: Session, body: PlanBody) -> OperationKind:
    if _is_of_lanes(session, body.intent):
        return OperationKind.LANES
    if isinstance(body.intent, MigrateIntent):
        return OperationKind.MIGRATE
    if isinstance(body.intent, RelocateIntent | DrainIntent):
        return OperationKind.RELOCATE
    if isinstance(body.intent, AdjustIntent):
        return OperationKind.ADJUST
    if isinstance(body.intent, ResourceIntent):
        return OperationKind.RESOURCES
    return OperationKind.REMOVE if isinstance(body.intent, RemoveIntent) else OperationKind.APPLY


def title_of(body: PlanBody) -> str:
    """'Place web-edge on edge-1'."""
    hosts = ", ".join(base.host for base in body.base)
    match body.intent.kind:
        case "place":
            return f"Place {body.intent.subject} on {hosts}"
        case "remove":
            return f"Remove {body.intent.chain} from {hosts}"
        case "migrate" | "relocate" | "drain":
            return _move(body.intent)
        case "adjust" | "resources" | "lanes":
            return f"{_in_place(body)} on {hosts}"
        case "align" | "restore":
            return _back(body.intent, hosts)
        case _:
            return f"Re-place {len(body.changes)} NFs on {hosts}"


def _back(intent: AlignIntent | RestoreIntent, hosts: str) -> str:
    """To what was ordered, or to what ran."""
    if isinstance(intent, RestoreIntent):
        return f"Undo operation {intent.operation_id} on {hosts}"
    return f"Order {intent.host} again" if intent.accepted is None else f"Accept what {intent.host} runs"


def _move(intent: MigrateIntent | RelocateIntent | DrainIntent) -> str:
    if isinstance(intent, MigrateIntent):
        return f"Move {intent.nf_id} to core {intent.core} of {intent.host}"
    if isinstance(intent, DrainIntent):
        return f"Drain {intent.host}"
    back = f" in exchange for {few(intent.exchange)}" if intent.exchange else ""
    return f"Move {intent.chain} to {intent.host}{back}"


def _in_place(body: PlanBody) -> str:
    """What is changed where it runs: 'Pause web-edge', 'Change resources of web-edge.firewall'."""
    intent = body.intent
    if isinstance(intent, ResourceIntent):
        return _resources(intent)
    if isinstance(intent, LaneIntent):
        return f"Carry {intent.chain} in {intent.so_many}"
    if not isinstance(intent, AdjustIntent):
        return intent.kind
    if body.changes or {one.field for one in body.adjustments} != {"paused"}:
        return f"Adjust {intent.chain}"
    return f"{'Pause' if intent.settings.paused else 'Resume'} {intent.chain}"


def _resources(intent: ResourceIntent) -> str:
    """'Move 4 NFs of nat, web', 'Change bounds of web'."""
    if intent.seats:
        more = intent.resources or intent.chains or intent.bounds
        return f"Move NFs and change resources of {intent.subject}" if more else f"Move {intent.subject}"
    only_bounds = not intent.resources and not intent.chains
    return f"Change {'bounds' if only_bounds else 'resources'} of {intent.subject}"


def _chains_by_host(body: PlanBody) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for change in body.changes:
        for seat in (change.source, change.target):
            if seat is not None:
                found.setdefault(seat.host, set()).add(change.chain)
    for one in body.adjustments:
        found.setdefault(one.host, set()).add(one.chain)
    return found


def _chain_states(body: PlanBody) -> dict[str, ChainState]:
    removed = body.intent.chains if isinstance(body.intent, RemoveIntent) else ()
    return {name: ChainState.REMOVING if name in removed else ChainState.APPLYING for name in body.changed_chains}


# -- for workers


def take(session: Session, operation_id: int) -> tuple[str, int, list[StepRun]] | None:
    """Claim the operation if it is due and free: (token, fence, what to run); None otherwise."""
    token = claims.claim(session, OperationRow, operation_id, *repository.due())
    if token is None:
        return None
    rows = _found(repository.load(session, operation_id, lock=True), operation_id)
    rows.operation.fence = fences.take(session)
    return token, rows.operation.fence, _decide(session, rows, Claimed())


def report(session: Session, operation_id: int, token: str, event: Event) -> tuple[list[StepRun], bool]:
    """Report to the decider what happened: (what to run next, whether the operation has ended).

    ClaimLostError where another worker has taken over.
    """
    rows = _found(repository.load(session, operation_id, lock=True), operation_id)
    claims.held(rows.operation, token)
    runs = _decide(session, rows, event)
    return runs, rows.operation.finished_at is not None


def _decide(session: Session, rows: Rows, event: Event) -> list[StepRun]:
    before = rows.record()
    decision = decide(before, event, db_now(session))
    if decision.record != before:
        rows.store(decision.record)
    effects.carry_out(session, rows, decision.record, decision.actions)
    effects.mark_unreachable_hosts(session, before, decision.record)
    if decision.record != before:
        views.publish_change(session, rows, decision.record)
    return [action for action in decision.actions if isinstance(action, StepRun)]


def traceparent(session: Session, operation_id: int) -> str | None:
    """Of the request that it was asked for in."""
    return session.scalar(select(OperationRow.traceparent).where(OperationRow.id == operation_id))


def works(session: Session, operation_id: int, fence: int) -> dict[str, Work]:
    """What each host's steps are given."""
    rows = _found(repository.load(session, operation_id), operation_id)
    return {row.host_id: _work(session, row, fence) for row in rows.hosts}


def _work(session: Session, row: OperationHostRow, fence: int) -> Work:
    orders = orders_of(row)
    named = digests_of(orders.target.content) | digests_of(orders.former.content)
    record = HostRecord.model_validate(row.record)
    return Work(
        operation_id=row.operation_id,
        fence=fence,
        base=HostBase.model_validate_json(row.base),
        orders=orders,
        files=ArtefactSource(),
        secrets=SecretSource(),
        files_bytes=artefacts.size_of(session, named),
        samples=SampleSource() if record.measures else None,
        loss_budget=record.loss_budget,
    )


# -- for the sweep


def follow_hosts(session: Session) -> None:
    """Operations that stopped at hosts which report again go on where they may: then they are due for a worker."""
    for rows in repository.stopped(session):
        for host, latest, _ in hosts_repository.rows(session, host_ids=[row.host_id for row in rows.hosts]):
            if host.status == HostStatus.UP:
                runs = latest is not None and latest.phase == Phase.CONVERGED
                generation = latest.applied_generation if latest is not None and runs else None
                _decide(session, rows, HostSeen(host.host_id, generation))


# -- for operators


def ask(session: Session, operation_id: int, action: OperationAction, who: Principal) -> Operation:
    """Retry, roll back, cancel or fail; raises ActionNotAllowed with the reason."""
    rows = _found(repository.load(session, operation_id, lock=True), operation_id)
    try:
        _decide(session, rows, Asked(action))
    except NotAllowedError as error:
        raise ActionNotAllowed(
            f"Operation {operation_id} cannot {action.value}: {error}. Nothing was changed.",
            next_actions=[NextAction(label="See what it allows", command=f"sextant operations watch {operation_id}")],
        ) from None
    title = rows.operation.title
    subject = f"operation/{operation_id}"
    audit.record(session, who.username, f"operation.{action.value}", subject, {"title": title}, name=title)
    if rows.record().state in ACTIVE_STATES:
        outbox.ring(session, TaskName.OPERATE, operation_id)
    return views.view(rows)
