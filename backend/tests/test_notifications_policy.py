"""When a message is tried again, and how it is signed: worked examples."""

import hashlib
import hmac

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_backend.modules.notifications.policy import MOST_ATTEMPTS, MOST_DELAY_S, delay_s
from sextant_backend.modules.notifications.signing import new_secret, signature


def test_pauses_double_from_ten_seconds_on_until_the_eighth_attempt() -> None:
    found = [delay_s(attempts, 0.0) for attempts in range(1, 9)]
    assert found == [10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, None]


def test_the_draw_takes_up_to_half_of_a_pause() -> None:
    assert (delay_s(3, 0.5), delay_s(3, 1.0)) == (30.0, 20.0)


@pytest.mark.parametrize(("asked_s", "pause_s"), [(None, 10.0), (5.0, 10.0), (60.0, 60.0), (86_400.0, 900.0)])
def test_a_receiver_may_ask_for_a_longer_pause_but_not_for_a_day(asked_s: float | None, pause_s: float) -> None:
    assert delay_s(1, 0.0, asked_s) == pause_s


@given(st.integers(1, MOST_ATTEMPTS - 1), st.floats(0, 1), st.none() | st.floats(0, 1e9))
def test_a_pause_is_never_negative_nor_longer_than_a_quarter_of_an_hour(
    attempts: int, draw: float, asked_s: float | None
) -> None:
    found = delay_s(attempts, draw, asked_s)
    assert found is not None
    assert 5.0 <= found <= MOST_DELAY_S


def test_a_signature_is_over_time_delivery_and_body() -> None:
    signed = hmac.new(b"s", b'1700000000.a-b.{"x":1}', hashlib.sha256).hexdigest()
    assert signature("s", 1_700_000_000, "a-b", b'{"x":1}') == f"v1={signed}"
    others = {
        signature("t", 1_700_000_000, "a-b", b'{"x":1}'),
        signature("s", 1_700_000_001, "a-b", b'{"x":1}'),
        signature("s", 1_700_000_000, "a-c", b'{"x":1}'),
        signature("s", 1_700_000_000, "a-b", b'{"x":2}'),
    }
    assert len(others) == 4
    assert f"v1={signed}" not in others


def test_secrets_are_long_and_no_two_are_the_same() -> None:
    first, second = new_secret(), new_secret()
    assert first != second
    assert len(first) == len("whsec_") + 43
