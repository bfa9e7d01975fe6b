"""What the small console for tests answers about hosts, NFs, chains, plans and operations."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

from sextant_domain.base import Provenance, digest_of
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.audit import ActorKind, AuditEntry
from sextant_domain.console.live import PlanBrief
from sextant_domain.console.views import ChainState, ChainView, HostView, NfView
from sextant_domain.hosts.desired import DesiredHostConfig, HostContent, NfState
from sextant_domain.hosts.drift import DriftDifference, DriftKind, DriftReport, DriftWay
from sextant_domain.hosts.host import (
    SHARED_SLOTS,
    Capability,
    Cordon,
    Core,
    CoreSlots,
    HostInventory,
    HostStatus,
    NumaNode,
    ReservedCore,
)
from sextant_domain.hosts.telemetry import ChainSample, CoreSample, LoadBasis, NfSample
from sextant_domain.plans.evidence import Algorithm, Evidence
from sextant_domain.plans.operation import (
    ActionOffer,
    HostWork,
    Operation,
    OperationAction,
    OperationKind,
    OperationState,
    Step,
    StepName,
    StepState,
)
from sextant_domain.plans.placement import PlacedNf, Seat
from sextant_domain.plans.plan import (
    ChainPrediction,
    Change,
    ChangeKind,
    CheckFinding,
    HostBase,
    Plan,
    PlanBody,
    PlanState,
    Rejection,
    Shortfall,
)

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
EMPTY = HostContent(host_id="edge-1")
"""Placeholder content: what a host runs is not what these tests look at."""
SEAT = Seat(host="edge-1", node=0, core=1)
AUDIT = (
    AuditEntry(
        id=7,
        at=NOW,
        actor="ada",
        actor_kind=ActorKind.TOKEN,
        token="laptop",
        action="plan.apply",
        subject="plan/12",
        object_kind="plan",
        object_id="12",
        object_name="web",
        request_id="r7",
        reason=None,
        detail={"operation": "3"},
        before={"rate_mpps": 0.2},
        after={"rate_mpps": 0.9},
        batch=1,
    ),
    AuditEntry(
        id=6,
        at=NOW,
        actor="unknown",
        actor_kind=ActorKind.UNKNOWN,
        token=None,
        action="auth.refused",
        subject="GET /api/v1/hosts",
        object_kind="request",
        object_id="GET /api/v1/hosts",
        object_name=None,
        request_id="r6",
        reason="=HYPERLINK(1)",
        detail={"reason": "=HYPERLINK(1)"},
        before=None,
        after=None,
        batch=None,
    ),
)
"""Newest first."""


def a_host(
    status: HostStatus,
    revoked: str | None,
    cordoned: str | None = None,
    reserved: dict[int, str] | None = None,
    slots: tuple[int, str] | None = None,
) -> HostView:
    inventory = HostInventory(
        host_id="edge-1",
        hostname="edge-1",
        host_model="tiny-1x2",
        driver="testbed",
        kernel="6.1",
        agent_version="0.1.0",
        nodes=(NumaNode(id=0, socket=0, memory_bytes=1 << 30),),
        cores=(
            Core(id=0, node=0, socket=0, physical_core=0, slots=2, last_choice=True),
            Core(id=1, node=0, socket=0, physical_core=1, slots=8),
        ),
        capabilities=(Capability(name=SHARED_SLOTS, available=True, reason="the kernel divides a core"),),
    )
    return HostView(
        host_id="edge-1",
        labels={},
        status=status,
        status_reason=f"its certificates were revoked by ada: {revoked}" if revoked else "last heard 03:04:05",
        status_since=NOW,
        last_seen_at=NOW,
        registered_at=NOW,
        cordon=Cordon(reason=cordoned, by="ada", since=NOW) if cordoned else None,
        reserved_cores=tuple(
            ReservedCore(core=core, reason=why, by="ada", since=NOW) for core, why in sorted((reserved or {}).items())
        ),
        core_slots=CoreSlots(slots=slots[0], reason=slots[1], by="ada", since=NOW) if slots else None,
        inventory=inventory.reserving(reserved or ()).with_slots(slots and slots[0]),
        desired_generation=3,
        applied_generation=3,
        provenance=Provenance.MEASURED,
        sampled_at=NOW,
        cores=(
            CoreSample(core=0, busy_percent=60.0, measuring_percent=58.0),
            CoreSample(core=1, busy_percent=42.0, other_percent=30.0),
        ),
        throughput_mpps=0.0987,
        version=1,
    )


def a_drift(accept: tuple[str, ...] = (), **changes: Any) -> DriftReport:
    """edge.router on core 0 in place of 1; `accept`: why that cannot be accepted."""
    wrong = DriftDifference(kind=DriftKind.CORE, subject="edge.router", chain="edge", ordered="core 1", runs="core 0")
    values: dict[str, Any] = {
        "host_id": "edge-1",
        "checked_at": NOW,
        "since": None,
        "ordered_generation": 3,
        "held_generation": 3,
        "held_as_ordered": True,
        "phase": "blocked",
        "detail": "moving edge.router: no core 1",
        "differences": (wrong,),
        "repair": DriftWay(possible=True),
        "accept": DriftWay(possible=not accept, reasons=accept),
    }
    return DriftReport(**{**values, **changes})


def nfs_of(chains: Iterable[ChainSpec]) -> list[NfView]:
    return [
        NfView(
            nf_id=spec.nf_id(position),
            chain=spec.name,
            position=position,
            nf_type=nf.type,
            nf_version=2,
            short_name=nf.type[:8],
            seat=SEAT.model_copy(update={"slot": position}),
            actual_core=1,
            state=NfState.RUNNING,
            restarts=0,
            plan_id=1,
            since=NOW,
            sample=NfSample(
                nf_id=spec.nf_id(position),
                chain=spec.name,
                core=1,
                rx_mpps=0.1,
                tx_mpps=0.1,
                drop_mpps=0,
                cpu_percent=7,
                utilisation_percent=4,
                utilisation_basis=LoadBasis.BUSY_TIME,
                headroom_mpps=2.4,
                ring_used_percent=1,
            ),
        )
        for spec in chains
        for position, nf in enumerate(spec.nfs)
    ]


def a_chain(spec: ChainSpec) -> ChainView:
    return ChainView(
        spec=spec,
        state=ChainState.RUNNING,
        placement=tuple(
            PlacedNf(nf_id=nf.nf_id, chain=spec.name, position=nf.position, nf_type=nf.nf_type, seat=nf.seat)
            for nf in nfs_of([spec])
        ),
        plan_id=1,
        operation_id=1,
        sample=ChainSample(
            chain=spec.name,
            offered_mpps=0.1,
            delivered_mpps=0.0987,
            drop_mpps=0,
            p95_us=123.4,
            p999_us=12_345.0,
            delivered_gbps=0.1011,
        ),
        provenance=Provenance.MEASURED,
        sampled_at=NOW,
        throughput_slo=None,
        latency_slo=None,
        created_at=NOW,
        created_by="admin",
        version=7,
    )


def a_plan(number: int, intent: Any, wished: Any) -> Plan:
    """In the making."""
    return Plan(
        id=number,
        state=PlanState.PLANNING,
        intent=intent,
        solving={name: value for name, value in (wished or {}).items() if name != "intent"},
        digest=None,
        body=None,
        error=None,
        operation_id=None,
        created_at=NOW,
        created_by="admin",
        decided_at=None,
        version=1,
    )


def a_brief(plan: Plan) -> PlanBrief:
    """As lists show it."""
    evidence = plan.body.evidence if plan.body else None
    return PlanBrief(
        id=plan.id,
        state=plan.state,
        kind=plan.intent.kind,
        subject="edge",
        changes=len(plan.body.changes) if plan.body else 0,
        rejected=len(plan.body.rejected) if plan.body else 0,
        operation_id=plan.operation_id,
        status=evidence.status if evidence else None,
        doubt=evidence.doubt if evidence else None,
        gap=evidence.gap if evidence else None,
        created_at=plan.created_at,
        created_by=plan.created_by,
    )


def a_body(intent: Any, evidence: Evidence | None, *, no_room: bool) -> PlanBody:
    chain = getattr(intent, "chain", "edge")
    change = Change(
        kind=ChangeKind.START,
        nf_id=f"{chain}.router",
        chain=chain,
        nf_type="router",
        source=None,
        target=SEAT,
        reason="the emptiest core of the local node",
    )
    rejection = Rejection(
        chain=chain,
        reason="3 NFs need 3 slots, 2 are free",
        short=Shortfall(host="edge-1", node=0, cores=1),
        relax="delete chain old",
    )
    return PlanBody(
        intent=intent,
        base=(HostBase(host="edge-1", generation=3, digest=digest_of(EMPTY)),),
        target=(DesiredHostConfig.of(4, EMPTY),),
        changes=() if no_room else (change,),
        before=(),
        after=(),
        rejected=(rejection,) if no_room else (),
        predictions=(
            ChainPrediction(
                chain=chain,
                throughput_mpps=None,
                bottleneck=None,
                provenance=Provenance.ASSUMED,
                throughput_slo=None,
                latency_slo=None,
                note="shared cores: Octans' model does not apply",
            ),
        ),
        evidence=evidence
        or Evidence(
            algorithm=Algorithm.NODE_FIRST,
            status="infeasible" if no_room else "feasible",
            objective_mpps=None,
            score=None,
            bound=None,
            evaluations=4,
            seconds=0.001,
            seed=1,
            models=(),
        ),
        checks=(CheckFinding(check="slots", ok=True, detail="no slot is taken twice"),),
        warnings=(),
    )


def an_operation(number: int, plan_id: int, kind: OperationKind, title: str) -> Operation:
    """Nothing of it is done yet."""
    steps = tuple(a_step(name, StepState.WAITING) for name in StepName if name not in {StepName.MAKE, StepName.READY})
    work = HostWork(host="edge-1", state=OperationState.QUEUED, from_generation=3, to_generation=4, steps=steps)
    return Operation(
        id=number,
        kind=kind,
        state=OperationState.QUEUED,
        plan_id=plan_id,
        title=title,
        hosts=(work,),
        attempts=1,
        next_attempt_at=None,
        error=None,
        actions=(
            ActionOffer(action=OperationAction.RETRY, allowed=True, reason="tries converge on edge-1 again"),
            ActionOffer(action=OperationAction.CANCEL, allowed=False, reason="it has ended"),
        ),
        cancel_requested=False,
        requested_by="admin",
        request_id="req-1",
        created_at=NOW,
        started_at=None,
        finished_at=None,
        version=1,
    )


def a_step(name: StepName, state: StepState) -> Step:
    return Step(name=name, state=state, attempts=1, started_at=NOW, finished_at=None, detail="", error=None)
