"""A chain with an NF type nobody has profiled: its profiling starts, its plan waits, and goes on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, plan
from model_world import HOST_MODEL
from nf_types_world import registered
from profiling_world import JOBS, an_ask, steer, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.models import fitting
from sextant_backend.modules.plans import planner
from sextant_backend.modules.profiling import claim_next, repository
from sextant_backend.modules.profiling.operator_actions import STALE
from sextant_backend.modules.profiling.record import JobClaimed
from sextant_backend.sweep import sweep
from sextant_domain.chains.chain import Egress, Ingress
from sextant_domain.chains.traffic import Traffic
from sextant_domain.hosts.desired import DesiredChain, DesiredHostConfig, DesiredNf, HostContent
from sextant_domain.hosts.host import PROFILING_BESIDE_CHAINS, Capability
from sextant_domain.plans.plan import Plan, PlanState
from sextant_domain.problem import Problem
from sextant_domain.profiling.job import JobState
from sqlalchemy import text


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", "edge-2", cores=6) as made:
        yield made


def submitted(client: TestClient, name: str, *nfs: Any, **more: Any) -> Plan:
    traffic = {"rate_mpps": 0.2, "packet_bytes": 256}
    answer = client.post(f"{API}/chains", json={"name": name, "nfs": list(nfs), "traffic": traffic, **more})
    assert answer.status_code == 201, answer.text
    planner.make(answer.json()["plan_id"])
    return plan(client, answer.json()["plan_id"])


def jobs(client: TestClient) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(JOBS).json()["items"]
    return found


def test_the_plan_of_a_chain_with_an_unknown_type_waits_until_its_model_is_promoted(
    client: TestClient, fleet: Fleet
) -> None:
    registered(client, "edge-firewall")
    waiting = submitted(client, "web", "edge-firewall")
    assert (waiting.state, waiting.body) == (PlanState.PLANNING, None)
    assert waiting.waits_for is not None
    assert waiting.waits_for.reason == "waits for models: edge-firewall is profiled on edge-1 (job 1)"
    assert (waiting.waits_for.nf_types, waiting.waits_for.job_ids) == (("edge-firewall",), (1,))
    (job,) = jobs(client)
    assert (job["ask"]["nf_type"], job["ask"]["host"]) == ("edge-firewall", "edge-1")
    (listed,) = client.get(f"{API}/plans").json()["items"]
    assert listed["waits_for"]["job_ids"] == [1]
    with session_scope() as session:
        assert planner.to_ring(session) == [], "the sweep rings for nobody"

    done = work(1)
    assert done.state is JobState.COMPLETED and done.fit_id is not None
    assert waiting_for(client, waiting.id) == "waits for models: models of edge-firewall are fitted (fit 1)"
    fitting.make(done.fit_id)
    assert waiting_for(client, waiting.id) == "waits for models: fit 1 has a model of edge-firewall; promote it"
    answer = client.post(
        f"{API}/fits/{done.fit_id}/promotion",
        json={"nf_types": ["edge-firewall"]},
        headers={"If-Match": client.get(f"{API}/fits/{done.fit_id}").headers["ETag"]},
    )
    assert answer.status_code == 200, answer.text
    with session_scope() as session:
        assert planner.to_ring(session) == [waiting.id], "also where the ring was lost"
    planner.make(waiting.id)
    made = plan(client, waiting.id)
    assert (made.state, made.waits_for) == (PlanState.PROPOSED, None)
    assert made.body is not None
    assert [use.version for use in made.body.evidence.models] == [f"fit-{done.fit_id}"]


def test_a_plan_of_the_whole_fleet_leaves_out_what_waits_and_says_so(client: TestClient, fleet: Fleet) -> None:
    """web waits for a model of edge-firewall, other for nothing: its plan was not applied yet."""
    registered(client, "edge-firewall")
    waiting = submitted(client, "web", "edge-firewall")
    submitted(client, "other", "router")

    def asked() -> Plan:
        answer = client.post(f"{API}/plans", json={"intent": {"kind": "replace"}})
        assert answer.status_code == 202, answer.text
        planner.make(answer.json()["id"])
        return plan(client, answer.json()["id"])

    body = asked().body
    assert body is not None
    assert {change.chain for change in body.changes} == {"other"}
    assert body.warnings[0] == (
        "web is left out: its plan 1 waits for models: edge-firewall is profiled on edge-1 (job 1); to place it on "
        "assumed figures: sextant plans proceed 1"
    )
    assert client.post(f"{API}/plans/{waiting.id}/proceed").status_code == 200
    body = asked().body
    assert body is not None
    assert {change.chain for change in body.changes} == {"other", "web"}


def waiting_for(client: TestClient, plan_id: int) -> str:
    """What it waits for, after a sweep."""
    with session_scope() as session:
        sweep(session)
    found = plan(client, plan_id)
    assert found.state is PlanState.PLANNING and found.waits_for is not None
    return found.waits_for.reason


@pytest.mark.parametrize(
    ("action", "says"),
    [
        ("pause", "profiling of edge-firewall on edge-1 is paused; resume job 1"),
        (
            "cancel",
            "profiling of edge-firewall was cancelled (job 1); start another: "
            "sextant profile start edge-firewall --host edge-1, or use assumed figures",
        ),
    ],
)
def test_a_plan_says_what_keeps_its_profiling(client: TestClient, fleet: Fleet, action: str, says: str) -> None:
    registered(client, "edge-firewall")
    waiting = submitted(client, "web", "edge-firewall")
    steer(client, 1, action)
    assert waiting_for(client, waiting.id) == f"waits for models: {says}"


def test_a_plan_follows_the_newest_job_and_the_newest_model(client: TestClient, fleet: Fleet) -> None:
    """Job 1 is cancelled, job 2 is an operator's, on another host of the model; then one more fit is asked for."""
    registered(client, "edge-firewall")
    waiting = submitted(client, "web", "edge-firewall")
    steer(client, 1, "cancel")
    second = client.post(JOBS, json={"nf_type": "edge-firewall", "host": "edge-2"}).json()["id"]
    assert waiting_for(client, waiting.id) == f"waits for models: edge-firewall is profiled on edge-2 (job {second})"
    assert plan(client, waiting.id).waits_for.job_ids == (second,)
    done = work(second)
    assert done.fit_id is not None
    fitting.make(done.fit_id)
    assert (
        waiting_for(client, waiting.id)
        == f"waits for models: fit {done.fit_id} has a model of edge-firewall; promote it"
    )
    with session_scope() as session:
        newer = fitting.request(session, HOST_MODEL).id
    assert waiting_for(client, waiting.id) == f"waits for models: models of edge-firewall are fitted (fit {newer})"
    fitting.make(newer)
    assert waiting_for(client, waiting.id) == f"waits for models: fit {newer} has a model of edge-firewall; promote it"


def test_a_plan_distinguishes_a_job_that_failed_from_one_that_is_out_of_date(client: TestClient, fleet: Fleet) -> None:
    registered(client, "edge-firewall")
    waiting = submitted(client, "web", "edge-firewall")
    with session_scope() as session:
        job = repository.job(session, 1, lock=True)
        other = Problem(type="about:blank", title="No", status=500, detail="no")
        claim_next.apply(session, job, JobClaimed(stale=other))
    assert waiting_for(client, waiting.id) == (
        "waits for models: profiling of edge-firewall failed; see why and retry job 1, or use assumed figures"
    )
    with session_scope() as session:
        job = repository.job(session, 1, lock=True)
        stale = Problem(type=STALE, title="The NF type has changed", status=409, detail="it has another version")
        claim_next.apply(session, job, JobClaimed(stale=stale))
    assert "edge-firewall is out of date (job 1); start another: sextant profile start" in waiting_for(
        client, waiting.id
    )
    offers = {one["action"]: one["reason"] for one in client.get(f"{JOBS}/1").json()["actions"]}
    assert offers["retry"] == "the NF type has changed: start a new job"


def test_it_goes_on_at_once_with_assumed_figures_where_an_operator_says_so(client: TestClient, fleet: Fleet) -> None:
    registered(client, "edge-firewall")
    waiting = submitted(client, "web", "edge-firewall")
    answer = client.post(f"{API}/plans/{waiting.id}/proceed")
    assert answer.status_code == 200, answer.text
    assert answer.json()["waits_for"] is None
    planner.make(waiting.id)
    body = plan(client, waiting.id).body
    assert body is not None
    assert body.warnings[0] == (
        "edge-1: edge-firewall was never profiled on this host model, figures are those assumed of firewall; profile it"
    )
    assert jobs(client)[0]["state"] == "QUEUED", "its profiling goes on"
    again = client.post(f"{API}/plans/{waiting.id}/proceed")
    assert again.status_code == 409


def test_a_plan_that_waits_can_be_cancelled(client: TestClient, fleet: Fleet) -> None:
    registered(client, "edge-firewall")
    waiting = submitted(client, "web", "edge-firewall")
    assert client.post(f"{API}/plans/{waiting.id}/reject").json()["state"] == "rejected"
    assert plan(client, waiting.id).waits_for is None


def test_two_chains_wait_for_one_job(client: TestClient, fleet: Fleet) -> None:
    registered(client, "edge-firewall")
    submitted(client, "web", "edge-firewall")
    second = submitted(client, "other", "router", "edge-firewall")
    assert second.waits_for is not None and second.waits_for.job_ids == (1,)
    assert len(jobs(client)) == 1


def test_another_type_is_profiled_on_the_host_with_fewer_jobs(client: TestClient, fleet: Fleet) -> None:
    registered(client, "edge-firewall")
    registered(client, "edge-nat", implementation="nat")
    submitted(client, "web", "edge-firewall", "edge-nat")
    assert {job["ask"]["nf_type"]: job["ask"]["host"] for job in jobs(client)} == {
        "edge-firewall": "edge-1",
        "edge-nat": "edge-2",
    }


def test_built_in_types_never_wait(client: TestClient, fleet: Fleet) -> None:
    made = submitted(client, "web", "router", "firewall")
    assert (made.state, made.waits_for) == (PlanState.PROPOSED, None)
    assert jobs(client) == []


def test_where_no_host_can_profile_nobody_waits_and_the_plan_says_so(client: TestClient, fleet: Fleet) -> None:
    with session_scope() as session:
        session.execute(
            text(
                'UPDATE hosts SET inventory = jsonb_set(inventory, \'{capabilities}\', \'[{"name": "profiling",'
                ' "available": false, "reason": "sextant-measure is not built"}]\')'
            )
        )
    registered(client, "edge-firewall")
    made = submitted(client, "web", "edge-firewall")
    assert made.waits_for is None and made.body is not None
    assert made.body.warnings[0].endswith("it cannot be profiled there: sextant-measure is not built")
    assert jobs(client) == []


def test_a_host_of_which_no_model_can_come_is_passed_over(client: TestClient, fleet: Fleet) -> None:
    """Of edge-1's six cores four are taken: everything would stand beside one competitor. A job there says so before it
    starts, and names edge-2, of the same model, where all are free."""
    take_cores("edge-1", 1, 2, 3, 4)
    registered(client, "edge-firewall")
    answer = client.post(f"{API}/profiling/designs", json={"nf_type": "edge-firewall", "host": "edge-1"})
    assert answer.status_code == 200, answer.text
    thin = answer.json()
    assert thin["no_model"].startswith(
        "too few samples: 'local' only beside 1 of up to 5 competitors; profile it again"
    )
    assert "2 cores of node 0 are free, 4 of 6 are taken by NFs" in " ".join(thin["left_out"])
    assert thin["roomier_host"] == "edge-2"
    submitted(client, "other", "edge-firewall")
    assert [job["ask"]["host"] for job in jobs(client)] == ["edge-2"]
    take_cores("edge-2", 1, 2, 3, 4)
    registered(client, "edge-nat", implementation="nat")
    made = submitted(client, "third", "edge-nat")
    assert made.waits_for is None, "neither host could make one: figures are assumed, and the plan says so"


def take_cores(host: str, *cores: int) -> None:
    """NFs of chains that were ordered there."""
    chains = tuple(
        DesiredChain(
            chain=f"web-{core}",
            nfs=(DesiredNf(nf_id=f"web-{core}.router", nf_type="router", nf_version=1, config={}, core=core),),
            ingress=Ingress(),
            egress=Egress(),
            traffic=Traffic(rate_mpps=0.1, packet_bytes=64),
        )
        for core in cores
    )
    with session_scope() as session:
        hosts.set_desired(session, DesiredHostConfig.of(1, HostContent(host_id=host, chains=chains)))


def test_a_chain_that_names_its_host_is_profiled_there(client: TestClient, fleet: Fleet) -> None:
    registered(client, "edge-firewall")
    made = submitted(client, "web", "edge-firewall", ingress={"host": "edge-2"})
    assert made.waits_for is not None
    assert [job["ask"]["host"] for job in jobs(client)] == ["edge-2"]
    assert jobs(client)[0]["host_model"] == HOST_MODEL


def like_opennetvm(host: str) -> None:
    """It measures alone, with few flows, and only while it carries no chain."""
    cannot = Capability(name=PROFILING_BESIDE_CHAINS, available=False, reason="managers poll")
    with session_scope() as session:
        inventory = hosts.one(session, host).inventory
        assert inventory is not None
        more = {"capabilities": (*inventory.capabilities, cannot), "most_flows": 8192}
        hosts.register(session, inventory.model_copy(update=more), hosts.reach(session, host).url or "")


def test_a_host_that_plays_few_flows_is_asked_for_no_more(client: TestClient, fleet: Fleet) -> None:
    registered(client, "edge-firewall")
    like_opennetvm("edge-2")
    submitted(client, "web", "edge-firewall", ingress={"host": "edge-2"})
    assert [job["ask"]["flows"] for job in jobs(client)] == [8192]
    designed = client.post(f"{API}/profiling/designs", json=an_ask("edge-2"))
    assert (designed.status_code, designed.json()["ask"]["flows"]) == (200, 8192), designed.text
    assert client.post(f"{API}/profiling/designs", json=an_ask("edge-1")).json()["ask"]["flows"] == 100_000
    refused = client.post(JOBS, json=an_ask("edge-2", flows=8193))
    assert refused.status_code == 422
    assert refused.json()["errors"] == [
        {"field": "flows", "message": "edge-2 plays 8192 flows at most: ask for no more"}
    ]


def test_a_host_that_measures_only_without_chains_is_not_waited_for_while_it_has_some(
    client: TestClient, fleet: Fleet
) -> None:
    registered(client, "edge-firewall")
    like_opennetvm("edge-2")
    take_cores("edge-2", 5)
    made = submitted(client, "web", "edge-firewall", ingress={"host": "edge-2"})
    assert (made.waits_for, jobs(client)) == (None, []), "its plan is made on assumed figures"
    refused = client.post(JOBS, json=an_ask("edge-2", flows=8192))
    assert refused.status_code == 409
    assert "edge-2 measures only while it carries no chain (managers poll), and carries web-5" in refused.text
