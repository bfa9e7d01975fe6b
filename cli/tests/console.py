"""What a small console for tests answers, by docs/contracts/console.md with the types of the domain."""

from datetime import timedelta
from urllib.parse import unquote

from sextant_domain.base import digest_of
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.hosts.enrolment import EnrolmentRequest
from sextant_domain.hosts.fault import ActiveFault, ActiveFaults, FaultOrder
from sextant_domain.laws.maintenance import MaintenanceWindow, WindowRequest
from sextant_domain.plans.operation import OperationKind
from sextant_domain.plans.plan import PlanState

from .answers import NOW, a_brief, nfs_of
from .console_state import Answer, Asked, ConsoleState, Refusal
from .shelf import Missing
from .shelf_of_models import A_TRUST, AN_OUTCOME
from .shelf_of_recommendations import A_DECISION, A_RACE, A_RANKING
from .studies import EMPTY_FLEET, a_consolidation, an_interference, one_more_made


def _lane_of(spec: ChainSpec) -> str | None:
    return spec.traffic.lane and spec.traffic.lane.of


def _part_of(spec: ChainSpec) -> str | None:
    return spec.part and spec.part.of


class FakeConsole(ConsoleState):
    """A route answers None where it has nothing there."""

    def handle(self, asked: Asked) -> Answer:
        """Raises Refusal."""
        routes = {
            "artefacts": self._artefacts,
            "identity-provider": self._identity_provider,
            "hosts": self._hosts,
            "enrolments": self._enrolments,
            "nfs": self._nfs,
            "nf-types": self._nf_types,
            "fits": self._fits,
            "models": self._models,
            "policies": self._policies,
            "automation": self._automation,
            "control": self._control,
            "maintenance-windows": self._maintenance_windows,
            "recommendations": self._recommendations,
            "races": self._races,
            "metrics": lambda _asked: (200, self.metrics, None),
            "trust": self._trust,
            "outcomes": self._trust,
            "chains": self._chains,
            "plans": self._plans,
            "fleet": self._fleet,
            "comparisons": self._comparisons,
            "operations": self._operations,
            "audit": self._audit,
            "alerts": self._alerts,
            "alert-silences": self._alerts,
            "alert-rules": self._alerts,
            "notification-channels": self._notifications,
            "notification-deliveries": self._notifications,
            "notification-settings": self._notifications,
        }
        route = routes.get(asked.path[0])
        answer = route(asked) if route else None
        if answer is None:
            raise Refusal(404, "not-found", f"there is no {'/'.join(asked.path)}")
        return answer

    def _audit(self, asked: Asked) -> Answer | None:
        match asked.path[1:]:
            case []:
                self.audit_asked = asked.query
                return 200, self._page(list(self.audit), asked), None
            case ["batches"]:
                return 200, self._page([one.batch for one in reversed(self.sealed)], asked), None
            case ["batches", number]:
                return 200, next(one for one in self.sealed if one.batch.number == int(number)), None
            case ["unsealed"]:
                return 200, self._page(list(self.unsealed), asked), None
        return None

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
            case "POST", ["removals"]:
                gone = {"edge-1"} & set(asked.body["hosts"]) if not self.removed else set()
                self.removed = self.removed or bool(gone)
                return 200, {"removed": sorted(gone)}, None
            case "POST", ["edge-1", "revoke"]:
                self.revoked = asked.body["reason"]
                return 200, self.host(), None
            case "POST", ["edge-1", "cordon"]:
                self.cordoned = asked.body["reason"]
                return 200, self.host(), None
            case "POST", ["edge-1", "uncordon"]:
                self.cordoned = None
                return 200, self.host(), None
            case "GET", ["edge-1", "drift"]:
                return 200, self.drift, None
            case "POST", ["edge-1", "drift", action]:
                if action == "accept" and not self.drift.accept.possible:
                    raise Refusal(409, "drift-not-acceptable", f"edge-1: {self.drift.accept.reasons[0]}")
                differences = [one.model_dump(mode="json") for one in self.drift.differences]
                accepted = {"host_id": "edge-1", "chains": []} if action == "accept" else None
                wished = {"kind": "align", "host": "edge-1", "action": action, "accepted": accepted}
                return 202, self._plan({**wished, "differences": differences}), None
            case "PUT", ["edge-1", "reserved-cores"] if asked.headers["if-match"] == '"1"':
                reason, known = asked.body["reason"], self.reserved
                self.reserved = {core: known.get(core, reason) for core in asked.body["cores"]}
                return 200, self.host(), '"1"'
            case "PUT", ["edge-1", "core-slots"] if asked.headers["if-match"] == '"1"':
                self.slots = None if asked.body["slots"] is None else (asked.body["slots"], asked.body["reason"])
                return 200, self.host(), '"1"'
            case "POST", ["edge-1", "renumber"]:
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

    def _alerts(self, asked: Asked) -> Answer | None:
        shelf = self.alerts
        match asked.method, asked.path:
            case "GET", ["alerts"]:
                shelf.asked = asked.query
                return 200, self._page([shelf.one], asked), None
            case "GET", ["alerts", "3"]:
                return 200, shelf.one, '"1"'
            case "POST", ["alerts", "3", "acknowledge"]:
                return 200, shelf.acknowledge(asked.body["note"]), None
            case "GET", ["alert-silences"]:
                return 200, self._page(shelf.silences, asked), None
            case "POST", ["alert-silences"]:
                return 201, shelf.silence(asked.body), None
            case "POST", ["alert-silences", number, "end"]:
                return 200, shelf.end(int(number)), None
            case "GET", ["alert-rules"]:
                return 200, self._page([shelf.rule], asked), None
            case "GET", ["alert-rules", "operation_failed"]:
                return 200, shelf.rule, f'"{shelf.rule.version}"'
            case "PATCH", ["alert-rules", "operation_failed"]:
                return 200, shelf.change(asked.body), None
        return None

    def _notifications(self, asked: Asked) -> Answer | None:
        shelf = self.notifications
        match asked.method, asked.path:
            case "GET", ["notification-channels"]:
                return 200, self._page(shelf.channels, asked), None
            case "POST", ["notification-channels"]:
                return 201, shelf.create(asked.body), None
            case "GET", ["notification-channels", "1"]:
                return 200, shelf.channels[0], f'"{shelf.channels[0].version}"'
            case "PATCH", ["notification-channels", "1"]:
                return 200, shelf.change(asked.body), None
            case "DELETE", ["notification-channels", "1"]:
                shelf.channels.clear()
                return 204, None, None
            case "POST", ["notification-channels", "1", "secret"]:
                return 200, shelf.made(secret="whsec_other"), None
            case "POST", ["notification-channels", "1", "test"]:
                return 202, shelf.delivery, None
            case "GET", ["notification-deliveries"]:
                shelf.asked = asked.query
                return 200, self._page([shelf.delivery], asked), None
            case "GET", ["notification-settings"]:
                return 200, shelf.settings, '"1"'
            case "PUT", ["notification-settings"]:
                return 200, shelf.allow(asked.body), None
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

    def _identity_provider(self, asked: Asked) -> Answer | None:
        there = self.accounts.provider
        if there is not None and asked.method != "GET" and asked.headers.get("if-match") != f'"{there.version}"':
            raise Refusal(412, "precondition-failed", "it has changed")
        match asked.method:
            case "PUT":
                there = self.accounts.put(asked.body)
            case "DELETE":
                self.accounts.provider = None
                return 204, None, None
        return None if there is None else (200, there, f'"{there.version}"')

    def _policies(self, asked: Asked) -> Answer | None:
        match asked.method, asked.path[1:]:
            case "GET", []:
                return 200, self._page(self.recommendations.policies(), asked), None
            case _, ["octans" | "numasfp", "fleet"]:
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
            decided = [A_DECISION] if asked.query.get("law") in (None, A_DECISION.law) else []
            return 200, self._page(decided, asked), None
        if asked.path[1:] == ["hosts", "edge-1"]:
            return 200, self.recommendations.automation_of_host(), None
        if asked.path[1:2] == ["hosts"]:
            return None
        if asked.method == "PUT":
            self.recommendations.stopped = asked.body["stopped"]
        return 200, self.recommendations.automation(), '"1"'

    def _control(self, asked: Asked) -> Answer | None:
        shelf = {"coco": self.coco, "srv6": self.srv6}.get(asked.path[1], self.numasfp)
        match asked.method, asked.path[1:]:
            case "GET", ["sfc2cpu", "assigner"]:
                return 200, self.shared_cores.assigner, None
            case "GET", ["sfc2cpu", "hosts", "edge-1"]:
                return 200, self.shared_cores, None
            case "POST", ["sfc2cpu", "fits"] if asked.body == {"host": "edge-1"}:
                return 202, self.cost_fits[0], None
            case "GET", ["sfc2cpu", "fits"]:
                return 200, self._page(self.cost_fits[:1], asked), None
            case "GET", ["sfc2cpu", "fits", "7"]:
                return 200, self.cost_fits.pop(0) if len(self.cost_fits) > 1 else self.cost_fits[0], None
            case "GET", ["coco" | "numasfp" | "srv6", "hosts"]:
                return 200, self._page([shelf.row()], asked), None
            case "GET", ["coco" | "numasfp" | "srv6", "hosts", "edge-1"]:
                return 200, shelf.host, None
            case "GET", ["coco" | "numasfp" | "srv6", "parameters"]:
                return 200, shelf.parameters, '"1"'
            case "PATCH", ["coco" | "numasfp" | "srv6", "parameters"] if asked.headers.get("if-match") == '"1"':
                return 200, shelf.change(asked.body), None
        return None

    def _maintenance_windows(self, asked: Asked) -> Answer | None:
        match asked.method, asked.path[1:]:
            case "GET", []:
                return 200, self._page(self.windows[::-1], asked), None
            case "POST", []:
                request = WindowRequest.model_validate(asked.body)
                window = MaintenanceWindow(
                    id=len(self.windows) + 1,
                    host=request.host,
                    starts_at=request.starts_at or NOW,
                    ends_at=request.ends_at,
                    reason=request.reason,
                    created_by="ada",
                    created_at=NOW,
                    ended_by=None,
                    active=request.starts_at is None,
                )
                self.windows.append(window)
                return 201, window, None
            case "POST", [number, "end"]:
                at = int(number) - 1
                self.windows[at] = self.windows[at].model_copy(update={"active": False, "ended_by": "ada"})
                return 200, self.windows[at], None
        return None

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
                of, path = asked.query.get("lane_of"), asked.query.get("part_of")
                found = sorted(self.chains.items())
                names = [
                    name for name, spec in found if of in {None, _lane_of(spec)} and path in {None, _part_of(spec)}
                ]
                return 200, self._page([self.chain(name) for name in names], asked), None
            case "GET", [name]:
                return 200, self._one([self.chain(name)] if name in self.chains else [], name), '"7"'
            case "GET", [_, "history"]:
                self.history_asked = asked.query
                return 200, self.history, None
            case "POST", []:
                return self._submit(asked.body)
            case "POST", ["batches"]:
                return self._submit_together(asked.body)
            case "POST", ["imports"]:
                return self.opennetvm.read(asked.body, self.chains)
            case "POST", ["predictions"]:
                self.asked_of = ChainSpec.model_validate(asked.body)
                return 200, self.new_chain, None
            case "POST", [name, "settings", "predictions"]:
                self.settings_asked = asked.body
                return 200, self.settings_prediction, None
            case "PUT", [name, "anti-affinity"]:
                self._require_unchanged(asked)
                spec = self.chains[name].model_dump(mode="json") | asked.body
                self.chains[name] = ChainSpec.model_validate(spec)
                return 200, self.chain(name), '"8"'
            case "PATCH", [name, "settings"]:
                return self._adjust(name, asked)
            case "DELETE", [name]:
                self._require_unchanged(asked)
                self.deleted_with = asked.query
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
            case "GET", [number, "consolidation"]:
                return 200, a_consolidation(asked.query["host"], asked.query["when"] == "after"), None
            case "GET", [number, "start-commands"] if asked.query.get("host") in {None, "edge-1"}:
                return 200, self.opennetvm.commands, None
            case "POST", [number, "apply"]:
                self.hosts_at_once = (asked.body or {}).get("hosts_at_once")
                self.loss_budget = (asked.body or {}).get("loss_budget")
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
