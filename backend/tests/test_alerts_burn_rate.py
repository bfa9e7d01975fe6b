"""An error budget that is used up too fast: the arithmetic, and minutes rolled up from stored samples."""

from datetime import UTC, datetime, timedelta

import pytest
from alert_world import a_round, a_running_chain, alerts, measured, set_rule
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.alerts.kinds.slo_burn_rate import Burn, over
from sextant_backend.modules.telemetry import partitions
from sextant_domain.console.alerts import AlertKind, AlertSeverity, AlertState
from sextant_domain.hosts.host import HostInventory
from sqlalchemy import text

MINUTE = timedelta(minutes=1)


def test_both_windows_must_be_over_the_factor() -> None:
    """99 % must meet it: the budget is 1 %. 360 of 3600 s missed are 10 %, a rate of 10; 45 of 300 are 15 %, 15."""
    burn = Burn(minutes=60, measured=3600, missed=360, short_measured=300, short_missed=45)
    assert over(burn, 99.0, 10.0) == pytest.approx((10.0, 15.0))
    assert over(burn, 99.0, 10.1) is None, "the long one is not"
    assert over(burn._replace(short_missed=29), 99.0, 10.0) is None, "it does not go on: 29 of 300 are a rate of 9.7"


def test_what_was_not_measured_is_no_rate() -> None:
    assert over(Burn(60, 3600, 360, 0, 0), 99.0, 1.0) is None
    assert over(Burn(0, 0, 0, 0, 0), 99.0, 1.0) is None


def sampled(chain: str, first_ago: timedelta, seconds: int, *, missed_every: int, offered: float = 0.5) -> None:
    """One sample a second from `first_ago` on; each `missed_every`-th carries 0.1 Mpps of the 0.45 that are wanted."""
    start = datetime.now(UTC).replace(second=0, microsecond=0) - first_ago
    with session_scope() as session:
        for day in {start, start + timedelta(seconds=seconds)}:
            partitions.make(session, {day.date()})
        session.execute(
            text(
                "INSERT INTO chain_samples (ts, host_id, chain, offered_mpps, delivered_mpps, drop_mpps, filtered_mpps,"
                " p95_us) SELECT CAST(:start AS timestamptz) + make_interval(secs => n), 'edge-1', :chain, :offered,"
                " CASE WHEN n % :every = 0 THEN 0.1 ELSE 0.5 END, 0, 0, 120 FROM generate_series(0, :last) AS n"
            ),
            {"start": start, "chain": chain, "every": missed_every, "last": seconds - 1, "offered": offered},
        )


def minutes() -> list[tuple[int, int]]:
    with session_scope() as session:
        rows = session.execute(text("SELECT measured, missed FROM slo_minutes ORDER BY minute"))
        return [(row.measured, row.missed) for row in rows]


@pytest.fixture
def chain(edge: HostInventory) -> str:
    a_running_chain()
    return "web-edge"


def test_a_chain_that_misses_every_thirtieth_second_uses_up_its_budget(client: TestClient, chain: str) -> None:
    """2 of 60 s are 3.3 %; of a budget of 0.1 % that is a rate of 33, above 14.4, though it is never violated for long.

    The sixty minutes before the newest one that is rolled up are measured whole."""
    sampled(chain, 62 * MINUTE, 62 * 60, missed_every=30)
    a_round()
    found = minutes()
    assert set(found) == {(60, 2)}
    [alert] = alerts(client, kind="slo_burn_rate")
    assert (alert.state, alert.severity) == (AlertState.FIRING, AlertSeverity.WARNING)
    assert alert.summary == "web-edge uses up its error budget 33 times too fast"
    assert "in 10 of 300 s of the last 5 min (33.3); 99.9 % are to meet it" in alert.cause


def test_seconds_of_a_simulated_host_are_called_so(client: TestClient, chain: str) -> None:
    measured()
    with session_scope() as session:
        session.execute(text("UPDATE latest_chains SET provenance = 'simulated'"))
    sampled(chain, 62 * MINUTE, 62 * 60, missed_every=30)
    a_round()
    [alert] = alerts(client, kind="slo_burn_rate")
    assert "in 10 of 300 simulated s of the last 5 min" in alert.cause


def test_a_minute_is_rolled_up_once(client: TestClient, chain: str) -> None:
    sampled(chain, 62 * MINUTE, 62 * 60, missed_every=30)
    a_round()
    before = minutes()
    a_round()
    assert minutes()[: len(before)] == before


def test_what_is_over_ends_once_the_short_window_is_clean(client: TestClient, chain: str) -> None:
    """Of the last hour the first fifty minutes missed, the last ten did not."""
    sampled(chain, 62 * MINUTE, 50 * 60, missed_every=10)
    sampled(chain, 12 * MINUTE, 12 * 60, missed_every=100_000)
    a_round()
    assert alerts(client, kind="slo_burn_rate") == []


def test_a_chain_of_five_minutes_is_not_known_yet(client: TestClient, chain: str) -> None:
    sampled(chain, 6 * MINUTE, 6 * 60, missed_every=2)
    a_round()
    assert alerts(client, kind="slo_burn_rate") == []


def test_seconds_in_which_nothing_was_offered_count_for_nothing(client: TestClient, chain: str) -> None:
    sampled(chain, 62 * MINUTE, 62 * 60, missed_every=1, offered=0.0)
    a_round()
    assert minutes() == []
    assert alerts(client, kind="slo_burn_rate") == []


@pytest.mark.as_admin
def test_its_thresholds_are_the_rules(client: TestClient, chain: str) -> None:
    """At 95 % the budget is 5 %: 3.3 % missed are a rate of 0.67."""
    set_rule(client, AlertKind.SLO_BURN_RATE, parameters={"objective_percent": 95, "factor": 1})
    sampled(chain, 62 * MINUTE, 62 * 60, missed_every=30)
    a_round()
    assert alerts(client, kind="slo_burn_rate") == []
