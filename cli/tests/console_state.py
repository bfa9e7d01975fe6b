"""What a small console for tests knows, and what becomes of chains, plans and operations that are asked for."""

from dataclasses import dataclass
from typing import Any

from sextant_domain.base import digest_of
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.audit_seal import AuditBatchRows, UnsealedEntry
from sextant_domain.console.history import History
from sextant_domain.console.views import ChainView, HostView, StandsWith, TiedNf
from sextant_domain.hosts.fault import ActiveFault
from sextant_domain.hosts.host import HostStatus
from sextant_domain.laws.maintenance import MaintenanceWindow
from sextant_domain.plans.comparison import Comparison
from sextant_domain.plans.evidence import Evidence, PlanProgress
from sextant_domain.plans.new_chain import NewChainPrediction
from sextant_domain.plans.operation import Operation, OperationKind, OperationState, StepName, StepState
from sextant_domain.plans.plan import Plan, PlanState, Worse
from sextant_domain.plans.settings_prediction import SettingsPrediction
from sextant_domain.problem import FieldError, NextAction, Problem, problem_type

from .answers import AUDIT, a_body, a_chain, a_drift, a_host, a_plan, a_step, an_operation
from .gate import Gate
from .shelf import Shelf
from .shelf_of_accounts import ShelfOfAccounts
from .shelf_of_alerts import ShelfOfAlerts
from .shelf_of_coco import ShelfOfCoco
from .shelf_of_models import ShelfOfModels
from .shelf_of_notifications import ShelfOfNotifications
from .shelf_of_numasfp import ShelfOfNumasfp
from .shelf_of_opennetvm import ShelfOfOpenNetVm
from .shelf_of_recommendations import ShelfOfRecommendations
from .shelf_of_shared_cores import FIT, SHARED_CORES
from .shelf_of_srv6 import ShelfOfSrv6
from .shelf_of_types import ShelfOfTypes
from .studies import a_comparison

Answer = tuple[int, Any, str | None]
"""Status, body, ETag."""


class Refusal(Exception):
    """Answers with a problem."""

    def __init__(self, status: int, kind: str, detail: str, **more: Any) -> None:
        self.problem = Problem(type=problem_type(kind), title=f"Refused: {kind}", status=status, detail=detail, **more)


@dataclass(frozen=True)
class Asked:
    """A request, its path below /api/v1."""

    method: str
    path: list[str]
    query: dict[str, str]
    body: Any
    headers: dict[str, str]


class ConsoleState:
    """The knobs make it behave as real consoles do at bad moments."""

    def __init__(self) -> None:
        self.chains: dict[str, ChainSpec] = {}
        self.plans: dict[int, Plan] = {}
        self.worse: tuple[Worse, ...] = ()
        self.operations: dict[int, Operation] = {}
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.host_status = HostStatus.UP
        self.revoked: str | None = None
        self.cordoned: str | None = None
        self.drift = a_drift()
        self.reserved: dict[int, str] = {}
        """Cores with the reason."""
        self.slots: tuple[int, str] | None = None
        """Slots that an operator set, with the reason."""
        self.hosts_at_once: int | None = None
        self.loss_budget: dict[str, float] | None = None
        self.windows: list[MaintenanceWindow] = []
        """Why the host is."""
        self.removed = False
        self.history: History | bytes | None = None
        self.metrics = b""
        """Of every chain."""
        self.history_asked: dict[str, str] = {}
        self.faults: list[ActiveFault] = []
        self.gate = Gate()
        self.accounts = ShelfOfAccounts()
        self.coco = ShelfOfCoco()
        self.shared_cores = SHARED_CORES
        self.cost_fits = [FIT]
        """As it is asked for one after another; the last one is for good."""
        self.srv6 = ShelfOfSrv6()
        self.numasfp = ShelfOfNumasfp()
        self.stale_applies = 0
        """So many applies are refused because another plan came first."""
        self.busy_applies = 0
        self.changed_meanwhile = 0
        self.moved_on = 0
        """So many changes of chains are refused because their host got another order."""
        self.no_room = False
        self.audit = AUDIT
        self.sealed: list[AuditBatchRows] = []
        self.unsealed: list[UnsealedEntry] = []
        self.audit_asked: dict[str, str] = {}
        """The query of the newest request for it."""
        self.ends_as = OperationState.COMPLETED
        self.waits_for_host = False
        self.page_size = 50
        self.progress: PlanProgress | None = None
        """What the first look at a plan in the making shows."""
        self.new_chain: NewChainPrediction | None = None
        """What is predicted of every chain, and `asked_of`: of which it was asked last."""
        self.asked_of: ChainSpec | None = None
        self.settings_prediction: SettingsPrediction | None = None
        """What is predicted of every change of settings, and `settings_asked`: the newest one."""
        self.settings_asked: dict[str, Any] = {}
        self.deleted_with: dict[str, str] = {}
        """What the newest deletion of a chain asked beside."""
        self.evidence: Evidence | None = None
        """What plans were found by, instead of a short search."""
        self.comparisons: dict[int, Comparison] = {}
        self.compared: dict[str, Any] = {}
        """The newest body of POST /comparisons."""
        self.shelf = Shelf()
        self.types = ShelfOfTypes()
        self.models = ShelfOfModels()
        self.recommendations = ShelfOfRecommendations()
        self.opennetvm = ShelfOfOpenNetVm()
        self.alerts = ShelfOfAlerts()
        self.notifications = ShelfOfNotifications()
        self.adjusted: dict[str, Any] = {}
        """The newest body of PATCH /chains/{name}/settings."""
        self.stands_with: tuple[StandsWith, ...] = ()
        self.tied_with: tuple[TiedNf, ...] = ()
        """Whom every chain breaks its anti-affinity with."""
        self.set_by_host: dict[str, Any] = {}
        """What every chain's host set by itself: `bounded_nfs`, `quota_changes`."""
        self.placed_nowhere = False
        self.ready = True
        self.url = ""

    def host(self) -> HostView:
        return a_host(self.host_status, self.revoked, self.cordoned, self.reserved, self.slots)

    def chain(self, name: str) -> ChainView:
        return a_chain(self.chains[name]).model_copy(
            update={"stands_with": self.stands_with, "tied_with": self.tied_with, **self.set_by_host}
        )

    def _submit(self, body: Any) -> Answer:
        spec = ChainSpec.model_validate(body)
        if spec.name in self.chains:
            field = FieldError(field="name", message=f"'{spec.name}' is taken; choose another")
            raise Refusal(409, "name-taken", "a chain of this name exists; nothing was stored", errors=(field,))
        self.chains[spec.name] = spec
        plan = self._plan({"kind": "place", "chain": spec.name})
        answer = {"chain": self.chain(spec.name).model_dump(mode="json"), "plan_id": plan.id}
        return 201, answer, None

    def _submit_together(self, body: Any) -> Answer:
        """A chain that is there already is refused before any is stored, as by the console."""
        specs = [ChainSpec.model_validate(one) for one in body["chains"]]
        if any(spec.name in self.chains for spec in specs):
            raise Refusal(409, "name-taken", "a chain of this name exists; nothing was stored")
        self.chains |= {spec.name: spec for spec in specs}
        first, *more = (spec.name for spec in specs)
        plan = self._plan({"kind": "place", "chain": first, "more": more})
        return 201, {"chains": [first, *more], "plan_id": plan.id}, None

    def _compare(self, body: Any) -> Answer:
        self.compared = body
        number = len(self.comparisons) + 1
        self.comparisons[number] = a_comparison(number, body)
        return 202, self.comparisons[number], None

    def _plan(self, intent: Any, wished: Any = None) -> Plan:
        number = len(self.plans) + 1
        self.plans[number] = a_plan(number, intent, wished)
        return self.plans[number]

    def _made(self, number: int) -> Plan:
        """The first look finds the plan being made, the second finds it made."""
        plan = self.plans[number]
        if self.progress is not None:
            shown, self.progress = self.progress, None
            return plan.model_copy(update={"progress": shown})
        if plan.state is PlanState.PLANNING:
            body = a_body(plan.intent, self.evidence, no_room=self.no_room).model_copy(update={"worse": self.worse})
            self.plans[number] = plan.model_copy(
                update={"state": PlanState.PROPOSED, "body": body, "digest": digest_of(body), "version": 2}
            )
        return plan

    def _set(self, plan: Plan, state: PlanState, operation_id: int | None = None) -> Plan:
        self.plans[plan.id] = plan.model_copy(update={"state": state, "operation_id": operation_id})
        return self.plans[plan.id]

    def _apply(self, plan: Plan, asked: Asked) -> Answer:
        if asked.headers.get("if-match") != f'"{plan.digest}"':
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

    def _require_unchanged(self, asked: Asked) -> None:
        """A chain may be changed only by whoever read it as it is."""
        if asked.headers.get("if-match") != '"7"':
            raise Refusal(428, "precondition-required", "If-Match is missing")
        if self.changed_meanwhile:
            self.changed_meanwhile -= 1
            raise Refusal(412, "precondition-failed", "it has changed since it was read")
        if self.moved_on:
            self.moved_on -= 1
            raise Refusal(409, "fleet-moved-on", "edge-1 got another order while this was computed")

    def _adjust(self, name: str, asked: Asked) -> Answer:
        if "idempotency-key" not in asked.headers:
            raise Refusal(428, "precondition-required", "Idempotency-Key is missing")
        self._require_unchanged(asked)
        body = asked.body
        if "ghost" in body.get("nfs", {}):
            field = FieldError(field="nfs.ghost", message="edge has no such NF")
            raise Refusal(422, "validation", "Refused because of nfs.ghost.", errors=(field,))
        self.adjusted = body
        if self.placed_nowhere:
            return 200, self.chain(name).model_copy(update={"placement": ()}), '"8"'
        return 202, self._start(0, OperationKind.ADJUST, f"Adjust {name} on edge-1"), None

    def _start(self, plan_id: int, kind: OperationKind, title: str) -> Operation:
        number = len(self.operations) + 1
        self.operations[number] = an_operation(number, plan_id, kind, title)
        return self.operations[number]

    def _advance(self, number: int) -> Operation:
        """The first look finds it processing, the next finds it ended."""
        operation = self.operations[number]
        if operation.state is OperationState.QUEUED:
            steps = (a_step(StepName.CHECK, StepState.DONE), *operation.hosts[0].steps[1:])
            work = operation.hosts[0].model_copy(update={"steps": steps})
            update: dict[str, Any] = {"state": OperationState.PROCESSING, "hosts": (work,)}
        elif operation.state is OperationState.PROCESSING:
            failed = self.ends_as is OperationState.FAILED_TEMP
            problem = Refusal(
                504, "agent-unreachable", "edge-1 did not answer", next_actions=(NextAction(label="Look at its log"),)
            ).problem
            update = {
                "state": self.ends_as,
                "error": problem if failed else None,
                "waits_for_host": self.waits_for_host,
            }
        else:
            return operation
        self.operations[number] = operation.model_copy(update=update)
        return self.operations[number]

    def _act(self, number: int, action: str) -> Answer:
        operation = self.operations[number]
        if action == "cancel":
            raise Refusal(409, "action-not-allowed", "operation 1 has ended")
        self.ends_as = OperationState.ROLLED_BACK if action == "rollback" else OperationState.COMPLETED
        self.operations[number] = operation.model_copy(update={"state": OperationState.QUEUED, "error": None})
        return 202, self.operations[number], None

    def _page(self, items: list[Any], asked: Asked) -> dict[str, Any]:
        start = int(asked.query.get("after", 0))
        end = start + min(self.page_size, int(asked.query["limit"]))
        shown = [item.model_dump(mode="json") for item in items[start:end]]
        return {"items": shown, "next": str(end) if end < len(items) else None}

    @staticmethod
    def _one(found: list[Any], name: str) -> Any:
        if not found:
            raise Refusal(404, "not-found", f"there is no {name}")
        return found[0]
