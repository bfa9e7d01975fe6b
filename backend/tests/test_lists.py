"""Every list is sorted and filtered alike: one parameter `sort`, cursors that carry the place, filters by name."""

import base64
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from alert_world import a_running_chain
from console_world import SignIn, an_inventory
from fastapi.testclient import TestClient
from paths_filled import filled
from sextant_backend.kit import errors, paging
from sextant_backend.kit.paging import ItemOrder, Paging
from sextant_backend.migrate import MIGRATIONS
from sextant_backend.modules.alerts.models import AlertRow
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.operations.models import OperationHostRow, OperationRow
from sextant_backend.modules.operations.record import HostRecord
from sextant_backend.modules.plans.models import PlanRow
from sextant_domain.console.access import Role
from sextant_domain.plans.operation import OperationState
from sqlalchemy.orm import Session

API = "/api/v1"
DOCUMENT: dict[str, Any] = json.loads((MIGRATIONS.parent / "docs" / "openapi.json").read_text())
NO_LIST = {"getChainCompliance": "of one chain, which its path names: the page has one item"}
"""Operations that answer a page and take no sort, each with the reason."""
ABOUT_PAGES = {"limit", "after", "sort"}


def _lists() -> Iterator[tuple[str, dict[str, Any]]]:
    """Path and operation of everything that answers a page."""
    for path, operations in DOCUMENT["paths"].items():
        operation = operations.get("get", {})
        content = operation.get("responses", {}).get("200", {}).get("content", {}).get("application/json", {})
        name = content.get("schema", {}).get("$ref", "").rsplit("/", 1)[-1]
        fields = DOCUMENT["components"]["schemas"].get(name, {}).get("properties", {})
        if {"items", "next"} <= fields.keys():
            yield path, operation


LISTS = {operation["operationId"]: (path, operation) for path, operation in _lists()}


def _parameters(operation: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one["schema"] for one in operation.get("parameters", []) if one["in"] == "query"}


def test_every_page_of_the_contract_can_be_sorted_and_filtered() -> None:
    assert len(LISTS) > 30 and NO_LIST.keys() <= LISTS.keys()
    for name, (_, operation) in LISTS.items():
        given = _parameters(operation)
        if name in NO_LIST:
            assert "sort" not in given, name
            continue
        assert given.keys() >= ABOUT_PAGES, name
        assert given.keys() - ABOUT_PAGES, f"{name} has no filter"
        sorts = given["sort"]["enum"]
        assert given["sort"]["default"] in sorts
        fields = [sort for sort in sorts if not sort.startswith("-")]
        assert sorted(sorts) == sorted([*fields, *(f"-{field}" for field in fields)]), name


@pytest.mark.as_admin
def test_every_list_answers_in_every_order_it_names(client: TestClient) -> None:
    for name, (path, operation) in LISTS.items():
        if name in NO_LIST or "job_id" in path:
            continue
        for sort in _parameters(operation)["sort"]["enum"]:
            answer = client.get(filled(path), params={"sort": sort})
            assert answer.status_code == 200, (name, sort, answer.text)


@pytest.mark.as_admin
def test_an_unknown_order_is_refused_with_those_there_are(client: TestClient) -> None:
    for name, (path, operation) in LISTS.items():
        if name in NO_LIST:
            continue
        for sort in ("colour", "", "-", "--id", "id;DROP TABLE chains", "x" * 5000):
            answer = client.get(filled(path), params={"sort": sort})
            assert answer.status_code == 422, (name, sort)
            [error] = answer.json()["errors"]
            assert error["field"] == "query.sort"
            assert all(known in error["message"] for known in _parameters(operation)["sort"]["enum"]), name


NOON = datetime(2026, 11, 26, 12, tzinfo=UTC)
ALERTS = [
    ("critical", 3),
    ("warning", None),
    ("info", 1),
    ("warning", 3),
    ("critical", None),
    ("warning", 2),
    ("info", 3),
]
"""Severity, and at which minute it fired; ids are 1 to 7."""


def _alerts(session: Session) -> None:
    for number, (severity, minute) in enumerate(ALERTS, 1):
        session.add(
            AlertRow(
                kind="host_stale",
                severity=severity,
                object_kind="host",
                object_name=f"h{number}",
                state="firing",
                summary="It is silent",
                cause="Nobody knows",
                next_step="Look",
                bad_since=NOON,
                seen_at=NOON,
                fired_at=None if minute is None else NOON + timedelta(minutes=minute),
            )
        )
    session.commit()


def _walk(client: TestClient, path: str, key: str, limit: int, **query: Any) -> list[Any]:
    found: list[Any] = []
    after: str | None = None
    while True:
        answer = client.get(f"{API}{path}", params={**query, "limit": limit, **({"after": after} if after else {})})
        assert answer.status_code == 200, answer.text
        page = answer.json()
        found += [item[key] for item in page["items"]]
        after = page["next"]
        if after is None:
            return found
        assert len(page["items"]) == limit


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 50])
@pytest.mark.parametrize(
    ("sort", "ids"),
    [
        ("id", [1, 2, 3, 4, 5, 6, 7]),
        ("-id", [7, 6, 5, 4, 3, 2, 1]),
        # minute 1: 3; minute 2: 6; minute 3: 1, 4, 7; never fired, last in both directions: 2, 5
        ("fired_at", [3, 6, 1, 4, 7, 2, 5]),
        ("-fired_at", [7, 4, 1, 6, 3, 5, 2]),
        # the domain's order is info, warning, critical, and not that of the alphabet
        ("severity", [3, 7, 2, 4, 6, 1, 5]),
        ("-severity", [5, 1, 6, 4, 2, 7, 3]),
    ],
)
def test_pages_of_any_size_are_the_whole_list(
    client: TestClient, session: Session, sort: str, ids: list[int], limit: int
) -> None:
    _alerts(session)
    assert _walk(client, "/alerts", "id", limit, sort=sort) == ids


def test_what_comes_between_two_pages_neither_repeats_nor_hides_a_row(client: TestClient, session: Session) -> None:
    _alerts(session)
    first = client.get(f"{API}/alerts", params={"sort": "severity", "limit": 3}).json()
    assert [item["id"] for item in first["items"]] == [3, 7, 2]
    session.add(
        AlertRow(
            **{"kind": "host_stale", "severity": "info", "object_kind": "host", "object_name": "h8", "state": "firing"},
            **{"summary": "s", "cause": "c", "next_step": "n", "bad_since": NOON, "seen_at": NOON},
        )
    )
    session.commit()
    after = {"sort": "severity", "limit": 3, "after": first["next"]}
    assert [item["id"] for item in client.get(f"{API}/alerts", params=after).json()["items"]] == [4, 6, 1]


@pytest.mark.parametrize(
    "content",
    [
        ["severity", 1],
        ["severity", 1, 2, 3],
        ["severity", "1", 2],
        ["severity", 1.5, 2],
        ["severity", True, 2],
        ["severity", 1, None],
        ["severity", 2**63, 1],
        ["severity", {}, []],
        ["fired_at", 1, 2],
        {"severity": 1},
        "severity",
        7,
        None,
    ],
)
def test_a_cursor_of_elsewhere_is_refused(client: TestClient, content: object) -> None:
    after = base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")
    answer = client.get(f"{API}/alerts", params={"sort": "severity", "after": after})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "query.after")


@pytest.mark.parametrize("moment", ["yesterday", "2026-11-26T12:00:00", "", "9999999-01-01T00:00:00Z"])
def test_a_cursor_with_no_moment_is_refused(client: TestClient, moment: str) -> None:
    after = paging.encode("fired_at", moment, 1)
    assert client.get(f"{API}/alerts", params={"sort": "fired_at", "after": after}).status_code == 422


@pytest.mark.parametrize("cursor", ["", "!", "e30", "WzFd", "dHJ1ZQ", "LTE", "Ilx1MDAwMCI", "x" * 400])
def test_what_is_no_cursor_is_refused(cursor: str) -> None:
    with pytest.raises(errors.ValidationFailed):
        paging.decode(cursor, "id")


NUMBERS = ItemOrder[int]("name", name=lambda number: f"{number:02}", parity=lambda number: str(number % 2))


@pytest.mark.parametrize(
    ("count", "sort", "pages"),
    [
        (7, "name", [(1, 2, 3), (4, 5, 6), (7,)]),
        (6, "name", [(1, 2, 3), (4, 5, 6)]),
        (0, "name", [()]),
        (7, "-name", [(7, 6, 5), (4, 3, 2), (1,)]),
        (7, "parity", [(2, 4, 6), (1, 3, 5), (7,)]),
        (7, "-parity", [(7, 5, 3), (1, 6, 4), (2,)]),
    ],
)
def test_short_lists_are_paged_alike(count: int, sort: str, pages: list[tuple[int, ...]]) -> None:
    """Pages of three: 7 rows are 3 + 3 + 1, 6 rows are 3 + 3 without an empty page after them."""
    seen, after = [], None
    while True:
        got = NUMBERS.page(range(1, count + 1), Paging(3, sort, after))
        seen.append(got.items)
        if got.next is None:
            break
        after = paging.decode(got.next, sort)
    assert seen == pages


def _names(client: TestClient, path: str, key: str, **query: Any) -> list[Any]:
    answer = client.get(f"{API}{path}", params=query)
    assert answer.status_code == 200, answer.text
    return [item["spec"]["name"] if key == "spec" else item[key] for item in answer.json()["items"]]


def test_chains_by_state_host_nf_type_and_part_of_the_name(client: TestClient, session: Session) -> None:
    for host in ("edge-1", "edge-2"):
        hosts.enrol(session, host, {})
    session.commit()
    a_running_chain("web-edge", "edge-1")
    a_running_chain("web-core", "edge-2", nfs=["router", "firewall"])
    a_running_chain("voice", "edge-2")
    assert _names(client, "/chains", "spec") == ["voice", "web-core", "web-edge"]
    assert _names(client, "/chains", "spec", sort="-name") == ["web-edge", "web-core", "voice"]
    assert _names(client, "/chains", "spec", host="edge-2") == ["voice", "web-core"]
    assert _names(client, "/chains", "spec", nf_type="firewall") == ["web-core"]
    assert _names(client, "/chains", "spec", search="WEB") == ["web-core", "web-edge"]
    assert _names(client, "/chains", "spec", search="WEB", host="edge-2") == ["web-core"]
    assert _names(client, "/chains", "spec", state="submitted") == []
    # what PostgreSQL's LIKE reads as 'anything' and 'any character' stands for itself
    assert _names(client, "/chains", "spec", search="%") == []
    assert _names(client, "/chains", "spec", search="web_edge") == []


def test_hosts_by_status_label_cordon_and_part_of_the_name(client: TestClient, session: Session) -> None:
    for host, zone in (("edge-1", "a"), ("edge-2", "b"), ("core-1", "a")):
        hosts.enrol(session, host, {"zone": zone, "rack": "1=2"})
    hosts.register(session, an_inventory("edge-1"), "https://127.0.0.1:9443")
    session.commit()
    assert _names(client, "/hosts", "host_id") == ["core-1", "edge-1", "edge-2"]
    assert _names(client, "/hosts", "host_id", label="zone=a") == ["core-1", "edge-1"]
    assert _names(client, "/hosts", "host_id", label="zone=c") == []
    assert _names(client, "/hosts", "host_id", label="rack=1=2", search="edge") == ["edge-1", "edge-2"]
    assert _names(client, "/hosts", "host_id", status="up") == ["edge-1"]
    assert _names(client, "/hosts", "host_id", cordoned="true") == []
    assert _names(client, "/hosts", "host_id", cordoned="false", sort="-host_id") == ["edge-2", "edge-1", "core-1"]
    refused = client.get(f"{API}/hosts", params={"label": "zone"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "query.label")


def _operation(session: Session, number: int, host: str, chain: str, state: str) -> None:
    plan = PlanRow(
        kind="place",
        subject=chain,
        chains=[chain],
        hosts=[host],
        intent={},
        solving={"algorithm": "exact"},
        created_by="ada",
    )
    session.add(plan)
    session.flush()
    work = OperationRow(kind="apply", state=state, plan_id=plan.id, title=f"place {chain}", requested_by="ada")
    session.add(work)
    session.flush()
    record = HostRecord(host=host, state=OperationState(state), from_generation=0, to_generation=1, steps=())
    texts = {"base": "{}", "target": "{}", "former": "{}"}
    body = record.model_dump(mode="json")
    session.add(
        OperationHostRow(operation_id=work.id, host_id=host, holding=False, chains=[chain], record=body, **texts)
    )
    assert work.id == number


def test_operations_by_state_kind_host_chain_and_plan(client: TestClient, session: Session) -> None:
    _operation(session, 1, "edge-1", "web", "COMPLETED")
    _operation(session, 2, "edge-2", "web", "FAILED")
    _operation(session, 3, "edge-2", "voice", "COMPLETED")
    session.commit()
    assert _names(client, "/operations", "id") == [3, 2, 1]
    assert _names(client, "/operations", "id", sort="id", state="COMPLETED") == [1, 3]
    assert _names(client, "/operations", "id", host="edge-2") == [3, 2]
    assert _names(client, "/operations", "id", chain="web") == [2, 1]
    assert _names(client, "/operations", "id", chain="web", host="edge-2") == [2]
    assert _names(client, "/operations", "id", plan=3) == [3]
    assert _names(client, "/operations", "id", kind="migrate") == []


def test_plans_by_kind_host_and_chain(client: TestClient, session: Session) -> None:
    for number, (host, chain) in enumerate([("edge-1", "web"), ("edge-2", "web"), ("edge-2", "voice")], 1):
        _operation(session, number, host, chain, "COMPLETED")
    session.commit()
    assert _names(client, "/plans", "id") == [3, 2, 1]
    assert _names(client, "/plans", "id", host="edge-2") == [3, 2]
    assert _names(client, "/plans", "id", host="edge-2", chain="web") == [2]
    assert _names(client, "/plans", "id", kind="drain") == []
    assert _names(client, "/plans", "id", sort="subject") == [3, 1, 2]


@pytest.mark.as_admin
def test_users_by_role_and_part_of_the_name(client: TestClient) -> None:
    for name, role in (("bert", "viewer"), ("berta", "operator")):
        assert client.post(f"{API}/users", json={"username": name, "role": role}).status_code == 201
    assert _names(client, "/users", "username") == ["ada", "bert", "berta"]
    assert _names(client, "/users", "username", role="viewer") == ["bert"]
    assert _names(client, "/users", "username", search="ert", sort="-username") == ["berta", "bert"]
    assert _names(client, "/users", "username", disabled="true") == []


def test_tokens_by_role_and_name(client: TestClient) -> None:
    for name, role in (("laptop", "viewer"), ("ci", "operator")):
        assert client.post(f"{API}/auth/tokens", json={"name": name, "role": role}).status_code == 201
    assert _names(client, "/auth/tokens", "name", sort="name") == ["ci", "laptop"]
    assert _names(client, "/auth/tokens", "name", role="viewer") == ["laptop"]
    assert _names(client, "/auth/tokens", "name", search="top") == ["laptop"]


def test_the_catalogue_by_program_and_name(client: TestClient) -> None:
    made = client.post(f"{API}/nf-types", json={"name": "edge-firewall", "implementation": "firewall"})
    assert made.status_code == 201, made.text
    assert _names(client, "/nf-types", "name", implementation="firewall") == ["edge-firewall", "firewall"]
    with_wall = _names(client, "/nf-types", "name", search="WALL", sort="-name")
    assert with_wall == ["nft-firewall", "firewall", "edge-firewall"]


def test_rules_of_alerts_by_severity(client: TestClient) -> None:
    critical = client.get(f"{API}/alert-rules", params={"severity": "critical"}).json()["items"]
    everything = client.get(f"{API}/alert-rules", params={"sort": "-severity"}).json()["items"]
    assert critical and {rule["severity"] for rule in critical} == {"critical"}
    assert everything[: len(critical)] == list(reversed(critical))
    titles = [rule["title"] for rule in client.get(f"{API}/alert-rules", params={"sort": "title"}).json()["items"]]
    assert titles == sorted(titles) and titles[:2] == ["Certificate near its end", "Control law stopped"]


def test_a_filter_that_a_list_does_not_have_is_named(sign_in: SignIn) -> None:
    answer = sign_in(Role.VIEWER).get(f"{API}/chains", params={"colour": "red"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "query.colour")
