"""Other algorithms on the snapshots of recommendations, scored later."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, work
from recommendation_world import AT_ONCE, a_far_firewall, decided, look, recommendations, set_policy
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.outcomes.models import OutcomeRow
from sextant_backend.modules.races import racing, scoring
from sextant_backend.modules.races.scoring import Leg
from sextant_domain.base import Provenance
from sextant_domain.evidence import Algorithm
from sextant_domain.operation import OperationState
from sextant_domain.race import Race
from sextant_domain.trust import Outcome, Told


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_far_firewall(client, tmp_path) as made:
        yield made


def race(client: TestClient) -> Race:
    answer = client.get(f"{API}/races/1")
    assert answer.status_code == 200, answer.text
    assert client.get(f"{API}/races").json()["items"] == [answer.json()]
    assert client.get(f"{API}/races?plan={answer.json()['plan_id'] + 1}").json()["items"] == []
    return Race.model_validate_json(answer.content)


def an_outcome(chain: str, nf_type: str, predicted: float, measured: float, told: Told = Told.TELLING) -> Outcome:
    return Outcome(
        id=1,
        plan_id=1,
        chain=chain,
        host="edge-1",
        host_model="xeon",
        nf_id=f"{chain}.n",
        nf_type=nf_type,
        predictor="octans",
        version="fit-1",
        predicted_mpps=predicted,
        low_mpps=None,
        high_mpps=None,
        measured_mpps=measured,
        offered_mpps=9.0,
        told=told,
        seconds=10.0,
        provenance="measured",
        at=datetime.now(UTC),
    )


def a_leg(algorithm: Algorithm | None, node: int, mpps: float) -> Leg:
    """Chain `a` on edge-1 with its firewall on that node; chain `b` on edge-2 alone, as ever."""
    return Leg(
        algorithm=algorithm,
        nodes={"a.firewall": node, "b.router": 0},
        host_of={"a": "edge-1", "b": "edge-2"},
        predicted={"a": mpps, "b": 4.0},
        bottleneck={"a": "firewall", "b": "router"},
        values={"a": 2.0, "b": 1.0},
    )


def test_the_same_placement_is_measured_and_another_is_corrected() -> None:
    """`a` was predicted to carry 8 and carried 6: predictions with firewalls are 0.75 of what they say. On the other
    node it is predicted 5, so 3.75 came of it; `b` stands the same and carried 3.9. 2 x 3.75 + 3.9 = 11.4."""
    ran, other = a_leg(None, 0, 8.0), a_leg(Algorithm.NODE_FIRST, 1, 5.0)
    windows = {"a": an_outcome("a", "firewall", 8.0, 6.0), "b": an_outcome("b", "router", 4.0, 3.9)}
    found = scoring.entry(other, ran, windows)
    first, second = found.chains
    assert (first.same, first.mpps, first.basis) == (False, pytest.approx(3.75), "predicted")
    assert (second.same, second.mpps, second.basis) == (True, 3.9, "measured")
    assert (found.differs, found.predicted_mpps, found.later_mpps) == (1, 14.0, pytest.approx(11.4))


def test_what_was_offered_too_little_corrects_only_where_nothing_else_was_told() -> None:
    """`a` carried all it was offered, 8 of 8: nothing is known against its 5 on the other node. Where another firewall
    chain told something, 6 of 8, that counts alone: 3.75. Of routers nothing is known."""
    ran, other = a_leg(None, 0, 8.0), a_leg(Algorithm.NODE_FIRST, 1, 5.0)
    met = an_outcome("a", "firewall", 8.0, 8.0, Told.OFFERED_TOO_LITTLE)
    found = scoring.entry(other, ran, {"a": met})
    assert [(one.mpps, one.basis) for one in found.chains] == [(5.0, "predicted"), (None, None)]
    assert found.later_mpps is None
    assert scoring.corrections({"c": an_outcome("c", "firewall", 8.0, 6.0), "a": met}) == {"firewall": 0.75}


def test_every_algorithm_has_a_turn_while_nobody_waits_for_a_plan(client: TestClient, fleet: Fleet) -> None:
    """`exact` finds the recommended placement, 9 Mpps, proved best; what it carried, 8.1, was measured for both."""
    set_policy(client, **AT_ONCE)
    look()
    assert race(client).waiting == racing.ALGORITHMS
    asked = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}}).json()["id"]
    racing.turn()
    assert race(client).waiting == racing.ALGORITHMS, "a plan waits to be made"
    assert client.post(f"{API}/plans/{asked}/reject").status_code == 200
    for _ in range(len(racing.ALGORITHMS) + 1):
        racing.turn()
    found = race(client)
    assert (found.waiting, found.predicted_mpps, found.measured_mpps) == ((), pytest.approx(9.0), None)
    assert [one.algorithm for one in found.entries] == list(racing.ALGORITHMS)
    assert all(one.error is None for one in found.entries)
    exact = found.entries[0]
    assert (exact.differs, exact.moves, exact.predicted_mpps) == (0, 1, pytest.approx(9.0))
    assert exact.chains[0].basis is None, "nothing was measured yet"


def test_it_is_scored_once_the_plan_was_measured(client: TestClient, fleet: Fleet) -> None:
    set_policy(client, **AT_ONCE)
    look()
    for _ in racing.ALGORITHMS:
        racing.turn()
    [made] = recommendations(client)
    operation_id = decided(client, made.id, "accept").operation_id
    assert operation_id is not None
    assert work(operation_id).state is OperationState.COMPLETED
    with session_scope() as session:
        told = an_outcome("web", "firewall", 9.0, 8.1).model_dump(exclude={"id", "plan_id", "host", "chain", "at"})
        how = {"told": "telling", "provenance": "simulated"}
        session.add(OutcomeRow(**{**told, **how}, plan_id=made.plan_id, chain="web", host_id="edge-1"))
    found = race(client)
    assert found.measured_mpps == pytest.approx(8.1)
    same = [one for one in found.entries if one.differs == 0]
    assert Algorithm.EXACT in {one.algorithm for one in same}
    assert all((one.later_mpps, one.chains[0].basis) == (pytest.approx(8.1), "measured") for one in same)
    assert {(one.provenance.value, str(one.later_provenance)) for one in same} == {("assumed", "simulated")}
    assert found.measured_provenance is Provenance.SIMULATED
