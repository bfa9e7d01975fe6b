"""Predictions in force: what the plan that a host runs by says of its chains, beside what they carry now."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet
from outcome_world import measured, placed, promoted
from sextant_backend.kit.db import session_scope
from sqlalchemy import text


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


def standing(client: TestClient, host: str | None = None) -> list[dict[str, Any]]:
    answer = client.get(f"{API}/predictions", params={} if host is None else {"host": host})
    assert answer.status_code == 200, answer.text
    assert answer.json()["window_s"] == 10
    found: list[dict[str, Any]] = answer.json()["hosts"]
    return found


def the_chain(client: TestClient) -> dict[str, Any]:
    (host,) = standing(client)
    (chain,) = host["chains"]
    return dict(chain)


def test_an_applied_plan_stands_beside_the_newest_ten_seconds(client: TestClient, fleet: Fleet) -> None:
    """Router 10 and firewall 5 Mpps beside source and sink on one core: 1 / 0.362 = 2.76 of the 9 that are offered. It
    delivers 2.5 and filters 0.1: it carries 2.6, 5.9 % less than predicted."""
    assert standing(client) == []
    promoted({"router": 10.0, "firewall": 5.0})
    made = placed(client)
    (host,) = standing(client)
    assert (host["host"], host["plan_id"], host["generation"]) == ("edge-1", made.id, 1)
    assert host["predictor"] == "time-sharing"
    assert host["chains"] == [{"chain": "web", "bottleneck": "web.firewall", "predicted_mpps": 2.7624}]
    measured(14, delivered=2.5, filtered_mpps=0.1)
    assert the_chain(client) == {
        "chain": "web",
        "bottleneck": "web.firewall",
        "predicted_mpps": 2.7624,
        "offered_mpps": 9.0,
        "measured_mpps": 2.6,
        "test": "informative",
    }
    assert standing(client, "edge-1") == standing(client)
    assert standing(client, "edge-2") == []


def test_the_window_is_of_the_newest_samples(client: TestClient, fleet: Fleet) -> None:
    """Ten samples of 2.5 after ten of 0: the mean is 2.5."""
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    measured(20, delivered=0.0)
    with session_scope() as session:
        session.execute(text("UPDATE chain_samples SET ts = ts - interval '10 seconds'"))
    measured(10, delivered=2.5)
    assert the_chain(client)["measured_mpps"] == 2.5


def test_a_window_that_begins_before_things_were_steady_is_not_informative_yet(
    client: TestClient, fleet: Fleet
) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    measured(14, delivered=2.5)
    with session_scope() as session:
        session.execute(text("UPDATE tested_predictions SET window_from = clock_timestamp() - interval '3 seconds'"))
    assert "test" not in the_chain(client)
    with session_scope() as session:  # a later window waits for its turn; the first one was measured
        session.execute(text("UPDATE tested_predictions SET measured = 1"))
    assert the_chain(client)["test"] == "informative"


def test_seven_samples_of_ten_are_too_few(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    measured(7, delivered=2.5)
    assert "measured_mpps" not in the_chain(client)
    measured(8, delivered=2.5)
    assert "measured_mpps" in the_chain(client)


def test_what_is_offered_too_little_is_measured_and_is_not_informative(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client, rate=1.0)
    measured(14, delivered=1.0, offered=1.0)
    found = the_chain(client)
    assert (found["predicted_mpps"], found["measured_mpps"], found["test"]) == (1.0, 1.0, "offered_too_little")


def test_of_a_silent_host_nothing_is_measured(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    measured(14, delivered=2.5)
    with session_scope() as session:
        session.execute(text("UPDATE hosts SET status = 'stale'"))
    assert "measured_mpps" not in the_chain(client)


def test_a_clock_that_is_late_hides_nothing(client: TestClient, fleet: Fleet) -> None:
    """The agent's clock is 40 s behind: its newest ten seconds are those up to its newest sample."""
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    measured(14, delivered=2.5)
    with session_scope() as session:
        for table, column in (("chain_samples", "ts"), ("latest_hosts", "taken_at")):
            session.execute(text(f"UPDATE {table} SET {column} = {column} - interval '40 seconds'"))
        session.execute(text("UPDATE tested_predictions SET measured = 1"))
    assert the_chain(client)["measured_mpps"] == 2.5


def test_another_order_than_the_plans_ends_it(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    with session_scope() as session:
        session.execute(text("UPDATE hosts SET desired_generation = desired_generation + 1"))
    assert standing(client) == []


def test_curve_predictions_are_not_what_a_plan_rests_on(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    with session_scope() as session:
        session.execute(text("UPDATE tested_predictions SET predictor = 'curves'"))
    assert standing(client) == []


def test_what_rests_on_assumed_models_says_so(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    assert "assumed" not in the_chain(client)
    with session_scope() as session:
        session.execute(text("UPDATE tested_predictions SET provenance = 'assumed'"))
    assert the_chain(client)["assumed"] is True


def test_chains_stand_by_name_under_their_host(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    placed(client, "also", 9.0, "router")
    (host,) = standing(client)
    assert [chain["chain"] for chain in host["chains"]] == ["also", "web"]
    assert host["generation"] == 2


def test_bad_names_are_refused(client: TestClient, fleet: Fleet) -> None:
    assert client.get(f"{API}/predictions", params={"host": "../x"}).status_code == 422
