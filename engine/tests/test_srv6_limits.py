"""Between which an NF is given of a resource by SRv6-INT's local loop, and what a step up, down and back is."""

import pytest
from sextant_engine.control.srv6.resources import Limits

OF_CORE = Limits(least=10, most=80, pool="core 1")
OF_CACHE = Limits(least=2, most=6, pool="cache 0", may_have_none=True)


@pytest.mark.parametrize(
    ("has", "room", "raised", "freed"),
    [(0, 8, 2, None), (0, 1, None, None), (2, 8, 3, 0), (2, 0, None, 0), (4, 8, 6, 3), (6, 8, None, 4), (1, 8, 2, 0)],
)
def test_steps_of_ways(has: float, room: float, raised: float | None, freed: float | None) -> None:
    assert (OF_CACHE.raised(has, room), OF_CACHE.freed(has, 0.0)) == (raised, freed)


@pytest.mark.parametrize(("value", "nearest"), [(-1, 0), (0, 0), (1, 0), (2, 2), (4, 4), (9, 6)])
def test_below_the_least_it_shares(value: float, nearest: float) -> None:
    assert OF_CACHE.within(value) == nearest


@pytest.mark.parametrize(
    ("limits", "has", "before", "room", "to"),
    [
        (OF_CACHE, 0, 2, 2, 2), (OF_CACHE, 0, 2, 1, 0), (OF_CACHE, 2, 6, 3, 5), (OF_CACHE, 0, 6, 3, 3),
        (OF_CORE, 20, 45, 30, 45), (OF_CORE, 20, 45, 10.5, 30), (OF_CORE, 20.4, 45, 0.3, 20.4),
    ],
)  # fmt: skip
def test_what_is_given_back_is_there(limits: Limits, has: float, before: float, room: float, to: float) -> None:
    """20 and 10.5 of 45 are 30 in whole percents; .3 more than 20.4 are none."""
    assert limits.given_back(has, before, room) == to
