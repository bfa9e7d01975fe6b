"""The audit log: what a row tells, who may read it, and how it is searched."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from console_world import SignIn, an_inventory
from fastapi.testclient import TestClient
from fleet_world import API, chain_json
from sextant_backend.kit.db import db_now, session_scope
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.audit.content import HIDDEN, MAX_BYTES, kept
from sextant_backend.modules.audit.models import AuditRow
from sextant_backend.modules.hosts import service as hosts
from sextant_domain.console.access import Role
from sextant_domain.hosts.host import HostInventory, NumaNode
from sqlalchemy import select
from sqlalchemy.orm import Session


def _rows(client: TestClient, **wanted: Any) -> list[dict[str, Any]]:
    answer = client.get(f"{API}/audit", params=wanted)
    assert answer.status_code == 200, answer.text
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def test_a_change_by_a_browser_is_a_users_and_by_a_token_is_the_tokens(sign_in: SignIn) -> None:
    admin = sign_in(Role.ADMIN)
    secret = admin.post(f"{API}/auth/tokens", json={"name": "laptop", "role": "admin"}).json()["secret"]
    bearer = {"Authorization": f"Bearer {secret}", "X-Request-ID": "by-hand-7"}
    made = admin.post(f"{API}/users", json={"username": "eve", "role": "viewer"}, headers=bearer)
    assert made.headers["X-Request-ID"] == "by-hand-7"
    [row] = _rows(admin, action="user.create", object="eve")
    assert (row["actor"], row["actor_kind"], row["token"]) == ("ada", "token", "laptop")
    assert (row["object_kind"], row["object_id"], row["subject"]) == ("user", "eve", "user/eve")
    assert row["request_id"] == "by-hand-7"
    assert (row["before"], row["after"]) == (None, {"role": "viewer", "disabled": False})
    [token] = _rows(admin, action="token.create")
    assert (token["actor_kind"], token["token"]) == ("user", None)
    assert secret not in admin.get(f"{API}/audit").text


def test_rows_of_one_request_carry_its_id(client: TestClient, edge: HostInventory) -> None:
    answer = client.post(f"{API}/chains", json=chain_json("web-edge", "router"))
    assert answer.status_code == 201, answer.text
    rows = _rows(client, request_id=answer.headers["X-Request-ID"])
    assert [row["action"] for row in rows] == ["plan.ask", "chain.submit"]
    assert rows[1]["after"]["nfs"][0]["type"] == "router"
    assert rows[0]["object_name"] == "web-edge", "a plan has a number, and is about a chain"
    assert [row["id"] for row in _rows(client, object="web-edge")] == [row["id"] for row in rows]


@pytest.mark.parametrize(
    ("actor", "kind"),
    [
        ("ada", "user"),
        ("host/edge-1", "host"),
        ("gateway/gw-1", "host"),
        ("address/192.0.2.7", "unknown"),
        ("unknown", "unknown"),
        ("system", "system"),
        ("authority", "system"),
    ],
)
def test_the_kind_of_an_actor_follows_from_its_name(session: Session, actor: str, kind: str) -> None:
    audit.record(session, actor, "test.note", "note")
    session.flush()
    assert session.scalars(select(AuditRow.actor_kind)).one() == kind


def test_a_refused_request_is_its_own_kind_of_object(client: TestClient) -> None:
    assert client.get(f"{API}/hosts", headers={"Authorization": "Bearer sxt_wrong"}).status_code == 401
    [row] = _rows(client, action="auth.refused")
    assert (row["object_kind"], row["object_id"]) == ("request", "GET /api/v1/hosts")
    assert row["reason"] == "The API token is unknown, has expired, or was revoked."


def _four(session: Session) -> None:
    audit.record(session, "ada", "chain.submit", "chain/web")
    audit.record(session, "ada", "plan.apply", "plan/12", name="web")
    audit.record(session, "eve", "plan.reject", "plan/13", name="mail")
    audit.record(session, "system", "planned.test", "plan/14")
    session.commit()


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"actor": "ada"}, ["plan.apply", "chain.submit"]),
        ({"actor_kind": "system"}, ["planned.test"]),
        ({"action": "plan.apply"}, ["plan.apply"]),
        ({"action": "plan"}, ["plan.reject", "plan.apply"]),
        ({"object_kind": "plan"}, ["planned.test", "plan.reject", "plan.apply"]),
        ({"object": "web"}, ["plan.apply", "chain.submit"]),
        ({"object_kind": "plan", "object": "web"}, ["plan.apply"]),
        ({"object": "12"}, ["plan.apply"]),
        ({"actor": "nobody"}, []),
        ({"action": "pl%"}, []),
    ],
)
def test_filters_narrow_the_list_and_all_must_hold(
    client: TestClient, session: Session, wanted: dict[str, str], found: list[str]
) -> None:
    _four(session)
    shown = [row["action"] for row in _rows(client, **wanted) if not row["action"].startswith(("auth", "user"))]
    assert shown == found


def test_a_page_goes_on_where_the_filter_left_off(client: TestClient, session: Session) -> None:
    for number in range(5):
        audit.record(session, "ada", "plan.apply", f"plan/{number}")
        audit.record(session, "eve", "plan.reject", f"plan/{number}")
    session.commit()
    first = client.get(f"{API}/audit", params={"action": "plan.apply", "limit": 3}).json()
    rest = client.get(f"{API}/audit", params={"action": "plan.apply", "limit": 3, "after": first["next"]}).json()
    assert [row["object_id"] for row in first["items"]] == ["4", "3", "2"]
    assert [row["object_id"] for row in rest["items"]] == ["1", "0"]
    assert rest["next"] is None


def test_since_is_included_and_until_is_not(client: TestClient, session: Session) -> None:
    _four(session)
    first, second, third = session.scalars(
        select(AuditRow.at)
        .where(AuditRow.actor.in_(("ada", "eve")), AuditRow.object_kind != "user")
        .order_by(AuditRow.id)
    ).all()
    shown = _rows(client, since=first.isoformat(), until=third.isoformat(), object_kind="plan")
    assert [row["at"] for row in shown] == [second.isoformat().replace("+00:00", "Z")]


@pytest.mark.parametrize(
    ("wanted", "field"),
    [
        ({"since": "2026-03-01T09:00:00"}, "query.since"),
        ({"until": "yesterday"}, "query.until"),
        ({"since": "2026-03-02T00:00:00Z", "until": "2026-03-01T00:00:00Z"}, "query.until"),
        ({"actor_kind": "robot"}, "query.actor_kind"),
        ({"actors": "ada"}, "query.actors"),
    ],
)
def test_a_filter_that_cannot_be_is_refused_with_its_field(
    client: TestClient, wanted: dict[str, str], field: str
) -> None:
    answer = client.get(f"{API}/audit", params=wanted)
    assert answer.status_code == 422
    assert [error["field"] for error in answer.json()["errors"]] == [field]


def test_a_viewer_does_not_read_it(sign_in: SignIn) -> None:
    viewer = sign_in(Role.VIEWER)
    assert viewer.get(f"{API}/audit").json()["type"] == "urn:sextant:problem:forbidden"


def test_what_is_kept_has_no_secret_and_has_bounds() -> None:
    given = {"user": "eve", "Password": "hunter2", "nested": [{"token": "sxt_1", "key": None}]}
    assert kept(given) == {"user": "eve", "Password": HIDDEN, "nested": [{"token": HIDDEN, "key": None}]}
    text = "x" * (MAX_BYTES - len('{"a":""}'))
    assert kept({"a": text}) == {"a": text}
    larger = kept({"a": f"{text}x"})
    assert larger is not None and larger["too_large_bytes"] == MAX_BYTES + 1


def _registrations() -> list[AuditRow]:
    with session_scope() as session:
        query = select(AuditRow).where(AuditRow.action == "host.register").order_by(AuditRow.id)
        return list(session.scalars(query).all())


def _register(session: Session, inventory: HostInventory, url: str = "https://127.0.0.1:9443") -> None:
    hosts.register(session, inventory, url)
    session.commit()


def _with_memory(inventory: HostInventory, memory_bytes: int) -> HostInventory:
    return inventory.model_copy(update={"nodes": (NumaNode(id=0, socket=0, memory_bytes=memory_bytes),)})


MIB = 2**20


def test_memory_that_varies_by_itself_is_nobodys_act(session: Session, edge: HostInventory) -> None:
    """A node of 16 GiB varies by a 32nd, 512 MiB, without an entry; the figure itself is kept."""
    assert len(_registrations()) == 1
    for memory in (2**34 - 128 * MIB, 2**34, 2**34 - 512 * MIB, 2**34):
        _register(session, _with_memory(edge, memory))
        assert hosts.inventories_by_kind(session)[0].nodes[0].memory_bytes == memory
    assert len(_registrations()) == 1
    _register(session, _with_memory(edge, 2**34 - 513 * MIB))
    [_, row] = _registrations()
    assert row.actor_kind == "host"
    assert row.before is not None and row.after is not None
    assert row.before["nodes"]["0"]["memory_bytes"] == 2**34
    assert row.after["nodes"]["0"]["memory_bytes"] == 2**34 - 513 * MIB


def test_a_small_node_varies_by_one_block(session: Session) -> None:
    """A 32nd of 2 GiB would be 64 MiB: less than the kernel plugs at once."""
    hosts.enrol(session, "edge-1", {})
    small = an_inventory()
    _register(session, _with_memory(small, 2**31))
    _register(session, _with_memory(small, 2**31 - 128 * MIB))
    assert len(_registrations()) == 1
    _register(session, _with_memory(small, 2**31 - 129 * MIB))
    assert len(_registrations()) == 2


def test_many_small_differences_do_not_pass_for_none(session: Session, edge: HostInventory) -> None:
    """512 MiB are borne from what the log says, not from the report before: 300 and 300 more are 600."""
    _register(session, _with_memory(edge, 2**34 - 300 * MIB))
    assert len(_registrations()) == 1
    _register(session, _with_memory(edge, 2**34 - 600 * MIB))
    assert len(_registrations()) == 2


def test_what_somebody_did_to_a_host_has_an_entry(session: Session, edge: HostInventory) -> None:
    _register(session, edge.model_copy(update={"kernel": "6.9"}))
    _register(session, edge.model_copy(update={"kernel": "6.9"}), "https://127.0.0.1:9444")
    _, kernel, address = _registrations()
    assert kernel.before is not None and kernel.after is not None and address.after is not None
    assert (kernel.before["kernel"], kernel.after["kernel"]) == ("6.1", "6.9")
    assert address.after["agent"] == "https://127.0.0.1:9444"


def test_time_is_the_databases(session: Session) -> None:
    before = db_now(session)
    audit.record(session, "ada", "test.note", "note")
    session.flush()
    at = session.scalars(select(AuditRow.at)).one()
    assert before <= at <= db_now(session) < datetime.now(UTC) + timedelta(minutes=1)
