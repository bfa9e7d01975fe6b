"""What a chain gains by lanes, over all of them. With 24 bytes more on the wire, 1 Mpps of 976 bytes are 8 Gbps."""

from datetime import UTC, datetime

import pytest
from sextant_backend.modules.control.gains import gained_gbps
from sextant_backend.modules.control.lane_gains import together
from sextant_backend.modules.operations.readings import ChainReading, Reading

SIZES = {"web": 976.0, "web-lane-2": 976.0}


def reading(**chains: tuple[float, float]) -> Reading:
    """Of one host: offered and carried Mpps by chain, `_` for `-`."""
    return Reading(
        at=datetime(2026, 1, 1, tzinfo=UTC),
        chains={
            name.replace("_", "-"): ChainReading(
                samples=10,
                offered_mpps=offered,
                carried_mpps=carried,
                drop_mpps=offered - carried,
                variance=0.0,
                drop_variance=0.0,
            )
            for name, (offered, carried) in chains.items()
        },
    )


def test_lanes_on_two_hosts_count_together() -> None:
    """1 of 1.2 Mpps were carried, now .6 and .6: .2 more, 1.6 Gbps. The other host's chain is none of them."""
    before = [reading(web=(1.2, 1.0)), reading(nat=(0.5, 0.5))]
    after = [reading(web=(0.6, 0.6)), reading(nat=(0.5, 0.5), web_lane_2=(0.6, 0.6))]
    found = together("web", before, after, ["web"], SIZES)
    assert found is not None
    assert (found.before_gbps, found.after_gbps) == (pytest.approx(8.0), pytest.approx(9.6))
    assert gained_gbps(found) == pytest.approx(1.6)


def test_where_less_is_offered_by_then_nothing_is_gained_or_lost() -> None:
    found = together("web", [reading(web=(1.2, 1.0))], [reading(web=(0.4, 0.4), web_lane_2=(0.4, 0.4))], ["web"], SIZES)
    assert found is not None
    assert gained_gbps(found) == pytest.approx(0.0)


def test_a_lane_that_nobody_measured_leaves_the_gain_unknown() -> None:
    before = [reading(web=(1.2, 1.0))]
    assert together("web", before, [reading(web=(0.6, 0.6))], ["web"], SIZES) is None
    assert together("web", [reading()], [reading(web=(0.6, 0.6), web_lane_2=(0.6, 0.6))], ["web"], SIZES) is None
