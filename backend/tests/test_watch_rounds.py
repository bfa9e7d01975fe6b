"""What watchers know of each other's rounds, by a real Valkey."""

from datetime import UTC, datetime, timedelta

import pytest
from sextant_backend.kit import queue
from sextant_backend.modules.hosts import watch_rounds
from sextant_backend.modules.hosts.watcher import MOST_GAPS, HostHeard, decide
from sextant_domain.hosts.host import HostStatus

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)


pytestmark = pytest.mark.usefixtures("clean")


def test_rounds_of_several_watchers_are_everybodys() -> None:
    """A round every second, each by another process: alone, one of three would believe that none was for 2 s."""
    for seconds in range(5, -1, -1):
        found = watch_rounds.load()
        found.at(NOW - timedelta(seconds=seconds))
        watch_rounds.keep(found)
    assert not watch_rounds.load().gaps
    host = HostHeard("edge-1", HostStatus.UP, NOW - timedelta(seconds=3.5))
    [change] = decide([host], NOW, rounds=watch_rounds.load())
    assert change.status is HostStatus.STALE


def test_no_more_gaps_are_kept_than_are_needed() -> None:
    for seconds in range(90, -1, -3):
        found = watch_rounds.load()
        found.at(NOW - timedelta(seconds=seconds))
        watch_rounds.keep(found)
    kept = watch_rounds.load().gaps
    assert len(kept) == MOST_GAPS and kept[-1] == (NOW, timedelta(seconds=2))


def test_a_gap_that_one_watcher_saw_counts_for_all() -> None:
    """No round for 3 s, of which 1 s is usual: 3.5 - 2 s of silence."""
    for seconds in (4, 3, 0):
        found = watch_rounds.load()
        found.at(NOW - timedelta(seconds=seconds))
        watch_rounds.keep(found)
    host = HostHeard("edge-1", HostStatus.UP, NOW - timedelta(seconds=3.5))
    assert decide([host], NOW, rounds=watch_rounds.load()) == ()
    queue.client().set(watch_rounds.KEY, "[")
    assert [change.status for change in decide([host], NOW, rounds=watch_rounds.load())] == [HostStatus.STALE]
