"""A plan by an assigner of sfc2cpu from request to host: newcomers get the cores that it names, and nobody moves."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, work
from outcome_world import placed, promoted
from sextant_backend.modules.plans import planner
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    """Core 0 is kept for last; cores 1 and 2 take eight NFs each. A firewall carries 5 Mpps alone, a router 10."""
    with a_fleet(tmp_path, "edge-1", cores=3) as made:
        promoted({"router": 10.0, "firewall": 5.0})
        yield made


def asked(client: TestClient, name: str, rate: float, *nfs: str, algorithm: str = "min_max") -> Plan:
    """Submitted, and then planned by an assigner."""
    spec = chain_json(name, *nfs, rate_mpps=rate)
    assert client.post(f"{API}/chains", json=spec).status_code == 201
    how = {"intent": {"kind": "place", "chain": name}, "algorithm": algorithm}
    answer = client.post(f"{API}/plans", json=how)
    assert answer.status_code == 202, answer.text
    planner.make(answer.json()["id"])
    return plan(client, answer.json()["id"])


def cores(made: Plan) -> dict[str, int]:
    assert made.body is not None
    return {nf.nf_id: nf.seat.core for nf in made.body.after}


@pytest.mark.usefixtures("fleet")
def test_newcomers_share_a_core_and_what_runs_stays(client: TestClient) -> None:
    """`old` asks its core for 4 / 5 = 80 %, `web` for 1 / 10 and 1 / 5: 30 % of the other one, which both share."""
    before = cores(placed(client, "old", 4.0, "firewall"))
    made = asked(client, "web", 1.0, "router", "firewall")
    assert made.body is not None
    [host] = made.body.evidence.hosts
    assert host.assigned is not None
    assert (host.status, host.assigned.fullest_percent, host.assigned.moves) == ("optimal", pytest.approx(80.0), 0)
    found = cores(made)
    assert found["web.router"] == found["web.firewall"] == 3 - before["old.firewall"]
    done = work(apply(client, made).id)
    assert done.state is OperationState.COMPLETED, done.error
    stands = {nf["nf_id"]: nf["seat"]["core"] for nf in client.get(f"{API}/nfs").json()["items"]}
    assert stands == {**before, "web.router": found["web.router"], "web.firewall": found["web.firewall"]}


@pytest.mark.usefixtures("fleet")
def test_a_type_that_was_never_measured_is_rejected_with_what_to_do(client: TestClient) -> None:
    made = asked(client, "web", 1.0, "nat", algorithm="lpt")
    assert made.body is not None
    [rejection] = made.body.rejected
    assert "no model in use says how much of a core of edge-1 is needed by nat" in rejection.reason


def test_an_assigner_that_plans_have_not_is_refused(client: TestClient) -> None:
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}, "algorithm": "oracle"})
    assert answer.status_code == 422
