"""Studies of NUMASFP on the twin: small ones, each with what it is worth by hand."""

import tomllib
from pathlib import Path
from typing import Any

import pytest
from sextant_domain.studies.numasfp import NumasfpScenario
from sextant_domain.studies.numasfp_result import NumasfpResult
from sextant_domain.studies.scenario import BadScenario, understood
from sextant_domain.studies.study import StudyProgress
from sextant_lab.errors import StudyCancelled
from sextant_lab.kinds.numasfp.deciding import decider
from sextant_lab.kinds.numasfp.run import run
from sextant_lab.kinds.numasfp.table import need
from sextant_lab.kinds.numasfp.twin import NumasfpTwin
from sextant_lab.observer import StudyObserver
from sextant_lab.study import check

EXAMPLES = Path(__file__).parents[2] / "examples" / "studies"


def scenario(figure: str, expect: list[dict[str, Any]] | None = None, **run_changes: Any) -> NumasfpScenario:
    tree = tomllib.loads((EXAMPLES / f"numasfp-{figure}.toml").read_text())
    tree["run"] |= run_changes
    found = understood({**tree, "expect": expect or []})
    assert isinstance(found, NumasfpScenario)
    return found


def values(found: NumasfpResult) -> dict[str, float]:
    return {one.what: one.ours for one in found.checks}


def test_a_rate_below_all_limits_is_carried_anywhere() -> None:
    found = run(scenario("fig3", rates_gbps=[3.0]))
    gbps = [value for name, value in values(found).items() if name.endswith("at 3 Gbps") and "against" not in name]
    assert gbps == [pytest.approx(3.0, rel=1e-3)] * 4
    assert values(found)["BM remote against BM local at 3 Gbps"] == pytest.approx(0, abs=0.1)
    assert (found.lines[0].name, found.lines[0].x) == ("BM local", (3.0,))


def test_equal_studies_find_the_same_and_report_every_step() -> None:
    small = scenario("fig5", rates_gbps=[10.0])
    reported: list[StudyProgress] = []
    first = run(small, StudyObserver(progress=reported.append))
    assert first == run(small)
    assert [(one.done, one.of) for one in reported] == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_chain_that_moves_carries_what_it_is_offered_from_then_on() -> None:
    """6 Gbps, then 9, of which the remote node carries less than 7; after the move 9."""
    changes = [{"at_s": 0, "gbps": 6.0}, {"at_s": 1, "gbps": 9.0}]
    found = run(scenario("fig4", seconds=5, move_at_s=2, changes=changes))
    carried = next(line.y for line in found.lines if line.name == "carried")
    assert carried[0] == pytest.approx(6.0, rel=0.01)
    assert carried[1] < 7.1
    assert carried[3:] == (pytest.approx(9.0, rel=0.01), pytest.approx(9.0, rel=0.01))


def test_neighbours_cost_and_parted_ways_help() -> None:
    found = values(run(scenario("fig7", neighbours=4)))
    assert found["alone, Gbps"] == pytest.approx(8.0, abs=0.1)
    assert found["unmanaged against alone"] < -1
    assert found["LLC only against alone"] > found["unmanaged against alone"]


def test_levels_are_searched_and_held_against_the_table() -> None:
    """10 Gbps on the remote node: neither the twin nor the paper's table carries that, which is near."""
    found = run(scenario("table1", rates_gbps=[4.0, 10.0], nfs={"router": "onvm-router"}, mb_percent=[10, 50, 90]))
    cells = {(cell.node, cell.gbps): cell for cell in found.cells}
    assert len(cells) == 4
    assert cells["remote", 10.0].near and cells["remote", 10.0].ours is None and cells["remote", 10.0].paper is None
    assert cells["local", 4.0].ours is not None
    near = sum(cell.near for cell in found.cells)
    assert values(found)["cells within 1 way and 10 % of the table"] == pytest.approx(100 * near / 4)


def test_sharing_takes_the_maximum_and_own_groups_the_sum() -> None:
    """7 Gbps: router (3, 20), basic monitor (2, 30): together (3, 30), apart (5, 50)."""
    assert need("paper-table-1", ("router", "basic-monitor"), "local", 7.0) == (3, 30)
    assert need("paper-table-1", ("router", "basic-monitor"), "local", 7.0, "sum") == (5, 50)
    assert need("paper-table-1", ("router",), "remote", 8.0) is None
    found = run(scenario("fig8", rates_gbps=[7.0]))
    drawn = {line.name: line.y for line in found.lines}
    assert (drawn["Max_alloc: ways"], drawn["Sum_alloc: ways"]) == ((3.0,), (5.0,))
    assert (drawn["Max_alloc: MB"], drawn["Sum_alloc: MB"]) == ((30.0,), (50.0,))


def test_algorithms_are_compared_on_drawn_rates() -> None:
    found = run(scenario("fig10", seconds=10, algorithms=["numasfp", "rate_sorted"]))
    anat = values(found)
    gain = 100 * (anat["ANAT of numasfp"] / anat["ANAT of rate_sorted"] - 1)
    assert anat["numasfp over rate_sorted"] == pytest.approx(gain, abs=1e-3)
    assert [len(line.y) for line in found.lines] == [10, 10]


def test_the_published_algorithm_swaps_two_chains_in_the_fourth_violated_second() -> None:
    """Rates swap in second 1: violated in 1, 2 and 3; in 4 it is one more than 3, and both move. 10 + 5, 6 + 7 of the
    table's levels, then 6 + 10 less 5 %, then 16."""
    changes = [
        {"at_s": 0, "chain": "sfc1", "gbps": 10.0},
        {"at_s": 0, "chain": "sfc2", "gbps": 5.0},
        {"at_s": 1, "chain": "sfc1", "gbps": 6.0},
        {"at_s": 1, "chain": "sfc2", "gbps": 10.0},
    ]
    found = run(scenario("fig13", seconds=6, algorithms=["numasfp"], changes=changes))
    drawn = {line.name: line.y for line in found.lines}
    assert drawn["numasfp, table"] == (15.0, 13.0, 13.0, 13.0, pytest.approx(15.2), 16.0)
    twin = drawn["numasfp, twin"]
    assert twin[5] > twin[3] + 1, "on the twin, too, the swap raises what is carried"


def test_the_law_decides_second_by_second() -> None:
    """c on the remote node is offered 10 of the 7 that go there; the local node has room."""
    room = {"ways": 11, "mb_percent": 100, "cores": 6}
    host = {"table": "paper-table-1", "chains": {"c": ["router"]}, "nodes": {"local": room, "remote": room}}
    decide = decider("law", host, {"c": "remote"}, 0.05)
    placed = [decide(second, {"c": 10.0}).placement["c"] for second in range(3)]
    assert placed == ["remote", "local", "local"]


def test_a_study_is_cancelled_between_two_points() -> None:
    checks = iter(range(1000))
    with pytest.raises(StudyCancelled):
        run(scenario("fig3"), StudyObserver(cancelled=lambda: next(checks) >= 3))
    assert next(checks) == 4, "nothing went on after it was cancelled"


@pytest.mark.parametrize(
    ("changes", "field", "reported"),
    [
        ({"machine": "abacus"}, "machine", "is none of"),
        ({"expect": [{"what": "luck", "paper": 1.0, "tolerance": 0.0}]}, "expect.0.what", "'luck' is not measured"),
        ({"run": {"what": "rates", "rates_gbps": [1.0], "lines": [{"name": "a", "chain": ["ghost"], "nodes": [0]}]}},
         "run", "is none of"),
        ({"run": {"what": "rates", "rates_gbps": [1.0], "lines": [{"name": "a", "chain": ["nat"], "nodes": [7]}]}},
         "run", "core 0 of node 7"),
        ({"run": {"what": "neighbours", "nf": "nat", "rate_gbps": 1.0, "neighbours": 16, "ways": 5, "mb_percent": 50}},
         "run", "core 12 of node 0"),
        ({"run": {"what": "neighbours", "nf": "nat", "rate_gbps": 1.0, "neighbours": 1, "ways": 11, "mb_percent": 50}},
         "run.ways", "leave one for the neighbours"),
    ],
)  # fmt: skip
def test_what_the_twin_cannot_do_is_refused_with_its_field(changes: dict[str, Any], field: str, reported: str) -> None:
    tree = tomllib.loads((EXAMPLES / "numasfp-fig3.toml").read_text())
    given = understood({**tree, "expect": [], **changes})
    assert isinstance(given, NumasfpScenario)
    tiny = given if "run" in changes else given.model_copy(update={"run": scenario("fig3", rates_gbps=[1.0]).run})
    with pytest.raises(BadScenario) as refusal:
        run(tiny)
    assert refusal.value.field == field
    assert reported in refusal.value.message


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("numasfp-*.toml")), ids=lambda path: path.stem)
def test_the_published_studies_can_be_run(path: Path) -> None:
    given = understood(tomllib.loads(path.read_text()))
    assert check(given).startswith(("Fig", "Table"))


def test_packets_and_rates_are_those_of_the_wire() -> None:
    """10 Gbps of 64 bytes with FCS are 10e9 / (8 x 84) packets a second."""
    twin = NumasfpTwin(scenario("fig3"))
    assert twin.pps(10.0) == pytest.approx(10e9 / (8 * 84))
    assert twin.gbps(twin.pps(7.0)) == pytest.approx(7.0)
