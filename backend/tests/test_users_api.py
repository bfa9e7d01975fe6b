"""Users, made by one administrator; passwords, sessions and tokens of one's own."""

from typing import Any

from console_world import PASSWORD, SignIn
from fastapi.testclient import TestClient
from sextant_backend.kit.principal import CSRF_HEADER
from sextant_backend.modules.audit.models import AuditRow
from sextant_domain.console.access import Role
from sqlalchemy import select, text
from sqlalchemy.orm import Session

NEW = "a-much-better-horse"


def _login(client: TestClient, username: str, password: str) -> dict[str, str]:
    """Headers of a new session, which the client itself does not keep."""
    kept = dict(client.cookies)
    client.cookies.clear()
    answer = client.post("/api/v1/auth/login", json={"username": username, "password": password})
    assert answer.status_code == 200, answer.text
    name, value = next(iter(client.cookies.items()))
    client.cookies.clear()
    client.cookies.update(kept)
    return {"Cookie": f"{name}={value}", CSRF_HEADER: answer.json()["csrf_token"]}


def _as(
    client: TestClient, method: str, path: str, headers: dict[str, str], json: object = None
) -> tuple[int, dict[str, Any]]:
    kept = dict(client.cookies)
    client.cookies.clear()
    answer = client.request(method, f"/api/v1{path}", headers=headers, json=json)
    client.cookies.clear()
    client.cookies.update(kept)
    return answer.status_code, answer.json() if answer.content else {}


def test_a_new_user_changes_the_password_before_anything_else(sign_in: SignIn) -> None:
    admin = sign_in(Role.ADMIN)
    made = admin.post("/api/v1/users", json={"username": "eve", "role": "operator"})
    assert made.status_code == 201 and made.headers["Location"] == "/api/v1/users/eve"
    eve = _login(admin, "eve", made.json()["password"])
    status, problem = _as(admin, "GET", "/hosts", eve)
    assert (status, problem["type"]) == (403, "urn:sextant:problem:password-change-required")
    assert _as(admin, "GET", "/auth/session", eve)[1]["must_change_password"] is True
    wrong = {"current_password": "not it", "new_password": NEW}
    assert _as(admin, "POST", "/auth/password", eve, wrong)[1]["errors"][0]["field"] == "current_password"
    right = {"current_password": made.json()["password"], "new_password": NEW}
    assert _as(admin, "POST", "/auth/password", eve, right)[0] == 204
    assert _as(admin, "GET", "/hosts", eve)[0] == 200
    assert admin.post("/api/v1/users", json={"username": "eve"}).status_code == 409


def test_disabling_ends_sessions_and_tokens_at_once(sign_in: SignIn, session: Session) -> None:
    admin = sign_in(Role.ADMIN)
    made = admin.post("/api/v1/users", json={"username": "eve"}).json()
    eve = _login(admin, "eve", made["password"])
    _as(admin, "POST", "/auth/password", eve, {"current_password": made["password"], "new_password": NEW})
    token = _as(admin, "POST", "/auth/tokens", eve, {"name": "laptop"})[1]["secret"]
    bearer = {"Authorization": f"Bearer {token}"}
    assert _as(admin, "GET", "/hosts", bearer)[0] == 200
    tag = admin.get("/api/v1/users/eve").headers["ETag"]
    changed = admin.patch("/api/v1/users/eve", json={"disabled": True}, headers={"If-Match": tag})
    assert changed.status_code == 200 and changed.json()["disabled_at"]
    assert [_as(admin, "GET", "/hosts", who)[0] for who in (eve, bearer)] == [401, 401]
    answer = admin.post("/api/v1/auth/login", json={"username": "eve", "password": NEW})
    assert answer.status_code == 401
    (row,) = session.scalars(select(AuditRow).where(AuditRow.action == "user.change")).all()
    assert (row.actor, row.subject) == ("ada", "user/eve")
    assert row.before == {"role": "viewer", "disabled": False}
    assert row.after == {"role": "viewer", "disabled": True}


def test_the_last_active_administrator_stays(sign_in: SignIn) -> None:
    admin = sign_in(Role.ADMIN)
    for change, field in (({"disabled": True}, "disabled"), ({"role": "viewer"}, "role")):
        tag = admin.get("/api/v1/users/ada").headers["ETag"]
        answer = admin.patch("/api/v1/users/ada", json=change, headers={"If-Match": tag})
        assert (answer.status_code, answer.json()["type"]) == (409, "urn:sextant:problem:last-admin")
        assert answer.json()["errors"][0]["field"] == field
    assert admin.patch("/api/v1/users/ada", json={"role": "viewer"}).status_code == 428
    assert admin.get("/api/v1/users/ada").json()["role"] == "admin"


def test_a_reset_holds_up_tokens_until_the_password_is_changed(sign_in: SignIn) -> None:
    admin = sign_in(Role.ADMIN)
    admin.post("/api/v1/users", json={"username": "eve"})
    first = admin.post("/api/v1/users/eve/password-reset").json()["password"]
    second = admin.post("/api/v1/users/eve/password-reset").json()["password"]
    assert first != second
    assert admin.post("/api/v1/auth/login", json={"username": "eve", "password": first}).status_code == 401
    assert _login(admin, "eve", second)
    assert admin.post("/api/v1/users/nobody/password-reset").status_code == 404


def test_a_token_is_never_above_who_asks(sign_in: SignIn) -> None:
    operator = sign_in(Role.OPERATOR)
    refused = operator.post("/api/v1/auth/tokens", json={"name": "x", "role": "admin"})
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "role")
    assert operator.post("/api/v1/auth/tokens", json={"name": "x", "days": 366}).status_code == 422
    short = operator.post("/api/v1/auth/tokens", json={"name": "short", "role": "viewer", "days": 1}).json()
    bearer = {"Authorization": f"Bearer {short['secret']}"}
    status, problem = _as(operator, "POST", "/auth/tokens", bearer, {"name": "y", "role": "operator"})
    assert (status, problem["errors"][0]["field"]) == (422, "role")
    longer = _as(operator, "POST", "/auth/tokens", bearer, {"name": "z", "days": 90})[1]["token"]
    assert longer["expires_at"] == short["token"]["expires_at"]
    listed = operator.get("/api/v1/auth/tokens").json()["items"]
    assert [token["name"] for token in listed] == ["z", "short"]
    assert "secret" not in str(listed)
    assert operator.delete(f"/api/v1/auth/tokens/{short['token']['id']}").status_code == 204
    assert _as(operator, "GET", "/hosts", bearer)[0] == 401


def test_the_use_of_a_token_is_noted_once_a_minute(sign_in: SignIn, session: Session) -> None:
    client = sign_in(Role.ADMIN)
    made = client.post("/api/v1/auth/tokens", json={"name": "laptop"}).json()
    assert made["token"]["last_used_at"] is None
    bearer = {"Authorization": f"Bearer {made['secret']}"}
    seen = []
    for _ in range(2):
        _as(client, "GET", "/hosts", bearer)
        seen.append(client.get("/api/v1/auth/tokens").json()["items"][0]["last_used_at"])
    assert seen[0] is not None and seen[0] == seen[1]
    session.execute(text("UPDATE api_tokens SET last_used_at = last_used_at - interval '61 seconds'"))
    session.commit()
    _as(client, "GET", "/hosts", bearer)
    assert client.get("/api/v1/auth/tokens").json()["items"][0]["last_used_at"] > seen[0]


def test_a_change_of_password_ends_the_other_sessions_only(sign_in: SignIn) -> None:
    client = sign_in(Role.ADMIN)
    other = _login(client, "ada", PASSWORD)
    assert [one["current"] for one in client.get("/api/v1/auth/sessions").json()["items"]] == [False, True]
    change = {"current_password": PASSWORD, "new_password": NEW}
    assert client.post("/api/v1/auth/password", json=change).status_code == 204
    assert (_as(client, "GET", "/hosts", other)[0], client.get("/api/v1/hosts").status_code) == (401, 200)


def test_nobody_ends_what_is_somebody_elses(sign_in: SignIn) -> None:
    ada = sign_in(Role.ADMIN)
    made = ada.post("/api/v1/auth/tokens", json={"name": "laptop"}).json()["token"]["id"]
    bob = sign_in(Role.ADMIN, "bob")
    assert bob.delete(f"/api/v1/auth/tokens/{made}").status_code == 404
    assert bob.delete("/api/v1/auth/sessions/1").status_code == 404
