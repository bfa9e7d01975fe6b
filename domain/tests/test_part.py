"""Parts of a chain over several hosts: what a file becomes, who reaches whom, and what is refused by field."""

from ipaddress import IPv6Address, IPv6Network
from typing import Any

import pytest
from pydantic import ValidationError
from sextant_domain.chains.chain import ChainSpec
from sextant_domain.chains.chain_file import ChainFile
from sextant_domain.chains.part import OVER_HOSTS, Part, neighbours
from sextant_domain.hosts.path import PathPlace, needed_mtu, sid_of

TRAFFIC = {"rate_mpps": 0.01, "packet_bytes": 600}
PATH = [{"nfs": ["router"], "host": "lab-1"}, {"nfs": ["nids", "nids"], "host": "lab-2"}]


def in_file(path: Any = PATH, **changes: Any) -> tuple[ChainSpec, ...]:
    content = {"apiVersion": "sextant/v1", "kind": "Chain", "name": "web", "traffic": TRAFFIC, "path": path}
    return ChainFile.model_validate({**content, **changes}).specs()


def test_each_part_is_a_chain_on_its_host() -> None:
    first, second = in_file(slo={"min_throughput_mpps": 0.009, "max_p95_ms": 2.0})
    assert [(one.name, one.ingress.host) for one in (first, second)] == [("web", "lab-1"), ("web-part-2", "lab-2")]
    assert [nf.name for nf in second.nfs] == ["nids", "nids-2"]
    assert second.part == Part(of="web", number=2, count=2) and second.part.text == "part 2 of 2 of web"
    assert [(one.part.enters, one.part.leaves) for one in (first, second) if one.part] == [(True, False), (False, True)]
    assert first.traffic == second.traffic and first.traffic.rate_mpps == 0.01
    assert first.needs == second.needs == {"part": OVER_HOSTS}
    assert [one.slo.max_p95_ms for one in (first, second)] == [None, 2.0], "where they leave, their time is known"
    assert {one.slo.min_throughput_mpps for one in (first, second)} == {0.009}


def test_a_chain_of_one_host_has_nothing_of_it() -> None:
    alone = ChainSpec.model_validate({"name": "web", "nfs": ["router"], "traffic": TRAFFIC})
    assert "part" not in alone.model_dump(mode="json")


@pytest.mark.parametrize(
    ("path", "changes", "words"),
    [
        (PATH[:1], {}, "2 to 7 parts, not 1"),
        ([], {}, "1 to 7 items"),
        ([PATH[0], {"nfs": ["nat"], "host": "lab-1"}], {}, "path.1.host: lab-1 stands twice on the path: put the NFs"),
        ([*PATH, {"nfs": ["nat"], "host": "lab-1"}], {}, "path.2.host: lab-1 stands twice on the path: packets pass"),
        ([PATH[0], {"nfs": ["nat"] * 7, "host": "lab-2"}], {}, "path: all parts have 7 NFs at most, not 8"),
        (PATH, {"nfs": ["router"]}, "nfs: the path names its NFs"),
        (PATH, {"ingress": {"host": "lab-1"}}, "ingress.host: the path names its hosts"),
        (PATH, {"lanes": [{"weight": 1, "host": "lab-3"}]}, "lanes.0.host: the first lane goes along the path"),
    ],
)
def test_what_is_no_path_is_refused(path: Any, changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        in_file(path, **changes)


def test_a_wrong_nf_is_refused_by_its_place() -> None:
    with pytest.raises(ValidationError) as raised:
        in_file([PATH[0], {"nfs": [{"type": "nat", "cpu_share": 0}], "host": "lab-2"}])
    assert raised.value.errors()[0]["loc"] == ("path", 1, "nfs", 0, "cpu_share")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"name": "other"}, "part 2 of 2 of web is called web-part-2, and this chain other"),
        ({"ingress": {}}, "ingress.host: each part of web names the one host"),
        ({"egress": {"host": "lab-1"}}, "ingress.host: each part of web names the one host"),
        ({"nfs": ["nat"] * 8}, "all parts have 7 NFs at most"),
        ({"part": {"of": "web", "number": 3, "count": 2}}, "there are 2 parts, and none is 3"),
        ({"part": {"of": "web", "number": 2, "count": 2, "tag": 7}}, "greater than or equal to 32768"),
    ],
)
def test_a_part_that_cannot_be_one_is_refused(changes: dict[str, Any], words: str) -> None:
    whole = in_file()[1].model_dump(mode="json")
    with pytest.raises(ValidationError, match=words):
        ChainSpec.model_validate({**whole, **changes})


def test_neighbours_are_told_by_their_names() -> None:
    names = {"web", "web-part-2", "web-part-3", "web-part-5", "x-part-2", "part-2", "a-part-b"}
    assert list(neighbours(names)) == [("web", "web-part-2"), ("web-part-2", "web-part-3")]


def test_a_segment_is_the_prefix_the_tag_and_the_place() -> None:
    assert sid_of(IPv6Network("fc00:0:2::/48"), 0x8001, 3) == IPv6Address("fc00:0:2:8001::3")


def test_what_measurements_add_to_a_packet() -> None:
    """1486 bytes at IP, and 56 and 16 for each of four segments."""
    assert needed_mtu(1486, 4) == 1486 + 56 + 64 == 1606


def test_who_reaches_and_believes_whom() -> None:
    place = PathPlace.model_validate({
        "locator": "fc00:0:1::/48", "mtu": 9000, "sources": ["fc00:0:2::"],
        "links": [{"port": "a", "mtu": 1500, "to": ["fc00:0:2::/48"]}, {"port": "b", "mtu": 9000, "to": ["fc00::/32"]}],
    })  # fmt: skip
    by = {number: place.links_to(IPv6Network(f"fc00:0:{number}::/48")) for number in (2, 3)}
    assert {number: [link.port for link in links] for number, links in by.items()} == {2: ["a", "b"], 3: ["b"]}
    assert place.links_to(IPv6Network("fc01:0:2::/48")) == ()
    assert [place.believes(IPv6Address(f"fc00:0:{number}::")) for number in (1, 2, 3)] == [True, True, False]
