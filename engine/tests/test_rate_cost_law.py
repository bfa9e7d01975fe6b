"""Rate-cost shares as an agent sets them: window by window of 100 ms, within bounds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_engine.control.rate_cost.bounded import within
from sextant_engine.control.rate_cost.law import RateCostState, cost_of, step
from sextant_engine.control.shared_core import Bounded, CoreReading, Counted, SharesAction

WIDE = Bounded(0.05, 0.9)
BOTH = {"a": WIDE, "b": WIDE}
WINDOW_NS = 100_000_000


class Core:
    """Two elements, each with half of the core, that are read window after window."""

    def __init__(self, bounds: dict[str, Bounded] | None = None) -> None:
        self.bounds = BOTH if bounds is None else bounds
        self.state = RateCostState()
        self.at_ns = 0
        self.life = 1
        self.totals = dict.fromkeys(self.bounds, (0, 0, 0))

    def window(self, **packets: tuple[int, float]) -> SharesAction:
        """By element, packets that arrive and what each costs, in us; it serves what half of the core can."""
        self.at_ns += WINDOW_NS
        for name, (arrive, cost_us) in packets.items():
            arrived, served, cpu_ns = self.totals[name]
            now = min(arrive, int(50_000 / cost_us))
            self.totals[name] = arrived + arrive, served + now, cpu_ns + round(now * cost_us * 1000)
        return self.read()

    def read(self, late_ns: int = 0) -> SharesAction:
        elements = {name: Counted(*totals, 0.5, self.life) for name, totals in self.totals.items()}
        self.state, action = step(self.state, self.bounds, CoreReading(self.at_ns, elements), self.at_ns + late_ns)
        return action

    def windows(self, number: int, **packets: tuple[int, float]) -> SharesAction:
        """So many alike; what is done at the last."""
        for _ in range(number - 1):
            self.window(**packets)
        return self.window(**packets)


ONE_TO_THREE = {"a": (10_000, 10.0), "b": (10_000, 30.0)}
"""The same rate at costs 1:3: 100 and 300 % of the core are asked for, so a quarter and three."""


def test_shares_are_by_rate_and_cost() -> None:
    """Three windows after the first reading: costs are known. 1024 x 2 by 1:3 are 512 and 1536."""
    action = Core().windows(4, **ONE_TO_THREE)
    assert action.shares == {"a": 0.25, "b": 0.75}
    assert action.cause == "a is offered 0.1 Mpps at 10 us a packet, 25 % of what is asked of the core"


def test_costs_are_not_believed_before_three_windows() -> None:
    core = Core()
    assert core.window(**ONE_TO_THREE).held == "its rings are measured anew"
    assert core.window(**ONE_TO_THREE).held == "what a packet of a costs was measured in 1 of 3 windows"
    assert core.window(**ONE_TO_THREE).held == "what a packet of a costs was measured in 2 of 3 windows"
    assert core.window(**ONE_TO_THREE).held is None


def test_a_window_that_was_held_up_moves_nothing() -> None:
    """b is pre-empted: packets of one window read three times what they cost. Its share stays 3/4; an average of two
    windows would have taken it for 60 us, and given it 6/7."""
    core = Core()
    core.windows(5, **ONE_TO_THREE)
    disturbed = core.window(a=(10_000, 10.0), b=(10_000, 90.0))
    assert disturbed.shares == {"a": 0.25, "b": 0.75}


def test_a_cost_that_has_changed_is_followed_after_half_a_second() -> None:
    """b falls from 30 us to 10: its median is the new cost once that fills more than half of ten windows."""
    core = Core()
    core.windows(11, **ONE_TO_THREE)
    cheap = {"a": (10_000, 10.0), "b": (10_000, 10.0)}
    assert core.windows(4, **cheap).shares == {"a": 0.25, "b": 0.75}
    assert core.windows(2, **cheap).shares is None, "each has the half that it asks for"


@pytest.mark.parametrize(
    ("windows", "cost"),
    [
        ([3.0], 3.0),
        ([1.0, 3.0], 2.0),
        ([10.0, 11.0, 12.0], 11.0),
        ([10.0, 10.0, 12.0, 40.0, 31.0], 10.0),  # the median of all is 12: 31 and 40 are more than 24
        ([1.0] * 4 + [3.0] * 6, 3.0),  # what is most of them is no outlier
    ],
)
def test_a_cost_is_a_median_without_outliers(windows: list[float], cost: float) -> None:
    assert cost_of(windows) == cost


def test_an_idle_nf_keeps_its_least_share() -> None:
    """By its weight, 2 of 2048; its bound is more. Its first packet finds a share."""
    action = Core().windows(5, a=(10_000, 10.0), b=(0, 10.0))
    assert action.shares == pytest.approx({"a": 0.9, "b": 0.1})  # 90 % is a's most


def test_where_less_than_half_is_asked_for_shares_stay() -> None:
    """2,000 packets at 10 us are 20 % of the core, each."""
    assert Core().windows(6, a=(2_000, 10.0), b=(1_000, 10.0)) == SharesAction()


def test_bounds_stop_a_share_and_the_rest_goes_to_the_others() -> None:
    tight = {"a": Bounded(0.4, 0.9), "b": Bounded(0.05, 0.6)}
    assert Core(tight).windows(5, **ONE_TO_THREE).shares == pytest.approx({"a": 0.4, "b": 0.6})


@pytest.mark.parametrize(
    ("least", "most", "why"),
    [
        (0.6, 1.0, "the least shares of its NFs add up to 120 %"),
        (0.1, 0.4, "the most shares of its NFs add up to 80 %"),
    ],
)
def test_bounds_that_do_not_fit_hold(least: float, most: float, why: str) -> None:
    held = Core(dict.fromkeys("ab", Bounded(least, most))).windows(5, **ONE_TO_THREE).held
    assert held == f"{why} of the core"


def test_late_figures_hold_and_change_nothing() -> None:
    core = Core()
    core.windows(5, **ONE_TO_THREE)
    before = core.state
    assert core.read(late_ns=400_000_000).held == "figures of its rings are 0.4 s old" and core.state == before


def test_a_gap_is_measured_anew() -> None:
    """Half a second without figures: what happened in it is not known."""
    core = Core()
    core.windows(5, **ONE_TO_THREE)
    core.at_ns += 4 * WINDOW_NS
    assert core.window(**ONE_TO_THREE).held == "its rings are measured anew"
    assert core.windows(3, **ONE_TO_THREE).shares == {"a": 0.25, "b": 0.75}


def test_another_life_is_measured_anew() -> None:
    core = Core()
    core.windows(5, **ONE_TO_THREE)
    core.life = 2
    assert core.window(**ONE_TO_THREE).held == "its rings are measured anew"


def test_without_traffic_shares_stay() -> None:
    assert Core().windows(5, a=(0, 10.0), b=(0, 10.0)) == SharesAction()


def test_the_same_figures_twice_change_nothing() -> None:
    core = Core()
    core.windows(5, **ONE_TO_THREE)
    assert core.read() == SharesAction()


bounded = st.tuples(st.floats(0.01, 0.1), st.floats(0.5, 1.0))


@given(st.lists(st.tuples(st.integers(2, 10_000), bounded), min_size=2, max_size=10))
def test_shares_within_bounds_add_up_and_keep_their_proportion(cores: list[tuple[int, tuple[float, float]]]) -> None:
    weights, bounds = [weight for weight, _ in cores], [each for _, each in cores]
    shares = within(weights, bounds)
    assert sum(shares) == pytest.approx(1)
    for share, (least, most) in zip(shares, bounds, strict=True):
        assert least <= share <= most
    free = [
        share / weight
        for share, weight, (least, most) in zip(shares, weights, bounds, strict=True)
        if least < share < most
    ]
    assert not free or max(free) == pytest.approx(min(free)), "those that no bound stops are in proportion"
