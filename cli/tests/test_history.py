"""`sextant history`: moments, tables and CSV."""

from datetime import UTC, datetime, timedelta

import pytest
from sextant_cli.commands import history
from sextant_cli.errors import CliError
from sextant_domain.base import Provenance
from sextant_domain.console.history import History, HistoryKind, HistoryLevel, HistorySeries

from .conftest import Sextant
from .console import FakeConsole

NOON = datetime(2026, 3, 10, 12, tzinfo=UTC)
POINTS = History(
    kind=HistoryKind.CHAIN,
    name="web-edge",
    start=NOON,
    end=NOON + timedelta(minutes=1),
    step_s=10,
    level=HistoryLevel.TEN_SECONDS,
    at=(NOON.timestamp(), NOON.timestamp() + 20),
    samples=(10, 9),
    provenance=(Provenance.MEASURED, Provenance.SIMULATED),
    covered=(1.0, 1.0),
    series=(HistorySeries(figure="delivered_mpps", mean=(0.25, 0.5), least=(0.125, None), most=(0.5, 0.5)),),
)


def test_moments_are_dates_or_how_long_ago() -> None:
    assert history.moment("2026-03-10T12:00", "--from") == "2026-03-10T12:00:00+00:00"
    assert history.moment("2026-03-10T12:00+02:00", "--from") == "2026-03-10T12:00:00+02:00"
    ago = datetime.fromisoformat(history.moment("90min", "--from"))
    assert abs(datetime.now(UTC) - ago - timedelta(minutes=90)) < timedelta(minutes=1)


@pytest.mark.parametrize("text", ["yesterday", "5m", "-1h", "", "1h30min"])
def test_what_is_no_moment_is_refused_with_what_is(text: str) -> None:
    with pytest.raises(CliError) as refused:
        history.moment(text, "--from")
    assert "15min, 6h, 30d" in refused.value.problem.detail


def test_a_chain_s_history_is_a_table_without_its_gaps(sextant: Sextant, console: FakeConsole) -> None:
    console.history = POINTS
    shown = sextant("history", "chain", "web-edge", "--from", "2026-03-10T12:00", "--to", "2026-03-10T12:01")
    assert shown.exit_code == 0, shown.output
    _, first, second, note = shown.stdout.splitlines()
    assert first.split() == ["2026-03-10", "12:00:00", "-", "0.25", "0.125", "-", "-", "10", "measured"]
    assert second.split() == ["2026-03-10", "12:00:20", "-", "0.5", "-", "-", "-", "9", "simulated"]
    assert note == "points of 10 s, from rows of 10s; UTC. Gaps are left out."
    assert console.history_asked == {
        "from": "2026-03-10T12:00:00+00:00",
        "to": "2026-03-10T12:01:00+00:00",
        "points": "60",
    }


def test_csv_is_as_the_console_makes_it(sextant: Sextant, console: FakeConsole) -> None:
    console.history = b"at,delivered_mpps_mean\r\n2026-03-10T12:00:00Z,0.25\r\n"
    shown = sextant("history", "chain", "web-edge", "--csv")
    assert shown.stdout_bytes.replace(b"\r\n", b"\n") == console.history.replace(b"\r\n", b"\n")
    assert console.history_asked["format"] == "csv"
