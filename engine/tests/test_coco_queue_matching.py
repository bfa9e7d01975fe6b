"""CoCo's scheduler as an agent runs it: period by period, within bounds."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_engine.control.coco.queue_matching import BoundedByLine, MatchingState, step
from sextant_engine.control.coco.scheduler import Line, within_bounds
from sextant_engine.control.shared_core import CoreReading, Counted, SharesAction

WIDE = BoundedByLine(0.05, 0.9)
PERIOD_NS = 100_000_000


def read(period: int, **elements: Counted) -> CoreReading:
    """One reading a period."""
    return CoreReading(period * PERIOD_NS, elements)


def counted(arrived: int, served: int, cpu_ns: int, share: float, life: int = 1) -> Counted:
    """In all, since the element began."""
    return Counted(arrived, served, cpu_ns, share, life)


def run(readings: list[CoreReading], bounds: dict[str, BoundedByLine]) -> list[SharesAction]:
    """What is done at each, taken just now."""
    state, done = MatchingState(), []
    for reading in readings:
        state, action = step(state, bounds, reading, reading.taken_ns)
        done.append(action)
    return done


def busy(periods: int, a: int, b: int) -> list[CoreReading]:
    """By period, `a` and `b` packets arrive; each serves 10,000 in 50 ms, 5 us a packet."""
    return [
        read(
            at,
            a=counted(a * at, 10_000 * at, 50_000_000 * at, 0.5),
            b=counted(b * at, 10_000 * at, 50_000_000 * at, 0.5),
        )
        for at in range(1, periods + 1)
    ]


def test_the_second_reading_shares_the_core_by_what_arrives() -> None:
    """30,000 and 10,000 packets in 100 ms, at 5 us each: 150 % and 50 % of the core are needed, so 3/4 and 1/4."""
    first, second = run(busy(2, 30_000, 10_000), {"a": WIDE, "b": WIDE})
    assert first.shares is None and first.held is not None
    assert second.shares == pytest.approx({"a": 0.75, "b": 0.25})
    assert second.cause == "a is offered 0.3 Mpps, which needs 150 % of the core"


def test_a_share_stops_at_its_bound_and_the_others_get_the_rest() -> None:
    """Of 3/4 and 1/4 the first may have 60 %."""
    second = run(busy(2, 30_000, 10_000), {"a": BoundedByLine(0.05, 0.6), "b": WIDE})[1]
    assert second.shares == pytest.approx({"a": 0.6, "b": 0.4})


def test_shares_that_fit_stay() -> None:
    """As much arrives for each, and each has half."""
    assert [one.shares for one in run(busy(4, 30_000, 30_000), {"a": WIDE, "b": WIDE})] == [None] * 4


def test_without_arrivals_nothing_changes() -> None:
    """CoCo, Sec. IV: there is no c."""
    still = [read(at, a=counted(7, 7, 9, 0.9), b=counted(0, 0, 9, 0.1)) for at in range(1, 5)]
    assert [(one.shares, one.held) for one in run(still, {"a": WIDE, "b": WIDE})][1:] == [(None, None)] * 3


def test_a_core_with_time_to_spare_is_left_alone() -> None:
    """2,000 packets in 100 ms at 5 us: 10 % of the core each."""
    idle = [
        read(
            at,
            a=counted(2_000 * at, 2_000 * at, 10_000_000 * at, 0.9),
            b=counted(2_000 * at, 2_000 * at, 10_000_000 * at, 0.1),
        )
        for at in range(1, 4)
    ]
    assert [one.shares for one in run(idle, {"a": WIDE, "b": WIDE})] == [None] * 3


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param(lambda old: replace(old, taken_ns=old.taken_ns + 10 * PERIOD_NS), id="gap"),
        pytest.param(
            lambda old: replace(old, elements={**old.elements, "b": counted(99_000, 99_000, 1, 0.5, 2)}), id="restart"
        ),
        pytest.param(lambda old: replace(old, elements={**old.elements, "b": counted(0, 0, 0, 0.5)}), id="backwards"),
        pytest.param(lambda old: replace(old, elements={"a": old.elements["a"]}), id="element gone"),
    ],
)
def test_figures_that_do_not_continue_are_held(changed) -> None:
    """A gap, another life, counters that go back, other elements: the next reading counts again."""
    one, two = busy(2, 30_000, 10_000)
    actions = run([one, changed(two)], {"a": WIDE, "b": WIDE})
    assert actions[1].shares is None and actions[1].held == "its rings are measured anew"


def test_old_figures_are_held_and_say_how_old_they_are() -> None:
    """Half a second after they were taken."""
    one, two = busy(2, 30_000, 10_000)
    state, _ = step(MatchingState(), {"a": WIDE, "b": WIDE}, one, one.taken_ns)
    after, action = step(state, {"a": WIDE, "b": WIDE}, two, two.taken_ns + 500_000_000)
    assert after == state and action.shares is None and action.held == "figures of its rings are 0.5 s old"


@pytest.mark.parametrize(
    ("bounds", "why"),
    [
        (
            {"a": BoundedByLine(0.6, 1), "b": BoundedByLine(0.5, 1)},
            "the least shares of its NFs add up to 110 % of the core",
        ),
        (
            {"a": BoundedByLine(0.1, 0.4), "b": BoundedByLine(0.1, 0.4)},
            "the most shares of its NFs add up to 80 % of the core",
        ),
    ],
)
def test_what_cannot_be_is_refused(bounds: dict[str, BoundedByLine], why: str) -> None:
    """Least and most shares."""
    action = run(busy(2, 30_000, 10_000), bounds)[1]
    assert action.shares is None and action.held == why


def test_lines_that_leave_nothing_for_packets_are_refused() -> None:
    """As measured, 70 % and 40 % of the core are taken before any packet comes; nothing was served yet to say less."""
    waiting = [read(at, a=counted(30_000 * at, 0, 0, 0.5), b=counted(10_000 * at, 0, 0, 0.5)) for at in (1, 2)]
    lines = {"a": replace(WIDE, line=Line(1e-6, 0.7)), "b": replace(WIDE, line=Line(1e-6, 0.4))}
    action = run(waiting, lines)[1]
    assert action.shares is None and action.held == "its NFs need 110 % of the core before any packet comes"


@pytest.mark.parametrize("height", [1, 0.5, 3])
def test_a_measured_line_says_what_no_packet_takes(height: float) -> None:
    """Of a, a tenth of the core is taken however few packets come. 4 us x 300,000 + 5 us x 100,000 = 170 % are asked
    for and 90 % are left: a has 120 x 90 / 170 + 10, b 50 x 90 / 170. How high the line was measured is nothing:
    both use half of the core for 100,000 a second, which puts it where it belongs."""
    bounds = {"a": replace(WIDE, line=Line(4e-6 * height, 0.1 * height)), "b": WIDE}
    action = run(busy(2, 30_000, 10_000), bounds)[1]
    assert action.shares == pytest.approx({"a": 1.2 * 0.9 / 1.7 + 0.1, "b": 0.5 * 0.9 / 1.7})


def test_a_measured_line_is_gone_by_before_anything_was_served() -> None:
    """4 us x 300,000 + 5 us x 100,000 = 170 % are asked for: a has 12 parts of 17."""
    waiting = [read(at, a=counted(30_000 * at, 0, 0, 0.5), b=counted(10_000 * at, 0, 0, 0.5)) for at in (1, 2)]
    lines = {"a": replace(WIDE, line=Line(4e-6, 0.0)), "b": replace(WIDE, line=Line(5e-6, 0.0))}
    assert run(waiting, lines)[1].shares == pytest.approx({"a": 12 / 17, "b": 5 / 17})
    assert run(waiting, {"a": WIDE, "b": WIDE})[1].held == "what a packet takes is not known of each of its NFs yet"


_ELEMENT = st.tuples(
    st.floats(0, 1e8),
    st.floats(1e-9, 1e-4),
    st.floats(0, 0.19),
    st.floats(0.01, 0.19),
    st.floats(0.2, 1),
)


@given(st.lists(_ELEMENT, min_size=2, max_size=5))
def test_bounds_are_kept_and_shares_add_up_to_one(drawn: list[tuple[float, float, float, float, float]]) -> None:
    """Whatever arrives, and whatever it costs."""
    bounds = [(least, most) for *_, least, most in drawn]
    if not any(rate for rate, *_ in drawn) or sum(most for _, most in bounds) < 1:
        return
    shares = within_bounds(
        [rate for rate, *_ in drawn], [Line(slope, intercept) for _, slope, intercept, *_ in drawn], bounds
    )
    assert sum(shares) == pytest.approx(1, abs=1e-6)
    for share, (least, most) in zip(shares, bounds, strict=True):
        assert least - 1e-9 <= share <= most + 1e-9


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(100, 10**5)), min_size=2, max_size=5))
def test_whoever_is_between_its_bounds_is_served_the_same_part(drawn: list[tuple[int, int]]) -> None:
    """CoCo's queue matching: v' = a / (1 + c / T), one c for all."""
    rates, lines = [float(rate) for rate, _ in drawn], [Line(cost * 1e-9, 0.0) for _, cost in drawn]
    bounds = [(0.01, 0.99)] * len(drawn)
    shares = within_bounds(rates, lines, bounds)
    parts = [
        line.rate(share) / rate
        for share, rate, line in zip(shares, rates, lines, strict=True)
        if 0.0101 < share < 0.9899
    ]
    assert parts == pytest.approx([parts[0]] * len(parts), rel=1e-6) if parts else True
