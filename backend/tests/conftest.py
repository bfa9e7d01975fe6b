"""A real PostgreSQL and Valkey for the whole run, migrated once; every test starts with empty tables."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from datetime import timedelta
from functools import lru_cache
from typing import Any
from unittest.mock import patch

import pytest
import structlog
from argon2 import PasswordHasher
from console_world import PASSWORD, SignIn, an_inventory
from fastapi import FastAPI
from fastapi.testclient import TestClient
from psycopg import Connection
from psycopg.errors import LockNotAvailable
from quick_client import QuickClient
from sextant_backend import migrate, wiring
from sextant_backend.app import console_app, fresh_state
from sextant_backend.fleet import enrolling, guard
from sextant_backend.kit import db, queue, tallies
from sextant_backend.kit.principal import COOKIE, CSRF_HEADER
from sextant_backend.kit.sealing import make_key_file
from sextant_backend.kit.throttle import SharedThrottle, Throttle
from sextant_backend.modules.auth import secrets
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.auth.sign_in import Attempt, open_session
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.settings import Settings, get_settings
from sextant_domain.console.access import Role
from sextant_domain.hosts.host import HostInventory
from sextant_domain.loading import loading
from sextant_run.servers import temporary_postgres, temporary_valkey
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

wiring.connect()
structlog.configure(  # as it is anyway, but for errors: drawn with all variables, one of a request takes 14 s of CPU
    processors=[
        *structlog.get_config()["processors"][:-1],
        structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback),
    ]
)
_TABLES = text(
    "SELECT format('%I', c.relname) FROM pg_class c"
    " WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')"
    " AND NOT c.relispartition AND c.relname <> 'alembic_version'"
)
_RESTART = (
    "PERFORM setval(format('%I', sequencename)::regclass, start_value, false) FROM pg_sequences"
    " WHERE schemaname = 'public' AND last_value IS NOT NULL"
)
_EMPTY = text("SELECT of_tests.empty()")
PATIENCE_MS = 60_000
_CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""Argon2 as in production but for its cost, which a hash carries with it: who signs in is checked by the real way."""


@pytest.fixture(scope="session")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Settings of the run: its own servers and key file, through the environment as in production."""
    key = tmp_path_factory.mktemp("key") / "secrets.key"
    make_key_file(key)
    os.environ["SEXTANT_SECRETS_KEY_FILE"] = str(key)
    with ExitStack() as stack:
        os.environ["DATABASE_URL"] = stack.enter_context(temporary_postgres())
        os.environ["REDIS_URL"] = stack.enter_context(temporary_valkey())
        get_settings.cache_clear()
        migrate.upgrade()
        _prepare_to_empty()
        engine = db.session_factory().kw["bind"]
        event.listen(engine, "connect", _be_patient)
        yield get_settings()
        engine.dispose()
        _emptying(get_settings().database_url).dispose()


def _be_patient(connection: Connection[Any], _record: object) -> None:
    """PostgreSQL ends a transaction that its process left alone for 5 s (`db.IDLE_LIMIT_MS`). Processes under test keep
    to that; one of tests may have to wait for longer until a busy machine gives it a processor."""
    connection.execute(f"SET idle_in_transaction_session_timeout = {PATIENCE_MS}")
    connection.commit()


@pytest.fixture(autouse=True)
def _fresh_minutes() -> Iterator[None]:
    """Nothing counted yet at the throttles of the process: what the tests before had refused is not this one's."""
    refusals, attempts = Throttle(per_minute=120), SharedThrottle("enrolments", enrolling.PER_MINUTE)
    with (
        patch.object(auth, "_refusals", refusals),
        patch.object(guard, "_refusals", refusals),
        patch.object(enrolling, "_attempts", attempts),
    ):
        yield


EMPTY_WITHIN_S = 30.0


@pytest.fixture
def clean(settings: Settings) -> Settings:
    """Empty tables and an empty queue before the test."""
    deadline = time.monotonic() + EMPTY_WITHIN_S
    while True:
        try:
            _empty()
            break
        except OperationalError as error:
            if time.monotonic() > deadline or not isinstance(error.orig, LockNotAvailable):
                raise
            time.sleep(0.01)
    tallies.flush(every_s=0.0)  # what the test before has counted and not sent
    queue.client().flushall()
    return settings


def _empty() -> None:
    with _emptying(get_settings().database_url).begin() as connection:
        connection.execute(_EMPTY)


@lru_cache(maxsize=1)
def _emptying(url: str) -> Engine:
    """Without triggers, over a connection of its own: one that changes the role for a while forgets all its plans."""
    options = "-c session_replication_role=replica"
    return create_engine(url, pool_size=1, pool_pre_ping=True, connect_args={"options": options})


def _prepare_to_empty() -> None:
    """A function of the server's, which keeps the plans of its statements: each test begins with it.

    It locks every table or none: a worker of the test before may be in a turn that has read some of them and wants
    others, and of two that wait for each other PostgreSQL ends one. Rows are deleted where there are any: TRUNCATE
    gives every table and index a new file, which takes six times as long."""
    with db.session_scope() as session:
        tables = session.execute(_TABLES).scalars().all()
        deletions = " ".join(f"IF EXISTS (SELECT FROM {name}) THEN DELETE FROM {name}; END IF;" for name in tables)
        body = f"BEGIN LOCK TABLE {', '.join(tables)} NOWAIT; {deletions} {_RESTART}; END"
        session.execute(text("CREATE SCHEMA of_tests"))
        session.execute(text(f"CREATE FUNCTION of_tests.empty() RETURNS void LANGUAGE plpgsql AS $${body}$$"))


@pytest.fixture
def quick_tries(monkeypatch: pytest.MonkeyPatch) -> None:
    """A step's tries within 2 s, for tests of what comes after them: that they end within 30 s is another test."""
    monkeypatch.setattr("sextant_backend.modules.operations.decider.STALL_S", 0.5)
    monkeypatch.setattr("sextant_backend.modules.operations.decider.RETRY_DELAYS_S", (0.1, 0.1))


@pytest.fixture
def session(clean: Settings) -> Iterator[Session]:
    """A session whose commits are real; the next test empties the tables."""
    with db.session_factory()() as session:
        yield session


@pytest.fixture(scope="session")
def application(settings: Settings) -> FastAPI:
    """One a process, which makes its contract once, too: that takes seconds of CPU."""
    with loading():
        return console_app(settings)


@pytest.fixture
def app_client(clean: Settings, application: FastAPI) -> Iterator[TestClient]:
    """The console without anybody signed in, as it is after its start."""
    fresh_state(application)
    with closing(QuickClient(application)) as client:
        yield client


@pytest.fixture
def sign_in(app_client: TestClient) -> SignIn:
    """`sign_in(Role.VIEWER)`: make a user of that role, begin its session as a sign-in with the password does, send
    cookie and CSRF token with everything. The request that signs in would take longer than most tests."""

    def _sign_in(role: Role = Role.OPERATOR, username: str = "ada") -> TestClient:
        with patch.object(secrets, "_hasher", _CHEAP), db.session_scope() as session:
            user = auth.create_user(session, username, PASSWORD, role)
            attempt = Attempt(username, client="testclient", browser=app_client.headers["User-Agent"])
            begun = open_session(session, user, attempt, timedelta(hours=get_settings().session_hours))
        app_client.cookies.set(COOKIE, begun.cookie, domain="testserver.local")
        app_client.headers[CSRF_HEADER] = begun.view.csrf_token
        return app_client

    return _sign_in


@pytest.fixture
def client(sign_in: SignIn, request: pytest.FixtureRequest) -> TestClient:
    """The console, signed in as an operator; as an administrator in tests marked `as_admin`."""
    return sign_in(Role.ADMIN if request.node.get_closest_marker("as_admin") else Role.OPERATOR)


@pytest.fixture
def count_queries(settings: Settings) -> Callable[[], AbstractContextManager[list[str]]]:
    """`with count_queries() as seen:` collects the statements that reach the database."""

    @contextmanager
    def counting() -> Iterator[list[str]]:
        seen: list[str] = []
        engine = db.session_factory().kw["bind"]

        def note(_connection: object, _cursor: object, statement: str, *_rest: object) -> None:
            seen.append(statement)

        event.listen(engine, "before_cursor_execute", note)
        try:
            yield seen
        finally:
            event.remove(engine, "before_cursor_execute", note)

    return counting


@pytest.fixture
def edge(session: Session) -> HostInventory:
    """Host edge-1, enrolled and registered."""
    inventory = an_inventory()
    hosts.enrol(session, "edge-1", {"zone": "lab"})
    hosts.register(session, inventory, "https://127.0.0.1:9443")
    session.commit()
    return inventory
