"""Signing in: what opens the console, what does not, and what is written about it."""

from datetime import timedelta

import httpx
import pytest
from argon2 import extract_parameters
from console_world import PASSWORD, SignIn, serving
from fastapi.testclient import TestClient
from sextant_backend.app import console_app
from sextant_backend.kit.errors import ValidationFailed
from sextant_backend.kit.principal import COOKIE, CSRF_HEADER
from sextant_backend.modules.audit.models import AuditRow
from sextant_backend.modules.auth import repository, secrets, service
from sextant_backend.modules.auth.models import ApiToken, BrowserSession
from sextant_domain.console.access import Role
from sqlalchemy import func, select, update
from sqlalchemy.orm import Session

LOGIN, SESSION, LOGOUT = "/api/v1/auth/login", "/api/v1/auth/session", "/api/v1/auth/logout"


def _actions(session: Session) -> list[tuple[str, str]]:
    return [(row.actor, row.action) for row in session.scalars(select(AuditRow).order_by(AuditRow.id))]


def _kind(answer: object) -> str:
    body = answer.json()  # type: ignore[attr-defined]
    return str(body["type"]).removeprefix("urn:sextant:problem:")


def test_signed_in_user_sees_own_session(client: TestClient) -> None:
    answer = client.get(SESSION)
    assert answer.status_code == 200
    assert (answer.json()["username"], answer.json()["role"]) == ("ada", "operator")
    assert answer.json()["csrf_token"] == client.headers[CSRF_HEADER]


def test_two_consoles_on_one_machine_are_signed_in_to_side_by_side(session: Session) -> None:
    """One browser, two ports of 127.0.0.1, one after the other; then it signs out at the first alone."""
    for name in ("ada", "bob"):
        service.create_user(session, name, PASSWORD, Role.VIEWER)
    session.commit()
    with serving(console_app()) as first, serving(console_app()) as second, httpx.Client(timeout=60) as browser:
        at = {"ada": f"http://127.0.0.1:{first}", "bob": f"http://127.0.0.1:{second}"}
        tokens = {}
        for name, console in at.items():
            answer = browser.post(f"{console}{LOGIN}", json={"username": name, "password": PASSWORD})
            tokens[name] = answer.json()["csrf_token"]
        shown = {name: browser.get(f"{console}{SESSION}").json()["username"] for name, console in at.items()}
        assert shown == {"ada": "ada", "bob": "bob"}
        assert browser.post(f"{at['ada']}{LOGOUT}", headers={CSRF_HEADER: tokens["ada"]}).status_code == 204
        assert [browser.get(f"{console}{SESSION}").status_code for console in at.values()] == [401, 200]


@pytest.mark.parametrize(
    ("host", "name"),
    [
        ("sextant.lab", COOKIE),
        ("sextant.lab:8443", f"{COOKIE}_8443"),
        ("[::1]", COOKIE),
        ("[::1]:8400", f"{COOKIE}_8400"),
        ("sextant.lab:port", COOKIE),
        ("sextant.lab:1234567", COOKIE),
        ("", COOKIE),
    ],
)
def test_the_cookie_is_named_by_the_port_that_was_asked(
    app_client: TestClient, session: Session, host: str, name: str
) -> None:
    service.create_user(session, "ada", PASSWORD, Role.VIEWER)
    session.commit()
    answer = app_client.post(LOGIN, json={"username": "ada", "password": PASSWORD}, headers={"Host": host})
    assert answer.headers["set-cookie"].startswith(f"{name}=")


def test_cookie_is_hidden_from_scripts_and_other_sites(app_client: TestClient, session: Session) -> None:
    service.create_user(session, "ada", PASSWORD, Role.VIEWER)
    session.commit()
    header = app_client.post(LOGIN, json={"username": "ada", "password": PASSWORD}).headers["set-cookie"].lower()
    assert "httponly" in header and "samesite=strict" in header and "path=/" in header


@pytest.mark.parametrize(("name", "password"), [("ada", "wrong"), ("nobody", PASSWORD)])
def test_bad_credentials_are_refused_and_audited(
    app_client: TestClient, session: Session, name: str, password: str
) -> None:
    service.create_user(session, "ada", PASSWORD, Role.VIEWER)
    session.commit()
    answer = app_client.post(LOGIN, json={"username": name, "password": password})
    assert (answer.status_code, _kind(answer)) == (401, "unauthenticated")
    assert COOKIE not in answer.cookies
    assert _actions(session)[-1] == (name, "auth.refused")


def test_fifth_failure_of_a_name_closes_it_for_a_minute(app_client: TestClient, session: Session) -> None:
    service.create_user(session, "ada", PASSWORD, Role.VIEWER)
    session.commit()
    for _ in range(5):
        assert app_client.post(LOGIN, json={"username": "ada", "password": "wrong"}).status_code == 401
    answer = app_client.post(LOGIN, json={"username": "ada", "password": PASSWORD})
    assert (answer.status_code, _kind(answer)) == (429, "too-many-attempts")
    assert answer.headers["Retry-After"] == "60"
    assert app_client.post(LOGIN, json={"username": "bob", "password": "x"}).status_code == 401


def test_a_good_sign_in_forgets_failures(app_client: TestClient, session: Session) -> None:
    service.create_user(session, "ada", PASSWORD, Role.VIEWER)
    session.commit()
    for _ in range(4):
        app_client.post(LOGIN, json={"username": "ada", "password": "wrong"})
    assert app_client.post(LOGIN, json={"username": "ada", "password": PASSWORD}).status_code == 200
    assert repository.recent_failures(session, timedelta(minutes=1), username="ada", client="testclient") == 0


def test_expired_session_is_refused(client: TestClient, session: Session) -> None:
    session.execute(update(BrowserSession).values(expires_at=func.clock_timestamp() - timedelta(seconds=1)))
    session.commit()
    answer = client.get(SESSION)
    assert (answer.status_code, _kind(answer)) == (401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("token", [None, "wrong"])
def test_write_without_the_csrf_token_is_refused_and_audited(
    client: TestClient, session: Session, token: str | None
) -> None:
    del client.headers[CSRF_HEADER]
    answer = client.post(LOGOUT, headers={} if token is None else {CSRF_HEADER: token})
    assert (answer.status_code, _kind(answer)) == (403, "csrf")
    assert answer.json()["errors"][0]["field"] == f"header.{CSRF_HEADER}"
    assert _actions(session)[-1] == ("ada", "auth.refused")
    assert client.get(SESSION).status_code == 200


def test_signed_out_cookie_opens_nothing(client: TestClient) -> None:
    cookie = client.cookies[COOKIE]
    assert client.post(LOGOUT).status_code == 204
    assert client.get(SESSION, headers={"Cookie": f"{COOKIE}={cookie}"}).status_code == 401


def test_token_needs_no_csrf_and_is_cut_to_its_role(app_client: TestClient, session: Session) -> None:
    service.create_user(session, "ada", PASSWORD, Role.VIEWER)
    user = repository.user_named(session, "ada")
    assert user is not None
    token = service.create_token(session, user, "cli", Role.ADMIN)
    session.commit()
    assert token.startswith("sxt_")
    app_client.headers["Authorization"] = f"Bearer {token}"
    assert app_client.get("/api/v1/hosts").status_code == 200
    answer = app_client.post("/api/v1/chains", json={})
    assert (answer.status_code, _kind(answer)) == (403, "forbidden")  # ada is a viewer, whatever her token says
    assert _actions(session)[-1] == ("ada", "auth.refused")


def test_token_of_a_name_is_replaced(app_client: TestClient, session: Session) -> None:
    service.create_user(session, "ada", PASSWORD, Role.OPERATOR)
    user = repository.user_named(session, "ada")
    assert user is not None
    old = service.create_token(session, user, "cli", Role.OPERATOR)
    new = service.create_token(session, user, "cli", Role.OPERATOR)
    session.commit()
    statuses = [
        app_client.get("/api/v1/hosts", headers={"Authorization": f"Bearer {t}"}).status_code for t in (old, new)
    ]
    assert statuses == [401, 200]
    assert session.scalar(select(func.count()).select_from(ApiToken)) == 1


def test_a_user_that_does_not_exist_costs_as_much_as_one_that_does() -> None:
    """Else the time of an answer would say which names exist."""
    assert extract_parameters(secrets.NOBODYS) == extract_parameters(secrets.hash_password(PASSWORD))
    assert not secrets.password_matches(None, PASSWORD)


@pytest.mark.parametrize("header", ["Bearer sxt_unknown", "Bearer", "Basic YTpi", "bearer \x00"])
def test_unknown_tokens_are_refused(client: TestClient, header: str) -> None:
    answer = client.get("/api/v1/hosts", headers={"Authorization": header})
    assert (answer.status_code, _kind(answer)) == (401, "unauthenticated")  # the cookie does not help either


def test_viewer_may_not_write(sign_in: SignIn) -> None:
    answer = sign_in(Role.VIEWER).post("/api/v1/chains", json={})
    assert (answer.status_code, _kind(answer)) == (403, "forbidden")


def test_new_password_ends_sessions(client: TestClient, session: Session) -> None:
    user = repository.user_named(session, "ada")
    assert user is not None
    service.set_password(session, user, "another")
    session.commit()
    assert client.get(SESSION).status_code == 401
    assert client.post(LOGIN, json={"username": "ada", "password": "another"}).status_code == 200


def test_no_secret_is_stored(client: TestClient, session: Session) -> None:
    """Neither password, cookie nor token is anywhere in the database, in clear."""
    user = repository.user_named(session, "ada")
    assert user is not None
    token = service.create_token(session, user, "cli", Role.OPERATOR)
    session.commit()
    for table in ("users", "sessions", "api_tokens", "audit_entries", "login_failures"):
        rows = _dump(session, table)
        for secret in (PASSWORD, client.cookies[COOKIE], token):
            assert secret not in rows


def _dump(session: Session, table: str) -> str:
    rows = session.connection().exec_driver_sql(f"SELECT * FROM {table}").all()
    return str([[bytes(cell) if isinstance(cell, memoryview) else cell for cell in row] for row in rows])


def test_forget_old_drops_ended_sessions(client: TestClient, session: Session) -> None:
    session.execute(update(BrowserSession).values(expires_at=func.clock_timestamp() - timedelta(seconds=1)))
    repository.forget_old(session)
    assert session.scalar(select(func.count()).select_from(BrowserSession)) == 0


def test_passwords_that_are_printed_are_strong_and_differ() -> None:
    """4 groups of 5 characters of 31: 31^20 = 2^99."""
    first, second = secrets.new_password(), secrets.new_password()
    assert first != second
    assert len(first.replace("-", "")) == 20


@pytest.mark.parametrize("name", ["system", "unknown"])
def test_nobody_is_named_as_the_audit_log_names_what_no_user_did(
    app_client: TestClient, session: Session, name: str
) -> None:
    """Neither stored nor tried as a sign-in, which would write the name into the audit log."""
    with pytest.raises(ValidationFailed) as refused:
        service.create_user(session, name, PASSWORD, Role.ADMIN)
    problem = refused.value.problem()
    assert [(one.field, f"{name} is how the audit log names" in one.message) for one in problem.errors] == [
        ("username", True)
    ]
    assert problem.next_actions
    assert repository.user_named(session, name) is None
    answer = app_client.post(LOGIN, json={"username": name, "password": PASSWORD})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "username")
    assert _actions(session) == []


def test_a_user_has_a_name_that_fits(session: Session) -> None:
    with pytest.raises(ValidationFailed, match="must be lower-case letters"):
        service.create_user(session, "Ada Lovelace", PASSWORD, Role.VIEWER)
