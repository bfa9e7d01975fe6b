"""What a small console for tests knows and answers, by docs/contracts/console.md with the types of the domain.

Over 400 lines: one method a route, and what they share is one state.
"""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import unquote

from sextant_domain.base import digest_of
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.console.views import ChainView, HostView
from sextant_domain.hosts.enrolment import EnrolmentRequest
from sextant_domain.hosts.fault import ActiveFault, ActiveFaults, FaultOrder
from sextant_domain.hosts.host import HostStatus
from sextant_domain.plans.comparison import Comparison
from sextant_domain.plans.evidence import Evidence, PlanProgress
from sextant_domain.plans.new_chain import NewChainPrediction
from sextant_domain.plans.operation import Operation, OperationKind, OperationState, StepName, StepState
from sextant_domain.plans.plan import Plan, PlanState, Worse
from sextant_domain.problem import FieldError, NextAction, Problem, problem_type

from .answers import NOW, a_body, a_brief, a_chain, a_host, a_plan, a_step, an_operation, nfs_of
from .gate import Gate
from .shelf import Missing, Shelf
from .shelf_of_models import A_TRUST, AN_OUTCOME, ShelfOfModels
from .shelf_of_opennetvm import ShelfOfOpenNetVm
from .shelf_of_recommendations import A_DECISION, A_RACE, A_RANKING, ShelfOfRecommendations
from .shelf_of_types import ShelfOfTypes
from .studies import EMPTY_FLEET, a_comparison, an_interference, one_more_made

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


class FakeConsole:
    """State of the console; the knobs make it behave as real ones do at bad moments."""

    def __init__(self) -> None:
        self.chains: dict[str, ChainSpec] = {}
        self.plans: dict[int, Plan] = {}
        self.worse: tuple[Worse, ...] = ()
        self.operations: dict[int, Operation] = {}
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.host_status = HostStatus.UP
        self.revoked: str | None = None
        self.removed = False
        """Why the host is."""
        self.faults: list[ActiveFault] = []
        self.gate = Gate()
        self.stale_applies = 0
        """So many applies are refused because another plan came first."""
        self.busy_applies = 0
        self.changed_meanwhile = 0
        self.no_room = False
        self.ends_as = OperationState.COMPLETED
        self.waits_for_host = False
        self.page_size = 50
        self.progress: PlanProgress | None = None
        """What the first look at a plan in the making shows."""
        self.new_chain: NewChainPrediction | None = None
        """What is predicted of every chain, and `asked_of`: of which it was asked last."""
        self.asked_of: ChainSpec | None = None
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
        self.adjusted: dict[str, Any] = {}
        """The newest body of PATCH /chains/{name}/settings."""
        self.placed_nowhere = False
        self.ready = True
        self.url = ""

    def handle(self, asked: Asked) -> Answer:
        """Raises Refusal."""
        routes = {
            "artefacts": self._artefacts,
            "hosts": self._hosts,
            "enrolments": self._enrolments,
            "nfs": self._nfs,
            "nf-types": self._nf_types,
            "fits": self._fits,
            "models": self._models,
            "policies": self._policies,
            "automation": self._automation,
            "recommendations": self._recommendations,
            "races": self._races,
            "trust": self._trust,
            "outcomes": self._trust,
            "chains": self._chains,
            "plans": self._plans,
            "fleet": self._fleet,
            "comparisons": self._comparisons,
            "operations": self._operations,
        }
        route = routes.get(asked.path[0])
        answer = route(asked) if route else None
        if answer is None:
            raise Refusal(404, "not-found", f"there is no {'/'.join(asked.path)}")
        return answer

    # ---- what each route answers; None: it has nothing there ----

    def _hosts(self, asked: Asked) -> Answer | None:
        match asked.method, asked.path[1:]:
            case "GET", []:
                return 200, self._page([self.host()], asked), None
            case "GET", ["edge-1"] if not self.removed:
                return 200, self.host(), '"1"'
            case "DELETE", ["edge-1"] if not self.removed:
                if self.chains:
                    raise Refusal(409, "host-in-use", f"edge-1 runs NFs of {', '.join(self.chains)}")
                self.removed = asked.headers["if-match"] == '"1"'
                return 204, None, None
            case "POST", ["edge-1", "revoke"]:
                self.revoked = asked.body["reason"]
                return 200, self.host(), None
            case "GET", ["edge-1", "faults"]:
                return 200, ActiveFaults(faults=tuple(self.faults)), None
            case "POST", ["edge-1", "faults"]:
                fault = FaultOrder.model_validate(asked.body).fault
                until = None if fault.kind == "nf-crash" else NOW + timedelta(seconds=fault.seconds)
                self.faults.append(ActiveFault(fault=fault, since=NOW, until=until))
                return 202, ActiveFaults(faults=tuple(self.faults)), None
            case "GET", [host, "interference"]:
                return 200, an_interference(host, 5.0), None
            case "GET", ["edge-1", "start-commands"]:
                return 200, self.opennetvm.commands, None
        return None

    def _enrolments(self, asked: Asked) -> Answer | None:
        match asked.method, asked.path[1:]:
            case "POST", []:
                return 201, self.gate.make(EnrolmentRequest.model_validate(asked.body)), None
            case "GET", []:
                return 200, self._page(self.gate.waiting, asked), None
            case "DELETE", [number] if self.gate.withdraw(int(number)):
                return 204, None, None
        return None

    def _nfs(self, asked: Asked) -> Answer | None:
        known = nfs_of(self.chains.values())
        match asked.method, asked.path[1:]:
            case "GET", []:
                return 200, self._page(known, asked), None
            case "GET", [nf_id]:
                return 200, self._one([nf for nf in known if nf.nf_id == nf_id], nf_id), '"1"'
        return None

    def _nf_types(self, asked: Asked) -> Answer | None:
        known = self.types.known
        match asked.method, asked.path[1:]:
            case "GET", []:
                return 200, self._page([known[name] for name in sorted(known)], asked), None
            case "GET", [name] if name in known:
                return 200, known[name], f'"{digest_of(known[name])}"'
            case "POST", []:
                return 201, self.types.register(asked.body), None
            case "PUT", [name] if name in known:
                made = self.types.update(name, asked.body, asked.headers.get("if-match"))
                if made is None:
                    raise Refusal(412, "precondition-failed", "it has changed")
                return 200, made, None
            case "DELETE", [name] if name in known:
                assert asked.headers["if-match"] == f'"{digest_of(known.pop(name))}"'
                return 204, None, None
        return None

    def _fits(self, asked: Asked) -> Answer | None:
        fit = self.models.view()
        brief = {name: value for name, value in fit.model_dump(mode="json").items() if name != "fit"}
        match asked.method, asked.path[1:]:
            case "GET", []:
                return 200, {"items": [brief], "next": None}, None
            case "GET", ["1"]:
                return 200, fit, f'"{self.models.version}"'
            case "POST", []:
                return 202, {**brief, "state": "fitting", "host_model": asked.body["host_model"]}, None
            case "GET", ["1", "promotion"]:
                return 200, self.models.preview(), f'"{self.models.version}"'
            case "POST", ["1", "promotion"]:
                made = self.models.promote(asked.body, asked.headers.get("if-match"))
                if made is None:
                    raise Refusal(412, "precondition-failed", "it has changed")
                return 200, made, None
        return None

    def _models(self, asked: Asked) -> Answer | None:
        known = list(self.models.versions.values())
        return (200, self._page(known, asked), None) if asked.method == "GET" else None

    def _policies(self, asked: Asked) -> Answer | None:
        match asked.method, asked.path[1:]:
            case "GET", []:
                return 200, self._page(self.recommendations.policies(), asked), None
            case _, ["octans", "fleet"]:
                view = self.recommendations.asked(asked.method, asked.body, asked.headers.get("if-match"))
                if view is None:
                    raise Refusal(412, "precondition-failed", "it has changed")
                return 200, view, f'"{view.version}"'
            case "PUT", ["octans", scope, name]:
                return 200, self.recommendations.set_mode(scope, name, asked.body["mode"]), None
            case "DELETE", ["octans", scope, name] if (scope, name) in self.recommendations.modes:
                del self.recommendations.modes[scope, name]
                return 204, None, None
        return None

    def _automation(self, asked: Asked) -> Answer | None:
        if asked.path[1:] == ["timeline"]:
            return 200, self._page([A_DECISION], asked), None
        if asked.method == "PUT":
            self.recommendations.stopped = asked.body["stopped"]
        return 200, self.recommendations.automation(), '"1"'

    def _recommendations(self, asked: Asked) -> Answer | None:
        if asked.method == "GET":
            return 200, self._page([self.recommendations.one], asked), None
        decided = self.recommendations.decide(asked.body["action"])
        if decided is None:
            raise Refusal(409, "recommendation-decided", "it was accepted by ada")
        return 200, decided, None

    def _races(self, asked: Asked) -> Answer | None:
        match asked.path[1:]:
            case []:
                return 200, self._page([A_RACE], asked), None
            case ["ranking"]:
                scored = 3 if self.recommendations.policy.races else 0
                wanted = self.recommendations.policy.races
                return 200, A_RANKING.model_copy(update={"scored": scored, "open": scored, "wanted": wanted}), None
            case ["1"]:
                return 200, A_RACE, None
            case _:
                return None

    def _trust(self, asked: Asked) -> Answer | None:
        if asked.path[0] == "outcomes":
            return 200, self._page([AN_OUTCOME], asked), None
        return 200, [A_TRUST.model_dump(mode="json")], None

    def _chains(self, asked: Asked) -> Answer | None:
        match asked.method, asked.path[1:]:
            case "GET", []:
                return 200, self._page([self.chain(name) for name in sorted(self.chains)], asked), None
            case "GET", [name]:
                return 200, self._one([self.chain(name)] if name in self.chains else [], name), '"7"'
            case "POST", []:
                return self._submit(asked.body)
            case "POST", ["imports"]:
                return self.opennetvm.read(asked.body, self.chains)
            case "POST", ["predictions"]:
                self.asked_of = ChainSpec.model_validate(asked.body)
                return 200, self.new_chain, None
            case "PATCH", [name, "settings"]:
                return self._adjust(name, asked)
            case "DELETE", [name]:
                self._require_unchanged(asked)
                return 202, self._start(0, OperationKind.REMOVE, f"Remove {name}"), None
        return None

    def _plans(self, asked: Asked) -> Answer | None:
        match asked.method, asked.path[1:]:
            case "POST", []:
                return 202, self._plan(asked.body["intent"], asked.body), None
            case "GET", []:
                return 200, self._page([a_brief(plan) for plan in reversed(self.plans.values())], asked), None
            case "GET", [number]:
                return 200, self._made(int(number)), None
            case "GET", [number, "interference"]:
                lost_mpps = 2.5 if asked.query["when"] == "after" else 5.0
                return 200, an_interference(asked.query["host"], lost_mpps), None
            case "GET", [number, "start-commands"] if asked.query.get("host") in {None, "edge-1"}:
                return 200, self.opennetvm.commands, None
            case "POST", [number, "apply"]:
                return self._apply(self.plans[int(number)], asked)
            case "POST", [number, "reject"]:
                return 200, self._set(self.plans[int(number)], PlanState.REJECTED), None
        return None

    def _fleet(self, asked: Asked) -> Answer | None:
        return (200, EMPTY_FLEET, None) if (asked.method, asked.path[1:]) == ("GET", ["snapshot"]) else None

    def _comparisons(self, asked: Asked) -> Answer | None:
        match asked.method, asked.path[1:]:
            case "POST", []:
                return self._compare(asked.body)
            case "GET", []:
                return 200, self._page([*reversed(self.comparisons.values())], asked), None
            case "GET", [number]:
                self.comparisons[int(number)] = one_more_made(self.comparisons[int(number)])
                return 200, self.comparisons[int(number)], '"1"'
        return None

    def _operations(self, asked: Asked) -> Answer | None:
        match asked.method, asked.path[1:]:
            case "GET", []:
                return 200, self._page([*reversed(self.operations.values())], asked), None
            case "GET", [number]:
                return 200, self._advance(int(number)), '"1"'
            case "POST", [number, ("retry" | "rollback" | "cancel" | "fail") as action]:
                return self._act(int(number), action)
        return None

    def _artefacts(self, asked: Asked) -> Answer | None:
        query = asked.query
        try:
            match asked.method, asked.path[1:]:
                case "GET", []:
                    return 200, self._page(self.shelf.found(query.get("search"), query.get("kind")), asked), None
                case "POST", []:
                    return *self.shelf.store(query["name"], query["kind"], asked.body), None
                case "GET", [digest]:
                    return 200, self.shelf.one(unquote(digest)), f'"{digest}"'
                case "GET", [digest, "content"]:
                    return 200, self.shelf.content(unquote(digest)), None
                case "DELETE", [digest]:
                    assert asked.headers["if-match"] == f'"{unquote(digest)}"'
                    problem = self.shelf.delete(unquote(digest))
                    return (409, problem, None) if problem else (204, None, None)
        except Missing:
            pass
        raise Refusal(404, "not-found", "there is no such artefact")

    # ---- what stands behind them ----

    def host(self) -> HostView:
        return a_host(self.host_status, self.revoked)

    def chain(self, name: str) -> ChainView:
        return a_chain(self.chains[name])

    def _submit(self, body: Any) -> Answer:
        spec = ChainSpec.model_validate(body)
        if spec.name in self.chains:
            field = FieldError(field="name", message=f"'{spec.name}' is taken; choose another")
            raise Refusal(409, "name-taken", "a chain of this name exists; nothing was stored", errors=(field,))
        self.chains[spec.name] = spec
        plan = self._plan({"kind": "place", "chain": spec.name})
        answer = {"chain": self.chain(spec.name).model_dump(mode="json"), "plan_id": plan.id}
        return 201, answer, None

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
