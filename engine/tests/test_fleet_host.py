"""What the core is told of a host is written once for each view of it, and never of a state that is gone."""

from typing import Any

from engine_fleets import chain, host, measured, numa_inventory, running, snapshot
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.plans.evidence import Solving
from sextant_domain.plans.new_chain import NewChainPrediction
from sextant_domain.plans.snapshot import CoreWork, FleetSnapshot, HostSnapshot
from sextant_engine.fleet_view import FleetView
from sextant_engine.new_chain import predict_new_chain
from sextant_engine.planning import fleet_host, fleet_problem
from sextant_engine.planning.draft import PlanDraft
from sextant_engine.planning.progress import Progress

NAMES = ("big-1", "big-2", "big-3")
INVENTORIES = {name: numa_inventory(name) for name in NAMES}
RUNS = {name: chain(f"on-{name}", "firewall", "router", rate=9.0) for name in NAMES}
NEW = chain("new", "router", "firewall", "basic-monitor", rate=9.0)


def occupied(name: str, core: int, **more: Any) -> HostSnapshot:
    """Two NFs, from this core on."""
    inventory = INVENTORIES[name]
    there = host(inventory, [running(RUNS[name], inventory, [(core, 0), (core + 1, 0)])])
    return there.model_copy(update=more)


def fleet(hosts: list[HostSnapshot], chains: dict[str, ChainSpec], *models: Any) -> FleetSnapshot:
    return snapshot(hosts, list(chains.values()), **({"models": models} if models else {}))


def draft(view: FleetView) -> PlanDraft:
    return PlanDraft(view, Solving(), Progress())


def figures(answer: NewChainPrediction) -> NewChainPrediction:
    return answer.model_copy(update={"taken_at": NEVER})


NEVER = snapshot([], []).taken_at


def test_of_a_host_that_stays_as_it_is_nothing_is_worked_out_again(monkeypatch):
    """Of three hosts one has changed between two questions: the second writes that one."""
    written: list[str] = []
    write = fleet_host._host

    def noted(one: Any, beside: Any) -> Any:
        written.append(one.name)
        return write(one, beside)

    monkeypatch.setattr(fleet_host, "_host", noted)
    hosts = [occupied(name, 0) for name in NAMES]
    first = FleetView.of(fleet(hosts, RUNS))
    predict_new_chain(first, NEW, Solving())
    assert sorted(written) == list(NAMES)
    written.clear()
    second = FleetView.of(fleet([hosts[0], occupied("big-2", 2), hosts[2]], RUNS), former=first)
    predict_new_chain(second, chain("other", "router"), Solving())
    assert written == ["big-2"]


def test_what_is_kept_is_never_of_a_state_that_is_gone():
    """After each change the held fleet answers as one that is read anew: of seats, a host's state, other work, a value
    and a model."""
    hosts = {name: occupied(name, 0) for name in NAMES}
    chains, models = dict(RUNS), ()
    view = FleetView.of(fleet(list(hosts.values()), chains))
    answers = []

    def answered() -> NewChainPrediction:
        nonlocal view
        taken = fleet(list(hosts.values()), chains, *models)
        view = FleetView.of(taken, former=view)
        answer = predict_new_chain(view, NEW, Solving())
        assert figures(answer) == figures(predict_new_chain(FleetView.of(taken), NEW, Solving()))
        problem, fresh = (fleet_problem.fleet_problem(draft(one), [NEW], False) for one in (view, FleetView.of(taken)))
        assert problem.text() == fresh.text()
        answers.append(problem.text())
        return answer

    answered()
    hosts["big-1"] = occupied("big-1", 4)
    answered()
    hosts["big-2"] = occupied("big-2", 0, other_work=(CoreWork(core=3, percent=60.0),))
    answered()
    chains["on-big-3"] = RUNS["big-3"].model_copy(update={"value": 5.0})
    answered()
    hosts["big-1"] = occupied("big-1", 4, status="stale")
    assert answered().host != "big-1"
    model = INVENTORIES["big-1"].host_model
    models = tuple(measured(one, 20.0, model) for one in ("router", "firewall", "basic-monitor"))
    answered()
    assert len(set(answers)) == len(answers), "each change is one of the problem"


def test_whether_chains_may_move_or_stay_is_no_part_of_what_is_kept():
    """One view, asked in turn with and without moves, and with a chain that stays."""
    view = FleetView.of(fleet([occupied("big-1", 0)], RUNS))

    def flags_of(may_move: bool, kept: frozenset[str] = frozenset()) -> tuple[bool, bool]:
        made = draft(view)
        made.kept = kept
        one = fleet_problem.fleet_problem(made, [NEW], may_move).host("big-1")
        return one["may_move"], one["chains"][0]["stays"]

    assert flags_of(False) == (False, False)
    assert flags_of(True) == (True, False)
    assert flags_of(True, frozenset({"on-big-1"})) == (True, True)
    assert flags_of(False) == (False, False)


def test_questions_about_ports_that_a_host_lacks_fill_no_memory():
    """A fleet is held for long: of a hundred names that its host has no port of nothing stays behind."""
    view = FleetView.of(fleet([occupied("big-1", 0)], RUNS))
    predict_new_chain(view, NEW, Solving())
    held = len(view.hosts["big-1"]._derived)
    for number in range(100):
        asked = chain(f"c{number}", "router", ingress={"host": "big-1", "port": f"no-{number}"})
        answer = predict_new_chain(view, asked, Solving())
        assert answer.rejected is not None and f"it has no port 'no-{number}'" in answer.rejected.reason
    assert len(view.hosts["big-1"]._derived) <= held + 2
