"""How long packets took from hop to hop, by what the daemon says where they leave."""

from ipaddress import IPv6Address
from typing import Any

import pytest
from sextant_agent.drivers.srv6.answers import DaemonRead
from sextant_agent.drivers.srv6.measured import Measured
from sextant_domain.hosts.path import ChainPath, PathSegment

SEGMENTS = (
    PathSegment(sid=IPv6Address("fc00:0:1:7::1"), nf_id="web.router"),
    PathSegment(sid=IPv6Address("fc00:0:1:7::2"), nf_id="web.nat"),
    PathSegment(sid=IPv6Address("fc00:0:2:7::3"), nf_id="web-part-2.nids"),
    PathSegment(sid=IPv6Address("fc00:0:1:7::f")),
)
"""Two NFs on one host, one on another, and back."""
PATH = ChainPath(tag=7, source=IPv6Address("fc00:0:1::"), segments=SEGMENTS, mtu=9000, leaves=True)


def found(*ways: tuple[int, int], stale_ms: int = 5, tag: int = 7) -> Measured:
    """(p50, p95) of each place but the first."""
    positions: list[dict[str, Any]] = [{"way_us": None}]
    positions += [{"way_us": {"p50": p50, "p95": p95, "max": p95}} for p50, p95 in ways]
    window = {"tag": tag, "stale_ms": stale_ms, "positions": positions}
    return Measured.of(
        DaemonRead.model_validate({"counts": {}, "nfs": [], "edges": [], "exits": [], "windows": [window]})
    )


def shown(measured: Measured) -> list[tuple[str | None, float | None, float | None]]:
    return [(one.to, one.p50_us, one.p95_us) for one in measured.transits(PATH)]


def test_each_hop_but_the_first_has_how_long_packets_took_to_it() -> None:
    assert shown(found((3, 9), (120, 400), (80, 90))) == [
        ("web.nat", 3, 9), ("web-part-2.nids", 120, 400), (None, 80, 90),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("there", "back"),
    [
        pytest.param((-900, -700), (1100, 1300), id="below-0"),
        pytest.param((37_000_100, 37_000_400), (-36_999_920, -36_999_910), id="UTC-on-one-TAI-on-the-other"),
        pytest.param((2_000_100, 2_000_101), (80, 90), id="longer-than-any-packet-lives"),
    ],
)
def test_where_clocks_are_apart_no_way_between_hosts_is_believed(there: tuple[int, int], back: tuple[int, int]) -> None:
    """That back is longer by what that there is shorter. Within a host there is one clock."""
    assert shown(found((3, 9), there, back)) == [("web.nat", 3, 9), ("web-part-2.nids", None, None), (None, None, None)]


@pytest.mark.parametrize(
    "measured",
    [
        pytest.param(found((3, 9), (120, 400), (80, 90), stale_ms=3001), id="nothing-leaves-any-more"),
        pytest.param(found((3, 9), (120, 400), (80, 90), tag=8), id="another-chain"),
        pytest.param(found((3, 9)), id="of-a-former-path"),
        pytest.param(Measured({}, {}), id="nothing-has-left"),
    ],
)
def test_what_is_not_known_is_not_said(measured: Measured) -> None:
    assert shown(measured) == []


def test_refused_frames_of_several_packets_are_said_with_what_to_do() -> None:
    """12 by the sample before, 15 now; before the first sample nobody knows since when."""
    before, now = Measured({}, {}, 12), Measured({}, {}, 15)
    remark = now.remark(before)
    assert remark is not None and remark.startswith("3 frames of several packets were refused")
    assert "ethtool -K PORT tso off gso off" in remark
    assert now.remark(now) is None and now.remark(None) is None
