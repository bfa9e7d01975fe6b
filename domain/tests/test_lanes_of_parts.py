"""Lanes of a chain over several hosts: the first is its parts, each further one all its NFs on one host."""

from typing import Any

import pytest
from pydantic import ValidationError
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.chain_file import ChainFile
from sextant_domain.chains.cpu_bounds import QuotaBounds
from sextant_domain.chains.scaling import lanes_among, on_one_host, scaled, why_not_scalable

TRAFFIC = {"rate_mpps": 0.01, "packet_bytes": 600}
PATH = [{"nfs": ["router"], "host": "lab-1"}, {"nfs": ["nids", "nids"], "host": "lab-2"}]
BOUNDS = QuotaBounds(max_p95_us=5000.0, least_percent=10, most_percent=40)


def in_file(path: Any = PATH, **changes: Any) -> tuple[ChainSpec, ...]:
    content = {"apiVersion": "sextant/v1", "kind": "Chain", "name": "web", "traffic": TRAFFIC, "path": path}
    return ChainFile.model_validate({**content, **changes}).specs()


def rates(lanes: tuple[ChainSpec, ...]) -> dict[str, tuple[float, int | None]]:
    """By chain: its rate, and its number."""
    return {
        one.name: (one.traffic.rate_mpps, None if one.traffic.lane is None else one.traffic.lane.number)
        for one in lanes
    }


def test_the_first_lane_is_the_parts_and_the_second_has_all_nfs_on_one_host() -> None:
    """3 : 1 of .01 Mpps, and of .008 that are asked for; how long packets took is known where they leave."""
    parts = in_file(slo={"min_throughput_mpps": 0.008, "max_p95_ms": 2.0})
    first, second, lane = scaled(parts, (3, 1), {"web-lane-2": "lab-3"})
    assert rates((first, second, lane)) == {
        "web": (0.0075, 1), "web-part-2": (0.0075, 1), "web-lane-2": (0.0025, 2)
    }  # fmt: skip
    assert [(one.part, one.ingress.host) for one in (first, second)] == [(one.part, one.ingress.host) for one in parts]
    assert (lane.part, lane.ingress.host) == (None, "lab-3")
    assert [(nf.type, nf.name) for nf in lane.nfs] == [("router", "router"), ("nids", "nids"), ("nids", "nids-2")]
    assert [one.slo.min_throughput_mpps for one in (first, second, lane)] == pytest.approx([0.006, 0.006, 0.002])
    assert [one.slo.max_p95_ms for one in (first, second, lane)] == [None, 2.0, 2.0]


def test_the_way_back_leaves_the_parts_as_they_were() -> None:
    parts = in_file(slo={"max_p95_ms": 2.0})
    there = scaled(parts, (1, 1, 1, 1))
    assert [one.ingress.host for one in there[2:]] == [None] * 3, "where there is room"
    assert scaled(there, (1,)) == parts


def test_another_weight_keeps_what_was_set_of_a_lane() -> None:
    *parts, lane = scaled(in_file(), (1, 1), {"web-lane-2": "lab-3"})
    lane = lane.model_copy(update={"quota_bounds": BOUNDS})
    again = scaled((*parts, lane), (1, 3))
    assert (again[2].quota_bounds, again[2].ingress.host) == (BOUNDS, "lab-3")
    assert rates(again) == {"web": (0.0025, 1), "web-part-2": (0.0025, 1), "web-lane-2": (0.0075, 2)}


def test_lanes_are_found_with_all_parts_in_order() -> None:
    parts = in_file()
    assert lanes_among([*reversed(parts), in_file(name="dns")[0]], "web") == parts
    there = scaled(parts, (1, 1))
    assert lanes_among(reversed(there), "web") == there
    assert lanes_among(there, "web-part-2") == ()


@pytest.mark.parametrize(
    ("kept", "why"),
    [
        ((0, 1, 2), None),
        ((0, 2), "its part web-part-2 is not there"),
        ((1, 2), "no chain web is the first"),
        ((0, 1, 3), "lanes are numbered from 1, each once, and those of web are 1, 3"),
    ],
)
def test_why_such_lanes_cannot_be_divided_anew(kept: tuple[int, ...], why: str | None) -> None:
    there = scaled(in_file(), (1, 1, 1))
    found = why_not_scalable([there[at] for at in kept], "web")
    assert found is None if why is None else why in (found or "")


def test_names_that_two_parts_have_are_numbered() -> None:
    parts = in_file([{"nfs": ["router"], "host": "lab-1"}, {"nfs": ["router", "router"], "host": "lab-2"}])
    assert [nf.name for nf in parts[1].nfs] == ["router", "router-2"]
    assert [nf.name for nf in on_one_host(parts).nfs] == ["router", "router-2", "router-2-2"]


def test_what_was_promised_of_any_part_holds_for_all_of_a_further_lane() -> None:
    """The lowest latency; and as little and as much of a core as any part may have."""
    first, second = in_file(quota_bounds=BOUNDS.model_dump())
    other = QuotaBounds(max_p95_us=2000.0, least_percent=20, most_percent=60)
    unlike = (first, second.model_copy(update={"quota_bounds": other}))
    *parts, lane = scaled(unlike, (1, 1))
    assert lane.quota_bounds == QuotaBounds(max_p95_us=2000.0, least_percent=10, most_percent=60)
    assert [part.quota_bounds for part in parts] == [BOUNDS, other], "each part keeps its own"
    of_one = scaled((first, second.model_copy(update={"quota_bounds": None})), (1, 1))
    assert of_one[2].quota_bounds == BOUNDS


def test_a_further_lane_has_ways_and_bandwidth_where_any_part_has() -> None:
    """The widest bounds of those that have them."""
    first, second = in_file(quota_bounds=BOUNDS.model_dump())
    ways = BOUNDS.model_copy(update={"least_ways": 2, "most_ways": 4, "least_bandwidth_percent": 30})
    more = BOUNDS.model_copy(update={"least_ways": 3, "most_ways": 6})
    assert scaled((first, second.model_copy(update={"quota_bounds": ways})), (1, 1))[2].quota_bounds == ways
    both = (first.model_copy(update={"quota_bounds": ways}), second.model_copy(update={"quota_bounds": more}))
    assert scaled(both, (1, 1))[2].quota_bounds == ways.model_copy(update={"most_ways": 6})


def test_two_laws_do_not_set_the_cpu_time_of_one_lane() -> None:
    first, second = in_file(quota_bounds=BOUNDS.model_dump())
    shared = second.model_dump() | {"quota_bounds": None, "share_bounds": {"least_percent": 10, "most_percent": 40}}
    with pytest.raises(ValidationError, match="take one away"):
        scaled((first, ChainSpec.model_validate(shared)), (1, 1))


def test_a_part_is_of_no_other_lane_than_the_first() -> None:
    first, *_ = scaled(in_file(), (1, 1))
    for lane in ({"of": "web", "number": 2, "weights": [1, 1]}, {"of": "dns", "number": 1, "weights": [1, 1]}):
        asked: dict[str, Any] = first.model_dump()
        asked["traffic"] |= {"lane": lane}
        with pytest.raises(ValidationError, match="parts of web are its first lane"):
            ChainSpec.model_validate(asked)


def test_a_file_has_lanes_beside_its_path() -> None:
    found = in_file(lanes=[1, {"weight": 1, "host": "lab-3"}])
    assert found == scaled(in_file(), (1, 1), {"web-lane-2": "lab-3"})
    assert in_file(lanes=1) == in_file()
    assert in_file(lanes=2) == scaled(in_file(), (1, 1))
