"""Which spans of ten seconds the watch over networks judges: gaps in what was measured are no verdict, and
what was found before them holds."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sextant_backend.modules.sfc2cpu.watching import LEAST_SECONDS, whole_spans
from sextant_engine.control.networks.verdict import Span, Watched, judged

BEGIN = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)
Row = tuple[datetime, str, float, float]


def samples(chain: str, seconds: Iterable[int], carried: float = 1.0) -> Iterator[Row]:
    """Of these seconds after the begin, 1 Mpps offered in each."""
    for second in seconds:
        yield BEGIN + timedelta(seconds=second), chain, 1.0, carried


def spans(*rows: Iterable[Row], chains: str = "ab", until: int = 60) -> list[tuple[int, dict[str, float], float]]:
    """With their begins in seconds."""
    given = [row for some in rows for row in some]
    found = whole_spans(given, list(chains), BEGIN, BEGIN + timedelta(seconds=until))
    return [(round((at - BEGIN).total_seconds()), rates, carried) for at, rates, carried in found]


def test_a_span_has_means_of_what_each_chain_was_offered_and_the_sum_of_what_came_out():
    """b was measured in eight seconds, which is enough: half of its packets came out. 1 + .5 = 1.5 Mpps."""
    found = spans(samples("a", range(10)), samples("b", range(2, 10), 0.5))
    assert found == [(0, {"a": 1.0, "b": 1.0}, pytest.approx(1.5))]


@pytest.mark.parametrize("measured", [range(7), range(0, 10, 2), range(3, 10), ()])
def test_fewer_than_eight_seconds_of_any_chain_are_no_verdict(measured: Iterable[int]):
    """Seven at the begin, every other one, seven at the end, none: whatever of a, which has all ten."""
    assert LEAST_SECONDS == 8
    assert spans(samples("a", range(10)), samples("b", measured)) == []


def test_seconds_of_another_chain_or_another_span_make_up_for_none():
    """b has seven in the first span and ten in the second; a has ten and seven; c, which is no chain of the host any
    more, has all."""
    rows = (samples("a", range(17)), samples("b", [*range(7), *range(10, 20)]), samples("c", range(20)))
    assert spans(*rows) == []


def test_a_span_that_is_not_over_or_began_before_is_left_out():
    early = ((at - timedelta(seconds=10), *rest) for at, *rest in samples("a", range(10)))
    found = spans(early, samples("a", range(30)), chains="a", until=29)
    assert [at for at, *_ in found] == [0, 10]


def test_a_host_without_chains_has_no_spans():
    assert spans(samples("a", range(10)), chains="") == []


def test_a_gap_neither_counts_nor_breaks_a_row():
    """Half of the packets come out where round robin would serve all, but for 10 to 20 s, of which seven seconds are
    known: worse, gap, worse, worse is three in a row, and so is worse, worse, gap, worse."""

    def verdicts(gap: int) -> list[bool]:
        known = [second for second in range(40) if second // 10 != gap or second % 10 < 7]
        watched, found = Watched(BEGIN), []
        for at, _, carried in spans(samples("a", known, 0.5), chains="a"):
            watched, is_worse = judged(watched, Span(BEGIN + timedelta(seconds=at), carried, 1.0))
            found.append(is_worse)
        return found

    assert verdicts(gap=2) == [False, False, True]
    assert verdicts(gap=1) == [False, False, True]
