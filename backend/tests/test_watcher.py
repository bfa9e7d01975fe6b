"""The watcher's decision, with the clock passed in: stale after 3 s, unreachable after 10 s."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sextant_backend.modules.hosts.watcher import HostHeard, Limits, WatchRounds, decide
from sextant_domain.hosts.host import HostStatus

NOW = datetime(2026, 1, 1, 12, 0, 0, tzinfo=UTC)
UP, STALE, UNREACHABLE = HostStatus.UP, HostStatus.STALE, HostStatus.UNREACHABLE


@pytest.mark.parametrize(
    ("status", "silent_s", "expected"),
    [
        (UP, 0.0, None),
        (UP, 3.0, None),
        (UP, 3.01, STALE),
        (UP, 10.0, STALE),
        (UP, 10.01, UNREACHABLE),
        (STALE, 4.0, None),
        (STALE, 10.01, UNREACHABLE),
        (STALE, 0.0, None),  # only a report brings it back
        (UNREACHABLE, 3600.0, None),
        (UP, -5.0, None),  # heard after `now` was read
    ],
)
def test_silence_decides(status: HostStatus, silent_s: float, expected: HostStatus | None) -> None:
    host = HostHeard("edge-1", status, NOW - timedelta(seconds=silent_s))
    changes = decide([host], NOW)
    assert [change.status for change in changes] == ([] if expected is None else [expected])


def test_reason_says_when_it_was_heard() -> None:
    [change] = decide([HostHeard("edge-1", UP, NOW - timedelta(seconds=5))], NOW)
    assert (change.host_id, change.reason) == ("edge-1", "last heard 11:59:55 UTC")


def test_host_that_never_reported_stays_as_it_is() -> None:
    assert decide([HostHeard("edge-1", UNREACHABLE, None)], NOW) == ()


def _rounds(*seconds_ago: float) -> WatchRounds:
    rounds = WatchRounds()
    for seconds in seconds_ago:
        rounds.at(NOW - timedelta(seconds=seconds))
    return rounds


@pytest.mark.parametrize(
    ("rounds_s_ago", "silent_s", "expected"),
    [
        ((5, 4, 3, 2, 1, 0), 3.01, STALE),
        ((6.5, 4.6, 2.7, 0.8, 0), 3.01, STALE),  # a busy machine: late, but there were rounds
        ((4, 3, 0), 3.5, None),  # no round for 3 s, of which 1 s is usual: 3.5 - 2 s of silence
        ((4, 3, 0.1, 0), 3.5, None),  # two rounds at once, as one more had been asked for before
        ((7, 6, 3, 2, 1, 0), 5.5, STALE),  # 5.5 - 2 s: it has not spoken since, either
        ((7, 6, 3, 2, 1, 0), 2.9, None),
        ((9, 8, 5, 4, 3, 2, 1, 0), 3.5, STALE),  # it stood still before the host was last heard
        ((3600, 0), 3700, UNREACHABLE),  # 101 s
    ],
)
def test_time_without_a_round_is_no_silence(
    rounds_s_ago: tuple[float, ...], silent_s: float, expected: HostStatus | None
) -> None:
    changes = decide([HostHeard("edge-1", UP, NOW - timedelta(seconds=silent_s))], NOW, rounds=_rounds(*rounds_s_ago))
    assert [change.status for change in changes] == ([] if expected is None else [expected])


@given(
    st.lists(st.tuples(st.sampled_from(list(HostStatus)), st.floats(-20, 60)), max_size=20),
    st.floats(0.1, 5),
    st.floats(0.1, 20),
)
def test_deciding_again_changes_nothing(hosts: list[tuple[HostStatus, float]], stale: float, more: float) -> None:
    """Applying the changes reaches a fixed point at once, and no host gets better by silence."""
    limits = Limits(stale, stale + more)
    known = [HostHeard(f"h{n}", status, NOW - timedelta(seconds=s)) for n, (status, s) in enumerate(hosts)]
    changes = {change.host_id: change.status for change in decide(known, NOW, limits)}
    order = [UP, STALE, UNREACHABLE]
    after = [HostHeard(h.host_id, changes.get(h.host_id, h.status), h.heard_at) for h in known]
    assert all(order.index(b.status) >= order.index(a.status) for a, b in zip(known, after, strict=True))
    assert decide(after, NOW, limits) == ()
