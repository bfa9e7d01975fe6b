"""How plans are found: what is requested, what is reported meanwhile, what is shown, and several side by side."""

import json
from pathlib import Path

import pytest
from sextant_domain.plans.evidence import Algorithm, PlanProgress, Solving
from sextant_domain.plans.plan import PlanState

from .studies import EMPTY_FLEET, EVIDENCE

SOLVING = ("--algorithm", "octans", "--time-limit", "60", "--max-moves", "4", "--seed", "7")
WISHED = Solving(algorithm=Algorithm.OCTANS, time_limit_s=60, max_moves=4, seed=7)


@pytest.fixture
def planned(sextant, chain_file: Path):
    assert sextant("chains", "submit", str(chain_file)).exit_code == 0
    return sextant


def test_asking_sends_what_is_wished_and_nothing_else(planned, console) -> None:
    assert planned("plans", "ask", "--chain", "edge", *SOLVING).exit_code == 0
    assert (console.plans[2].intent.chain, console.plans[2].solving) == ("edge", WISHED)
    assert planned("plans", "ask").exit_code == 0
    assert (console.plans[3].intent.kind, console.plans[3].solving) == ("replace", Solving())


def test_a_plan_that_is_made_again_is_made_as_wished(planned, console) -> None:
    console.stale_applies = 1
    assert planned("plans", "ask", "--chain", "edge", *SOLVING, "--apply").exit_code == 0
    assert [console.plans[number].solving for number in (2, 3)] == [WISHED, WISHED]


def test_submitting_with_wishes_cancels_the_plan_that_came_with_the_chain(sextant, console, chain_file: Path) -> None:
    result = sextant("chains", "submit", str(chain_file), *SOLVING, "-o", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["plan_id"] == 2
    assert console.plans[1].state is PlanState.REJECTED
    assert console.plans[2].solving == WISHED


@pytest.mark.parametrize("bad", [("--algorithm", "magic"), ("--time-limit", "601"), ("--max-moves", "-1")])
def test_wishes_that_cannot_be_are_bad_usage(planned, console, bad: tuple[str, str]) -> None:
    assert planned("plans", "ask", *bad).exit_code == 2
    assert sorted(console.plans) == [1]


def test_progress_is_printed_beside_the_result(planned, console) -> None:
    console.progress = PlanProgress(stage="solving", done=3, total=12, best=80.1, bound=81.2)
    result = planned("plans", "ask")
    assert "plan 2  solving 3 of 12, best score 80.1000, bound 81.2000" in result.stderr
    assert "solving" not in result.stdout


def test_a_plan_shows_what_is_proved_and_what_is_left_open(planned, console) -> None:
    console.evidence = EVIDENCE
    assert planned("plans", "ask").exit_code == 0
    lines = planned("plans", "show", "2").stdout.splitlines()
    [search] = [line for line in lines if line.startswith("found by")]
    assert search.startswith(
        "found by anytime: best found under Octans' equations, score 7.9000 value x Mpps, bound 8.0000, gap 1.2 %, "
    )
    assert search.endswith("seed 7 (stopped by the time limit)")
    rows = [line.split() for line in lines]
    assert ["edge-1", "anytime", "feasible", "octans", "7.9000", "8.0000", "1.2", "%", "1234"] in rows
    assert ["edge-2", "octans", "feasible", "-", "shared", "cores", "-", "-", "1"] in rows
    assert ["2", "0.5000", "0.4000", "no"] in rows


def test_who_hurts_whom_starts_with_the_greatest_loss(planned) -> None:
    """10 Mpps alone, 7.5 beside the others: 2.5 lost, 2.0 to the firewall and 0.5 to the distance of the cache."""
    header, first, second, note = planned("plans", "interference", "1", "--host", "edge-1").stdout.splitlines()
    assert header.split()[:2] == ["NF", "NODE"]
    assert first.split()[:5] == ["edge.router", "0", "7.5000", "10.0000", "2.5000"]
    assert "edge.firewall 2.0000 (80.0 %); packets on a remote node 0.5000 (20.0 %)" in first
    assert second.split() == ["edge.firewall", "0", "10.0000", "10.0000", "0.0000", "nobody"]
    assert note.startswith("assumed")


def test_before_a_plan_and_now_are_asked_for_by_name(planned) -> None:
    before = planned("plans", "interference", "1", "--host", "edge-1", "--before")
    assert before.stdout.splitlines()[1].split()[4] == "5.0000"
    assert planned("hosts", "interference", "edge-1").stdout == before.stdout
    body = json.loads(planned("hosts", "interference", "edge-1", "-o", "json").stdout)
    assert body["victims"][1]["causes"][0]["nf_id"] == "edge.firewall"


def test_hosts_are_shown_without_saying_so(planned, console) -> None:
    assert planned("hosts", "show", "edge-1").stdout == planned("hosts", "edge-1").stdout
    assert planned("hosts", "-o", "json").exit_code == 0
    assert "interference" in planned("hosts", "--help").stdout


def test_a_comparison_is_awaited_and_shown_side_by_side(sextant, console) -> None:
    result = sextant("compare", "--algorithms", "exact, octans", "--chain", "edge", "--time-limit", "3", "--wait")
    assert result.exit_code == 0, result.output
    assert console.compared == {
        "intent": {"kind": "place", "chain": "edge"},
        "algorithms": ["exact", "octans"],
        "time_limit_s": 3.0,
    }
    rows = [line.split() for line in result.stdout.splitlines()[-2:]]
    assert [row[:9] for row in rows] == [
        ["exact", "1", "proposed", "feasible", "7.9000", "8.0000", "1.2", "%", "2.50"],
        ["octans", "2", "proposed", "feasible", "7.9000", "8.0000", "1.2", "%", "2.50"],
    ]
    assert "octans           feasible" in result.stderr


def test_a_snapshot_goes_from_one_installation_to_another_as_a_file(sextant, console, tmp_path: Path) -> None:
    file = tmp_path / "fleet.json"
    file.write_text(sextant("fleet", "snapshot").stdout)
    assert json.loads(file.read_text()) == EMPTY_FLEET.model_dump(mode="json")
    result = sextant("compare", "--snapshot", str(file), "-o", "json")
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["label"] == "fleet.json"
    assert console.compared["snapshot"] == EMPTY_FLEET.model_dump(mode="json")
    assert "brute" not in console.compared["algorithms"] and len(console.compared["algorithms"]) == 6


def test_a_snapshot_that_is_none_is_bad_input(sextant, console, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text('{"hosts": [')
    for file in ("broken.json", "missing.json"):
        result = sextant("compare", "--snapshot", file)
        assert result.exit_code == 2
        assert "The snapshot cannot be read" in result.stderr
    assert console.comparisons == {}


def test_comparisons_are_listed_and_shown_again(sextant, console) -> None:
    assert "no comparisons" in sextant("compare", "list").stdout
    assert sextant("compare", "--label", "before").exit_code == 0
    assert sextant("compare", "list").stdout.splitlines()[1].split()[:5] == ["1", "before", "fleet", "replace", "fleet"]
    result = sextant("compare", "show", "1")
    assert "replace fleet on 2 hosts and 3 chains of this fleet, 10 s each" in result.stdout
    assert "see it later with: sextant compare show 1" in result.stderr
