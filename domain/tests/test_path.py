"""A chain's path over hosts: what it must say, and that a host's part is on it."""

from ipaddress import IPv6Address
from typing import Any

import pytest
from pydantic import ValidationError
from sextant_domain.hosts.desired import DesiredChain
from sextant_domain.hosts.path import ChainPath, PathSegment

PLACES = (("fc00:0:1::1", "web.router"), ("fc00:0:2::1", "web.firewall"), ("fc00:0:2::e", None))


def path(*places: tuple[str, str | None], **changes: Any) -> ChainPath:
    segments = [{"sid": sid, "nf_id": nf_id} for sid, nf_id in places or PLACES]
    return ChainPath.model_validate({"tag": 7, "source": "fc00:0:1::", "mtu": 1700, "segments": segments, **changes})


def part(*names: str, of: ChainPath | None) -> DesiredChain:
    nfs = [
        {"nf_id": f"web.{name}", "nf_type": name, "nf_version": 1, "config": {}, "core": core}
        for core, name in enumerate(names)
    ]
    traffic = {"rate_mpps": 0.1, "packet_bytes": 128}
    return DesiredChain.model_validate(
        {"chain": "web", "nfs": nfs, "ingress": {}, "egress": {}, "traffic": traffic, "path": of}
    )


def test_it_is_the_same_after_a_way_over_json() -> None:
    found = path(enters=True)
    assert ChainPath.model_validate_json(found.model_dump_json()) == found
    assert found.segments[0] == PathSegment(sid=IPv6Address("fc00:0:1::1"), nf_id="web.router")


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"tag": 0}, "tag"),
        ({"tag": 65_536}, "tag"),
        ({"mtu": 1279}, "mtu"),
        ({"source": "10.0.0.1"}, "source"),
        ({"segments": []}, "segments"),
        ({"segments": [{"sid": "fc00::1"}]}, "segments"),
    ],
)
def test_what_is_out_of_bounds_is_refused(changes: dict[str, Any], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        path(**changes)
    assert refused.value.errors()[0]["loc"][0] == field


@pytest.mark.parametrize(
    ("places", "message"),
    [
        (PLACES[:2], "the last is where packets leave"),
        ((PLACES[2], *PLACES[1:]), "each but the last is an NF's"),
        ((PLACES[0], ("fc00::9", "web.router"), PLACES[2]), "segments.1.nf_id: web.router stands twice"),
        ((PLACES[0], ("fc00:0:1::1", "web.nat"), PLACES[2]), "segments.1.sid: fc00:0:1::1 stands twice"),
    ],
)
def test_segments_are_nfs_and_an_end(places: tuple[tuple[str, str | None], ...], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        path(*places)


def test_a_hosts_nfs_are_on_the_path_in_its_order() -> None:
    assert part("router", "firewall", of=path()).path == path()
    assert part("firewall", of=path()).nfs[0].nf_id == "web.firewall"
    for names in (("nat",), ("firewall", "router")):
        with pytest.raises(ValidationError, match="path: its segments name the NFs here"):
            part(*names, of=path())


def test_an_order_of_before_reads_as_it_did() -> None:
    """So that its digest holds."""
    assert "path" not in part("router", of=None).model_dump(mode="json")
