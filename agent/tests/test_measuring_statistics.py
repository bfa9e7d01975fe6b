"""The arithmetic of slices, worked by hand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sextant_agent.measuring.statistics import Slice, abba_drops, median_cycles, median_mpps

POSITIVE = st.floats(1e-3, 1e6)


def test_a_slices_figures() -> None:
    """32,000 packets in 1 ms are 32 a microsecond; 480,000 ticks for them are 15 each."""
    one = Slice(packets=32_000, nf_cycles=480_000, wall_ns=1_000_000)
    assert one.mpps == 32
    assert one.cycles_per_packet == 15


def test_medians_do_not_heed_one_slice_that_was_disturbed() -> None:
    slices = [Slice(1000, cycles, 100_000) for cycles in (10_000, 11_000, 12_000, 11_000, 90_000)]
    assert median_cycles(slices) == 11
    assert median_mpps(slices) == 10


def test_a_constant_drop_is_found_in_every_block() -> None:
    """Spinner 20, competitor 18: (20 + 20 - 18 - 18) / (20 + 20) = 10 %."""
    assert abba_drops([20, 18, 18, 20, 20, 18, 18, 20]) == [10, 10]


def test_a_linear_drift_cancels() -> None:
    """The host slows by 1 a phase and the competitor takes 3 more: 20, 19 - 3, 18 - 3, 17 -> (37 - 31) / 37."""
    assert abba_drops([20, 16, 15, 17]) == [pytest.approx(100 * 6 / 37)]
    without = abba_drops([20, 19, 18, 17])
    assert without == [0], "drift alone is no drop"


def test_a_block_that_lacks_a_phase_is_left_out() -> None:
    assert abba_drops([20, None, 18, 20, 10, 9, 9, 10, 20, 18]) == [10]
    assert abba_drops([]) == []


@settings(deadline=None)
@given(alone=POSITIVE, share=st.floats(0, 0.9), slope=st.floats(-0.1, 0.1), blocks=st.integers(1, 8))
def test_any_drop_is_found_under_any_linear_drift(alone: float, share: float, slope: float, blocks: int) -> None:
    """Drift is additive: phase i has alone x (1 + slope x (i - 1.5) / 4) within its block, less the drop of `alone`."""
    phases: list[float | None] = []
    for number in range(4 * blocks):
        base = alone * (1 + slope * (number % 4 - 1.5) / 4)
        phases.append(base - (alone * share if number % 4 in {1, 2} else 0))
    for drop in abba_drops(phases):
        assert drop == pytest.approx(100 * share, abs=1e-6)
