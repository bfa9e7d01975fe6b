"""Names of hosts in a sentence: three at most, then how many more."""

import pytest
from sextant_engine.planning.listing import listed


@pytest.mark.parametrize(
    ("names", "text"),
    [
        (["a"], "a"),
        (["a", "b", "c"], "a, b, c"),
        (["a", "b", "c", "d"], "a, b, c and 1 more host"),
        (["a", "b", "c", "d", "e"], "a, b, c and 2 more hosts"),
    ],
)
def test_the_rest_is_counted(names: list[str], text: str) -> None:
    assert listed(names) == text


def test_other_things_than_hosts_are_counted_by_their_name() -> None:
    assert listed(["a", "b", "c", "d", "e"], "chain") == "a, b, c and 2 more chains"
