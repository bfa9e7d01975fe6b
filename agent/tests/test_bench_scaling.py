"""The bench of CoCo's Fig. 6: its chains, what it counts between two samples, and its verdicts."""

import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "coco"))

import scaling
import scaling_chains
import simulated
from scaling_chains import SECOND, msfc, nf
from sextant_agent.drivers.twin.samples import BOUNDS_NS
from simulated import Window


def test_a_copy_is_a_lane_of_which_one_element_alone_stands_elsewhere() -> None:
    """3 | 4 4 4 is one hop; 3 | 4 | 5 | 4 are three."""
    first, second = scaling_chains.copied(msfc(0.15, "isolated"), "msfc.analyzer")
    assert [[one.core for one in each.nfs] for each in (first, second)] == [[3, 4, 4, 4], [3, 4, 5, 4]]
    assert [scaling_chains.hops_of(each) for each in (first, second)] == [1, 3]
    assert [each.traffic.rate_mpps for each in (first, second)] == [0.075, 0.075]
    seats = [(one.core, one.slot) for each in (first, second) for one in each.nfs]
    assert len(set(seats)) == len(seats)


def test_a_push_changes_the_cores_of_those_that_go() -> None:
    after = scaling_chains.pushed(msfc(0.15, "isolated"), {"msfc.logger": 3})
    assert [one.core for one in after.nfs] == [3, 3, 4, 4]
    assert scaling_chains.hops_of(after) == 1


def seen(at_s: float, *, lost: int = 0, ms: float = 1.0) -> Window:
    """A hundred packets, all in the bucket of that latency."""
    counts = [0] * (len(BOUNDS_NS) + 1)
    counts[next(at for at, bound in enumerate(BOUNDS_NS) if bound >= ms * 1e6)] = 100
    return Window(at_s, 100, lost, {"msfc": counts})


@pytest.mark.parametrize(
    ("after", "wanted_s"),
    [
        ([seen(0.1, lost=1), seen(0.2), seen(0.3)], 0.1),
        ([seen(0.1, lost=1), seen(0.2, ms=2.0), seen(0.3)], 0.2),
        ([seen(0.1, lost=1), seen(0.2), seen(0.3, lost=1), seen(0.4)], 0.3),
    ],
)
def test_recovered_is_the_end_of_the_last_window_that_is_not_well(after: Sequence[Window], wanted_s: float) -> None:
    assert scaling.recovered_s(after, seen(9.0)) == wanted_s


def test_a_window_counts_from_nothing_what_was_not_there_before() -> None:
    """10 ms at 1 Mpps are 10,000 packets; the chain comes while the host is looked at."""
    host = simulated.RecordedHost(scaling_chains.SETTINGS["machine"], seed=1, changes=scaling.ALREADY_RUNNING)
    host.world.pass_time(0.01)
    before = host.samples[-1]
    host.order(scaling_chains.chain("one", [nf("one.a", 0, SECOND)], scaling_chains.traffic(1.0), "isolated"))
    found = simulated.window(before, host.samples[-1])
    assert found.delivered == sum(found.counts["one"]) == host.samples[-1].chains["one"].delivered > 0
    steps = [one.delivered for one in host.windows(host.steps - 3, host.steps)]
    assert steps == [pytest.approx(10_000, rel=0.01)] * 3


def test_both_arms_go_by_the_law_and_equal_runs_are_equal() -> None:
    """The law finds the analyzer short of time and pushes the logger: 83 % of either core, and no new hop."""
    first, again = (scaling.push(scaling.ISOLATED) for _ in range(2))
    assert first == again
    assert (first.cores, first.hops) == (2, (1.0, 1.0))
    copy = scaling.copy(scaling.ISOLATED, already_running=True)
    assert copy.cores == 3
    assert copy.hops == (1.0, pytest.approx(2.0, abs=0.01))
    for arm in (first, copy):
        assert arm.times is not None
        assert arm.times.to_order_s < arm.times.to_recovered_s
        assert arm.lost > 0


def test_a_push_passes_only_beside_every_form_of_the_copy() -> None:
    """With 1 ms a hop: 3 + 1 = 4 ms beside 2 + 2 x 1 = 4 and 5 + 2 = 7."""
    push = scaling.Arm("push", 2, (1.0, 1.0), 3.0, times=scaling.Times(0.3, 0.5))
    copies = [scaling.Arm("copy", 3, (1.0, 2.0), ms, times=scaling.Times(0.3, 0.6)) for ms in (2.0, 5.0)]
    told = scaling.verdicts(push, copies)
    assert told[1] == "passed"
    assert told[2] == "no new one: passed"
    assert told[6:8] == ["**failed**", "**failed**"]
    assert told[-1] == "passed; the copy sooner: **failed**"
    assert scaling.verdicts(push, copies[1:])[6:8] == ["passed", "passed"]
    late = replace(push, hops=(1.0, 1.5), times=scaling.Times(0.3, 1.1))
    assert scaling.verdicts(late, copies)[2] == "no new one: **failed**"
    assert scaling.verdicts(late, copies)[-1] == "**failed**; the copy sooner: passed"


def test_every_row_has_the_columns_of_the_head() -> None:
    rows = list(scaling.table())
    assert {first.count("|") for first, _ in pairwise(rows)} == {rows[0].count("|")}
