"""How long a study will take, by the steps that are done."""

from sextant_lab.pace import Pace

PACE = Pace(steps_a_run=3, steps=9)
"""Three runs: a profiling and two sets each."""


def test_before_the_first_run_is_done_nothing_is_known() -> None:
    assert [PACE.seconds_left(took) for took in ([], [10.0], [10.0, 2.0])] == [None, None, None]


def test_a_step_to_come_takes_what_its_like_took() -> None:
    """10, 2 and 3 s: two further runs take 30 s. A second profiling, of 12 s, makes it 11 in the mean: what is left is
    2 + 3, then 11 + 2 + 3."""
    assert PACE.seconds_left([10.0, 2.0, 3.0]) == 30
    assert PACE.seconds_left([10.0, 2.0, 3.0, 12.0]) == 21


def test_at_the_end_nothing_is_left() -> None:
    assert PACE.seconds_left([1.0] * 9) == 0
    assert Pace(steps_a_run=2, steps=2).seconds_left([5.0, 1.0]) == 0
