"""Quantities: a number and its unit, or a refusal that says what to write."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_twin.quantities import UNITS, parse


@pytest.mark.parametrize(
    ("text", "dimension", "value"),
    [
        ("81.4 ns", "time", 81.4e-9),
        ("2.25 MiB", "size", 2.25 * 1024 * 1024),
        ("38.4 GB/s", "bandwidth", 38.4e9),
        ("10 Gbps", "bit rate", 1e10),
        ("2.1 GHz", "frequency", 2.1e9),
        ("14.88 Mpps", "packet rate", 14.88e6),
        ("780 cycles", "cycles", 780),
        ("2.9cycles/B", "cycles a byte", 2.9),
        ("12.5 %", "share", 0.125),
        ("1e-3 s", "time", 1e-3),
    ],
)
def test_a_quantity_is_read_in_base_units(text: str, dimension: str, value: float):
    assert parse(text, dimension) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "dimension", "cause"),
    [
        (81.4, "time", "has no unit"),
        (True, "time", "has no unit"),
        ("81.4", "time", "is no quantity"),
        ("-81.4 ns", "time", "is negative"),
        ("81.4 MiB", "time", "'MiB' is no unit of time"),
        ("2 MB", "size", "'MB' is no unit of size"),
        ("2 mib", "size", "'mib' is no unit of size"),
        ("nan ns", "time", "is no quantity"),
        ("inf ns", "time", "is no quantity"),
        ("1_0 ns", "time", "is no quantity"),
        ("1 ns 2", "time", "is no quantity"),
        ("٣ ns", "time", "is no quantity"),
        ("9" * 400 + " ns", "time", "is no quantity"),
    ],
)
def test_what_is_no_quantity_is_refused_with_what_to_write(text: object, dimension: str, cause: str):
    with pytest.raises(ValueError, match=cause) as caught:
        parse(text, dimension)
    assert f"write a {dimension} such as" in str(caught.value)


@given(st.text(), st.sampled_from(sorted(UNITS)))
def test_no_text_yields_anything_but_a_number_of_at_least_0(text: str, dimension: str):
    try:
        value = parse(text, dimension)
    except ValueError:
        return
    assert 0 <= value < float("inf")
