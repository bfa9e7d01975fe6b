"""Tokens at the console: made once, shown once, listed without it, taken back."""

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from enrolment_world import Listener, audited, listening
from fastapi.testclient import TestClient
from sextant_backend.kit.db import session_scope
from sextant_backend.modules.enrolments import service
from sextant_backend.settings import Settings, get_settings
from sqlalchemy import text

pytestmark = pytest.mark.as_admin
"""Hosts' enrolment is an administrator's."""

ENROLMENTS = "/api/v1/enrolments"


@pytest.fixture
def fleet(clean: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Listener]:
    with listening(tmp_path, monkeypatch) as listener:
        yield listener


def _made(client: TestClient, **asked: Any) -> dict[str, Any]:
    answer = client.post(ENROLMENTS, json=asked)
    assert answer.status_code == 201, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_the_answer_alone_shows_the_token_and_says_what_to_run(fleet: Listener, client: TestClient) -> None:
    made = _made(client, host="edge-7", lifetime_s=60)
    token, enrolment = made["token"], made["enrolment"]
    assert made["command"] == f"sextant-agent enrol --console {fleet.url} --token-file - <<< '{token}'"
    life = datetime.fromisoformat(enrolment["expires_at"]) - datetime.fromisoformat(enrolment["created_at"])
    assert life.total_seconds() == pytest.approx(60, abs=1)
    listed = client.get(ENROLMENTS)
    assert listed.json()["items"] == [enrolment]
    assert enrolment | {"created_by": "ada", "count": 1, "fleet": False, "host": "edge-7"} == enrolment
    secret = token[4:47]
    with session_scope() as session:
        kept = session.execute(text("SELECT string_agg(t::text, '') FROM enrolments t")).scalar_one()
        kept += session.execute(text("SELECT string_agg(t::text, '') FROM audit_entries t")).scalar_one()
        answers = session.execute(text("SELECT count(*) FROM idempotency_keys")).scalar_one()
    assert answers == 0, "no answer is kept"
    assert secret not in kept and secret not in listed.text
    assert [(actor, subject) for actor, subject, _ in audited("enrolment.make")] == [("ada", "host/edge-7")]


def test_a_second_token_for_a_host_takes_the_place_of_the_first(fleet: Listener, client: TestClient) -> None:
    first, second = _made(client, host="edge-7")["token"], _made(client, host="edge-7")["token"]
    assert len(client.get(ENROLMENTS).json()["items"]) == 1
    assert fleet.enrol(first).status_code == 403
    assert fleet.enrol(second).status_code == 201
    assert client.get(ENROLMENTS).json()["items"] == []


def test_a_token_that_was_taken_back_lets_nobody_in(fleet: Listener, client: TestClient) -> None:
    made = _made(client, host="edge-7")
    path = f"{ENROLMENTS}/{made['enrolment']['id']}"
    assert client.delete(path).status_code == 204
    assert fleet.enrol(made["token"]).status_code == 403
    assert client.delete(path).status_code == 404
    assert [subject for _, subject, _ in audited("enrolment.withdraw")] == ["host/edge-7"]


def test_labels_are_the_hosts_and_stay_where_none_are_given(fleet: Listener, client: TestClient) -> None:
    fleet.enrol(_made(client, host="edge-7", labels={"rack": "r-12"})["token"])
    assert client.get("/api/v1/hosts/edge-7").json()["labels"] == {"rack": "r-12"}
    fleet.enrol(_made(client, host="edge-7")["token"])
    assert client.get("/api/v1/hosts/edge-7").json()["labels"] == {"rack": "r-12"}


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"host": "Edge_7"}, "host"),
        ({"host": ""}, "host"),
        ({"host": "-edge"}, "host"),
        ({"host": "*-*", "count": 2}, "host"),
        ({"host": "demo-*"}, "count"),
        ({"host": "demo-1", "count": 2}, "count"),
        ({"host": "demo-*", "count": 0}, "count"),
        ({"host": "demo-*", "count": 1001}, "count"),
        ({"host": "a" * 60 + "-*", "count": 1000}, "count"),  # 60 + 1 + 4 characters: two more than a name may have
        ({"host": "edge-7", "lifetime_s": 601}, "lifetime_s"),
        ({"host": "edge-7", "lifetime_s": 9}, "lifetime_s"),
        ({"host": "edge-7", "labels": {"rack": "a\x00b"}}, "labels.rack"),
        ({"host": "edge-7", "role": "backend"}, "role"),
    ],
)
def test_what_cannot_be_asked_for(fleet: Listener, client: TestClient, asked: dict[str, Any], field: str) -> None:
    answer = client.post(ENROLMENTS, json=asked)
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, field)
    assert client.get(ENROLMENTS).json()["items"] == []


def test_tokens_that_nobody_uses_are_bounded_and_forgotten(
    fleet: Listener, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_PENDING", 2)
    for host in ("edge-7", "edge-8"):
        _made(client, host=host)
    assert client.post(ENROLMENTS, json={"host": "edge-9"}).json()["type"] == "urn:sextant:problem:enrolments-full"
    with session_scope() as session:
        session.execute(text("UPDATE enrolments SET expires_at = clock_timestamp() - interval '1 s'"))
        service.forget_old(session)
        assert session.execute(text("SELECT count(*) FROM enrolments")).scalar_one() == 0
    _made(client, host="edge-9")


def test_an_installation_without_an_address_for_agents_says_what_to_set(
    fleet: Listener, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SEXTANT_FLEET_URL")
    get_settings.cache_clear()
    answer = client.post(ENROLMENTS, json={"host": "edge-7"})
    assert (answer.status_code, answer.json()["type"]) == (503, "urn:sextant:problem:enrolment-unavailable")
    assert "SEXTANT_FLEET_URL" in answer.json()["detail"]
