"""`sextant maintenance`: plan, list and end windows in which control laws rest."""

from datetime import UTC, datetime, timedelta

import pytest
from sextant_cli.commands.maintenance import moment_of, state_of
from sextant_cli.errors import CliError
from sextant_domain.laws.maintenance import MaintenanceWindow

NOON = datetime(2026, 11, 26, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("90m", NOON + timedelta(minutes=90)),
        ("2h", NOON + timedelta(hours=2)),
        ("1d", NOON + timedelta(days=1)),
        ("2026-11-26T18:00Z", datetime(2026, 11, 26, 18, tzinfo=UTC)),
        ("2026-11-26T18:00+01:00", datetime(2026, 11, 26, 17, tzinfo=UTC)),
    ],
)
def test_a_time_is_given_from_now_or_with_its_zone(given: str, expected: datetime) -> None:
    assert moment_of(given, NOON, "--until") == expected


@pytest.mark.parametrize("given", ["", "h", "2 h", "-2h", "99999d", "18:00", "2026-11-26T18:00", "tomorrow"])
def test_anything_else_is_refused_with_the_option_and_an_example(given: str) -> None:
    with pytest.raises(CliError) as refused:
        moment_of(given, NOON, "--until")
    assert f"--until is '{given}'" in str(refused.value)
    assert "2h" in str(refused.value)


def test_a_window_is_over_planned_active_or_ended_by_somebody() -> None:
    window = MaintenanceWindow(
        id=1,
        host=None,
        starts_at=NOON,
        ends_at=NOON + timedelta(hours=1),
        reason="new memory",
        created_by="ada",
        created_at=NOON,
        ended_by=None,
        active=False,
    )
    assert state_of(window, NOON - timedelta(hours=1)) == "planned"
    assert state_of(window, NOON + timedelta(hours=2)) == "over"
    assert state_of(window.model_copy(update={"active": True}), NOON) == "active"
    assert state_of(window.model_copy(update={"ended_by": "ada"}), NOON) == "ended by ada"


def test_a_window_is_planned_listed_and_ended(sextant) -> None:
    assert sextant("maintenance", "plan", "--reason", "x").exit_code == 2, "without an end"
    done = sextant("maintenance", "plan", "--until", "2h", "--host", "edge-1", "--reason", "new memory")
    assert "control laws rest on edge-1 from" in done.stdout, done.output
    assert "to end it: sextant maintenance end 1" in done.stdout
    listed = sextant("maintenance").stdout
    assert "edge-1" in listed and "active" in listed and "new memory" in listed
    assert sextant("maintenance", "end", "1").stdout == "window 1  ended\n"
    assert "ended by ada" in sextant("maintenance").stdout


def test_without_windows_it_says_so(sextant) -> None:
    assert "no maintenance window" in sextant("maintenance", "list").stdout
