"""A training as a study: refused without JAX, examined beside simple assigners, gone on from its folder, the same
twice. What wants JAX is skipped where the extra `learn` is not installed."""

import json
import random
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from sextant_domain.base import digest_of
from sextant_domain.profiling.estimates import estimate
from sextant_domain.profiling.inflation import HandOff, InflationModel
from sextant_domain.studies.result import compared
from sextant_domain.studies.scenario import BadScenario, scenario_of
from sextant_domain.studies.school import LENGTHS, SchoolCurve, SchoolExam, SchoolReport, scenario_toml
from sextant_domain.studies.school_costs import GamesCost, SchoolCost, cost_toml
from sextant_domain.studies.summary import summarised, summary_lines
from sextant_engine.laws.sfc2cpu.trained import read_trained
from sextant_lab import school
from sextant_lab.errors import StudyCancelled
from sextant_lab.observer import StudyObserver
from sextant_lab.school import baselines, graduation
from sextant_lab.school.costs import Cost
from sextant_lab.school.games import Games
from sextant_lab.school.instances import Drawing
from sextant_lab.school.on_twin import TwinMachine
from sextant_lab.study import check, run
from sextant_twin.backpressure import Backpressure
from test_school import as_weights, drawn_weights
from test_school_costs import TWO_KINDS

TINY = scenario_of(scenario_toml(2, 3, "short", 6_000))
with_jax = pytest.mark.skipif(
    find_spec("jax") is None, reason="the extra learn is not installed: make setup SEXTANT_LEARN=1"
)


def test_its_length_is_that_of_the_form_or_so_many_steps():
    """Of 60,000 steps 40,000 draw more or less: so do two thirds of any other number."""
    assert TINY.lessons == (6_000, 4_000, 16)
    assert scenario_of(scenario_toml(4, 0, "long")).lessons == LENGTHS["long"] == (500_000, 500_000, 8)
    assert check(TINY) == "a network for 2 cores, 6000 steps, an update every 16"


def test_the_example_is_the_short_form():
    text = (Path(__file__).parents[2] / "examples" / "studies" / "school.toml").read_text()
    found = scenario_of(text)
    assert (found.kind, found.cores, found.lessons) == ("school", 4, LENGTHS["short"])


def test_without_jax_it_is_refused_and_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "sextant_lab.school.training", None)
    monkeypatch.delattr(school, "training", raising=False)  # where another test has imported it
    with pytest.raises(BadScenario, match="trains with JAX, the lab's extra learn, which") as refused:
        run(TINY)
    assert (refused.value.field, refused.value.remedy) == ("kind", "make setup SEXTANT_LEARN=1")


def test_baselines_serve_what_games_say():
    """Round robin by hand in the games' arithmetic: VNF after VNF to core 0, 1, 2, 3, 0."""
    dice = random.Random(5)
    given = [Drawing().instance(dice, 4) for _ in range(40)]
    turns = iter(range(16))

    def choose(states):
        return (states.current * 0 + next(turns)) % 4

    played = Games(given, most_vnfs=16).play(choose)
    assert baselines.served(given, "rr") == pytest.approx(played.served.mean(), rel=1e-6)
    assert baselines.served(given, "rr") < baselines.served(given, "lpt") <= 1


def with_cost(**given):
    """A training on a cost: dpi costs half of the other's load more beside a nat."""
    return TINY.model_copy(update={"cost": SchoolCost(**given)})


def test_baselines_go_by_loads_and_are_judged_by_the_cost():
    """.5, .4 and .4 on 2 cores in turn: the third joins the first, .9 together, which gamma .9 serves. By the cost they
    ask for .5 x (1 + .5 x .4) + .4 x (1 + .5 x .5) = .6 + .5 = 1.1, of which .9 is served."""
    vnfs = [{"cycles": 1e9 * load / 1e5, "rate_pps": 1e5, "kind": "dpi"} for load in (0.5, 0.4, 0.4)]
    one = {"vnfs": vnfs, "chains": [[0], [1], [2]], "cores": 2, "clock_hz": 1e9, "gamma": 0.9}
    hurts = ((0.5, 0.0), (0.0, 0.0))
    model = InflationModel(
        kinds=("dpi",),
        core=hurts,
        socket=((0.0, 0.0), (0.0, 0.0)),
        weight="load",
        hand_off=HandOff(from_socket=0, from_remote=0, to_socket=0, to_remote=0),
    )
    assert baselines.served([one], "rr") == pytest.approx(1.0)
    assert baselines.served([one], "rr", Cost(model)) == pytest.approx((2 * 0.9 / 1.1 + 1) / 3)


def test_only_a_console_knows_what_was_fitted_on_a_host():
    with pytest.raises(BadScenario) as refused:
        check(with_cost(host="edge-1"))
    assert refused.value.field == "cost.model"
    assert refused.value.remedy == "sextant sfc2cpu train --cores 2 --cost-of edge-1"
    with pytest.raises(BadScenario, match="is missing"):
        run(with_cost(host="edge-1"))


def test_a_file_may_hold_a_cost():
    text = scenario_toml(2, 3, "short", 6_000) + "\n".join(cost_toml(SchoolCost(model=TWO_KINDS)))
    assert check(scenario_of(text)).startswith(
        "a network for 2 cores, 6000 steps, an update every 16, by a fitted cost"
    )
    assert scenario_of(text).cost.model == TWO_KINDS


@with_jax
def test_a_training_on_a_cost_says_so_everywhere():
    found = run(with_cost(host="edge-1", version=3, model=TWO_KINDS))
    assert found.report.curve.cost == GamesCost(host="edge-1", version=3, digest=digest_of(TWO_KINDS))
    assert found.report.exam.known == ("nat", "dpi") and not {"nat", "dpi"} & set(found.report.exam.kinds)
    assert read_trained(found.trained, 2).training.host_models == (f"fitted {digest_of(TWO_KINDS)}",)
    text = "\n".join(summary_lines(summarised(found)))
    assert "games and exams by the costs of edge-1, version 3" in text and "exams, fitted cost" in text
    plain = run(TINY)
    assert plain.report.exam.known is None and plain.report.exam.kinds == graduation.KINDS
    assert plain.report.curve.cost is None and plain.weights != found.weights
    assert found.report.curve.rr < plain.report.curve.rr, "the same instances cost more"


def test_the_last_exam_is_beside_simple_assigners_on_kinds_that_hurt_each_other():
    """Drawn weights are no better than round robin, which is worse than LPT; spreads are over instances."""
    weights = as_weights(drawn_weights(4), 4).model_dump(mode="json")
    asked = []
    found = graduation.examined(weights, 4, Drawing(), lambda: asked.append(1))
    assert (found.instances, len(asked), found.machine) == (24, 24, "epyc-7301")
    assert found.rr < found.lpt
    assert found.network < found.lpt
    assert found.over_lpt.value < 0
    assert found.over_lpt.half_width is not None and found.over_lpt.half_width > 0
    assert found == graduation.examined(weights, 4, Drawing()), "the same instances each time"


def test_kinds_that_the_cost_of_its_games_knows_are_left_out_of_the_last_exam(monkeypatch):
    """A fit that knows firewall and nat, and a type that the twin has not: six of eight are left."""
    monkeypatch.setattr(graduation, "INSTANCES", 2)
    weights = as_weights(drawn_weights(2), 2).model_dump(mode="json")
    found = graduation.examined(weights, 2, Drawing(), shown=("firewall", "nat", "ours"))
    assert found.kinds == ("router", "basic-monitor", "dpi", "load-balancer", "vpn", "nids")
    assert (found.known, found.held_out) == (("firewall", "nat"), True)
    assert found.rr != graduation.examined(weights, 2, Drawing()).rr, "VNFs are of other kinds"


def test_where_a_cost_knows_all_kinds_the_exam_says_that_none_is_held_out(monkeypatch):
    monkeypatch.setattr(graduation, "INSTANCES", 2)
    weights = as_weights(drawn_weights(2), 2).model_dump(mode="json")
    found = graduation.examined(weights, 2, Drawing(), shown=graduation.KINDS)
    assert (found.kinds, found.known, found.held_out) == (graduation.KINDS, graduation.KINDS, False)


def exam(kinds, known, cost):
    """A report's words of an exam."""
    given = {"machine": "epyc-7301", "instances": 2, "network": 0.9, "rr": 0.8, "lpt": 0.9, "min_max": 0.9}
    over = {f"over_{name}": estimate([1.0, 2.0]) for name in ("rr", "lpt", "min_max")}
    found = SchoolExam(**given, **over, kinds=kinds, known=known)
    curve = SchoolCurve(rr=0.8, lpt=0.9, cost=cost)
    return SchoolReport.model_construct(cores=2, seed=0, steps=1, seconds=1.0, curve=curve, exam=found).kinds_text


def test_what_is_said_of_kinds():
    cost = GamesCost(host=None, version=None, digest=f"sha256:{'0' * 64}")
    assert exam(("nat", "vpn"), None, None) == "kinds that it was never shown"
    assert exam(("nat", "vpn"), (), cost) == "kinds that it was never shown"
    assert exam(("vpn",), ("nat",), cost) == "kinds that it was never shown, without nat, which its cost knows"
    assert exam(("nat",), ("nat",), cost).endswith("as it knows all of the twin's: none is held out")
    assert exam(("nat",), None, cost) == "kinds of which its cost may know some: none were left out yet", "of before"


@with_jax
def test_one_that_is_ended_goes_on_from_its_folder_and_comes_to_the_same(tmp_path):
    heard = []

    def after(marks):
        return StudyObserver(heard.append, lambda: len(heard) > 0 and len(heard[-1].curve.marks) > marks, tmp_path)

    with pytest.raises(StudyCancelled):
        run(TINY, after(1))
    assert len(heard[-1].curve.marks) == 2
    heard.clear()
    ended = run(TINY, StudyObserver(heard.append, keep=tmp_path))
    assert len(heard[0].curve.marks) == 2, "it begins with what there was"
    whole = run(TINY)
    assert compared(ended, whole).equal
    assert read_trained(ended.trained, 2).digest == ended.weights
    assert ended.report.curve.marks[0].steps == 0 and ended.report.curve.marks[-1].steps >= 6_000
    assert [mark.loss is None for mark in ended.report.curve.marks] == [True] + [False] * (
        len(whole.report.curve.marks) - 1
    )
    assert ended.origin.jax is not None
    text = "\n".join(summary_lines(summarised(ended)))
    assert f"weights {ended.weights}" in text and "more than min_max" in text
    assert json.loads(ended.model_dump_json())["report"]["cores"] == 2


@with_jax
def test_a_checkpoint_that_was_cut_off_is_begun_anew(tmp_path):
    heard = []
    with pytest.raises(StudyCancelled):
        run(TINY, StudyObserver(heard.append, lambda: len(heard) > 0 and len(heard[-1].curve.marks) > 1, tmp_path))
    path = tmp_path / "checkpoint.pickle"
    path.write_bytes(path.read_bytes()[:1000])
    heard.clear()
    found = run(TINY, StudyObserver(heard.append, keep=tmp_path))
    assert heard[0].curve.marks == ()
    assert found.report.steps >= 6_000


@with_jax
def test_a_folder_of_another_training_is_not_gone_on_from(tmp_path):
    heard = []
    with pytest.raises(StudyCancelled):
        run(TINY, StudyObserver(heard.append, lambda: len(heard) > 0 and len(heard[-1].curve.marks) > 1, tmp_path))
    with pytest.raises(ValueError, match="another course"):
        run(scenario_of(scenario_toml(2, 4, "short", 6_000)), StudyObserver(keep=tmp_path))


def test_work_that_later_rings_drop_is_lost_and_dropped_at_the_entry_none_is():
    """VNFs of 1000 and 20,000 cycles in a chain of 200,000 packets/s, a core each: the second takes half of them, while
    the first works on all. By hand: its cycles for what the second's ring drops, of the cycles of both."""
    twin = TwinMachine("epyc-7301", ["router"])
    vnfs = [{"cycles": cycles, "rate_pps": 2e5, "kind": "router"} for cycles in (1000.0, 20_000.0)]
    asked = {"vnfs": vnfs, "chains": [[0, 1]], "cores": 2, "clock_hz": 2.2e9, "gamma": 0.97, "work": [1000.0, 20_000.0]}
    free, marks, held = (twin.run(asked, [0, 1], backpressure=way) for way in Backpressure)
    first, second = free.cycles
    passed = 2e5 * free.served
    assert free.wasted == pytest.approx((2e5 - passed) * first / (2e5 * first + passed * second), rel=1e-6)
    assert 0.02 < free.wasted < 0.05
    for saved in (marks, held):
        assert saved.wasted == pytest.approx(0, abs=1e-9) and saved.served == pytest.approx(free.served, rel=1e-3)
