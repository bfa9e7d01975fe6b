"""Chains through the API: what is refused and stores nothing, and what a submitted chain is."""

from typing import Any

import pytest
from agent_peer import chain_json
from console_world import SignIn, an_inventory
from fastapi.testclient import TestClient
from sextant_backend.kit import queue
from sextant_backend.kit.db import session_scope
from sextant_backend.kit.tasks import Queue
from sextant_backend.modules.chains.models import ChainRow
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.plans.models import PlanRow
from sextant_domain.console.access import Role
from sextant_domain.hosts.host import Capability
from sqlalchemy import func, select
from sqlalchemy.orm import Session

CHAINS = "/api/v1/chains"
NFS = ["router", "firewall"]


def rows() -> tuple[int, int]:
    """How many chains and plans are stored."""
    with session_scope() as session:
        return tuple(session.scalar(select(func.count()).select_from(table)) or 0 for table in (ChainRow, PlanRow))


def with_changes(**changes: Any) -> dict[str, Any]:
    body = chain_json("web-edge", *NFS)
    for path, value in changes.items():
        *parents, last = path.split("__")
        inner = body
        for name in parents:
            inner = inner.setdefault(name, {})
        inner[last] = value
    return body


BAD = {
    "unknown NF": (with_changes(nfs=["router", "teapot"]), "nfs.1.type"),
    "unknown NF, long form": (with_changes(nfs=[{"type": "teapot", "name": "t"}]), "nfs.0.type"),
    "empty name": (with_changes(name=""), "name"),
    "name with a slash": (with_changes(name="web/edge"), "name"),
    "name with a line end": (with_changes(name="web-edge\n"), "name"),
    "name of 64 characters": (with_changes(name="a" * 64), "name"),
    "NF name twice": (
        with_changes(nfs=[{"type": "router", "name": "r"}, {"type": "firewall", "name": "r"}]),
        "nfs.1.name",
    ),
    "negative rate": (with_changes(traffic__rate_mpps=-1), "traffic.rate_mpps"),
    "absurd rate": (with_changes(traffic__rate_mpps=1e9), "traffic.rate_mpps"),
    "rate as text": (with_changes(traffic__rate_mpps="0.2"), "traffic.rate_mpps"),
    "rate as truth value": (with_changes(traffic__rate_mpps=True), "traffic.rate_mpps"),
    "packets of 9000 bytes": (with_changes(traffic__packet_bytes=9000), "traffic.packet_bytes"),
    "packets of 1.5 bytes": (with_changes(traffic__packet_bytes=64.5), "traffic.packet_bytes"),
    "no NFs": (with_changes(nfs=[]), "nfs"),
    "10,000 NFs": (with_changes(nfs=["router"] * 10_000), "nfs"),
    "NFs as text": (with_changes(nfs="router"), "nfs"),
    "an NF as a number": (with_changes(nfs=[7]), "nfs.0"),
    "an unknown field": (with_changes(colour="red"), "colour"),
    "size in a list": (with_changes(traffic__sizes=[[9000, 1]]), "traffic.sizes.entries.0.bytes"),
    "unknown arrivals": (with_changes(traffic__arrivals="pareto"), "traffic.arrivals"),
    "endless trace": (
        with_changes(traffic__arrivals={"kind": "trace", "steps": [[1, 1]] * 10_000}),
        "traffic.arrivals.steps",
    ),
    "peak over the highest rate": (
        with_changes(traffic__arrivals={"kind": "on-off", "on_ms": 1, "off_ms": 60_000}),
        "traffic.arrivals",
    ),
    "string larger than the packets": (
        with_changes(
            traffic__packet_bytes=64, traffic__payload={"kind": "matches", "percent": 1, "strings": ["x" * 23]}
        ),
        "traffic.payload.strings.0",
    ),
    "capture with a payload": (
        with_changes(traffic__pcap=f"sha256:{'0' * 64}", traffic__payload="random"),
        "traffic.payload",
    ),
    "no traffic": ({"name": "web-edge", "nfs": NFS}, "traffic"),
    "negative value": (with_changes(value=-1), "value"),
    "an SLO of nothing": (with_changes(slo__min_throughput_mpps=0), "slo.min_throughput_mpps"),
    "a prefix that is none": (
        with_changes(ingress={"match": {"src_prefix": "10.0.0.0/99"}}),
        "ingress.match.src_prefix",
    ),
    "prefixes of two families": (
        with_changes(ingress={"match": {"src_prefix": "2001:db8::/32", "dst_prefix": "10.0.0.0/8"}}),
        "ingress.match.dst_prefix",
    ),
    "link-local addresses": (
        with_changes(ingress={"match": {"src_prefix": "2001:db8::/32", "dst_prefix": "fe80::/64"}}),
        "ingress.match.dst_prefix",
    ),
    "an NF that drops IPv6": (
        with_changes(
            nfs=["router", "nat"], ingress={"match": {"src_prefix": "2001:db8::/48", "dst_prefix": "fd00::/8"}}
        ),
        "nfs.1.type",
    ),
    "TCP over IPv6 in 64 bytes": (
        with_changes(
            traffic__packet_bytes=64,
            ingress={"match": {"src_prefix": "2001:db8::/48", "dst_prefix": "fd00::/8", "protocol": "tcp"}},
        ),
        "traffic.packet_bytes",
    ),
    "an unknown host": (with_changes(ingress={"host": "nowhere"}), "ingress.host"),
    "a configuration that does not fit": (
        with_changes(nfs=[{"type": "router", "config": {"routes": [{"prefix": "x", "next_hop": 1}]}}]),
        "nfs.0.config.routes.0.prefix",
    ),
    "a configuration of another NF": (with_changes(nfs=[{"type": "router", "config": {"rules": []}}]), "nfs.0.config"),
    "a list": ([1, 2], "body"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_names_the_field_and_stores_nothing(client: TestClient, case: str) -> None:
    body, field = BAD[case]
    answer = client.post(CHAINS, json=body)
    assert answer.status_code == 422, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    problem = answer.json()
    assert problem["type"] == "urn:sextant:problem:validation"
    assert [error["field"] for error in problem["errors"]][:1] == [field], problem["errors"][:3]
    assert len(problem["errors"]) <= 50
    assert rows() == (0, 0)
    assert queue.client().llen(Queue.PLAN) == 0


def test_a_taken_name_is_refused_and_names_the_field(client: TestClient) -> None:
    assert client.post(CHAINS, json=chain_json("web-edge")).status_code == 201
    answer = client.post(CHAINS, json=chain_json("web-edge", "router"))
    assert answer.status_code == 409
    assert answer.json()["type"] == "urn:sextant:problem:name-taken"
    assert answer.json()["errors"][0]["field"] == "name"
    assert rows() == (1, 1)


def test_a_submitted_chain_is_stored_with_its_plan_and_one_ring(client: TestClient) -> None:
    answer = client.post(CHAINS, json=chain_json("web-edge"))
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"{CHAINS}/web-edge"
    body = answer.json()
    assert body["chain"]["state"] == "submitted"
    assert body["chain"]["plan_id"] == body["plan_id"]
    assert client.get(f"/api/v1/plans/{body['plan_id']}").json()["state"] == "planning"
    assert queue.client().llen(Queue.PLAN) == 1
    shown = client.get(f"{CHAINS}/web-edge")
    assert shown.json()["spec"]["nfs"][2]["name"] == "basic-monitor"
    assert shown.headers["ETag"] == f'"{shown.json()["version"]}"'


IPV6 = {"src_prefix": "2001:0DB8:A::/48", "dst_prefix": "fd00:0:0::/40", "protocol": "udp"}


def test_prefixes_of_ipv6_are_stored_in_canonical_form(client: TestClient) -> None:
    answer = client.post(CHAINS, json=with_changes(ingress={"match": IPV6}))
    assert answer.status_code == 201, answer.text
    stored = client.get(f"{CHAINS}/web-edge").json()["spec"]["ingress"]["match"]
    assert (stored["src_prefix"], stored["dst_prefix"]) == ("2001:db8:a::/48", "fd00::/40")


def test_a_host_that_cannot_match_ipv6_is_refused_before_there_is_a_plan(client: TestClient, session: Session) -> None:
    """Named as the way in or out: one error with host, cause and next steps. The same chain of IPv4 may go there."""
    able = an_inventory("edge-1")
    cannot = Capability(name="ipv6", available=False, reason="its NFs read IPv4 only")
    others = tuple(one for one in able.capabilities if one.name != "ipv6")
    blind = able.model_copy(update={"host_id": "edge-2", "capabilities": (*others, cannot)})
    for inventory in (able, blind):
        hosts.enrol(session, inventory.host_id, {})
        hosts.register(session, inventory, "https://127.0.0.1:9443")
    session.commit()
    asked = with_changes(ingress={"host": "edge-2", "match": IPV6}, egress={"host": "edge-2"})
    for path, body, at in (
        (CHAINS, asked, ""),
        (f"{CHAINS}/batches", {"chains": [with_changes(name="first"), asked]}, "chains.1."),
    ):
        answer = client.post(path, json=body)
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"] == [
            {
                "field": f"{at}ingress.match.src_prefix",
                "message": "edge-2 cannot match IPv6: its NFs read IPv4 only; name another host, leave it out to let "
                "the engine choose, or match IPv4 prefixes",
            }
        ]
    assert rows() == (0, 0)
    assert client.post(CHAINS, json=with_changes(ingress={"host": "edge-1", "match": IPV6})).status_code == 201
    assert client.post(CHAINS, json=with_changes(name="old", ingress={"host": "edge-2"})).status_code == 201


def test_an_idempotency_key_submits_once(client: TestClient) -> None:
    key = {"Idempotency-Key": "k1"}
    first = client.post(CHAINS, json=chain_json("web-edge"), headers=key)
    again = client.post(CHAINS, json=chain_json("web-edge"), headers=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.json() == again.json()
    other = client.post(CHAINS, json=chain_json("other"), headers=key)
    assert other.status_code == 422
    assert other.json()["type"] == "urn:sextant:problem:idempotency-key-reused"
    assert rows() == (1, 1)


def test_chains_are_listed_page_by_page(client: TestClient) -> None:
    names = [f"chain-{n}" for n in range(5)]
    for name in names:
        assert client.post(CHAINS, json=chain_json(name, "router")).status_code == 201
    seen: list[str] = []
    after: dict[str, str] = {}
    while True:
        page = client.get(CHAINS, params={"limit": 2, **after}).json()
        seen += [chain["spec"]["name"] for chain in page["items"]]
        if page["next"] is None:
            break
        after = {"after": page["next"]}
    assert seen == names


def test_a_list_needs_few_queries(client: TestClient, count_queries: Any) -> None:
    for n in range(8):
        client.post(CHAINS, json=chain_json(f"chain-{n}", "router"))
    with count_queries() as seen:
        client.get(CHAINS)
    assert len(seen) <= 8, seen


def test_deleting_a_chain_that_is_placed_nowhere_needs_no_operation(client: TestClient) -> None:
    made = client.post(CHAINS, json=chain_json("web-edge"))
    assert client.delete(f"{CHAINS}/web-edge").status_code == 428
    assert client.delete(f"{CHAINS}/web-edge", headers={"If-Match": '"99"'}).status_code == 412
    tag = client.get(f"{CHAINS}/web-edge").headers["ETag"]
    assert client.delete(f"{CHAINS}/web-edge", headers={"If-Match": tag}).status_code == 204
    assert client.get(f"{CHAINS}/web-edge").status_code == 404
    assert client.delete(f"{CHAINS}/web-edge", headers={"If-Match": tag}).status_code == 404
    assert client.get(f"/api/v1/plans/{made.json()['plan_id']}").json()["state"] == "superseded"
    assert client.post(CHAINS, json=chain_json("web-edge")).status_code == 201, "the name is free again"


def test_a_viewer_reads_and_does_not_write(sign_in: SignIn) -> None:
    client = sign_in(Role.VIEWER)
    assert client.get(CHAINS).status_code == 200
    for method, path in (("POST", CHAINS), ("DELETE", f"{CHAINS}/web-edge"), ("POST", "/api/v1/plans")):
        answer = client.request(method, path, json={})
        assert answer.status_code == 403, (method, path, answer.text)
    assert client.get("/api/v1/fleet/snapshot").status_code == 403
    for path in ("comparisons", "plans/1/apply", "plans/1/reject", "operations/1/retry", "operations/1/rollback"):
        assert client.post(f"/api/v1/{path}").status_code == 403
    assert rows() == (0, 0)


def test_what_an_operator_does_is_audited(client: TestClient) -> None:
    client.post(CHAINS, json=chain_json("web-edge"))
    entries = client.get("/api/v1/audit").json()["items"]
    assert {("chain.submit", "chain/web-edge"), ("plan.ask", "plan/1")} <= {
        (e["action"], e["subject"]) for e in entries
    }
    assert all(entry["actor"] == "ada" for entry in entries if entry["action"] == "chain.submit")
