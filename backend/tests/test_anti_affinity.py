"""Chains of one anti-affinity group never come to stand together: in plans, when rivals apply them at the same moment,
and when a group is given or changed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from agent_peer import chain_json
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, placed, plan, submit, work
from httpx import Response
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.errors import SextantError
from sextant_backend.kit.principal import Principal
from sextant_backend.modules.chain_requests import group_change
from sextant_backend.modules.chain_requests import service as chain_requests
from sextant_backend.modules.chains import repository as chains
from sextant_backend.modules.plans import planner
from sextant_backend.modules.plans import service as plans
from sextant_domain.chains.anti_affinity import AntiAffinity
from sextant_domain.console.access import Role
from sextant_domain.plans.plan import Plan, PlanState

ADA = Principal("ada", Role.OPERATOR)
WEB = {"group": "web", "scope": "host"}


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    with a_fleet(tmp_path, "edge-1", "edge-2") as made:
        yield made


def submitted(client: TestClient, name: str, host: str | None = None, group: dict[str, str] | None = WEB) -> Plan:
    """A chain of the group and its plan."""
    asked: dict[str, Any] = {**chain_json(name, "router"), "anti_affinity": group}
    if host is not None:
        asked["ingress"] = {"host": host}
    answer = client.post(f"{API}/chains", json=asked)
    assert answer.status_code == 201, answer.text
    planner.make(answer.json()["plan_id"])
    return plan(client, answer.json()["plan_id"])


def give(client: TestClient, name: str, group: dict[str, str] | None) -> Response:
    tag = client.get(f"{API}/chains/{name}").headers["ETag"]
    return client.put(f"{API}/chains/{name}/anti-affinity", json={"anti_affinity": group}, headers={"If-Match": tag})


def hosts_of(made: Plan) -> set[str]:
    assert made.body is not None
    return {nf.seat.host for nf in made.body.after}


def test_a_replica_without_a_host_of_its_own_is_previewed_without_its_group(client: TestClient, fleet: Fleet) -> None:
    for name in ("web-a", "web-b"):
        work(apply(client, submitted(client, name)).id)
    third = submitted(client, "web-c")
    assert third.body is not None
    way = next(one for one in third.body.rejected[0].relaxations if "without anti-affinity group web" in one.text)
    assume = [one.model_dump(mode="json") for one in way.assume]
    assert assume == [{"kind": "together", "name": "web"}]
    intent = {"kind": "place", "chain": "web-c", "assume": assume}
    asked = client.post(f"{API}/plans", json={"intent": intent})
    assert asked.status_code == 202, asked.text
    planner.make(asked.json()["id"])
    preview = plan(client, asked.json()["id"])
    assert preview.body is not None
    assert (preview.source, len(preview.body.changes), preview.applicable) == ("preview", 1, False)
    wrong = {**intent, "assume": [{"kind": "together", "name": "mail"}]}
    answer = client.post(f"{API}/plans", json={"intent": wrong})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "intent.assume.0.name")


def test_two_replicas_get_two_hosts_and_a_third_is_told_who_holds_them(client: TestClient, fleet: Fleet) -> None:
    first = submitted(client, "web-a")
    work(apply(client, first).id)
    second = submitted(client, "web-b")
    assert hosts_of(first) | hosts_of(second) == {"edge-1", "edge-2"}
    work(apply(client, second).id)
    third = submitted(client, "web-c")
    assert third.body is not None
    (rejected,) = third.body.rejected
    assert "edge-1 holds web-" in rejected.reason and "of anti-affinity group web" in rejected.reason
    assert (rejected.relax or "").startswith("place it without anti-affinity group web: then edge-1 has")
    assert any(one.check == "anti-affinity" and one.ok for one in second.body.checks) if second.body else False


def test_chains_are_listed_by_group(client: TestClient, fleet: Fleet) -> None:
    submitted(client, "web-a")
    submitted(client, "db-a", group={"group": "db"})
    submit(client, "free")
    items = client.get(f"{API}/chains", params={"anti_affinity": "db"}).json()["items"]
    assert [(one["spec"]["name"], one["spec"]["anti_affinity"]["scope"]) for one in items] == [("db-a", "host")]
    assert len(client.get(f"{API}/chains").json()["items"]) == 3


def test_of_two_plans_for_one_host_the_second_is_stale(client: TestClient, fleet: Fleet) -> None:
    """Each was made while the other chain stood nowhere, for the only host that its chain may go to."""
    rivals = [submitted(client, name, host="edge-1").id for name in ("web-a", "web-b")]

    def apply_it(plan_id: int) -> str:
        try:
            with session_scope() as session:
                plans.apply(session, plans.found(session, plan_id, lock=True, body=True), ADA)
        except SextantError as error:
            return error.kind
        return "done"

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(apply_it, rivals)) == ["done", "host-busy"]
    (begun,) = client.get(f"{API}/operations").json()["items"]
    work(begun["id"])
    left = next(one for one in rivals if plan(client, one).state is not PlanState.APPLIED)
    answer = client.post(f"{API}/plans/{left}/apply", headers={"If-Match": f'"{plan(client, left).digest}"'})
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:stale-plan")
    assert len(chains_on(client, "edge-1")) == 1


def chains_on(client: TestClient, host: str) -> list[str]:
    return [one["spec"]["name"] for one in client.get(f"{API}/chains", params={"host": host}).json()["items"]]


def test_a_group_given_since_keeps_a_plan_from_being_applied_until_it_is_taken_back(
    client: TestClient, fleet: Fleet
) -> None:
    """web-a runs on edge-1 without a group while the plan of web-b for edge-1 is made."""
    work(apply(client, submitted(client, "web-a", host="edge-1", group=None)).id)
    made = submitted(client, "web-b", host="edge-1")
    assert hosts_of(made) == {"edge-1"}
    assert give(client, "web-a", WEB).status_code == 200

    tag = {"If-Match": f'"{made.digest}"'}
    answer = client.post(f"{API}/plans/{made.id}/apply", headers=tag)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:chains-together")
    assert "web-a and web-b (group web) on edge-1" in answer.json()["detail"]
    assert plan(client, made.id).state is PlanState.PROPOSED

    assert give(client, "web-a", None).status_code == 200
    assert client.post(f"{API}/plans/{made.id}/apply", headers=tag).status_code == 202


def test_a_group_that_a_running_chain_breaks_is_refused_with_whom_it_stands(client: TestClient, fleet: Fleet) -> None:
    for name in ("web-a", "web-b"):
        work(apply(client, submitted(client, name, host="edge-1", group=None)).id)
    assert give(client, "web-a", WEB).status_code == 200, "nobody else has the group yet"
    answer = give(client, "web-b", WEB)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:stands-together")
    assert "web-b stands with web-a on edge-1" in answer.json()["detail"]
    assert "anti_affinity" not in client.get(f"{API}/chains/web-b").json()["spec"]
    assert give(client, "web-b", {"group": "other"}).status_code == 200
    entries = client.get(f"{API}/audit", params={"object_kind": "chain"}).json()["items"]
    given = [(one["after"]) for one in entries if one["action"] == "chain.anti_affinity"]
    assert given == [{"anti_affinity": {"group": "other", "scope": "host"}}, {"anti_affinity": WEB}]


def test_what_stands_together_all_the_same_is_shown_on_both(client: TestClient, fleet: Fleet) -> None:
    """As after accepting what a host was found to run: written past the console."""
    for name in ("web-a", "web-b"):
        work(apply(client, submitted(client, name, host="edge-1", group=None)).id)
    assert client.get(f"{API}/chains/web-a").json()["stands_with"] == []
    with session_scope() as session:
        for name in ("web-a", "web-b"):
            row = chains.living(session, name, lock=True)
            assert row is not None
            row.spec = {**row.spec, "anti_affinity": WEB}
    assert [one["stands_with"] for one in client.get(f"{API}/chains").json()["items"]] == [
        [{"chain": "web-b", "host": "edge-1", "node": None}],
        [{"chain": "web-a", "host": "edge-1", "node": None}],
    ]


def test_a_chain_that_is_nowhere_is_planned_anew_with_its_group(client: TestClient, fleet: Fleet) -> None:
    work(apply(client, submitted(client, "web-a", host="edge-1")).id)
    made = submitted(client, "web-b", host="edge-1", group=None)
    assert hosts_of(made) == {"edge-1"}
    assert give(client, "web-b", WEB).status_code == 200
    assert plan(client, made.id).state is PlanState.SUPERSEDED
    newest = client.get(f"{API}/chains/web-b").json()["plan_id"]
    planner.make(newest)
    body = plan(client, newest).body
    assert newest > made.id and body is not None and body.rejected[0].chain == "web-b"


def test_a_group_is_not_given_while_an_operation_works_on_the_host(client: TestClient, fleet: Fleet) -> None:
    """web-b is on its way to edge-1, where web-a runs; a group for web-a now would be broken as it arrives."""
    work(apply(client, submitted(client, "web-a", host="edge-1", group=None)).id)
    begun = apply(client, submitted(client, "web-b", host="edge-1"))
    answer = give(client, "web-a", WEB)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:host-busy")
    work(begun.id)
    assert give(client, "web-a", WEB).json()["type"] == "urn:sextant:problem:stands-together"


def test_giving_a_group_and_applying_a_plan_at_the_same_moment(client: TestClient, fleet: Fleet) -> None:
    """Whoever comes second is refused; never both."""
    work(apply(client, submitted(client, "web-a", host="edge-1", group=None)).id)
    made = submitted(client, "web-b", host="edge-1")

    def rival(number: int) -> str:
        try:
            with session_scope() as session:
                if number:
                    plans.apply(session, plans.found(session, made.id, lock=True, body=True), ADA)
                else:
                    row = chain_requests.found_for_change(session, "web-a")
                    group_change.change(session, row, AntiAffinity(group="web"), ADA)
        except SextantError as error:
            return error.kind
        return "done"

    with ThreadPoolExecutor(2) as pool:
        came = list(pool.map(rival, range(2)))
    assert came in (["done", "chains-together"], ["host-busy", "done"])


@pytest.mark.parametrize("group", [{"group": "Web!"}, {"group": "web", "scope": "rack"}, {"scope": "host"}, "web"])
def test_a_group_that_is_none_is_refused_with_its_field(client: TestClient, fleet: Fleet, group: Any) -> None:
    placed(client, "web-a")
    answer = give(client, "web-a", group)
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"].startswith("anti_affinity")
