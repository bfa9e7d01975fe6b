"""Floods of sign-ins and guessed passwords: what they cost the others, who is locked out, and what is written."""

from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from typing import Any

import pytest
from console_world import PASSWORD, wait_until
from fastapi.testclient import TestClient
from sextant_backend.app import console_app
from sextant_backend.kit.client import client_of
from sextant_backend.kit.principal import CSRF_HEADER
from sextant_backend.modules.audit.models import AuditRow
from sextant_backend.modules.auth import secrets, service
from sextant_backend.modules.auth.models import LoginFailure
from sextant_backend.modules.auth.sign_in import MAX_FAILURES, MAX_FAILURES_OF_ADDRESS
from sextant_backend.modules.auth.sign_in_gate import MOST_AT_ONCE, MOST_OF_CLIENT
from sextant_domain.console.access import Role
from sqlalchemy import func, select
from sqlalchemy.orm import Session
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

LOGIN, HOSTS = "/api/v1/auth/login", "/api/v1/hosts"
FLOOD = 120
PROXY, OFFICE, ATTACKER = "10.0.0.1", "192.0.2.10", "198.51.100.66"


@pytest.fixture
def ada(session: Session) -> None:
    service.create_user(session, "ada", PASSWORD, Role.VIEWER)
    session.commit()


@pytest.fixture
def proxy(settings: object, clean: object) -> Iterator[TestClient]:
    """The console behind a reverse proxy that it trusts, as `serve.console` runs it."""
    with TestClient(ProxyHeadersMiddleware(console_app(), trusted_hosts=PROXY), client=(PROXY, 50_000)) as browser:
        yield browser


def guess(browser: TestClient, address: str, name: str = "ada", password: str = "wrong") -> int:
    """What a sign-in from there is answered with."""
    body = {"username": name, "password": password}
    return browser.post(LOGIN, json=body, headers={"X-Forwarded-For": address}).status_code


def test_a_flood_of_sign_ins_is_refused_but_for_a_few_and_stalls_nobody(client: TestClient) -> None:
    """Passwords are not checked at all for a while, as if each took for ever: 4 of an address wait for it, the others
    are asked to try again later, and everybody else is answered."""
    with ExitStack() as busy, ThreadPoolExecutor(FLOOD) as flood:
        for _ in range(2):
            busy.enter_context(secrets._one_at_a_time)
        asked = [flood.submit(client.post, LOGIN, json={"username": "eve", "password": "x"}) for _ in range(FLOOD)]
        try:
            wait_until(lambda: sum(one.done() for one in asked) == FLOOD - MOST_OF_CLIENT, 60)
            refused = [one.result() for one in asked if one.done()]
            assert {answer.status_code for answer in refused} == {503}
            assert all(int(answer.headers["Retry-After"]) > 0 for answer in refused)
            assert client.app.state.sign_ins.under_way == {"testclient": MOST_OF_CLIENT}  # type: ignore[attr-defined]
            assert bounded(flood.submit(client.get, HOSTS)).status_code == 200
        finally:
            busy.close()
        answered = Counter(one.result().status_code for one in asked)
    assert answered == {503: FLOOD - MOST_OF_CLIENT, 401: MOST_OF_CLIENT}
    assert not client.app.state.sign_ins.under_way  # type: ignore[attr-defined]


def bounded(future: Future[Any]) -> Any:
    """What it answers; an error where it takes a minute."""
    return future.result(timeout=60)


def test_floods_from_everywhere_are_bounded_together(proxy: TestClient) -> None:
    """A guess from each of 120 addresses: 8 wait for their turn at the hasher."""
    with ExitStack() as busy, ThreadPoolExecutor(FLOOD) as flood:
        for _ in range(2):
            busy.enter_context(secrets._one_at_a_time)
        asked = [flood.submit(guess, proxy, f"198.51.100.{n}") for n in range(FLOOD)]
        try:
            wait_until(lambda: sum(one.done() for one in asked) == FLOOD - MOST_AT_ONCE, 60)
        finally:
            busy.close()
        answered = Counter(one.result() for one in asked)
    assert answered == {503: FLOOD - MOST_AT_ONCE, 401: MOST_AT_ONCE}


def test_changes_of_passwords_share_the_bound_of_sign_ins(ada: None, proxy: TestClient) -> None:
    """Twelve at once, each from an address of its own: 8 wait for the hasher, 4 are asked to try again, and who only
    reads is answered. Then one of the 8 has changed the password, and for the other 7 it is not the current one."""
    signed_in = proxy.post(LOGIN, json={"username": "ada", "password": PASSWORD}, headers={"X-Forwarded-For": OFFICE})
    csrf = {CSRF_HEADER: signed_in.json()["csrf_token"]}

    def change(n: int) -> int:
        headers = {**csrf, "X-Forwarded-For": f"198.51.100.{n}"}
        body = {"current_password": PASSWORD, "new_password": f"another-horse-{n:04}"}
        return proxy.post("/api/v1/auth/password", json=body, headers=headers).status_code

    with ExitStack() as busy, ThreadPoolExecutor(13) as flood:
        for _ in range(2):
            busy.enter_context(secrets._one_at_a_time)
        asked = [flood.submit(change, n) for n in range(12)]
        try:
            wait_until(lambda: sum(one.done() for one in asked) == 12 - MOST_AT_ONCE, 60)
            assert bounded(flood.submit(proxy.get, HOSTS)).status_code == 200
        finally:
            busy.close()
        answered = Counter(one.result() for one in asked)
    assert answered == {503: 12 - MOST_AT_ONCE, 422: MOST_AT_ONCE - 1, 204: 1}


def test_guesses_from_elsewhere_do_not_lock_the_right_one_out(ada: None, proxy: TestClient) -> None:
    assert [guess(proxy, ATTACKER) for _ in range(MAX_FAILURES + 1)] == [401] * MAX_FAILURES + [429]
    assert guess(proxy, ATTACKER, password=PASSWORD) == 429
    assert guess(proxy, OFFICE, password=PASSWORD) == 200
    assert guess(proxy, ATTACKER, password=PASSWORD) == 429, "the right one's success opens nothing there"
    assert guess(proxy, OFFICE) == 401


def test_an_address_is_closed_whatever_names_it_tries(ada: None, proxy: TestClient) -> None:
    tried = [guess(proxy, ATTACKER, f"user-{n}") for n in range(MAX_FAILURES_OF_ADDRESS + 5)]
    assert tried == [401] * MAX_FAILURES_OF_ADDRESS + [429] * 5
    assert guess(proxy, OFFICE, password=PASSWORD) == 200


def test_an_address_that_no_trusted_proxy_forwards_is_not_believed(ada: None, session: Session) -> None:
    behind = ProxyHeadersMiddleware(console_app(), trusted_hosts=PROXY)
    with TestClient(behind, client=(ATTACKER, 50_000)) as browser:
        tried = [guess(browser, f"192.0.2.{n}") for n in range(MAX_FAILURES + 1)]
    assert tried == [401] * MAX_FAILURES + [429]
    assert set(session.scalars(select(LoginFailure.client))) == {ATTACKER}


def test_a_flood_of_guesses_leaves_two_entries_in_the_audit_trail(
    ada: None, proxy: TestClient, session: Session
) -> None:
    """The first of the minute, and the one that closed the name to the address, with how many there were."""
    for _ in range(MAX_FAILURES * 4):
        guess(proxy, ATTACKER)
    rows = session.scalars(select(AuditRow).where(AuditRow.action == "auth.refused").order_by(AuditRow.id)).all()
    assert [(row.actor, row.detail["address"], row.detail["failures"]) for row in rows] == [
        ("ada", ATTACKER, "1"),
        ("ada", ATTACKER, str(MAX_FAILURES)),
    ]
    assert session.scalar(select(func.count()).select_from(LoginFailure)) == MAX_FAILURES


@pytest.mark.parametrize(
    ("peer", "counted"),
    [
        (("192.0.2.10", 1), "192.0.2.10"),
        (("::ffff:192.0.2.10", 1), "192.0.2.10"),
        (("2001:db8:1:2:aaaa::7", 1), "2001:db8:1:2::/64"),
        (("x" * 1000, 1), "x" * 64),
        (None, "unknown"),
    ],
)
def test_what_counts_as_one_client(peer: tuple[str, int] | None, counted: str) -> None:
    assert client_of({"type": "http", "client": peer}) == counted
