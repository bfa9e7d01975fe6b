"""Chains over several hosts: submitted whole, ordered from their end, removed from their begin, and never in part."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from console_world import an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, Fleet, a_fleet, apply, plan, work
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.audit.models import AuditRow
from sextant_backend.modules.hosts import repository
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.operations import repository as operations
from sextant_backend.modules.plans import planner
from sextant_domain.chains.chain_file import ChainFile
from sextant_domain.chains.part import MIN_FLEET_TAG, OVER_HOSTS
from sextant_domain.hosts.host import Capability
from sextant_domain.hosts.packet_capture import PacketCapture
from sextant_domain.hosts.path import PathPlace
from sextant_domain.plans.operation import OperationState
from sextant_domain.plans.plan import Plan
from sqlalchemy import func, select

CHAINS = f"{API}/chains"
NAMES = ("edge-1", "edge-2")


@pytest.fixture
def fleet(client: TestClient, tmp_path: Path) -> Iterator[Fleet]:
    """Two hosts with a link between them."""
    with a_fleet(tmp_path, *NAMES) as made:
        for number, name in enumerate(NAMES, start=1):
            other = 3 - number
            place = PathPlace.model_validate({
                "locator": f"fc00:0:{number}::/48", "mtu": 9000, "sources": [f"fc00:0:{other}::"],
                "links": [{"port": "eth1", "mtu": 9200, "to": [f"fc00:0:{other}::/48"]}],
            })  # fmt: skip
            known = an_inventory(name)
            able = (*known.capabilities, Capability(name=OVER_HOSTS, available=True, reason="a test says so"))
            with session_scope() as session:
                found = known.model_copy(update={"capabilities": able, "path_place": place})
                hosts.register(session, found, made.peers[name].url)
        yield made


def in_parts(name: str = "web", **changes: Any) -> list[dict[str, Any]]:
    asked = {
        "apiVersion": "sextant/v1", "kind": "Chain", "name": name, "traffic": {"rate_mpps": 0.01, "packet_bytes": 600},
        "path": [{"nfs": ["router"], "host": "edge-1"}, {"nfs": ["firewall", "nids"], "host": "edge-2"}],
    }  # fmt: skip
    return [spec.model_dump(mode="json") for spec in ChainFile.model_validate({**asked, **changes}).specs()]


def submitted(client: TestClient, name: str = "web", **changes: Any) -> Plan:
    answer = client.post(f"{CHAINS}/batches", json={"chains": in_parts(name, **changes)})
    assert answer.status_code == 201, answer.text
    planner.make(answer.json()["plan_id"])
    return plan(client, answer.json()["plan_id"])


def listed(client: TestClient, of: str = "web") -> dict[str, dict[str, Any]]:
    found = client.get(CHAINS, params={"part_of": of}).json()["items"]
    return {one["spec"]["name"]: one for one in found}


def etag(client: TestClient, name: str) -> dict[str, str]:
    return {"If-Match": client.get(f"{CHAINS}/{name}").headers["ETag"]}


def waits(operation_id: int) -> dict[str, tuple[str, ...]]:
    with session_scope() as session:
        rows = operations.load(session, operation_id)
        assert rows is not None
        return {host.host: host.waits_for for host in rows.record().hosts}


def placed(client: TestClient) -> int:
    operation = apply(client, submitted(client))
    assert waits(operation.id) == {"edge-1": ("edge-2",), "edge-2": ()}, "from its end to its begin"
    assert work(operation.id).state is OperationState.COMPLETED
    return operation.id


def test_parts_are_ordered_together_and_removed_together(client: TestClient, fleet: Fleet) -> None:
    placed(client)
    there = listed(client)
    assert {name: one["state"] for name, one in there.items()} == {"web": "running", "web-part-2": "running"}
    assert {one["spec"]["part"]["tag"] for one in there.values()} == {MIN_FLEET_TAG}
    refused = client.delete(f"{CHAINS}/web-part-2", headers=etag(client, "web-part-2"))
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:sextant:problem:part-of-chain")
    assert refused.json()["next_actions"][0]["command"] == "sextant chains delete web"
    answer = client.delete(f"{CHAINS}/web", headers=etag(client, "web"))
    assert answer.status_code == 202, answer.text
    assert waits(answer.json()["id"]) == {"edge-1": (), "edge-2": ("edge-1",)}, "from its begin to its end"
    assert work(answer.json()["id"]).state is OperationState.COMPLETED
    assert listed(client) == {}


def test_no_two_chains_have_one_tag_and_a_deleted_one_gives_its_back(client: TestClient, fleet: Fleet) -> None:
    for name in ("a", "b"):
        answer = client.post(f"{CHAINS}/batches", json={"chains": in_parts(name)})
        assert answer.status_code == 201, answer.text
    both = client.post(f"{CHAINS}/batches", json={"chains": [*in_parts("c"), *in_parts("d")]})
    assert both.status_code == 201, both.text
    tags = {name: {one["spec"]["part"]["tag"] for one in listed(client, name).values()} for name in "abcd"}
    assert tags == {name: {MIN_FLEET_TAG + at} for at, name in enumerate("abcd")}
    assert client.delete(f"{CHAINS}/b", headers=etag(client, "b")).status_code == 204
    assert listed(client, "b") == {}
    again = client.post(f"{CHAINS}/batches", json={"chains": in_parts("e")})
    assert again.status_code == 201
    assert {one["spec"]["part"]["tag"] for one in listed(client, "e").values()} == tags["b"]


def test_a_tag_that_a_request_names_is_replaced(client: TestClient, fleet: Fleet) -> None:
    asked = in_parts()
    for one in asked:
        one["part"]["tag"] = 0xFFFF
    assert client.post(f"{CHAINS}/batches", json={"chains": asked}).status_code == 201
    assert {one["spec"]["part"]["tag"] for one in listed(client).values()} == {MIN_FLEET_TAG}


def test_a_part_alone_is_refused_with_what_to_do(client: TestClient, fleet: Fleet) -> None:
    first, second = in_parts()
    for part in (first, second):
        answer = client.post(CHAINS, json=part)
        assert (answer.status_code, [one["field"] for one in answer.json()["errors"]]) == (422, ["part"])
        answer = client.post(f"{CHAINS}/batches", json={"chains": [part]})
        assert [one["field"] for one in answer.json()["errors"]] == ["chains.0.part"]
        assert "submit all parts together" in answer.text
    same = second | {"ingress": first["ingress"]}
    answer = client.post(f"{CHAINS}/batches", json={"chains": [first, same]})
    assert answer.status_code == 422
    assert "edge-1 stands twice on the path" in answer.json()["errors"][0]["message"]
    long = second | {"nfs": ["router"] * 7}
    answer = client.post(f"{CHAINS}/batches", json={"chains": [first, long]})
    assert "all parts have 7 NFs at most, not 8" in answer.json()["errors"][0]["message"]
    assert listed(client) == {}


def test_a_plan_of_one_part_names_the_others(client: TestClient, fleet: Fleet) -> None:
    submitted(client)
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "place", "chain": "web-part-2"}})
    planner.make(answer.json()["id"])
    made = plan(client, answer.json()["id"])
    assert made.body is not None and made.body.target == ()
    assert made.body.rejected[0].relax == "plan them together: sextant plans ask --chain web --chain web-part-2"


def test_undone_both_wait_again_and_on_both_hosts_or_none(client: TestClient, fleet: Fleet) -> None:
    operation_id = placed(client)
    half = {"kind": "restore", "operation_id": operation_id, "hosts": ["edge-1"]}
    refused = client.post(f"{API}/plans", json={"intent": half})
    assert refused.status_code == 409 and "on all hosts" in refused.text
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "restore", "operation_id": operation_id}})
    planner.make(answer.json()["id"])
    undoing = apply(client, plan(client, answer.json()["id"]))
    assert waits(undoing.id) == {"edge-1": (), "edge-2": ("edge-1",)}
    assert work(undoing.id).state is OperationState.COMPLETED
    assert {one["state"] for one in listed(client).values()} == {"submitted"}


FASTER = {"traffic": {"rate_mpps": 0.02, "packet_bytes": 600}}


def rates(client: TestClient) -> dict[str, float]:
    return {name: one["spec"]["traffic"]["rate_mpps"] for name, one in listed(client).items()}


def adjusted(client: TestClient, change: dict[str, Any], name: str = "web") -> Any:
    answer = client.patch(f"{CHAINS}/{name}/settings", json=change, headers=etag(client, name))
    assert answer.status_code == 202, answer.text
    return answer.json()


def test_all_parts_get_the_rate_in_one_plan_and_its_undo_gives_all_of_them_the_former(
    client: TestClient, fleet: Fleet
) -> None:
    """More enters: the end of the path is ordered first. Less enters, as the undo has it: its begin is."""
    placed(client)
    operation = adjusted(client, FASTER)
    assert operation["title"] == "Adjust web on edge-1, edge-2"
    assert waits(operation["id"]) == {"edge-1": ("edge-2",), "edge-2": ()}
    assert rates(client) == {"web": 0.01, "web-part-2": 0.01}, "the specification follows the order"
    assert work(operation["id"]).state is OperationState.COMPLETED
    assert rates(client) == {"web": 0.02, "web-part-2": 0.02}
    half = {"kind": "restore", "operation_id": operation["id"], "hosts": ["edge-2"]}
    refused = client.post(f"{API}/plans", json={"intent": half})
    assert refused.status_code == 409 and "on all hosts" in refused.text
    answer = client.post(f"{API}/plans", json={"intent": {"kind": "restore", "operation_id": operation["id"]}})
    planner.make(answer.json()["id"])
    undoing = apply(client, plan(client, answer.json()["id"]))
    assert waits(undoing.id) == {"edge-1": (), "edge-2": ("edge-1",)}
    assert work(undoing.id).state is OperationState.COMPLETED
    assert rates(client) == {"web": 0.01, "web-part-2": 0.01}


def test_a_pause_stops_the_begin_first_and_going_on_begins_at_the_end(client: TestClient, fleet: Fleet) -> None:
    placed(client)
    paused = adjusted(client, {"paused": True})
    assert waits(paused["id"]) == {"edge-1": (), "edge-2": ("edge-1",)}
    assert work(paused["id"]).state is OperationState.COMPLETED
    assert {one["spec"]["paused"] for one in listed(client).values()} == {True}
    assert waits(adjusted(client, {"paused": False})["id"]) == {"edge-1": ("edge-2",), "edge-2": ()}


def test_what_is_predicted_and_what_is_refused(client: TestClient, fleet: Fleet) -> None:
    placed(client)
    found = client.post(f"{CHAINS}/web/settings/predictions", json=FASTER).json()
    assert [(one["host"], one["chain"]) for one in found["adjustments"]] == [
        ("edge-1", "web"),
        ("edge-2", "web-part-2"),
    ]
    assert (found["host"], found["rejected"]) == ("edge-1", None)
    for wrong in (FASTER, {"paused": True}):
        refused = client.patch(f"{CHAINS}/web-part-2/settings", json=wrong, headers=etag(client, "web-part-2"))
        assert (refused.status_code, [one["field"] for one in refused.json()["errors"]]) == (422, list(wrong))
        assert "sextant chains adjust web" in refused.text


@pytest.mark.parametrize("named", ["web", "web-part-2"])
def test_packets_are_captured_where_the_chain_ends_whichever_part_is_named(
    client: TestClient, fleet: Fleet, named: str
) -> None:
    placed(client)
    answer = client.post(f"{CHAINS}/{named}/captures", json={"packets": 5})
    assert answer.status_code == 200, answer.text
    found = PacketCapture.model_validate_json(answer.content)
    assert (found.chain, found.host, found.asked_for) == ("web-part-2", "edge-2", 5)
    assert found.packets == (fleet["edge-2"].packet,)
    with session_scope() as session:
        (entry,) = session.scalars(select(AuditRow).where(AuditRow.action == "chain.capture"))
        assert (entry.subject, entry.detail) == (f"chain/{named}", {"packets": "5", "host": "edge-2"})


def test_what_cannot_be_captured_is_refused_with_its_cause_and_not_audited(client: TestClient, fleet: Fleet) -> None:
    assert client.post(f"{CHAINS}/web/captures", json={}).status_code == 404
    submitted(client)
    nowhere = client.post(f"{CHAINS}/web/captures", json={})
    assert (nowhere.status_code, nowhere.json()["type"]) == (409, "urn:sextant:problem:chain-not-placed")
    for packets in (0, 101, "20"):
        assert client.post(f"{CHAINS}/web/captures", json={"packets": packets}).status_code == 422
    with session_scope() as session:
        assert session.scalar(select(func.count()).where(AuditRow.action == "chain.capture")) == 0


def test_settings_of_a_parts_own_nfs_change_alone(client: TestClient, fleet: Fleet) -> None:
    placed(client)
    for name, nf, host in (("web", "router", "edge-1"), ("web-part-2", "nids", "edge-2")):
        operation = adjusted(client, {"nfs": {nf: {"cpu_share": 300}}}, name)
        assert waits(operation["id"]) == {host: ()}
        assert work(operation["id"]).state is OperationState.COMPLETED


def test_parts_that_run_nowhere_get_it_together_and_are_planned_together(client: TestClient, fleet: Fleet) -> None:
    submitted(client)
    answer = client.patch(f"{CHAINS}/web/settings", json=FASTER, headers=etag(client, "web"))
    assert answer.status_code == 200, answer.text
    assert rates(client) == {"web": 0.02, "web-part-2": 0.02}
    alone = {"nfs": {"nids": {"cpu_share": 300}}}
    answer = client.patch(f"{CHAINS}/web-part-2/settings", json=alone, headers=etag(client, "web-part-2"))
    assert answer.status_code == 200, answer.text
    newest = {one["plan_id"] for one in listed(client).values()}
    assert len(newest) == 1
    planner.make(newest.pop())
    made = plan(client, listed(client)["web"]["plan_id"])
    assert made.body is not None
    assert (made.body.rejected, [one.host for one in made.body.base]) == ((), ["edge-1", "edge-2"])


def test_parts_of_different_traffic_are_not_taken(client: TestClient, fleet: Fleet) -> None:
    first, second = in_parts()
    answer = client.post(f"{CHAINS}/batches", json={"chains": [first, second | FASTER]})
    assert (answer.status_code, [one["field"] for one in answer.json()["errors"]]) == (422, ["chains.1.traffic"])
    assert "give web-part-2 the same traffic" in answer.text


def says(fleet: Fleet, name: str, **changes: Any) -> None:
    """Another inventory of a host: what it says of itself to others."""
    known = an_inventory(name)
    able = (*known.capabilities, Capability(name=OVER_HOSTS, available=True, reason="a test says so"))
    with session_scope() as session:
        place = repository.path_places(session, [name])[name]
        assert place is not None
        found = known.model_copy(
            update={"capabilities": able, "path_place": place.model_copy(update=changes) if changes else None}
        )
        hosts.register(session, found, fleet.peers[name].url)


def refused_at(client: TestClient, **changes: Any) -> tuple[list[str], str]:
    answer = client.post(f"{CHAINS}/batches", json={"chains": in_parts(**changes)})
    assert answer.status_code == 422, answer.text
    assert listed(client) == {}
    return [one["field"] for one in answer.json()["errors"]], answer.json()["errors"][0]["message"]


def test_hosts_that_do_not_reach_each_other_are_refused_at_the_later_ones_field(
    client: TestClient, fleet: Fleet
) -> None:
    at = ["chains.1.ingress.host"]
    nobody = [{"nfs": ["router"], "host": "edge-1"}, {"nfs": ["nids"], "host": "edge-9"}]
    fields, message = refused_at(client, path=nobody)
    assert (fields, "no host edge-9 is enrolled" in message) == (at, True)
    says(fleet, "edge-1", links=())
    assert refused_at(client) == (
        at,
        "edge-1 does not reach edge-2: no link in its srv6.toml leads to fc00:0:2::/48; "
        "add a [[link]] to edge-2 there, or choose hosts that reach each other",
    )
    says(fleet, "edge-2")
    fields, message = refused_at(client)
    assert (fields, "edge-2 does not say how other hosts reach it" in message) == (at, True)


def test_packets_that_are_too_large_are_refused_at_their_field(client: TestClient, fleet: Fleet) -> None:
    """1500 - 14 + 56 + 16 for each of four segments are 1606, and 600-byte packets need 706."""
    says(fleet, "edge-1", mtu=1500)
    fields, message = refused_at(client, traffic={"rate_mpps": 0.01, "packet_bytes": 1500})
    assert fields == ["chains.0.traffic.packet_bytes"]
    assert "(1500 - 14 + 56 + 16 x 4), and within edge-1 it is 1500" in message
    assert client.post(f"{CHAINS}/batches", json={"chains": in_parts()}).status_code == 201
