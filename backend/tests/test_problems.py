"""Every refusal is problem+json with a stable type, a cause, and nothing of our insides."""

import os
import socket

import psycopg
import pytest
from console_world import SignIn
from fastapi.testclient import TestClient
from sextant_backend.app import console_app
from sextant_backend.kit.db import session_factory
from sextant_backend.modules.hosts import service
from sextant_backend.settings import Settings, get_settings
from sextant_domain.console.access import Role
from sextant_domain.problem import MEDIA_TYPE, Problem
from sextant_run.servers import PostgresServer, running
from sqlalchemy import text
from sqlalchemy.orm import Session
from worker_world import eventually

LOGIN = "/api/v1/auth/login"


def _problem(answer: object, status: int, kind: str) -> Problem:
    assert answer.status_code == status, answer.text  # type: ignore[attr-defined]
    assert answer.headers["content-type"] == MEDIA_TYPE  # type: ignore[attr-defined]
    problem = Problem.model_validate_json(answer.content)  # type: ignore[attr-defined]
    assert problem.type == f"urn:sextant:problem:{kind}"
    assert problem.status == status
    assert problem.request_id == answer.headers["x-request-id"]  # type: ignore[attr-defined]
    assert problem.title and problem.detail
    return problem


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"username": "ada", "password": "x", "remember": True}, "remember"),
        ({"username": "ada"}, "password"),
        ({"username": 7, "password": "x"}, "username"),
        ({"username": "Ada Lovelace", "password": "x"}, "username"),
        ({"username": "ada", "password": "x" * 1025}, "password"),
        ([], "body"),
        ("ada", "body"),
    ],
)
def test_field_that_does_not_fit_is_named(app_client: TestClient, body: object, field: str) -> None:
    problem = _problem(app_client.post(LOGIN, json=body), 422, "validation")
    assert [error.field for error in problem.errors] == [field]
    assert "Nothing was changed" in problem.detail


@pytest.mark.parametrize("body", [b"{", b"", b"\xff\xfe", b"[" * 100_000, b'{"username": NaN'])
def test_body_that_is_no_json(app_client: TestClient, body: bytes) -> None:
    answer = app_client.post(LOGIN, content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == (422 if body == b"" else 400)
    assert answer.headers["content-type"] == MEDIA_TYPE


def test_body_of_another_type_is_not_read(app_client: TestClient) -> None:
    """A form of another site cannot send application/json without asking first."""
    body = b'{"username": "ada", "password": "x"}'
    answer = app_client.post(LOGIN, content=body, headers={"Content-Type": "text/plain"})
    _problem(answer, 422, "validation")


def test_declared_length_above_the_limit(app_client: TestClient, clean: Settings) -> None:
    _problem(app_client.post(LOGIN, content=b"x" * (clean.max_body_bytes + 1)), 413, "body-too-large")


def test_streamed_body_above_the_limit(app_client: TestClient, clean: Settings) -> None:
    """Chunks declare no length: they are counted."""
    chunks = (b"x" * 65_536 for _ in range(clean.max_body_bytes // 65_536 + 1))
    answer = app_client.post(LOGIN, content=chunks, headers={"Content-Type": "application/json"})
    _problem(answer, 413, "body-too-large")


def test_body_of_exactly_the_limit_is_read(app_client: TestClient, clean: Settings) -> None:
    head, tail = b'{"username": "ada", "password": "', b'"}'
    body = head + b"x" * (clean.max_body_bytes - len(head) - len(tail)) + tail
    answer = app_client.post(LOGIN, content=body, headers={"Content-Type": "application/json"})
    assert [error.field for error in _problem(answer, 422, "validation").errors] == ["password"]


@pytest.mark.parametrize("path", ["/api/v1/nothing", "/api", "/api/v2/hosts", "/api/v1/hosts/edge-9"])
def test_unknown_path(client: TestClient, path: str) -> None:
    _problem(client.get(path), 404, "not-found")


def test_wrong_method(client: TestClient) -> None:
    answer = client.delete("/api/v1/hosts")
    _problem(answer, 405, "method-not-allowed")
    assert "GET" in answer.headers["Allow"]


@pytest.mark.parametrize(
    ("path", "field"),
    [
        ("/api/v1/hosts?limit=0", "query.limit"),
        ("/api/v1/hosts?limit=201", "query.limit"),
        ("/api/v1/hosts?after=%00", "query.after"),
        ("/api/v1/hosts?after=NQ", "query.after"),  # the cursor of a list by number
        ("/api/v1/hosts/..%2F", "path.host_id"),
        ("/api/v1/hosts/A", "path.host_id"),
        ("/api/v1/nfs/%00", "path.nf_id"),
        ("/api/v1/nfs?host=A", "query.host"),
        ("/api/v1/telemetry/chains/a?seconds=3601", "query.seconds"),
        ("/api/v1/telemetry/chains/a?seconds=1e9", "query.seconds"),
    ],
)
def test_parameter_that_does_not_fit_is_named(client: TestClient, path: str, field: str) -> None:
    answer = client.get(path)
    if answer.status_code == 404:  # the decoded slash makes another path of it
        return
    assert [error.field for error in _problem(answer, 422, "validation").errors] == [field]


@pytest.mark.parametrize(
    ("method", "path", "body", "fields"),
    [
        ("PATCH", "/api/v1/chains/web/settings", {"warp": 9, "paused": "yes"}, ["paused", "warp"]),
        ("PATCH", "/api/v1/chains/web/settings", {"nfs": {"r": {"cpu_share": 0}}}, ["nfs.r.cpu_share"]),
        ("DELETE", "/api/v1/chains/A", None, ["path.name"]),
    ],
)
def test_a_field_is_refused_once_where_several_parts_of_a_request_read_it(
    client: TestClient, method: str, path: str, body: object, fields: list[str]
) -> None:
    """What is drafted before the request's transaction reads the same body and the same path as the request."""
    problem = _problem(client.request(method, path, json=body), 422, "validation")
    assert sorted(error.field for error in problem.errors) == fields
    assert "more" not in problem.detail


def test_fifty_fields_are_named_at_most(client: TestClient) -> None:
    body = {f"x{number}": 1 for number in range(60)}
    problem = _problem(client.patch("/api/v1/chains/web/settings", json=body), 422, "validation")
    assert len({error.field for error in problem.errors}) == len(problem.errors) == 50


def test_request_id_is_taken_over_or_made(client: TestClient) -> None:
    assert client.get("/healthz", headers={"X-Request-ID": "abc-1"}).headers["X-Request-ID"] == "abc-1"
    for bad in ("a b", "x" * 65, "a;b"):
        made = client.get("/healthz", headers={"X-Request-ID": bad}).headers["X-Request-ID"]
        assert made != bad and len(made) == 16


def test_unexpected_exception_reveals_nothing_of_itself(sign_in: SignIn, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **_filters: object) -> None:
        raise RuntimeError("secret inside")

    client = sign_in(Role.VIEWER)
    monkeypatch.setattr(service, "page", broken)
    answer = client.get("/api/v1/hosts")
    _problem(answer, 500, "internal")
    assert "secret" not in answer.text and "Traceback" not in answer.text


def test_a_request_that_stood_still_in_its_transaction_may_be_sent_again(
    sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its process was frozen or starved for so long that PostgreSQL gave its locks to others.

    Whether the client still reads PostgreSQL's last words, which say so, or only the end of the connection, is a race
    within libpq: the detail may be either, the way out is the same.
    """

    def frozen(session: Session, *_args: object, **_filters: object) -> None:
        own = session.execute(text("SELECT pg_backend_pid()")).scalar_one()
        session.execute(text("SET LOCAL idle_in_transaction_session_timeout = 1"))
        with session_factory()() as other:
            alive = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid").bindparams(pid=own)

            def ended() -> bool:
                other.rollback()  # within a transaction PostgreSQL keeps showing who was there when it was first asked
                return bool(other.execute(alive).scalar_one() == 0)

            eventually(ended)
        session.execute(text("SELECT 1"))

    client = sign_in(Role.VIEWER)
    monkeypatch.setattr(service, "page", frozen)
    answer = client.get("/api/v1/hosts")
    assert "in the middle of this request" in _problem(answer, 503, "unavailable").detail
    assert int(answer.headers["Retry-After"]) > 0


def test_a_connection_that_breaks_in_the_middle_of_a_request_does_not_claim_to_have_changed_nothing(
    sign_in: SignIn, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a word of PostgreSQL nobody knows whether a commit that was under way was still done."""

    def cut(session: Session, *_args: object, **_filters: object) -> None:
        held = session.connection().connection.dbapi_connection
        assert isinstance(held, psycopg.Connection)
        with socket.socket(fileno=os.dup(held.fileno())) as end:
            end.shutdown(socket.SHUT_RDWR)
        session.execute(text("SELECT 1"))

    client = sign_in(Role.VIEWER)
    monkeypatch.setattr(service, "page", cut)
    answer = client.get("/api/v1/hosts")
    assert _problem(answer, 503, "unavailable").detail == (
        "The connection to the database was lost in the middle of this request."
    )
    assert int(answer.headers["Retry-After"]) > 0
    monkeypatch.undo()
    assert client.get("/api/v1/hosts").status_code == 200


def test_database_away_is_503_and_its_return_is_seen(
    settings: Settings, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same process answers 503 while PostgreSQL is stopped and 401 once it is back."""
    from sextant_backend import migrate

    folder = tmp_path_factory.mktemp("pg")
    server = PostgresServer(data=folder / "data", sockets=folder / "s", durable=False)
    server.prepare()
    monkeypatch.setenv("DATABASE_URL", server.url)
    get_settings.cache_clear()
    try:
        with TestClient(console_app(), raise_server_exceptions=False) as client:
            with running(server, folder / "log"):
                migrate.upgrade()
                _problem(client.get("/api/v1/hosts", headers={"Cookie": "sextant_session=x"}), 401, "unauthenticated")
            answer = client.get("/api/v1/hosts", headers={"Cookie": "sextant_session=x"})
            _problem(answer, 503, "unavailable")
            assert int(answer.headers["Retry-After"]) > 0
            assert client.get("/readyz").json()["checks"]["database"]["ok"] is False
            with running(server, folder / "log"):
                _problem(client.get("/api/v1/hosts", headers={"Cookie": "sextant_session=x"}), 401, "unauthenticated")
    finally:
        monkeypatch.undo()
        get_settings.cache_clear()


def test_a_name_that_does_not_fit_is_answered_with_what_would(app_client: TestClient) -> None:
    answer = app_client.post(LOGIN, json={"username": "Ada Lovelace", "password": "x"})
    [error] = _problem(answer, 422, "validation").errors
    assert error.message.startswith("must be lower-case letters, digits, dots, hyphens, underscores and @, 63 at most")
