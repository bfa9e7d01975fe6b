"""Every operation of the console x every kind of credentials, as the one table of permissions says."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import pytest
from console_world import PASSWORD
from fastapi import APIRouter
from fastapi.routing import iter_route_contexts
from fastapi.testclient import TestClient
from open_doors import BESIDE_THE_CONTRACT, FLEET, MOST
from open_doors import CONSOLE as OPEN
from paths_filled import filled
from sextant_backend import openapi
from sextant_backend.app import API_PREFIX, console_app
from sextant_backend.kit import db
from sextant_backend.kit.principal import CSRF_HEADER
from sextant_backend.kit.surface import ANY_PAGE
from sextant_backend.kit.throttle import Throttle
from sextant_backend.modules.auth import secrets
from sextant_backend.modules.auth import service as auth
from sextant_backend.reference import contract
from sextant_backend.settings import Settings
from sextant_domain.console.access import TABLE, Permission, Role
from sqlalchemy import text

from conftest import _CHEAP

STRANGERS = (
    "none",
    "made-up session",
    "expired session",
    "ended session",
    "revoked token",
    "expired token",
    "disabled user",
)


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
        for method, operation in methods.items():
            named = operation.get("x-sextant-permission")
            permission = None if named is None else Permission(named)
            found.append(Door(operation["operationId"], method.upper(), filled(path), permission))
    return found


DOORS = _doors()


@pytest.fixture
def headers(app_client: TestClient) -> Iterator[dict[str, dict[str, str]]]:
    """What each kind of asker sends; the audit of refusals is kept to a few."""
    client = app_client
    with patch.object(secrets, "_hasher", _CHEAP), patch.object(auth, "_refusals", Throttle(per_minute=5)):
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
        made["ended session"] = _signed_in(client, "the-admin")
        ended = client.post(f"{API_PREFIX}/auth/logout", headers=made["ended session"])
        assert ended.status_code == 204
        client.cookies.clear()
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


def test_the_lists_of_open_doors_only_shrink() -> None:
    """Lower the bound when one is struck off; nobody raises it. The agent has none: agent/tests/test_tls.py."""
    assert {"console": len(OPEN), "beside the contract": len(BESIDE_THE_CONTRACT), "fleet": len(FLEET)} == MOST


def test_every_route_is_an_operation_of_the_contract_or_named_as_open() -> None:
    """Asked of the application itself: what is left out of the document is a door, too."""
    app = console_app(Settings(database_url="postgresql+psycopg://", redis_url="redis://"))
    routes = [route for route in iter_route_contexts(list(app.routes)) if route.path != ANY_PAGE]
    assert all(route.methods for route in routes), "a door without methods (a mount, a web socket): extend the walk"
    walked = {(method.upper(), path) for path, methods in openapi.document()["paths"].items() for method in methods}
    beside = {(method, route.path) for route in routes for method in route.methods or ()} - walked
    assert beside == {("GET", path) for path in BESIDE_THE_CONTRACT}


def test_doors_that_are_named_as_open_are_open(app_client: TestClient) -> None:
    """One that asks for a sign-in by now is to be struck off the list. 303: a sign-in that leads on."""
    for door in DOORS:
        if door.name in OPEN:
            answer = app_client.request(door.method, door.path, follow_redirects=False)
            assert answer.status_code in {200, 303, 422, 503}, (door, answer.text)
    assert {app_client.get(path).status_code for path in BESIDE_THE_CONTRACT} == {200}


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
