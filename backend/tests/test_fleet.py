"""The fleet listener over real mutual TLS: who may speak, for whom, and what it does with what it hears."""

import ssl
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import anyio.to_thread
import httpx
import pytest
from console_world import PASSWORD, a_batch, an_inventory
from fastapi.routing import iter_route_contexts
from listener_world import EARLY, JSON, TELEMETRY, Speak, a_fleet_authority, an_early_report, host_certificate, speaking
from open_doors import FLEET
from pki_world import Authority, Issued
from sextant_backend.fleet import guard
from sextant_backend.fleet.app import fleet_app
from sextant_backend.fleet.guard import BATCHES
from sextant_backend.fleet.telemetry_answers import TelemetryAnswers
from sextant_backend.kit import db, tallies
from sextant_backend.kit.db import db_now
from sextant_backend.kit.surface import ANY_PAGE
from sextant_backend.kit.throttle import Throttle
from sextant_backend.modules.audit.models import AuditRow
from sextant_backend.modules.auth import service as auth
from sextant_backend.modules.auth import sign_in
from sextant_backend.modules.auth.sign_in import Attempt
from sextant_backend.modules.control.models import CONTROL_ROW_ID, ControlRow
from sextant_backend.modules.hosts import service as hosts
from sextant_backend.modules.maintenance.models import MaintenanceWindowRow
from sextant_backend.settings import Settings
from sextant_domain.console.access import Role
from sextant_domain.hosts.host import HostStatus
from sextant_domain.hosts.telemetry import TelemetryAnswer
from sqlalchemy import func, select, text
from sqlalchemy.orm import Session

REGISTER, RENEW = "/fleet/v1/register", "/fleet/v1/renew"
REGISTRATIONS = "/fleet/v1/registrations"


def _routes() -> set[tuple[str, str]]:
    """Every door there is, asked of the listener itself, so that a new one cannot be forgotten."""
    listener = fleet_app(Settings(database_url="postgresql+psycopg://", redis_url="redis://"))
    found = list(iter_route_contexts(listener.routes))
    assert all(route.methods for route in found), "a door without methods (a mount, a web socket): extend the walk"
    return {(method, str(route.path)) for route in found if route.path != ANY_PAGE for method in route.methods or ()}


DOORS = [
    *sorted(_routes() - FLEET),
    ("POST", "/fleet/v1/authority"),
    ("GET", "/fleet/v1/enrol"),
    ("POST", "/fleet/v1/enrol/"),
    ("GET", "/"),
    ("GET", REGISTER),
    ("PUT", "/v1/x"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
]
"""Beside the listener's own: what is nearly one of them, and what other listeners have."""


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """The fleet's own authority, with the backend's certificate."""
    return a_fleet_authority(tmp_path_factory.mktemp("pki"))


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """Another authority."""
    return Authority(tmp_path_factory.mktemp("other"), "stranger")


@pytest.fixture
def speak(session: Session, authority: Authority) -> Iterator[Speak]:
    """`speak(certificate)`: a client of a real listener; edge-1 is enrolled."""
    with speaking(session, authority) as connect:
        yield connect


def _registration(host_id: str = "edge-1") -> dict[str, Any]:
    return {"inventory": an_inventory(host_id).model_dump(mode="json"), "agent_url": "https://127.0.0.1:9443"}


def _refusals(session: Session) -> list[tuple[str, str]]:
    session.rollback()
    query = select(AuditRow).where(AuditRow.action == "fleet.refused").order_by(AuditRow.id)
    return [(row.actor, row.subject) for row in session.scalars(query)]


def test_agent_registers_and_reports(speak: Speak, session: Session, authority: Authority) -> None:
    agent = speak(host_certificate(authority, "edge-1"))
    assert agent.post(REGISTER, json=_registration()).status_code == 204
    for _ in range(2):
        assert agent.post(TELEMETRY, content=a_batch().model_dump_json(), headers=JSON).status_code == 200
    host = hosts.one(session, "edge-1")
    assert (host.status, host.throughput_mpps) == (HostStatus.UP, 0.4)
    assert session.execute(text("SELECT count(*) FROM chain_samples")).scalar_one() == 1


def test_agents_are_told_where_no_law_may_act(
    speak: Speak, session: Session, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Maintenance of their host, of the fleet, and the switch of all laws."""
    monkeypatch.setattr("sextant_backend.fleet.telemetry_answers.READ_EVERY_S", 0.0)
    agent = speak(host_certificate(authority, "edge-1"))
    batches = iter(range(1, 9))

    def answered() -> str | None:
        answer = agent.post(TELEMETRY, content=a_batch(next(batches)).model_dump_json(), headers=JSON)
        return TelemetryAnswer.model_validate_json(answer.content).laws_stopped

    assert answered() is None
    now = db_now(session)
    window = MaintenanceWindowRow(
        host_id="edge-1", starts_at=now, ends_at=now + timedelta(hours=1), reason="new memory", created_by="olga"
    )
    session.add(window)
    session.commit()
    assert (answered() or "").endswith("by olga: new memory")
    session.delete(window)
    session.commit()
    assert answered() is None
    session.add(ControlRow(id=CONTROL_ROW_ID, stopped=True, changed_by="olga"))
    session.commit()
    assert answered() == "all control laws are stopped, by olga"


def test_a_thousand_reports_a_second_read_once_whether_laws_may_act(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sextant_backend.fleet.telemetry_answers.READ_EVERY_S", 3600.0)
    answers = TelemetryAnswers()
    assert answers.stopped(session, ["edge-1"]) == {}
    session.add(ControlRow(id=CONTROL_ROW_ID, stopped=True, changed_by="olga"))
    session.flush()
    assert answers.stopped(session, ["edge-1"]) == {}, "an hour has not passed"
    assert TelemetryAnswers().stopped(session, ["edge-2", "edge-1"]) == dict.fromkeys(
        ["edge-1", "edge-2"], "all control laws are stopped, by olga"
    )


_ACTORS = {"not enrolled": "host/edge-9", "revoked": "host/edge-1", "no gateway": "gateway/gw-1"}


def _revoked(session: Session, authority: Authority) -> Issued:
    hosts.revoke(session, "edge-1", "its disk was lost", "ada")
    session.commit()
    return host_certificate(authority, "edge-1")


def test_a_report_goes_to_a_thread_only_where_it_waits_for_the_database(
    speak: Speak, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By whom it comes, and the report with its session: each way there and back wakes the loop. Of a peer that was
    trusted just now the session that stores the report judges."""
    taken: list[object] = []
    run_sync = anyio.to_thread.run_sync

    async def counted(function: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        taken.append(function)
        return await run_sync(function, *arguments, **options)

    agent = speak(host_certificate(authority, "edge-1"))
    monkeypatch.setattr(anyio.to_thread, "run_sync", counted)
    assert agent.post(TELEMETRY, content=a_batch().model_dump_json(), headers=JSON).status_code == 200
    assert len(taken) == 2, taken
    taken.clear()
    assert agent.post(TELEMETRY, content=a_batch(sequence=2).model_dump_json(), headers=JSON).status_code == 200
    assert len(taken) == 1, taken


@pytest.mark.parametrize("path", [TELEMETRY, BATCHES])
def test_a_peer_that_was_trusted_a_moment_ago_is_refused_and_audited_all_the_same(
    speak: Speak, session: Session, authority: Authority, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    """Its body is read, and judged by the session that would store it. Then the guard refuses it, before the body."""
    monkeypatch.setattr(guard, "_refusals", Throttle(per_minute=1000))

    def reported(sequence: int) -> str:
        batch = a_batch(sequence=sequence).model_dump_json()
        return batch if path == TELEMETRY else f'{{"batches":[{batch}]}}'

    agent = speak(host_certificate(authority, "edge-1"))
    assert agent.post(path, content=reported(1), headers=JSON).status_code == 200
    _revoked(session, authority)
    for body in (reported(2), "{not json"):
        answer = agent.post(path, content=body, headers=JSON)
        assert (answer.status_code, "was revoked" in answer.text) == (403, True), answer.text
    assert _refusals(session) == [("host/edge-1", f"POST {path}")] * 2
    assert session.execute(text("SELECT max(sequence) FROM latest_hosts")).scalar_one() == 1


def test_only_reports_rest_on_an_earlier_judgement(
    speak: Speak, session: Session, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And for a while only: then the guard judges before it reads."""
    agent = speak(host_certificate(authority, "edge-1"))
    assert agent.post(TELEMETRY, content=a_batch().model_dump_json(), headers=JSON).status_code == 200
    hosts.revoke(session, "edge-1", "its disk was lost", "ada")
    session.commit()
    for path in (REGISTER, REGISTRATIONS, RENEW, "/nothing"):
        assert agent.post(path, content=b"{not json", headers=JSON).status_code == 403, path
        assert agent.post(TELEMETRY, content=b"{not json", headers=JSON).status_code == 403, "the guard has judged"
    assert {("POST", TELEMETRY), ("POST", BATCHES)} == guard.JUDGED_WHERE_STORED, "this list may only shrink"


def test_an_earlier_judgement_is_forgotten(
    speak: Speak, session: Session, authority: Authority, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "REMEMBERED_S", 0.0)
    agent = speak(host_certificate(authority, "edge-1"))
    assert agent.post(TELEMETRY, content=a_batch().model_dump_json(), headers=JSON).status_code == 200
    _revoked(session, authority)
    assert agent.post(TELEMETRY, content=b"{not json", headers=JSON).status_code == 403, "before the body"


def test_the_doors_are_all_doors() -> None:
    """The two that stand open are walked in test_enrolment."""
    assert {("GET", "/fleet/v1/authority"), ("POST", "/fleet/v1/enrol")} == FLEET, "this list may only shrink"
    assert _routes() > FLEET
    assert {REGISTER, TELEMETRY} < {path for _method, path in DOORS}


def _credentials(role: Role) -> list[dict[str, str]]:
    """What a user of the console sends there: a session's cookie, or an API token."""
    with db.session_scope() as session:
        user = auth.create_user(session, f"the-{role}", PASSWORD, role)
        token = auth.create_token(session, user, "t", role)
        cookie = sign_in.open_session(session, user, Attempt(user.username, "192.0.2.1"), timedelta(hours=1)).cookie
    return [{"Authorization": f"Bearer {token}"}, {"Cookie": f"sextant_session={cookie}"}]


@pytest.mark.parametrize(
    "who",
    ["nobody", *Role, "not enrolled", "revoked", "no gateway", "backend", "no name", "two names", "twice", "scheme"],
)
def test_every_door_refuses_and_audits(
    speak: Speak, session: Session, authority: Authority, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    """Users of the console are nobody here, whatever their role: only a certificate counts."""
    monkeypatch.setattr(guard, "_refusals", Throttle(per_minute=1000))
    certificates = {
        "not enrolled": lambda: host_certificate(authority, "edge-9"),
        "revoked": lambda: _revoked(session, authority),
        "no gateway": lambda: authority.issue("gateway", ["urn:sextant:gateway:gw-1"]),
        "backend": lambda: authority.issue("role", ["urn:sextant:role:backend"]),
        "no name": lambda: authority.issue("nameless", []),
        "two names": lambda: authority.issue("both", ["urn:sextant:host:edge-1", "urn:sextant:host:edge-2"]),
        "twice": lambda: authority.issue("twice", ["urn:sextant:host:edge-1", "urn:sextant:host:edge-1"]),
        "scheme": lambda: authority.issue("scheme", ["https://sextant/host/edge-1"], ["edge-1.host.sextant"]),
    }
    peer = speak(certificates[who]() if who in certificates else None)
    sent = _credentials(Role(who)) if who in set(Role) else [{}]
    for method, path in DOORS:
        for headers in sent:
            answer = peer.request(method, path, content=b"{not json", headers={**JSON, **headers})
            assert answer.status_code == 403, (method, path, answer.text)
            assert answer.json()["type"] == "urn:sextant:problem:peer-not-authorised"
    actor = _ACTORS.get(who, "unknown peer")
    assert _refusals(session) == [(actor, f"{method} {path}") for method, path in DOORS for _ in sent]


def test_a_certificate_of_another_authority_or_that_expired_is_cut_off_at_every_door(
    speak: Speak, stranger: Authority, authority: Authority
) -> None:
    old = authority.issue("old", ["urn:sextant:host:edge-1"], lifetime=timedelta(minutes=-5))
    for issued in (host_certificate(stranger, "edge-1"), old):
        for method, path in [*DOORS, *sorted(FLEET)]:
            with pytest.raises(httpx.TransportError):
                speak(issued).request(method, path)


def test_nobody_speaks_for_another_host(speak: Speak, session: Session, authority: Authority) -> None:
    """edge-2 is enrolled, and speaks for edge-1 wherever a body names a host. Where none does (renew), the certificate
    alone says for whom it is. A door that is new has to be told of here."""
    hosts.enrol(session, "edge-2", {})
    session.commit()
    agent = speak(host_certificate(authority, "edge-2"))
    batch = a_batch().model_dump(mode="json")
    many = {REGISTRATIONS: {"registrations": [_registration()]}, BATCHES: {"batches": [batch]}}
    bodies = {REGISTER: _registration(), TELEMETRY: batch, EARLY: an_early_report(), **many, RENEW: None}
    assert set(bodies) == {path for _method, path in _routes() - FLEET}
    for path, body in bodies.items():
        if body is None:
            continue
        answer = agent.post(path, json=body)
        assert answer.status_code == (200 if path in many else 403), path
        assert "edge-2 may not report for edge-1" in answer.text
    told = [("host/edge-2", f"POST {path}") for path, body in bodies.items() if body is not None]
    assert _refusals(session) == told
    assert hosts.one(session, "edge-1").inventory is None
    assert session.execute(text("SELECT count(*) FROM chain_samples")).scalar_one() == 0
    tallies.flush(every_s=0.0)
    assert tallies.read()["telemetry_batches", "refused"] == 2


def test_early_reports_are_no_heartbeat_and_no_history(speak: Speak, session: Session, authority: Authority) -> None:
    """And of a host that has not reported a second nothing is stored: there is nothing that it could add to."""
    agent = speak(host_certificate(authority, "edge-1"))
    assert agent.post(EARLY, json=an_early_report()).status_code == 204
    assert session.execute(text("SELECT count(*) FROM early_reports")).scalar_one() == 0
    assert agent.post(TELEMETRY, content=a_batch().model_dump_json(), headers=JSON).status_code == 200
    query = text("SELECT heard_at, taken_at, sequence FROM latest_hosts")
    before = session.execute(query).one()
    session.rollback()
    assert agent.post(EARLY, json=an_early_report()).status_code == 204
    assert session.execute(text("SELECT count(*) FROM early_reports")).scalar_one() == 1
    assert session.execute(query).one() == before
    assert session.execute(text("SELECT count(*) FROM chain_samples")).scalar_one() == 1


def test_bodies_are_judged(speak: Speak, authority: Authority) -> None:
    agent = speak(host_certificate(authority, "edge-1"))
    assert agent.post(TELEMETRY, content=b"{", headers=JSON).status_code == 400
    assert agent.post(TELEMETRY, content=b"x" * (2**20 + 1), headers=JSON).status_code == 413
    wrong = {**a_batch().model_dump(mode="json"), "surprise": 1}
    assert agent.post(TELEMETRY, json=wrong).json()["errors"][0]["field"] == "surprise"
    wrong = an_early_report(surprise=1)
    assert agent.post(EARLY, json=wrong).json()["errors"][0]["field"] == "surprise"
    for seconds in (-1, 1e10, "soon", None):
        wrong = an_early_report(overloaded=[{"nf_id": "web-edge.router", "stood_s": seconds}])
        assert agent.post(EARLY, json=wrong).json()["errors"][0]["field"] == "overloaded.0.stood_s"
    twice = an_early_report(overloaded=[{"nf_id": "web-edge.router", "stood_s": 1}] * 2)
    assert agent.post(EARLY, json=twice).json()["errors"][0]["field"] == "overloaded"
    assert agent.post(EARLY, content=b"{", headers=JSON).status_code == 400
    url = {**_registration(), "agent_url": "http://127.0.0.1:1"}
    assert agent.post(REGISTER, json=url).json()["errors"][0]["field"] == "agent_url"
    assert agent.get("/nothing").status_code == 404


@pytest.mark.parametrize("field", ["hostname", "kernel", "host_model"])
def test_characters_that_cannot_be_stored_are_refused(speak: Speak, authority: Authority, field: str) -> None:
    body = _registration()
    body["inventory"][field] = "a\x00b"
    assert speak(host_certificate(authority, "edge-1")).post(REGISTER, json=body).status_code == 422


def test_only_tls_1_3_is_spoken(speak: Speak, authority: Authority) -> None:
    client = speak(host_certificate(authority, "edge-1"))
    old = authority.client(host_certificate(authority, "edge-1"))
    old.maximum_version = ssl.TLSVersion.TLSv1_2
    with pytest.raises(httpx.TransportError), httpx.Client(base_url=client.base_url, verify=old) as speaker:
        speaker.get("/", extensions={"sni_hostname": "fleet.sextant"})


def test_flood_of_refusals_does_not_fill_the_trail(
    speak: Speak, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(guard, "_refusals", Throttle(per_minute=3))
    client = speak(None)
    assert {client.post(TELEMETRY).status_code for _ in range(6)} == {403}
    assert session.scalar(select(func.count()).where(AuditRow.action == "fleet.refused")) == 3
