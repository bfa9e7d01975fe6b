"""Names of a token: worked examples, and what holds for every pattern."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError
from sextant_domain.base import Name
from sextant_domain.hosts.enrolment import EnrolmentRequest


@pytest.mark.parametrize(
    ("host", "count", "names"),
    [
        ("edge-7", None, ("edge-7",)),
        ("demo-*", 3, ("demo-1", "demo-2", "demo-3")),
        ("*-rack", 1, ("1-rack",)),
    ],
)
def test_names(host: str, count: int | None, names: tuple[str, ...]) -> None:
    assert EnrolmentRequest(host=host, count=count).names == names


def test_numbers_have_the_digits_of_the_last() -> None:
    """20 hosts: two digits, from demo-01; sorted by name they are sorted by number."""
    names = EnrolmentRequest(host="demo-*", count=20).names
    assert (names[0], names[8], names[9], names[19]) == ("demo-01", "demo-09", "demo-10", "demo-20")


@given(
    host=st.text(alphabet="ab0-*", max_size=64),
    count=st.one_of(st.none(), st.integers(min_value=-1, max_value=1001)),
)
def test_what_is_accepted_names_hosts_as_hosts_are_named_each_once_and_in_order(host: str, count: int | None) -> None:
    try:
        names = EnrolmentRequest(host=host, count=count).names
    except ValidationError:
        return
    assert len(set(names)) == len(names) == (count or 1)
    assert list(names) == sorted(names)
    for name in names:
        TypeAdapter(Name).validate_python(name)
