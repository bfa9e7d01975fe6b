"""What is awaited of a client, and how long: seconds and bytes passed in."""

import pytest
from sextant_domain.slow_clients import BODY_S, HEADER_S, SLOWEST_BYTES_S, Awaited, Patience


def test_a_header_has_ten_seconds_however_many_bytes_come() -> None:
    client = Patience()
    for _second in range(10):
        client.heard(1, "header")
        assert not client.is_over(1.0)
    assert client.is_over(0.1) and HEADER_S == 10


def test_each_header_has_its_own_ten_seconds() -> None:
    client = Patience()
    assert not client.is_over(9.0)
    client.heard(100, None)  # the request is whole: the answer is ours to give, however long that takes
    assert not client.is_over(1000.0)
    client.heard(1, "header")
    assert not client.is_over(9.0) and client.is_over(1.1)


def test_a_body_of_a_byte_a_second_is_over_after_ten() -> None:
    client = Patience()
    client.heard(200, "body")
    for _second in range(10):
        client.heard(1, "body")
        assert not client.is_over(1.0)
    assert client.is_over(0.1)


@pytest.mark.parametrize(("rate", "lasts"), [(SLOWEST_BYTES_S, True), (SLOWEST_BYTES_S // 2, False)])
def test_a_long_body_that_gets_on_stays(rate: int, lasts: bool) -> None:
    """10 minutes at the slowest rate that is waited for; at half of it 20 s: 10 s, and 10 s worth of what came."""
    client = Patience()
    client.heard(0, "body")
    for second in range(1, 601):
        client.heard(rate, "body")
        if client.is_over(1.0):
            assert (lasts, second) == (False, 21) and BODY_S == 10
            return
    assert lasts


@pytest.mark.parametrize("awaited", ["header", "body"])
def test_the_clock_starts_anew_with_what_is_awaited(awaited: Awaited) -> None:
    client = Patience(awaited="body" if awaited == "header" else "header")
    assert not client.is_over(9.0)
    client.heard(1, awaited)
    assert not client.is_over(9.0)
