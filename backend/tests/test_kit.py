"""Kit: If-Match, idempotency, outbox, addresses of the queue."""

import threading
from collections.abc import Iterator
from typing import Annotated

import pytest
from console_world import PASSWORD
from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.testclient import TestClient
from sextant_backend.app import console_app
from sextant_backend.kit import errors, etag, idempotency, outbox, queue
from sextant_backend.kit.db import SessionDep, make_engine, session_factory, session_scope
from sextant_backend.kit.idempotency import Idempotent, IdempotentRoute
from sextant_backend.kit.principal import Principal, may
from sextant_backend.kit.tasks import Queue, TaskName
from sextant_backend.modules.audit import service as audit
from sextant_backend.modules.audit.models import AuditRow
from sextant_backend.modules.auth import repository
from sextant_backend.modules.auth import service as auth
from sextant_backend.settings import Settings
from sextant_domain.console.access import Permission, Role
from sextant_domain.console.live import ChainGoneEvent
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

Writer = Annotated[Principal, may(Permission.CHAINS_WRITE)]
router = APIRouter(route_class=IdempotentRoute)


@router.post("/notes", status_code=201, dependencies=[Idempotent])
def note(
    request: Request,
    response: Response,
    session: SessionDep,
    who: Writer,
) -> dict[str, int]:
    """Write one audit row; `?fail` refuses after writing."""
    audit.record(session, who.username, "test.note", "note")
    session.flush()
    if "fail" in request.query_params:
        raise errors.NotFound("refused after writing")
    count = session.scalar(select(func.count()).where(AuditRow.action == "test.note"))
    response.headers["Location"] = f"/notes/{count}"
    return {"count": count or 0}


@pytest.fixture
def notes(clean: Settings) -> Iterator[TestClient]:
    """A console with POST /notes, called with a token."""
    app: FastAPI = console_app()
    app.router.routes.insert(0, *router.routes)
    with session_scope() as session:
        auth.create_user(session, "ada", PASSWORD, Role.OPERATOR)
        user = repository.user_named(session, "ada")
        assert user is not None
        token = auth.create_token(session, user, "cli", Role.OPERATOR)
    with TestClient(app, raise_server_exceptions=False) as client:
        client.headers["Authorization"] = f"Bearer {token}"
        yield client


def test_repeat_gets_the_stored_answer(notes: TestClient) -> None:
    first = notes.post("/notes", json={"a": 1}, headers={"Idempotency-Key": "k"})
    again = notes.post("/notes", json={"a": 1}, headers={"Idempotency-Key": "k"})
    assert (first.status_code, first.json()) == (201, {"count": 1})
    assert (again.status_code, again.json()) == (201, {"count": 1})
    assert again.headers["Location"] == first.headers["Location"]
    assert again.headers["Idempotency-Replayed"] == "true"
    assert notes.post("/notes", json={"a": 1}).json() == {"count": 2}  # without the key it is a new one


def test_key_with_another_body_is_refused(notes: TestClient) -> None:
    notes.post("/notes", json={"a": 1}, headers={"Idempotency-Key": "k"})
    answer = notes.post("/notes", json={"a": 2}, headers={"Idempotency-Key": "k"})
    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:sextant:problem:idempotency-key-reused"


def test_refused_request_leaves_the_key_free(notes: TestClient) -> None:
    assert notes.post("/notes?fail", headers={"Idempotency-Key": "k"}).status_code == 404
    assert notes.post("/notes", headers={"Idempotency-Key": "k"}).json() == {"count": 1}


def test_rivals_with_one_key_have_one_effect(notes: TestClient) -> None:
    answers: list[tuple[int, str]] = []

    def post() -> None:
        answer = notes.post("/notes", json={}, headers={"Idempotency-Key": "k"})
        answers.append((answer.status_code, answer.text))

    threads = [threading.Thread(target=post) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(answers) == {(201, '{"count":1}')}


def test_old_keys_are_forgotten(notes: TestClient, session: Session) -> None:
    notes.post("/notes", headers={"Idempotency-Key": "k"})
    session.execute(text("UPDATE idempotency_keys SET created_at = created_at - interval '25 hours'"))
    assert idempotency.forget_old(session) == 1
    assert idempotency.forget_old(session) == 0


@pytest.mark.parametrize("key", ["", "a b", "x" * 201, "\t"])
def test_absurd_keys_are_named(notes: TestClient, key: str) -> None:
    answer = notes.post("/notes", headers={"Idempotency-Key": key})
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "header.Idempotency-Key"


def _request(headers: dict[str, str]) -> Request:
    pairs = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "headers": pairs})


def test_if_match() -> None:
    etag.require_if_match(_request({"If-Match": '"3"'}), 3)
    etag.require_if_match(_request({"If-Match": '"2", "3"'}), 3)
    with pytest.raises(etag.PreconditionRequired):
        etag.require_if_match(_request({}), 3)
    for stale in ('"2"', "3", "*", 'W/"3"', ""):
        with pytest.raises(etag.PreconditionFailed) as refused:
            etag.require_if_match(_request({"If-Match": stale}), 3)
        assert refused.value.difference == {"expected": stale, "actual": '"3"'}


def _stream() -> list[str]:
    return [fields[b"e"].decode() for _, fields in queue.client().xrange(queue.STREAM)]


def test_outbox_sends_after_commit_only(session: Session) -> None:
    outbox.publish(session, ChainGoneEvent(name="a"))
    outbox.ring(session, TaskName.PLAN, 7)
    outbox.ring(session, TaskName.PLAN, 7)
    session.execute(text("SELECT 1"))
    assert _stream() == [] and queue.client().llen(Queue.PLAN) == 0
    session.commit()
    assert _stream() == ['{"event":"chain_gone","name":"a"}']
    assert queue.client().llen(Queue.PLAN) == 1
    session.execute(text("SELECT 1"))
    session.commit()
    assert len(_stream()) == 1


def test_outbox_drops_what_was_rolled_back(session: Session) -> None:
    outbox.publish(session, ChainGoneEvent(name="a"))
    session.execute(text("SELECT 1"))
    session.rollback()
    session.execute(text("SELECT 1"))
    session.commit()
    assert _stream() == []


def test_outbox_waits_for_the_outermost_commit(session: Session) -> None:
    session.execute(text("SELECT 1"))
    with session.begin_nested():
        outbox.publish(session, ChainGoneEvent(name="a"))
    assert _stream() == []
    session.commit()
    assert len(_stream()) == 1


def test_queue_away_does_not_fail_a_commit(clean: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox.tasks, "celery_url", lambda _url: "redis://127.0.0.1:1/0")
    monkeypatch.setattr(queue, "redis_url", lambda _url: "redis://127.0.0.1:1/0")
    with session_factory()() as session:
        audit.record(session, "ada", "test.note", "note")
        outbox.publish(session, ChainGoneEvent(name="a"))
        outbox.ring(session, TaskName.PLAN, 7)
        session.commit()
        assert session.scalar(select(func.count()).select_from(AuditRow)) == 1


@pytest.mark.parametrize(
    ("given", "redis_form", "celery_form"),
    [
        ("redis://:pw@127.0.0.1:6379/0", "redis://:pw@127.0.0.1:6379/0", "redis://:pw@127.0.0.1:6379/0"),
        ("unix:///run/v.sock?db=1", "unix:///run/v.sock?db=1", "redis+socket:///run/v.sock?virtual_host=1"),
        ("redis+socket:///v.sock?virtual_host=2", "unix:///v.sock?db=2", "redis+socket:///v.sock?virtual_host=2"),
        ("unix://:pw@/v.sock", "unix://:pw@/v.sock?db=0", "redis+socket://:pw@/v.sock?virtual_host=0"),
    ],
)
def test_address_forms(given: str, redis_form: str, celery_form: str) -> None:
    assert queue.redis_url(given) == redis_form
    assert queue.celery_url(given) == celery_form


def test_ready_means_that_every_queue_has_its_worker(app_client: TestClient) -> None:
    for name in Queue:
        queue.report_alive(queue.client(), name)
    assert app_client.get("/readyz").status_code == 200
    queue.client().delete(queue.alive_key(Queue.PLAN))
    answer = app_client.get("/readyz")
    assert answer.status_code == 503
    workers = answer.json()["checks"]["workers"]
    assert (workers["ok"], "make plans" in workers["detail"]) == (False, True)


def test_postgresql_ends_transactions_of_a_process_that_is_frozen(settings: Settings) -> None:
    """A process as it runs outside of tests, whose own sessions are more patient (`conftest._be_patient`)."""
    with make_engine(settings.database_url).connect() as connection:
        assert connection.execute(text("SHOW idle_in_transaction_session_timeout")).scalar_one() == "5s"
