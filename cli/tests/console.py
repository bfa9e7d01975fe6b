"""What a small console for tests knows and answers, by docs/contracts/console.md with the types of the domain.

Above 400 lines because its answers share one state: parted, each part would reach into the others'.
"""

from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import unquote

from sextant_domain.base import Provenance, digest_of
from sextant_domain.chain import ChainSpec
from sextant_domain.comparison import Comparison
from sextant_domain.desired import DesiredHostConfig, HostContent, NfState
from sextant_domain.enrolment import EnrolmentRequest
from sextant_domain.evidence import Algorithm, Evidence, PlanProgress
from sextant_domain.fault import ActiveFault, ActiveFaults, FaultOrder
from sextant_domain.host import Core, HostInventory, HostStatus, NumaNode
from sextant_domain.operation import (
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
from sextant_domain.placement import PlacedNf, Seat
from sextant_domain.plan import (
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
from sextant_domain.problem import FieldError, NextAction, Problem, problem_type
from sextant_domain.telemetry import ChainSample, CoreSample, NfSample
from sextant_domain.views import ChainState, ChainView, HostView, NfView

from .gate import Gate
from .shelf import Missing, Shelf
from .studies import EMPTY_FLEET, a_comparison, an_interference, one_more_made

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
EMPTY = HostContent(host_id="edge-1")
"""Placeholder content: what a host runs is not what these tests look at."""
SEAT = Seat(host="edge-1", node=0, core=1)


class Refusal(Exception):
    """Answers with a problem."""

    def __init__(self, status: int, kind: str, detail: str, **more: Any) -> None:
        self.problem = Problem(type=problem_type(kind), title=f"Refused: {kind}", status=status, detail=detail, **more)


class FakeConsole:
    """State of the console; the knobs make it behave as real ones do at bad moments."""

    def __init__(self) -> None:
        self.chains: dict[str, ChainSpec] = {}
        self.plans: dict[int, Plan] = {}
        self.operations: dict[int, Operation] = {}
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.host_status = HostStatus.UP
        self.revoked: str | None = None
        """Why the host is."""
        self.faults: list[ActiveFault] = []
        self.gate = Gate()
        self.stale_applies = 0
        """So many applies are refused because another plan came first."""
        self.busy_applies = 0
        self.changed_meanwhile = 0
        self.no_room = False
        self.ends_as = OperationState.COMPLETED
        self.page_size = 50
        self.progress: PlanProgress | None = None
        """What the first look at a plan in the making shows."""
        self.evidence: Evidence | None = None
        """What plans were found by, instead of a short search."""
        self.comparisons: dict[int, Comparison] = {}
        self.compared: dict[str, Any] = {}
        """The newest body of POST /comparisons."""
        self.shelf = Shelf()
        self.adjusted: dict[str, Any] = {}
        """The newest body of PATCH /chains/{name}/settings."""
        self.placed_nowhere = False
        self.ready = True
        self.url = ""

    # ---- what the routes answer: (status, body, etag) ----

    def handle(self, method: str, parts: list[str], query: dict[str, str], body: Any, headers: dict[str, str]) -> Any:
        if parts[0] == "artefacts":
            return self._artefacts(method, parts[1:], query, body, headers)
        match method, parts:
            case "GET", ["hosts"]:
                return 200, self._page([self.host()], query), None
            case "GET", ["hosts", "edge-1"]:
                return 200, self.host(), '"1"'
            case "POST", ["hosts", "edge-1", "revoke"]:
                self.revoked = body["reason"]
                return 200, self.host(), None
            case "GET", ["hosts", "edge-1", "faults"]:
                return 200, ActiveFaults(faults=tuple(self.faults)), None
            case "POST", ["hosts", "edge-1", "faults"]:
                fault = FaultOrder.model_validate(body).fault
                until = None if fault.kind == "nf-crash" else NOW + timedelta(seconds=fault.seconds)
                self.faults.append(ActiveFault(fault=fault, since=NOW, until=until))
                return 202, ActiveFaults(faults=tuple(self.faults)), None
            case "POST", ["enrolments"]:
                return 201, self.gate.make(EnrolmentRequest.model_validate(body)), None
            case "GET", ["enrolments"]:
                return 200, self._page(self.gate.waiting, query), None
            case "DELETE", ["enrolments", number] if self.gate.withdraw(int(number)):
                return 204, None, None
            case "GET", ["nfs"]:
                return 200, self._page(self.nfs(), query), None
            case "GET", ["nfs", nf_id]:
                return 200, self._one([nf for nf in self.nfs() if nf.nf_id == nf_id], nf_id), '"1"'
            case "GET", ["chains"]:
                return 200, self._page([self.chain(name) for name in sorted(self.chains)], query), None
            case "GET", ["chains", name]:
                return 200, self._one([self.chain(name)] if name in self.chains else [], name), '"7"'
            case "POST", ["chains"]:
                return self._submit(body)
            case "PATCH", ["chains", name, "settings"]:
                return self._adjust(name, body, headers)
            case "DELETE", ["chains", name]:
                if headers.get("if-match") != '"7"':
                    raise Refusal(428, "precondition-required", "If-Match is missing")
                if self.changed_meanwhile:
                    self.changed_meanwhile -= 1
                    raise Refusal(412, "precondition-failed", "it has changed since it was read")
                return 202, self._start(0, OperationKind.REMOVE, f"Remove {name}"), None
            case "POST", ["plans"]:
                return 202, self._plan(body["intent"], body), None
            case "GET", ["plans", number, "interference"]:
                return 200, an_interference(query["host"], 2.5 if query["when"] == "after" else 5.0), None
            case "GET", ["hosts", host, "interference"]:
                return 200, an_interference(host, 5.0), None
            case "GET", ["fleet", "snapshot"]:
                return 200, EMPTY_FLEET, None
            case "POST", ["comparisons"]:
                return self._compare(body)
            case "GET", ["comparisons"]:
                return 200, self._page([*reversed(self.comparisons.values())], query), None
            case "GET", ["comparisons", number]:
                self.comparisons[int(number)] = one_more_made(self.comparisons[int(number)])
                return 200, self.comparisons[int(number)], '"1"'
            case "GET", ["plans", number]:
                return 200, self._made(int(number)), None
            case "POST", ["plans", number, "apply"]:
                return self._apply(self.plans[int(number)], headers)
            case "POST", ["plans", number, "reject"]:
                return 200, self._set(self.plans[int(number)], PlanState.REJECTED), None
            case "GET", ["operations"]:
                return 200, self._page([*reversed(self.operations.values())], query), None
            case "GET", ["operations", number]:
                return 200, self._advance(int(number)), '"1"'
            case "POST", ["operations", number, ("retry" | "rollback" | "cancel" | "fail") as action]:
                return self._act(int(number), action)
        raise Refusal(404, "not-found", f"there is no {'/'.join(parts)}")

    def _artefacts(
        self, method: str, parts: list[str], query: dict[str, str], body: Any, headers: dict[str, str]
    ) -> Any:
        try:
            match method, parts:
                case "GET", []:
                    return 200, self._page(self.shelf.found(query.get("search"), query.get("kind")), query), None
                case "POST", []:
                    return *self.shelf.store(query["name"], query["kind"], body), None
                case "GET", [digest]:
                    return 200, self.shelf.one(unquote(digest)), f'"{digest}"'
                case "GET", [digest, "content"]:
                    return 200, self.shelf.content(unquote(digest)), None
                case "DELETE", [digest]:
                    assert headers["if-match"] == f'"{unquote(digest)}"'
                    problem = self.shelf.delete(unquote(digest))
                    return (409, problem, None) if problem else (204, None, None)
        except Missing:
            pass
        raise Refusal(404, "not-found", "there is no such artefact")

    def host(self) -> HostView:
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
        )
        return HostView(
            host_id="edge-1",
            labels={},
            status=self.host_status,
            status_reason=f"its certificates were revoked by ada: {self.revoked}"
            if self.revoked
            else "last heard 03:04:05",
            status_since=NOW,
            last_seen_at=NOW,
            registered_at=NOW,
            inventory=inventory,
            desired_generation=3,
            applied_generation=3,
            provenance=Provenance.MEASURED,
            sampled_at=NOW,
            cores=(CoreSample(core=1, busy_percent=42.0),),
            throughput_mpps=0.0987,
            version=1,
        )

    def nfs(self) -> list[NfView]:
        return [
            NfView(
                nf_id=spec.nf_id(position),
                chain=spec.name,
                position=position,
                nf_type=nf.type,
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
                    ring_used_percent=1,
                ),
            )
            for spec in self.chains.values()
            for position, nf in enumerate(spec.nfs)
        ]

    def chain(self, name: str) -> ChainView:
        spec = self.chains[name]
        return ChainView(
            spec=spec,
            state=ChainState.RUNNING,
            placement=tuple(
                PlacedNf(nf_id=nf.nf_id, chain=name, position=nf.position, nf_type=nf.nf_type, seat=nf.seat)
                for nf in self.nfs()
                if nf.chain == name
            ),
            plan_id=1,
            operation_id=1,
            sample=ChainSample(
                chain=name,
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

    def _submit(self, body: Any) -> Any:
        spec = ChainSpec.model_validate(body)
        if spec.name in self.chains:
            field = FieldError(field="name", message=f"'{spec.name}' is taken; choose another")
            raise Refusal(409, "name-taken", "a chain of this name exists; nothing was stored", errors=(field,))
        self.chains[spec.name] = spec
        plan = self._plan({"kind": "place", "chain": spec.name})
        answer = {"chain": self.chain(spec.name).model_dump(mode="json"), "plan_id": plan.id}
        return 201, answer, None

    def _compare(self, body: Any) -> Any:
        self.compared = body
        number = len(self.comparisons) + 1
        self.comparisons[number] = a_comparison(number, body)
        return 202, self.comparisons[number], None

    def _plan(self, intent: Any, wished: Any = None) -> Plan:
        number = len(self.plans) + 1
        plan = Plan(
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
        self.plans[number] = plan
        return plan

    def _made(self, number: int) -> Plan:
        """The first look finds the plan being made, the second finds it made."""
        plan = self.plans[number]
        if self.progress is not None:
            shown, self.progress = self.progress, None
            return plan.model_copy(update={"progress": shown})
        if plan.state is PlanState.PLANNING:
            body = self.body(plan)
            self.plans[number] = plan.model_copy(
                update={"state": PlanState.PROPOSED, "body": body, "digest": digest_of(body), "version": 2}
            )
        return plan

    def body(self, plan: Plan) -> PlanBody:
        chain = getattr(plan.intent, "chain", "edge")
        change = Change(
            kind=ChangeKind.ADD,
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
            intent=plan.intent,
            base=(HostBase(host="edge-1", generation=3, digest=digest_of(EMPTY)),),
            target=(DesiredHostConfig.of(4, EMPTY),),
            changes=() if self.no_room else (change,),
            before=(),
            after=(),
            rejected=(rejection,) if self.no_room else (),
            predictions=(
                ChainPrediction(
                    chain=chain,
                    throughput_mpps=None,
                    bottleneck=None,
                    provenance=Provenance.ASSUMED,
                    throughput_slo=None,
                    latency_slo=None,
                    note="shared cores: Octans' model does not hold",
                ),
            ),
            evidence=self.evidence
            or Evidence(
                algorithm=Algorithm.NODE_FIRST,
                status="infeasible" if self.no_room else "feasible",
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

    def _set(self, plan: Plan, state: PlanState, operation_id: int | None = None) -> Plan:
        self.plans[plan.id] = plan.model_copy(update={"state": state, "operation_id": operation_id})
        return self.plans[plan.id]

    def _apply(self, plan: Plan, headers: dict[str, str]) -> Any:
        if headers.get("if-match") != f'"{plan.digest}"':
            raise Refusal(412, "precondition-failed", "the plan is not the one that was read")
        if self.busy_applies:
            self.busy_applies -= 1
            raise Refusal(409, "host-busy", "operation 1 holds edge-1")
        if self.stale_applies:
            self.stale_applies -= 1
            self._set(plan, PlanState.SUPERSEDED)
            difference = {"edge-1": {"expected": 3, "actual": 4}}
            raise Refusal(409, "stale-plan", "edge-1 has moved on; nothing was applied", difference=difference)
        operation = self._start(plan.id, OperationKind.APPLY, f"Apply plan {plan.id}")
        self._set(plan, PlanState.APPLYING, operation.id)
        return 202, operation, None

    def _adjust(self, name: str, body: Any, headers: dict[str, str]) -> Any:
        if headers.get("if-match") != '"7"' or "idempotency-key" not in headers:
            raise Refusal(428, "precondition-required", "If-Match is missing")
        if self.changed_meanwhile:
            self.changed_meanwhile -= 1
            raise Refusal(412, "precondition-failed", "it has changed since it was read")
        if "ghost" in body.get("nfs", {}):
            field = FieldError(field="nfs.ghost", message="edge has no such NF")
            raise Refusal(422, "validation", "Refused because of nfs.ghost.", errors=(field,))
        self.adjusted = body
        if self.placed_nowhere:
            return 200, self.chain(name).model_copy(update={"placement": ()}), '"8"'
        return 202, self._start(0, OperationKind.ADJUST, f"Adjust {name} on edge-1"), None

    def _start(self, plan_id: int, kind: OperationKind, title: str) -> Operation:
        number = len(self.operations) + 1
        steps = tuple(self._step(name, StepState.WAITING) for name in StepName)
        work = HostWork(host="edge-1", state=OperationState.QUEUED, from_generation=3, to_generation=4, steps=steps)
        self.operations[number] = Operation(
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
        return self.operations[number]

    @staticmethod
    def _step(name: StepName, state: StepState) -> Step:
        return Step(name=name, state=state, attempts=1, started_at=NOW, finished_at=None, detail="", error=None)

    def _advance(self, number: int) -> Operation:
        """The first look finds it processing, the next finds it ended."""
        operation = self.operations[number]
        if operation.state is OperationState.QUEUED:
            steps = (self._step(StepName.CHECK, StepState.DONE), *operation.hosts[0].steps[1:])
            work = operation.hosts[0].model_copy(update={"steps": steps})
            update: dict[str, Any] = {"state": OperationState.PROCESSING, "hosts": (work,)}
        elif operation.state is OperationState.PROCESSING:
            failed = self.ends_as is OperationState.FAILED_TEMP
            problem = Refusal(
                504, "agent-unreachable", "edge-1 did not answer", next_actions=(NextAction(label="Look at its log"),)
            ).problem
            update = {"state": self.ends_as, "error": problem if failed else None}
        else:
            return operation
        self.operations[number] = operation.model_copy(update=update)
        return self.operations[number]

    def _act(self, number: int, action: str) -> Any:
        operation = self.operations[number]
        if action == "cancel":
            raise Refusal(409, "action-not-allowed", "operation 1 has ended")
        self.ends_as = OperationState.ROLLED_BACK if action == "rollback" else OperationState.COMPLETED
        self.operations[number] = operation.model_copy(update={"state": OperationState.QUEUED, "error": None})
        return 202, self.operations[number], None

    def _page(self, items: list[Any], query: dict[str, str]) -> dict[str, Any]:
        start = int(query.get("after", 0))
        end = start + min(self.page_size, int(query["limit"]))
        shown = [item.model_dump(mode="json") for item in items[start:end]]
        return {"items": shown, "next": str(end) if end < len(items) else None}

    @staticmethod
    def _one(found: list[Any], name: str) -> Any:
        if not found:
            raise Refusal(404, "not-found", f"there is no {name}")
        return found[0]
