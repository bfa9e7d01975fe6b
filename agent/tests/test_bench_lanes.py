"""The bench of lanes that come and go: what it orders of which host first, what it counts of a lane that has gone, and
replicas as lanes of the bench beside autoscalers."""

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "dataplane"))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench" / "srv6"))

import lane_places
import lane_turns
from loop_run import Sent, Use
from sextant_agent.contract.driver import NfCpuTime
from sextant_agent.contract.sample import NfCpu
from sextant_agent.drivers.srv6.draining import Passage
from sextant_agent.drivers.srv6.driver import Srv6Driver

ONE, TWO = lane_places.PLACES


@pytest.mark.parametrize(
    ("passage", "counted"),
    [
        (Passage(entered=120, came_out=120, ended=0), (120, 120, 0)),
        (Passage(entered=120, came_out=110, ended=7), (120, 110, 7)),
        (Passage(entered=120, came_out=119, ended=0), (120, 119, 0)),
    ],
)
def test_what_left_with_a_lane_is_read_as_its_host_says_it(passage: Passage, counted: tuple[int, int, int]) -> None:
    passed = lane_turns.Passed()
    lane_turns.count_gone(passed, ["added dns, 1 NFs", f"removed web-lane-2: {passage.text}"])
    assert (passed.sent, passed.came_out, passed.why["dropped by NFs"]) == counted


def test_a_lane_that_went_uncounted_is_no_figure() -> None:
    with pytest.raises(lane_turns.NotMeasured):
        lane_turns.count_gone(lane_turns.Passed(), ["removed web-lane-2"])


def test_of_lost_packets_the_causes_are_said() -> None:
    passed = lane_turns.Passed(10, 7, Counter({"no_way": 2, "dropped by NFs": 1, "stale": 0}))
    assert passed.text == "3 (1 dropped by NFs, 2 no_way)"
    assert lane_turns.Passed(10, 10, Counter({"ethertype": 4})).text == "0"


def test_a_lane_starts_where_it_stands_first_and_goes_from_there_last() -> None:
    """Its host is the second of two, which has a part of the first lane, too."""
    begin, end = (lane_places.lane_orders(TWO, weights) for weights in ((1, 1), (1,)))
    assert [[chain.chain for chain in content.chains] for _, content in begin] == [
        ["web-part-2", "web-lane-2"],
        ["web"],
    ]
    assert [(at, [chain.chain for chain in content.chains]) for at, content in end] == [
        (0, ["web"]),
        (1, ["web-part-2"]),
    ]
    (alone,) = lane_places.lane_orders(ONE, (3, 1))
    assert [chain.traffic.rate_mpps for chain in alone[1].chains] == pytest.approx([0.0075, 0.0025])


def test_replicas_are_lanes_of_even_parts() -> None:
    order = Sent(("simple-forward",), ((1.0, 0.05),)).order(0.06, 3)
    assert [(chain.chain, chain.traffic.rate_mpps) for chain in order.chains] == [
        ("step", pytest.approx(0.02)), ("step-lane-2", pytest.approx(0.02)), ("step-lane-3", pytest.approx(0.02)),
    ]  # fmt: skip
    assert [nf.nf_id for chain in order.chains for nf in chain.nfs] == [
        "step.nf-0",
        "step-lane-2.nf-0",
        "step-lane-3.nf-0",
    ]
    assert Sent(("simple-forward",), ((1.0, 0.05),)).order(0.06).chains[0].traffic.lane is None


@dataclass
class OfNfs:
    """A driver that says what NFs have used."""

    used_ns: dict[str, int]

    def nf_cpu(self) -> dict[str, NfCpuTime]:
        return {nf: NfCpuTime(NfCpu(100, 20.0, 0), used) for nf, used in self.used_ns.items()}


def test_a_replica_that_came_since_counts_from_its_begin() -> None:
    driver = OfNfs({"step.nf-0": 10_000_000_000})
    use = Use(cast("Srv6Driver", driver))
    driver.used_ns |= {"step.nf-0": 10_000_000_100, "step-lane-2.nf-0": 300}
    found = use.since()
    assert found["step-lane-2.nf-0"] == pytest.approx(3 * found["step.nf-0"])
