"""Bounds of LLC ways and memory bandwidth beside those of the CPU quota."""

import pytest
from pydantic import ValidationError
from sextant_domain.chains.cpu_bounds import QuotaBounds

OF_QUOTA = {"max_p95_us": 1000, "least_percent": 10, "most_percent": 80}


def test_what_is_not_set_is_left_out() -> None:
    """So that digests of orders from before there was such a thing hold."""
    assert QuotaBounds.model_validate(OF_QUOTA).model_dump(mode="json") == OF_QUOTA


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"least_ways": 2}, "most_ways"),
        ({"most_ways": 2}, "least_ways"),
        ({"least_ways": 3, "most_ways": 2}, "least_ways"),
        ({"least_ways": 0, "most_ways": 2}, "least_ways"),
        ({"least_ways": 1, "most_ways": 65}, "most_ways"),
        ({"least_ways": 1.5, "most_ways": 2}, "least_ways"),
        ({"least_bandwidth_percent": 0}, "least_bandwidth_percent"),
        ({"least_bandwidth_percent": 101}, "least_bandwidth_percent"),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(more: dict[str, float], field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        QuotaBounds.model_validate(OF_QUOTA | more)
    assert field in str(refused.value)


def test_without_bounds_of_them_ways_and_bandwidth_are_never_the_agents() -> None:
    bounds = QuotaBounds.model_validate(OF_QUOTA)
    assert not bounds.of_memory
    assert not bounds.hold_ways(None, None) and not bounds.hold_bandwidth(None, None)


@pytest.mark.parametrize(
    ("ways", "ordered", "held"),
    [(None, None, True), (2, None, True), (6, None, True), (1, None, False), (7, None, False), (None, 4, False),
     (2, 4, True)],
)  # fmt: skip
def test_shared_ways_are_within_them_where_none_are_ordered(ways: int | None, ordered: int | None, held: bool) -> None:
    assert QuotaBounds.model_validate(OF_QUOTA | {"least_ways": 2, "most_ways": 6}).hold_ways(ways, ordered) is held


@pytest.mark.parametrize(
    ("percent", "ordered", "held"),
    [(None, None, True), (100, None, True), (20, None, True), (19, None, False), (50, 50, True), (60, 50, False)],
)
def test_bandwidth_is_from_the_least_to_what_is_ordered(percent: int | None, ordered: int | None, held: bool) -> None:
    assert (
        QuotaBounds.model_validate(OF_QUOTA | {"least_bandwidth_percent": 20}).hold_bandwidth(percent, ordered) is held
    )
