"""Lanes of a chain: what a file becomes, with the division written out, and what is refused by field."""

from typing import Any

import pytest
from pydantic import ValidationError
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.chain_file import ChainFile
from sextant_domain.chains.lane import LANES
from sextant_domain.chains.traffic import Traffic

TRAFFIC = {"rate_mpps": 4.0, "packet_bytes": 64}
DIGEST = "sha256:" + "0a" * 32


def in_file(lanes: Any, **changes: Any) -> tuple[ChainSpec, ...]:
    content = {"apiVersion": "sextant/v1", "kind": "Chain", "name": "web", "nfs": ["router"], "traffic": TRAFFIC}
    return ChainFile.model_validate({**content, "lanes": lanes, **changes}).specs()


def test_one_lane_is_the_chain_as_it_is_without() -> None:
    (one,) = in_file(1)
    assert one == ChainSpec.model_validate({"name": "web", "nfs": ["router"], "traffic": TRAFFIC})
    assert "lane" not in one.model_dump(mode="json")["traffic"]
    assert LANES not in one.needs.values()


def test_lanes_divide_rate_and_objective_by_weight() -> None:
    """3 : 1 of 4 Mpps are 3 and 1, and of 3.6 Mpps asked for 2.7 and 0.9. Latency is everybody's."""
    first, second = in_file([3, 1], slo={"min_throughput_mpps": 3.6, "max_p95_ms": 2.0})
    assert [spec.name for spec in (first, second)] == ["web", "web-lane-2"]
    assert [spec.traffic.rate_mpps for spec in (first, second)] == [3.0, 1.0]
    assert [spec.slo.min_throughput_mpps for spec in (first, second)] == pytest.approx([2.7, 0.9])
    assert {spec.slo.max_p95_ms for spec in (first, second)} == {2.0}
    assert {spec.traffic.flows for spec in (first, second)} == {1000}, "of which each sends those of its lane"
    assert second.traffic.lane is not None
    assert second.traffic.lane.text == "lane 2 of 2 of web, 25 % of the flows by weight"
    assert second.needs == {"traffic.lane": LANES}


def test_a_number_is_short_for_equal_weights() -> None:
    assert in_file(3) == in_file([1, 1, 1])
    assert sum(spec.traffic.rate_mpps for spec in in_file(3)) == pytest.approx(4.0)


def test_a_chain_gets_a_lane_by_its_settings() -> None:
    """The host must be able to; one that had the capability's setting already needs nothing new for another weight."""
    plain, divided = (spec.settings for spec in (in_file(1)[0], in_file(2)[0]))
    assert divided.needs_beyond(plain) == {"traffic.lane": LANES}
    assert in_file([3, 1])[0].settings.needs_beyond(divided) == {}


def test_each_lane_may_be_pinned_to_a_host() -> None:
    """Weights divide as ever; the second lane's host is left to the engine."""
    specs = in_file([{"weight": 3, "host": "demo-1"}, {"weight": 1}])
    assert [(spec.ingress.host, spec.traffic.rate_mpps) for spec in specs] == [("demo-1", 3.0), (None, 1.0)]
    assert [spec.model_copy(update={"ingress": specs[1].ingress}) for spec in specs] == list(in_file([3, 1]))


def test_one_pinned_lane_is_a_pinned_chain() -> None:
    assert in_file([{"weight": 1, "host": "demo-1"}]) == in_file(1, ingress={"host": "demo-1"})


def test_pinned_lanes_take_the_rest_of_their_ingress_from_the_chain() -> None:
    (spec, _) = in_file([{"weight": 1, "host": "demo-1"}, 1], ingress={"port": "p0"})
    assert (spec.ingress.host, spec.ingress.port) == ("demo-1", "p0")


@pytest.mark.parametrize("end", ["ingress", "egress"])
def test_a_chain_with_pinned_lanes_names_no_other_host(end: str) -> None:
    with pytest.raises(ValidationError, match=f"{end}.host: the lanes name hosts of their own"):
        in_file([{"weight": 1, "host": "demo-1"}, 1], **{end: {"host": "demo-2"}})


def test_a_part_of_a_chain_is_not_pinned() -> None:
    """Not before chains span hosts: the message says what there is instead."""
    with pytest.raises(ValidationError, match=r"host: all NFs of a chain run on one host.*lanes\.N\.host"):
        in_file(1, nfs=["router", {"type": "firewall", "host": "demo-2"}])


@pytest.mark.parametrize(
    "lanes",
    [
        0,
        9,
        -1,
        True,
        [],
        [1] * 9,
        [0],
        [17],
        [1.5],
        "2",
        {"weights": [1]},
        None,
        [{"host": "demo-1"}],
        [{"weight": 1, "host": "Demo 1"}],
        [{"weight": 1, "core": 2}],
    ],
)
def test_what_is_no_number_of_lanes_is_refused(lanes: Any) -> None:
    with pytest.raises(ValidationError) as refused:
        in_file(lanes)
    assert refused.value.errors()[0]["loc"][0] == "lanes"


def test_a_lane_that_is_not_there_is_refused() -> None:
    with pytest.raises(ValidationError, match="there are 2 lanes, as many as weights, and none is 3"):
        Traffic.model_validate({**TRAFFIC, "lane": {"of": "web", "number": 3, "weights": [1, 1]}})


def test_a_name_must_leave_room_for_the_lanes_number() -> None:
    assert len(in_file(2, name="w" * 56)[1].name) == 63
    with pytest.raises(ValidationError):
        in_file(2, name="w" * 57)


def test_a_capture_is_not_divided() -> None:
    with pytest.raises(ValidationError, match="a capture is not divided over lanes"):
        in_file(2, traffic={**TRAFFIC, "pcap": DIGEST})
    assert len(in_file(1, traffic={**TRAFFIC, "pcap": DIGEST})) == 1
