"""Studies of figures of sfc2cpu's paper: what instances and the twin say by themselves, and what the bench found."""

import tomllib
from pathlib import Path
from statistics import fmean, median
from typing import Any

import pytest
from sextant_domain.studies.scenario import BadScenario, understood
from sextant_domain.studies.sfc2cpu import KINDS, Sfc2cpuScenario
from sextant_domain.studies.sfc2cpu_result import Sfc2cpuResult
from sextant_domain.studies.study import StudyProgress
from sextant_lab.errors import StudyCancelled
from sextant_lab.kinds.sfc2cpu.run import run
from sextant_lab.observer import StudyObserver
from sextant_lab.school.instances import Drawing
from sextant_lab.school.on_twin import TwinMachine, assigned
from sextant_lab.study import check

ROOT = Path(__file__).parents[2]
SEED = 20261129


def scenario(figure: str, expect: list[dict[str, Any]] | None = None, **changes: Any) -> Sfc2cpuScenario:
    tree = tomllib.loads((ROOT / "examples" / "studies" / f"sfc2cpu-{figure}.toml").read_text())
    machine = changes.pop("machine", "epyc-7301")
    tree["run"] |= changes
    found = understood({**tree, "machine": machine, "expect": expect or []})
    assert isinstance(found, Sfc2cpuScenario)
    return found


def values(found: Sfc2cpuResult) -> dict[str, float]:
    return {one.what: one.ours for one in found.checks}


def test_loads_are_those_that_the_bench_has_published() -> None:
    """The table `loads` of docs/sfc2cpu.md: its row of 4 cores, of the same instances."""
    text = (ROOT / "docs" / "sfc2cpu.md").read_text().split("<!-- table loads -->\n")[1]
    row = next(line for line in text.splitlines() if line.startswith("| 4 |")).split("|")[2:6]
    found = values(run(scenario("fig5a", cores=[4])))
    for name, cell in zip(("rr", "llf", "ffd", "min_max"), row, strict=True):
        ours = found[f"{name}, 4 cores: median load"], found[f"{name}, 4 cores: fullest core"]
        assert f"{ours[0]:.1f}, {ours[1]:.0f}" == cell.strip()


def twin_says(cores: int, numbers: int, mpps: float, **by: Any) -> list[float]:
    """Part that is served, instance by instance."""
    twin, drawing = TwinMachine("epyc-7301", KINDS), Drawing(system_pps=mpps * 1e6)
    asked = [twin.numbered(drawing, SEED, cores, number, KINDS) for number in range(numbers)]
    assigner = by.pop("assigner")
    return [twin.run(one, assigned(one, assigner=assigner), **by).served for one in asked]


def test_what_is_served_is_the_median_of_what_the_twin_says() -> None:
    found = run(scenario("fig5", cores=[4], assigners=["min_max", "ffd"], instances=3))
    told = values(found)
    ours, theirs = (2.0 * median(twin_says(4, 3, 2.0, assigner=name)) for name in ("min_max", "ffd"))
    assert told["min_max, 4 cores: throughput"] == pytest.approx(ours, abs=1e-6)
    assert told["ffd, 4 cores: throughput"] == pytest.approx(theirs, abs=1e-6)
    assert told["min_max over ffd, 4 cores: throughput"] == pytest.approx(100 * (ours / theirs - 1), abs=1e-5)
    ms = [told[f"{name}, 4 cores: latency"] for name in ("min_max", "ffd")]
    assert min(ms) > 0
    assert told["min_max under ffd, 4 cores: latency"] == pytest.approx(100 * (1 - ms[0] / ms[1]), abs=1e-3)
    assert [(line.name, line.unit, line.x) for line in found.lines] == [
        ("min_max", "Mpps", (4.0,)), ("ffd", "Mpps", (4.0,)), ("min_max", "ms", (4.0,)), ("ffd", "ms", (4.0,)),
    ]  # fmt: skip


def test_equal_shares_stand_beside_those_by_rate_and_cost() -> None:
    told = values(run(scenario("fig4", cores=[4], assigners=["ffd"], instances=3)))
    for waiting in ("sleep", "poll"):
        by_cost, equal = (
            2.5 * fmean(twin_says(4, 3, 2.5, assigner="ffd", equally=equally, polling=waiting == "poll"))
            for equally in (False, True)
        )
        name = f"ffd, 4 cores, {waiting}"
        assert told[f"{name}: by rate and cost"] == pytest.approx(by_cost, abs=1e-6)
        assert told[f"{name}: equal shares"] == pytest.approx(equal, abs=1e-6)
        assert told[f"{name}: equal shares serve more"] == pytest.approx(100 * (equal / by_cost - 1), abs=1e-5)


def test_values_stand_beside_the_papers_and_an_unknown_one_is_named() -> None:
    near = {"what": "min_max, 4 cores: fullest core", "paper": 100.0, "tolerance": 0.001, "bound": "most"}
    [one] = run(scenario("fig5a", [near], cores=[4], instances=5)).checks
    assert one.passed and one.ours <= 100.001
    with pytest.raises(BadScenario) as refused:
        run(scenario("fig5a", [{**near, "what": "speed"}], cores=[4], instances=1))
    assert refused.value.field == "expect.0.what" and "rr, 4 cores: median load" in refused.value.message


def test_equal_studies_find_the_same_and_report_every_step() -> None:
    small = scenario("fig5", cores=[4], assigners=["rr"], instances=1)
    reported: list[StudyProgress] = []
    assert run(small, StudyObserver(progress=reported.append)) == run(small)
    assert [(one.done, one.of) for one in reported] == [(0, 2), (1, 2), (2, 2)]


def test_it_is_cancelled_between_instances() -> None:
    asked = iter([False, False, True])
    with pytest.raises(StudyCancelled):
        run(scenario("fig5a", cores=[4], instances=50), StudyObserver(cancelled=lambda: next(asked)))


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"machine": "abacus"}, "machine"),
        ({"kinds": ["router", "teapot"]}, "run.kinds.1"),
        ({"machine": "epyc-7301", "cores": [4, 32], "kinds": ["router"]}, None),
        ({"machine": "xeon-e5-2650-v4", "cores": [4, 32], "kinds": ["router"]}, "run.cores.1"),
    ],
)
def test_what_the_twin_does_not_have_is_refused_by_its_field(changes: dict[str, Any], field: str | None) -> None:
    wanted = scenario("fig5", **changes)
    if field is None:
        assert "100 instances for 4, 32 cores" in check(wanted)
        return
    with pytest.raises(BadScenario) as refused:
        check(wanted)
    assert refused.value.field == field
