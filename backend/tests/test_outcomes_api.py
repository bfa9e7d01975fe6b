"""From an applied plan to the trust meter: windows of telemetry beside what was predicted."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, work
from outcome_world import judge, measured, placed, promoted
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.outcomes import service
from sextant_backend.modules.plans import planner
from sextant_backend.modules.plans import repository as plans
from sextant_domain.base import canonical_json
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import ChainPrediction, Plan
from sextant_domain.plans.trust import TrustVerdict
from sqlalchemy import text


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1") as made:
        yield made


OTHERS = text("""
    INSERT INTO outcomes (plan_id, chain, host_id, host_model, nf_id, nf_type, predictor, version, predicted_mpps,
                          measured_mpps, offered_mpps, test, seconds, provenance)
    SELECT 1000 + number, 'web', host_id, host_model, nf_id, nf_type, predictor, 'fit-0', 1.0,
           1.02, offered_mpps, test, seconds, provenance
    FROM outcomes, generate_series(1, 18) AS number WHERE chain = 'web'
""")
"""Eighteen more, by another model of the same host model."""

OTHERS_WITH_ROOM = text("""
    INSERT INTO outcomes (plan_id, chain, host_id, host_model, nf_id, nf_type, predictor, version, predicted_mpps,
                          low_mpps, high_mpps, interval_source, measured_mpps, offered_mpps, test, seconds, provenance)
    SELECT 1000 + number, 'web', host_id, host_model, nf_id, nf_type, predictor, 'fit-0', 1.0,
           0.99, 1.01, 'spare', 0.98, 1.0, 'informative', seconds, provenance
    FROM outcomes, generate_series(1, 18) AS number WHERE chain = 'web'
""")


def predictions(made: Plan) -> tuple[ChainPrediction, ...]:
    assert made.body is not None
    return made.body.predictions


def outcomes(client: TestClient, **query: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{API}/outcomes", params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["items"]
    return found


def trust(client: TestClient, **query: Any) -> dict[str, dict[str, Any]]:
    return {one["nf_type"]: one for one in client.get(f"{API}/trust", params=query).json()}


def test_a_prediction_is_measured_once_its_plan_is_applied(client: TestClient, fleet: Fleet) -> None:
    """Router 10 and firewall 5 Mpps beside source and sink: 2.76 of the 9 that are offered. Measured: 3.0 delivered and
    0.2 filtered, which is work done as well: 3.2."""
    promoted({"router": 10.0, "firewall": 5.0})
    made = placed(client)
    assert judge() == 0, "the window has not begun"
    measured(14, delivered=3.0, filtered_mpps=0.2)
    assert judge() == 1
    assert judge() == 0, "and again not before ten minutes"
    (found,) = outcomes(client, chain="web")
    assert found["predicted_mpps"] == pytest.approx(1 / 0.362)
    assert found["measured_mpps"] == pytest.approx(3.2)
    assert (found["plan_id"], found["nf_type"], found["predictor"], found["version"], found["test"]) == (
        made.id,
        "firewall",
        "time-sharing",
        "fit-1",
        "informative",
    )
    assert (found["provenance"], found["seconds"], found["host"]) == ("measured", 10.0, "edge-1")
    assert outcomes(client, plan=made.id) == outcomes(client, nf_type="firewall") == [found]
    assert outcomes(client, nf_type="router") == outcomes(client, plan=99) == []
    with session_scope() as session:
        again = session.execute(text("SELECT window_from - clock_timestamp() FROM tested_predictions")).scalar_one()
    assert timedelta(minutes=9) < again <= timedelta(minutes=10)


def test_what_was_offered_too_little_is_not_informative(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client, rate=1.0)
    measured(14, delivered=1.0, offered=1.0)
    assert judge() == 1
    assert [one["test"] for one in outcomes(client)] == ["offered_too_little"]
    assert (trust(client)["firewall"]["informative"], trust(client)["firewall"]["uninformative"]) == (0, 1)


def test_the_trust_meter_moves_and_the_next_plan_says_so(client: TestClient, fleet: Fleet) -> None:
    """Predicted 1 / 0.362 = 2.762, measured 2.5: off by 9.5 % of what was predicted, three times."""
    promoted({"router": 10.0, "firewall": 5.0})
    assert trust(client)["firewall"]["verdict"] == "untested", "promoted, and never tested"
    placed(client)
    for count in range(1, 4):
        measured(14, delivered=2.5)
        assert judge() == 1
        assert trust(client)["firewall"]["informative"] == count
    found = trust(client, nf_type="firewall", host_model="test-cpu 1x2")["firewall"]
    assert found["verdict"] == "distrusted"
    assert found["error_percent"] == pytest.approx(100 * (1 - 2.5 * 0.362))
    assert found["bias_percent"] == pytest.approx(-100 * (1 - 2.5 * 0.362))
    assert found["last"]["measured_mpps"] == pytest.approx(2.5)
    assert trust(client)["router"]["verdict"] == "untested", "it was not the bottleneck"
    answer = client.post(f"{API}/chains", json=chain_json("other", "firewall"))
    planner.make(answer.json()["plan_id"])
    body = plan(client, answer.json()["plan_id"]).body
    assert body is not None
    uses = {use.nf_type: use.trust for use in body.evidence.models}
    assert uses == {"firewall": TrustVerdict.DISTRUSTED, "router": None}
    assert "edge-1: time-sharing is off by 9.5 % on firewall on this host model: profile it again" in body.warnings


def test_what_another_nf_is_measured_to_limit_counts_against_its_model(client: TestClient, fleet: Fleet) -> None:
    """Predicted: the firewall, at 1 / 0.362 = 2.762 Mpps. Measured: the firewall passes all that reaches it, the router
    drops 7.5 of 9, and 1.5 Mpps come through, 45.7 % less. It counts against the router's model, three times, and the
    firewall's was not tested. The router alone was to carry 10: on a shared core nothing says what is left of it."""
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    for _ in range(3):
        measured(14, delivered=1.5, dropping={"router": (1.5, 7.5), "firewall": (1.5, 0.0)})
        assert judge() == 1
    found = outcomes(client, nf_type="router")[0]
    assert found == outcomes(client, nf_type="firewall")[0]
    assert (found["nf_type"], found["limited_by"]) == ("firewall", {"nf_id": "web.router", "by": "drops"})
    assert [(one["nf_type"], one["counts"]) for one in found["judged"]] == [("router", True), ("firewall", False)]
    router, firewall = trust(client)["router"], trust(client)["firewall"]
    assert (router["verdict"], router["informative"]) == ("distrusted", 3)
    assert router["error_percent"] == pytest.approx(100 * (1 - 1.5 * 0.362))
    assert (firewall["verdict"], firewall["informative"], firewall["uninformative"]) == ("untested", 0, 3)
    answer = client.post(f"{API}/chains", json=chain_json("other", "firewall"))
    planner.make(answer.json()["plan_id"])
    body = plan(client, answer.json()["plan_id"]).body
    assert body is not None
    assert "edge-1: time-sharing is off by 45.7 % on router on this host model: profile it again" in body.warnings
    assert not any("on firewall" in warning for warning in body.warnings)


def test_enough_placed_chains_give_the_next_plan_its_interval(client: TestClient, fleet: Fleet) -> None:
    """Eighteen other plans' chains were off by 2 %, this one carries 2.5 of 1 / 0.362 = 2.762 Mpps, 9.5 % less: of
    nineteen the largest. What is measured then is kept with where its interval came from."""
    promoted({"router": 10.0, "firewall": 5.0})
    (before,) = predictions(placed(client))
    assert (before.interval_source, before.low_mpps) == (None, None)
    measured(14, delivered=2.5)
    assert judge() == 1
    with session_scope() as session:
        session.execute(OTHERS)
    found = predictions(placed(client, "other", 9.0, "firewall"))
    assert {one.chain for one in found} == {"web", "other"}
    for one in found:
        assert one.interval_source == "outcomes"
        assert one.capacity_mpps is not None
        assert one.low_mpps == pytest.approx(one.capacity_mpps * 2.5 * 0.362)
    measured(14, delivered=2.5, chain="other")
    judge()
    assert [one["interval_source"] for one in outcomes(client, chain="other")] == ["outcomes"]


def test_what_chains_with_room_carried_gives_the_next_one_its_interval(client: TestClient, fleet: Fleet) -> None:
    """It carries 0.1 Mpps of 2.76, as offered; eighteen other plans' chains carried 2 % less than their offer, and
    count although that made them informative. Of nineteen the largest: 0.1 -+ 2 %."""
    promoted({"router": 10.0, "firewall": 5.0})
    (before,) = predictions(placed(client, rate=0.1))
    assert before.interval_note is not None and "repeated measurements" in before.interval_note
    measured(14, delivered=0.1, offered=0.1)
    assert judge() == 1
    with session_scope() as session:
        session.execute(OTHERS_WITH_ROOM)
    found = predictions(placed(client, "other", 0.1, "firewall"))
    assert {one.chain for one in found} == {"web", "other"}
    for one in found:
        assert one.interval_source == "spare"
        assert one.interval_note is not None and one.interval_note.endswith("within 2 %, of 19 chains with room")
        assert (one.low_mpps, one.high_mpps) == pytest.approx((0.098, 0.102))


def test_outcomes_of_a_former_model_do_not_count(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    measured(14, delivered=2.5)
    assert judge() == 1
    promoted({"router": 11.0, "firewall": 4.0})
    assert (trust(client)["firewall"]["version"], trust(client)["firewall"]["informative"]) == ("fit-2", 0)


def test_a_window_with_holes_is_measured_anew(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    measured(6, delivered=3.0)
    assert judge() == 0
    assert outcomes(client) == []
    measured(14, delivered=3.0)
    assert judge() == 1


def test_another_order_ends_the_test(client: TestClient, fleet: Fleet) -> None:
    """A second chain on the core: what was predicted of the first alone is not what happens now."""
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    placed(client, "more", 9.0, "router")
    measured(14, delivered=3.0)
    judge()
    with session_scope() as session:
        rows = session.execute(text("SELECT chain, plan_id, generation FROM tested_predictions ORDER BY chain")).all()
    assert [tuple(row) for row in rows] == [("more", 2, 2), ("web", 2, 2)]
    assert {one["plan_id"] for one in outcomes(client)} <= {2}


def test_a_host_that_was_ordered_anew_meanwhile_gives_no_outcome(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    measured(14, delivered=3.0)
    with session_scope() as session:
        session.execute(text("UPDATE hosts SET desired_generation = desired_generation + 1"))
    assert judge() == 0
    with session_scope() as session:
        assert session.execute(text("SELECT count(*) FROM tested_predictions")).scalar_one() == 0


def test_predictions_beside_a_paused_chain_are_not_tested(client: TestClient, fleet: Fleet) -> None:
    """It is planned with as though it ran."""
    promoted({"router": 10.0, "firewall": 5.0})
    spec = {**chain_json("calm", "router"), "paused": True}
    answer = client.post(f"{API}/chains", json=spec)
    assert answer.status_code == 201, answer.text
    planner.make(answer.json()["plan_id"])
    made = plan(client, answer.json()["plan_id"])
    assert work(apply(client, made).id).state is OperationState.COMPLETED
    judge()
    with session_scope() as session:
        assert session.execute(text("SELECT count(*) FROM tested_predictions")).scalar_one() == 0
        assert session.execute(text("SELECT bool_and(tested) FROM plans")).scalar_one() is True


def test_outcomes_are_forgotten_when_they_are_old(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    placed(client)
    measured(14, delivered=3.0)
    judge()
    with session_scope() as session:
        assert service.forget_old(session) == 0
        session.execute(text("UPDATE outcomes SET at = at - interval '91 days'"))
        assert service.forget_old(session) == 1


def test_a_promoted_model_is_tested_on_what_stands(client: TestClient, fleet: Fleet) -> None:
    """Placed by a fit that predicted 2.76 of the 9 that are offered. Another one is promoted, by which router 20 and
    firewall 10 do 1 / (1/20 + 1/10 + .062) = 4.72: without a move it is measured, by the plan that stands."""
    promoted({"router": 10.0, "firewall": 5.0})
    made = placed(client)
    second = promoted({"router": 20.0, "firewall": 10.0})
    assert judge() == 0, "taken up; the window has not begun"
    measured(14, delivered=2.8)
    assert judge() == 1
    (found,) = outcomes(client)
    assert (found["plan_id"], found["version"], found["test"]) == (made.id, f"fit-{second}", "informative")
    assert found["predicted_mpps"] == pytest.approx(1 / 0.212)
    assert judge() == 0, "and is taken up once"


def test_a_chain_that_is_predicted_to_carry_nothing_is_tested(client: TestClient, fleet: Fleet) -> None:
    promoted({"router": 10.0, "firewall": 5.0})
    made = placed(client)
    nothing = predictions(made)[0].model_copy(update={"throughput_mpps": 0.0, "capacity_mpps": 0.0})
    with session_scope() as session:
        row = plans.get(session, made.id, lock=True, body=True)
        assert row is not None and made.body is not None
        row.body = canonical_json(made.body.model_copy(update={"predictions": (nothing,)})).decode()
        row.tested = False
    judge()
    measured(14, delivered=2.8)
    assert judge() == 1
    (found,) = outcomes(client)
    assert (found["predicted_mpps"], found["test"]) == (0.0, "informative")
