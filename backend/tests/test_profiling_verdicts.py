"""What follows from what became of a point: worked examples of the pure rules."""

from datetime import UTC, datetime, timedelta

import pytest
from sextant_backend.agents import refusals
from sextant_backend.modules.profiling import tasks
from sextant_backend.modules.profiling.policy import (
    CoresBusy,
    MeasurementForgotten,
    PointFailed,
    PointStanding,
    Unreachable,
    judge,
)

NOW = datetime(2026, 1, 2, 14, 2, tzinfo=UTC)


def standing(tries: int = 0, waits: int = 0, since: datetime | None = None) -> PointStanding:
    return PointStanding(host="edge-1", number=3, tries=tries, waits=waits, waiting_since=since)


@pytest.mark.parametrize(("waits", "wait_s"), [(0, 2.0), (1, 4.0), (2, 8.0), (3, 15.0), (4, 30.0), (99, 30.0)])
def test_waits_grow_to_half_a_minute(waits: int, wait_s: float) -> None:
    verdict = judge(Unreachable("no connection"), standing(waits=waits, since=NOW), NOW)
    assert (verdict.does, verdict.wait_s) == ("wait", wait_s)


def test_a_host_that_is_away_costs_no_try_and_the_point_keeps_its_key() -> None:
    verdict = judge(Unreachable("no connection"), standing(tries=2), NOW)
    assert (verdict.does, verdict.counts, verdict.next_key) == ("wait", False, False)
    assert verdict.note == "edge-1 is unreachable since 14:02 UTC: no connection. It goes on by itself"


@pytest.mark.parametrize(("waited_s", "does"), [(599.9, "wait"), (600.0, "pause")])
def test_ten_minutes_are_the_most(waited_s: float, does: str) -> None:
    since = NOW - timedelta(seconds=waited_s)
    assert judge(CoresBusy("core 1 runs web.nat"), standing(since=since), NOW).does == does


@pytest.mark.parametrize("spent", [True, False])
def test_a_measurement_that_was_begun_needs_another_key(spent: bool) -> None:
    """One that was refused was not: asking again under the same key is right."""
    verdict = judge(CoresBusy("core 1 runs web.nat", spent=spent), standing(), NOW)
    assert (verdict.next_key, verdict.counts) == (spent, False)


@pytest.mark.parametrize(("tries", "does"), [(0, "again"), (1, "again"), (2, "give-up")])
def test_three_tries_in_all(tries: int, does: str) -> None:
    verdict = judge(PointFailed("the NF crashed"), standing(tries=tries), NOW)
    assert (verdict.does, verdict.counts) == (does, True)
    assert (verdict.error is not None) == (does == "give-up")


def test_what_cannot_be_helped_by_trying_is_given_up_at_once() -> None:
    verdict = judge(PointFailed("no such NF type", permanent=True), standing(), NOW)
    assert verdict.does == "give-up"
    assert verdict.error is not None and "before that is changed" in verdict.error.detail


def test_an_agent_that_was_restarted_counts_as_a_try() -> None:
    """Else a point that kills its agent would be measured for ever."""
    assert judge(MeasurementForgotten(), standing(tries=1), NOW).note == (
        "try 2 of 3 failed: the agent of edge-1 was restarted while it measured"
    )
    assert judge(MeasurementForgotten(), standing(tries=2), NOW).does == "give-up"


def test_a_host_at_a_forbidden_address_is_not_waited_for() -> None:
    """It does not go on by itself: nothing is sent there before somebody changes the address, or what is allowed."""
    finding = tasks._trouble(refusals.forbidden("edge-1", "10.0.2.7 is in none of the networks", "https://10.0.2.7"))
    assert judge(finding, standing(), NOW).does == "give-up"
    away = tasks._trouble(refusals.unreachable("edge-1", "no connection"))
    assert judge(away, standing(), NOW).does == "wait"
