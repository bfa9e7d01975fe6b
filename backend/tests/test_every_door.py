"""Every operation of the console x every kind of credentials, as the one table of permissions says."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import pytest
from console_world import PASSWORD
from fastapi import APIRouter
from fastapi.testclient import TestClient
from sextant_backend import openapi
from sextant_backend.app import API_PREFIX, console_app
from sextant_backend.kit import db
from sextant_backend.kit.principal import CSRF_HEADER
from sextant_backend.kit.throttle import Throttle
from sextant_backend.modules.auth import secrets
from sextant_backend.modules.auth import service as auth
from sextant_backend.reference import contract
from sextant_backend.settings import Settings
from sextant_domain.console.access import TABLE, Permission, Role
from sqlalchemy import text

from conftest import _CHEAP

OPEN = {"login", "getHealth", "getReadiness"}
"""Sign-in and health. This list may only shrink."""
STRANGERS = ("none", "made-up session", "expired session", "revoked token", "expired token", "disabled user")


@dataclass(frozen=True)
class Door:
    """One operation, with its path filled in."""

    name: str
    method: str
    path: str
    permission: Permission | None


def _doors() -> list[Door]:
    found = []
    for path, methods in openapi.document()["paths"].items():
        filled = path.replace("{nf_id}", "a.b").replace("{law}", "octans").replace("{scope}", "host")
        filled = filled.replace("{digest}", f"sha256:{'0' * 64}").replace("{core}", "1")
        filled = re.sub(r"\{[a-z]+_id\}", "99", filled.replace("{host_id}", "a").replace("{name}", "nobody"))
        assert "{" not in filled, filled
        for method, operation in methods.items():
            named = operation.get("x-sextant-permission")
            permission = None if named is None else Permission(named)
            found.append(Door(operation["operationId"], method.upper(), filled, permission))
    return found


DOORS = _doors()


@pytest.fixture
def headers(clean: Settings) -> Iterator[dict[str, dict[str, str]]]:
    """What each kind of asker sends; the audit of refusals is kept to a few."""
    with (
        patch.object(secrets, "_hasher", _CHEAP),
        patch.object(auth, "_refusals", Throttle(per_minute=5)),
        TestClient(console_app(), raise_server_exceptions=False) as client,
    ):
        made: dict[str, dict[str, str]] = {"none": {}, "made-up session": {"Cookie": "sextant_session=made-up"}}
        with db.session_scope() as session:
            for role in Role:
                user = auth.create_user(session, f"the-{role}", PASSWORD, role)
                made[f"token of {role}"] = _bearer(auth.create_token(session, user, "t", role))
            admin = auth.create_user(session, "gone", PASSWORD, Role.ADMIN)
            made["revoked token"] = _bearer(auth.create_token(session, admin, "revoked", Role.ADMIN))
            made["expired token"] = _bearer(auth.create_token(session, admin, "expired", Role.ADMIN))
            off = auth.create_user(session, "off", PASSWORD, Role.ADMIN)
            made["disabled user"] = _bearer(auth.create_token(session, off, "t", Role.ADMIN))
        for role in Role:
            made[f"session of {role}"] = _signed_in(client, f"the-{role}")
        made["expired session"] = _signed_in(client, "gone")
        with db.session_scope() as session:
            session.execute(text("DELETE FROM api_tokens WHERE name = 'revoked'"))
            session.execute(text("UPDATE api_tokens SET expires_at = now() WHERE name = 'expired'"))
            session.execute(text("UPDATE users SET disabled_at = now() WHERE username = 'off'"))
            ended = (
                "UPDATE sessions SET expires_at = now() WHERE user_id = (SELECT id FROM users WHERE username = 'gone')"
            )
            session.execute(text(ended))
        yield made


def _bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def _signed_in(client: TestClient, username: str) -> dict[str, str]:
    answer = client.post(f"{API_PREFIX}/auth/login", json={"username": username, "password": PASSWORD})
    name, value = next(iter(client.cookies.items()))
    client.cookies.clear()
    return {"Cookie": f"{name}={value}", CSRF_HEADER: answer.json()["csrf_token"]}


def _ask(client: TestClient, door: Door, headers: dict[str, str]) -> Any:
    """Without a body, of things that are not there. Where the stream would begin, its Last-Event-ID does not fit: that
    is judged after the permission."""
    client.cookies.clear()
    return client.request(door.method, door.path, headers={"Last-Event-ID": "x" * 65, **headers})


def test_every_operation_but_sign_in_and_health_names_its_permission() -> None:
    assert {door.name for door in DOORS if door.permission is None} == OPEN
    assert len(DOORS) > 100


def test_every_permission_opens_something() -> None:
    assert {door.permission for door in DOORS} == {*Permission, None}
    assert set(TABLE) == set(Permission)


def test_strangers_are_refused_at_every_door(headers: dict[str, dict[str, str]], app_client: TestClient) -> None:
    for door in DOORS:
        if door.name in OPEN:
            continue
        for who in STRANGERS:
            answer = _ask(app_client, door, headers[who])
            assert answer.status_code == 401, (who, door, answer.text)


@pytest.mark.parametrize("kind", ["session", "token"])
@pytest.mark.parametrize("role", list(Role))
def test_each_role_passes_the_doors_of_the_table(
    headers: dict[str, dict[str, str]], app_client: TestClient, role: Role, kind: str
) -> None:
    """Signing out comes last: it ends the session that asks. A token has no session, and is refused as such."""
    for door in sorted(DOORS, key=lambda door: door.name == "logout"):
        if door.permission is None or (kind, door.name) == ("token", "getSession"):
            continue
        answer = _ask(app_client, door, headers[f"{kind} of {role}"])
        refused = "urn:sextant:problem:forbidden"
        if role.may(door.permission):
            assert answer.status_code < 500 and answer.status_code not in (401, 403), (role, door, answer.text)
        else:
            assert (answer.status_code, answer.json()["type"]) == (403, refused), (role, door, answer.text)


def test_an_operation_without_a_permission_is_found() -> None:
    """The walk is over the routes themselves: whoever forgets the permission is named."""
    router = APIRouter()

    @router.get("/forgotten", operation_id="forgotten")
    def forgotten() -> None:
        """Open to all."""

    app = console_app(Settings(database_url="postgresql+psycopg://", redis_url="redis://"))
    app.include_router(router, prefix=API_PREFIX)
    assert {name for name, needed in contract.permissions(app).items() if needed is None} - OPEN == {"forgotten"}
